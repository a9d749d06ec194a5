#pragma once

#include <QDockWidget>

class QLabel;
class QTableView;

namespace ui {

class DiagnosticsModel;
class Session;

/// The import log: what was skipped of the opened project's input, where, and what to do.
class DiagnosticsPanel : public QDockWidget
{
    Q_OBJECT

public:
    DiagnosticsPanel(Session &session, QWidget *parent);

private:
    void setUpTable();
    void updateRows();

    Session &m_session;
    DiagnosticsModel *m_model = nullptr;
    QTableView *m_table = nullptr;
    QLabel *m_empty = nullptr;
};

} // namespace ui
