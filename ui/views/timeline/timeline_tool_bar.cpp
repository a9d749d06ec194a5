#include "ui/views/timeline/timeline_tool_bar.h"

#include "ui/session/session.h"
#include "ui/theme/theme.h"
#include "ui/timeline/timeline_widget.h"
#include "ui/views/timeline/legend.h"
#include "ui/widgets/format.h"
#include "ui/widgets/pick_list.h"

#include <QAction>
#include <QHBoxLayout>
#include <QStringList>
#include <QToolButton>

#include <utility>
#include <vector>

namespace ui {

namespace {

    /// By a quarter of what is seen.
    void panBy(TimelineWidget &timeline, int direction)
    {
        constexpr double Share = 0.25;
        timeline.state().pan(direction * Share * timeline.state().axis().widthPx);
    }

} // namespace

TimelineToolBar::TimelineToolBar(Session &session, TimelineWidget &timeline, QWidget &view)
    : QWidget(&view)
    , m_session(session)
    , m_timeline(timeline)
    , m_view(view)
    , m_buttons(new QHBoxLayout(this))
{
    setAutoFillBackground(true);
    m_buttons->setContentsMargins(space::small, space::tiny, space::small, space::tiny);
    m_buttons->setSpacing(space::tiny);
    createButtons();
    connect(&m_session, &Session::criticalPathShownChanged, this,
            [this] { m_criticalAction->setChecked(m_session.isCriticalPathShown()); });
}

void TimelineToolBar::createButtons()
{
    addToolAction(tr("Fit"), tr("Show everything"), QKeySequence(Qt::CTRL | Qt::Key_Home),
                  &TimelineToolBar::fit);
    sayKeys(*addToolAction(QStringLiteral("+"), tr("Zoom in"), {}, &TimelineToolBar::zoomIn),
            tr("W or Ctrl+wheel"));
    sayKeys(*addToolAction(QStringLiteral("\u2212"), tr("Zoom out"), {}, &TimelineToolBar::zoomOut),
            tr("S or Ctrl+wheel"));
    sayKeys(*addCommand(tr("Move left"), {}, [](TimelineWidget &w) { panBy(w, -1); }),
            tr("A or Shift+wheel"));
    sayKeys(*addCommand(tr("Move right"), {}, [](TimelineWidget &w) { panBy(w, +1); }),
            tr("D or Shift+wheel"));
    addToolAction(tr("Focus"), tr("Zoom to the selection; again: show everything"),
                  QKeySequence(Qt::Key_F), &TimelineToolBar::focusSelection);
    m_buttons->addSpacing(space::large);
    addSeparator();
    m_criticalAction = addToolAction(tr("Critical path"), tr("Draw the critical path"),
                                     QKeySequence(Qt::Key_C), &TimelineToolBar::toggleCriticalPath);
    m_criticalAction->setCheckable(true);
    addToolAction(QStringLiteral("\u2039"), tr("Previous step of the critical path"),
                  QKeySequence(Qt::ALT | Qt::Key_BracketLeft), &TimelineToolBar::previousCritical);
    addToolAction(QStringLiteral("\u203a"), tr("Next step of the critical path"),
                  QKeySequence(Qt::ALT | Qt::Key_BracketRight), &TimelineToolBar::nextCritical);
    addStepCommands();
    addMarkCommands();
    addRowCommands();
    addSeparator();
    m_buttons->addStretch();
    addToolAction(tr("Find"), tr("Find slices by name or arguments"),
                  QKeySequence(Qt::CTRL | Qt::Key_F), &TimelineToolBar::openSearch);
    addToolAction(tr("Track"), tr("Go to a track by its name"), QKeySequence(Qt::CTRL | Qt::Key_P),
                  &TimelineToolBar::pickTrack);
    addToolAction(tr("Legend"), tr("What the colours mean"), {}, &TimelineToolBar::showLegend);
}

/// What only keys do has its place in the menu all the same: there it is found.
void TimelineToolBar::addStepCommands()
{
    addSeparator();
    addCommand(tr("Previous slice of the track"), QKeySequence(Qt::Key_Comma),
               [](TimelineWidget &w) { w.stepOnTrack(-1); });
    addCommand(tr("Next slice of the track"), QKeySequence(Qt::Key_Period),
               [](TimelineWidget &w) { w.stepOnTrack(+1); });
    addCommand(tr("What the selection waited for"), QKeySequence(Qt::Key_BracketLeft),
               [](TimelineWidget &w) { emit w.dependencyStepRequested(-1); });
    addCommand(tr("What the selection let start"), QKeySequence(Qt::Key_BracketRight),
               [](TimelineWidget &w) { emit w.dependencyStepRequested(+1); });
    addCommand(tr("Choose among what it waited for\u2026"),
               QKeySequence(Qt::CTRL | Qt::Key_BracketLeft),
               [](TimelineWidget &w) { emit w.dependencyChoiceRequested(-1); });
    addCommand(tr("Choose among what it let start\u2026"),
               QKeySequence(Qt::CTRL | Qt::Key_BracketRight),
               [](TimelineWidget &w) { emit w.dependencyChoiceRequested(+1); });
    addSeparator();
    addCommand(tr("Back to the view before"), QKeySequence(Qt::ALT | Qt::Key_Left),
               [](TimelineWidget &w) { w.state().goBack(); });
    addCommand(tr("Forward to the view after"), QKeySequence(Qt::ALT | Qt::Key_Right),
               [](TimelineWidget &w) { w.state().goForward(); });
}

void TimelineToolBar::addMarkCommands()
{
    addSeparator();
    addCommand(tr("Mark the selection's time"), QKeySequence(Qt::Key_M),
               [](TimelineWidget &w) { w.markSelection(false); });
    addCommand(tr("Mark it and keep earlier marks"), QKeySequence(Qt::SHIFT | Qt::Key_M),
               [](TimelineWidget &w) { w.markSelection(true); });
    addCommand(tr("Totals of the selection's time"), QKeySequence(Qt::Key_R),
               [](TimelineWidget &w) { w.areaFromSelection(); });
    addCommand(tr("Totals of the selection's track"), QKeySequence(Qt::CTRL | Qt::Key_A),
               [](TimelineWidget &w) { w.areaOfTrack(); });
}

void TimelineToolBar::addRowCommands()
{
    addSeparator();
    m_buttons->addSpacing(space::large);
    addToolAction(tr("Fold all"), tr("Fold or unfold all ranks"), QKeySequence(Qt::Key_E),
                  &TimelineToolBar::foldAll);
    QAction *overview = addToolAction(tr("Overview"), tr("Overview: one thin row a rank"),
                                      QKeySequence(Qt::Key_O), &TimelineToolBar::toggleOverview);
    overview->setCheckable(true);
    const TimelineState &state = m_timeline.state();
    connect(&state, &TimelineState::layoutChanged, overview,
            [overview, &state] { overview->setChecked(state.isRankOverview()); });
    addCommand(tr("Hide or show the names of tracks"), QKeySequence(Qt::CTRL | Qt::Key_B),
               [](TimelineWidget &w) { w.toggleTrackColumn(); });
    addCommand(tr("Hide or show the details"), QKeySequence(Qt::Key_Q),
               [](TimelineWidget &w) { emit w.detailsToggleRequested(); });
}

QAction *TimelineToolBar::addCommand(const QString &text, const QKeySequence &keys,
                                     void (*run)(TimelineWidget &))
{
    auto *action = new QAction(text, &m_view);
    action->setShortcut(keys);
    action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    if (run != nullptr)
        connect(action, &QAction::triggered, this, [this, run] { run(m_timeline); });
    m_view.addAction(action);
    return action;
}

/// In the menu.
void TimelineToolBar::addSeparator()
{
    auto *line = new QAction(&m_view);
    line->setSeparator(true);
    m_view.addAction(line);
}

/// Held keys and the wheel are no shortcuts: they are told where shortcuts are shown.
void TimelineToolBar::sayKeys(QAction &action, const QString &keys)
{
    action.setToolTip(toolTipParagraphs(QStringLiteral("%1 (%2)").arg(action.text(), keys)));
    action.setText(action.text() + QLatin1Char('\t') + keys);
}

QAction *TimelineToolBar::addToolAction(const QString &text, const QString &tip,
                                        const QKeySequence &keys, void (TimelineToolBar::*slot)())
{
    QAction *action = addCommand(text, keys, nullptr);
    const QString shown = keys.toString(QKeySequence::NativeText);
    action->setToolTip(
        toolTipParagraphs(shown.isEmpty() ? tip : QStringLiteral("%1 (%2)").arg(tip, shown)));
    connect(action, &QAction::triggered, this, slot);
    if (text.size() == 1) { // a sign: menus say it in words
        action->setIconText(text);
        action->setText(tip);
    }
    auto *button = new QToolButton(this);
    button->setDefaultAction(action);
    button->setText(text);
    button->setAccessibleName(tip);
    button->setFocusPolicy(Qt::TabFocus);
    button->setToolButtonStyle(Qt::ToolButtonTextOnly);
    m_buttons->addWidget(button);
    return action;
}

void TimelineToolBar::toggleCriticalPath()
{
    m_session.setCriticalPathShown(!m_session.isCriticalPathShown());
    m_criticalAction->setChecked(m_session.isCriticalPathShown());
}

void TimelineToolBar::foldAll()
{
    m_timeline.state().toggleAllGroups();
}

void TimelineToolBar::toggleOverview()
{
    m_timeline.state().setRankOverview(!m_timeline.state().isRankOverview());
}

void TimelineToolBar::fit()
{
    m_timeline.fit();
}

void TimelineToolBar::zoomIn()
{
    m_timeline.state().zoomAt(1.5, m_timeline.state().axis().widthPx / 2.0);
}

void TimelineToolBar::zoomOut()
{
    m_timeline.state().zoomAt(1 / 1.5, m_timeline.state().axis().widthPx / 2.0);
}

void TimelineToolBar::focusSelection()
{
    m_timeline.focusSelection();
}

void TimelineToolBar::openSearch()
{
    m_timeline.openSearch();
}

void TimelineToolBar::pickTrack()
{
    const TimelineSource *source = m_timeline.state().source();
    if (source == nullptr)
        return;
    std::vector<PickEntry> entries;
    for (const TimelineTrack &track : source->tracks()) {
        QStringList names { track.group, track.subgroup, track.name };
        names.removeAll(QString());
        entries.push_back({ names.join(QStringLiteral(" \u00b7 ")) });
    }
    auto *list = new PickList(std::move(entries), tr("Type a track's name"), &m_view);
    connect(list, &PickList::picked, this, [this](std::size_t track) {
        const TimelineSource *now = m_timeline.state().source(); // an import may have ended since
        if (now != nullptr && track < now->tracks().size())
            m_timeline.state().showTrack(track, 0);
        m_timeline.setFocus();
    });
    list->popUpOver(m_view);
}

void TimelineToolBar::nextCritical()
{
    emit criticalStepRequested(+1);
}

void TimelineToolBar::previousCritical()
{
    emit criticalStepRequested(-1);
}

void TimelineToolBar::showLegend()
{
    auto *legend = new Legend(&m_view);
    legend->setAttribute(Qt::WA_DeleteOnClose);
    legend->move(mapToGlobal(QPoint(width() - legend->width() - space::small, height())));
    legend->show();
}

} // namespace ui
