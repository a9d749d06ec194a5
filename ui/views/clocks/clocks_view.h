#pragma once

#include "ui/widgets/screenshot_states.h"

#include <QWidget>

class QLabel;
class QPushButton;
class QStackedLayout;
class QTableView;

namespace core {
struct ProjectInfo;
}

namespace ui {

class ClockEditor;
class ClocksModel;
class OffsetSpinBox;
class Session;
class StatePage;

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
    QWidget *createPage();
    QWidget *createEditor();
    void showProject();
    /// Instead of the clocks: why there are none to show. False: there are.
    bool showWhyEmpty();
    void fitColumns();
    /// To its columns, so that its header ends with them, its frame and its scroll bar.
    void limitTable();
    void showStatus(const core::ProjectInfo &info);
    void showRank();
    /// Of the selected row; -1: none.
    int selectedRow() const;
    void setOffset();
    void useSolved();

    Session &m_session;
    ClockEditor *m_editor;
    ClocksModel *m_model;
    StatePage *m_state;
    QStackedLayout *m_pages;
    QLabel *m_status;
    QLabel *m_uncertainty;
    QTableView *m_table;
    QLabel *m_rank;
    OffsetSpinBox *m_offset;
    QPushButton *m_set;
    QPushButton *m_solved;
    QLabel *m_message;
};

} // namespace ui
