#pragma once

#include <QWidget>

namespace ui {

class Session;

/// First page of an opened project: the verdict in one sentence, where the time of an iteration
/// goes, what would shorten it, and how the ranks compare.
class SummaryView : public QWidget
{
    Q_OBJECT

public:
    SummaryView(Session &session, QWidget *parent);

private:
    Session &m_session;
};

} // namespace ui
