#pragma once

#include "ui/widgets/screenshot_states.h"

#include <QWidget>

class QLabel;
class QPushButton;
class QTableView;

namespace ui {

class ClockEditor;
class ClocksModel;
class OffsetSpinBox;
class Session;

/// The clock of every rank, and how sure it is; below, the selected rank's offset can be set by
/// hand, undone, and given back to what was solved.
class ClocksView : public QWidget, public ScreenshotStates
{
    Q_OBJECT

public:
    ClocksView(Session &session, QWidget *parent);

    QStringList screenshotStates() const override;
    void enterScreenshotState(const QString &state) override;
    bool isReadyForScreenshot() const override;

private:
    void createActions();
    QWidget *createEditor();
    void showProject();
    void showRank();
    /// Of the selected row; -1: none.
    int selectedRow() const;
    void setOffset();
    void useSolved();

    Session &m_session;
    ClockEditor *m_editor;
    ClocksModel *m_model;
    QLabel *m_status;
    QTableView *m_table;
    QLabel *m_rank;
    OffsetSpinBox *m_offset;
    QPushButton *m_set;
    QPushButton *m_solved;
    QLabel *m_message;
};

} // namespace ui
