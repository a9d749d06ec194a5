#pragma once

#include <QWidget>

class QAction;
class QHBoxLayout;
class QKeySequence;

namespace ui {

class Session;
class TimelineWidget;

/// The buttons above the timeline: zooming, the critical path, search, the legend. Their actions
/// belong to the view around it, so that its menu has them and their keys work in all of it.
class TimelineToolBar : public QWidget
{
    Q_OBJECT

public:
    /// `view` gets the actions. The references must outlive it.
    TimelineToolBar(Session &session, TimelineWidget &timeline, QWidget &view);

    void toggleCriticalPath();

signals:
    void criticalStepRequested(int direction); ///< +1: to the next step of the critical path

private:
    void createButtons();
    void addStepCommands();
    void addMarkCommands();
    void addRowCommands();
    /// In the menu alone; `run` may be null, who calls connects it then.
    QAction *addCommand(const QString &text, const QKeySequence &keys,
                        void (*run)(TimelineWidget &));
    void addSeparator();
    static void sayKeys(QAction &action, const QString &keys);
    QAction *addToolAction(const QString &text, const QString &tip, const QKeySequence &keys,
                           void (TimelineToolBar::*slot)());
    void fit();
    void foldAll();
    void toggleOverview();
    void zoomIn();
    void zoomOut();
    void focusSelection();
    void openSearch();
    void pickTrack();
    void nextCritical();
    void previousCritical();
    void showLegend();

    Session &m_session;
    TimelineWidget &m_timeline;
    QWidget &m_view;
    QHBoxLayout *m_buttons;
    QAction *m_criticalAction = nullptr;
};

} // namespace ui
