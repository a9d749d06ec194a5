#pragma once

#include <QWidget>

class QLabel;
class QPushButton;

namespace ui {

class TimelineState;

/// Words for a timeline whose filters or hidden ranks leave no row but pinned ones and curves;
/// empty text if they leave some, or hide none.
QString emptyRowsText(const TimelineState &state);

/// Says over the empty track area why it is empty; a click shows the rows again.
class EmptyRowsNote : public QWidget
{
    Q_OBJECT

public:
    explicit EmptyRowsNote(TimelineState &state, QWidget *parent = nullptr);

private:
    void showReason();
    void showRows();

    TimelineState &m_state;
    QLabel *m_text;
    QPushButton *m_button;
};

} // namespace ui
