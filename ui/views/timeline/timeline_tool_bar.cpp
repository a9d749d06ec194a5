#include "ui/views/timeline/timeline_tool_bar.h"

#include "ui/session/session.h"
#include "ui/theme/theme.h"
#include "ui/timeline/timeline_widget.h"
#include "ui/views/timeline/legend.h"
#include "ui/widgets/pick_list.h"

#include <QAction>
#include <QHBoxLayout>
#include <QStringList>
#include <QToolButton>

#include <utility>
#include <vector>

namespace ui {

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
    addToolAction(QStringLiteral("+"), tr("Zoom in (W)"), {}, &TimelineToolBar::zoomIn);
    addToolAction(QStringLiteral("\u2212"), tr("Zoom out (S)"), {}, &TimelineToolBar::zoomOut);
    addToolAction(tr("Focus"), tr("Zoom to the selection; again: show everything"),
                  QKeySequence(Qt::Key_F), &TimelineToolBar::focusSelection);
    m_buttons->addSpacing(space::large);
    m_criticalAction = addToolAction(tr("Critical path"), tr("Draw the critical path"),
                                     QKeySequence(Qt::Key_C), &TimelineToolBar::toggleCriticalPath);
    m_criticalAction->setCheckable(true);
    addToolAction(QStringLiteral("\u2039"), tr("Previous step of the critical path"),
                  QKeySequence(Qt::ALT | Qt::Key_BracketLeft), &TimelineToolBar::previousCritical);
    addToolAction(QStringLiteral("\u203a"), tr("Next step of the critical path"),
                  QKeySequence(Qt::ALT | Qt::Key_BracketRight), &TimelineToolBar::nextCritical);
    m_buttons->addStretch();
    addToolAction(tr("Find"), tr("Find slices by name or arguments"),
                  QKeySequence(Qt::CTRL | Qt::Key_F), &TimelineToolBar::openSearch);
    addToolAction(tr("Track"), tr("Go to a track by its name"), QKeySequence(Qt::CTRL | Qt::Key_P),
                  &TimelineToolBar::pickTrack);
    addToolAction(tr("Legend"), tr("What the colours mean"), {}, &TimelineToolBar::showLegend);
}

QAction *TimelineToolBar::addToolAction(const QString &text, const QString &tip,
                                        const QKeySequence &keys, void (TimelineToolBar::*slot)())
{
    auto *action = new QAction(text, &m_view);
    action->setShortcut(keys);
    action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    const QString shown = keys.toString(QKeySequence::NativeText);
    action->setToolTip(shown.isEmpty() ? tip : QStringLiteral("%1 (%2)").arg(tip, shown));
    connect(action, &QAction::triggered, this, slot);
    if (text.size() == 1) { // a sign: menus say it in words
        action->setIconText(text);
        action->setText(tip);
    }
    m_view.addAction(action);
    auto *button = new QToolButton(this);
    button->setDefaultAction(action);
    button->setText(text);
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
    m_timeline.stepOnCriticalPath(+1);
}

void TimelineToolBar::previousCritical()
{
    m_timeline.stepOnCriticalPath(-1);
}

void TimelineToolBar::showLegend()
{
    auto *legend = new Legend(&m_view);
    legend->setAttribute(Qt::WA_DeleteOnClose);
    legend->move(mapToGlobal(QPoint(width() - legend->width() - space::small, height())));
    legend->show();
}

} // namespace ui
