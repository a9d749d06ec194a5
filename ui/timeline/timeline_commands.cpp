#include "ui/timeline/timeline_commands.h"

#include "ui/timeline/timeline_widget.h"

#include <QKeyEvent>

namespace ui {

bool runTimelineCommand(TimelineWidget &timeline, const QKeyEvent &event)
{
    struct Command
    {
        int key;
        Qt::KeyboardModifiers modifiers;
        void (*run)(TimelineWidget &);
    };
    static const Command commands[] {
        { Qt::Key_F, Qt::NoModifier, [](TimelineWidget &w) { w.focusSelection(); } },
        { Qt::Key_F, Qt::ControlModifier, [](TimelineWidget &w) { w.openSearch(); } },
        { Qt::Key_Slash, Qt::NoModifier, [](TimelineWidget &w) { w.openSearch(); } },
        { Qt::Key_Home, Qt::ControlModifier, [](TimelineWidget &w) { w.fit(); } },
        { Qt::Key_M, Qt::NoModifier, [](TimelineWidget &w) { w.markSelection(false); } },
        { Qt::Key_M, Qt::ShiftModifier, [](TimelineWidget &w) { w.markSelection(true); } },
        { Qt::Key_R, Qt::NoModifier, [](TimelineWidget &w) { w.areaFromSelection(); } },
        { Qt::Key_C, Qt::NoModifier,
          [](TimelineWidget &w) { emit w.criticalPathToggleRequested(); } },
        { Qt::Key_Period, Qt::NoModifier, [](TimelineWidget &w) { w.stepOnTrack(+1); } },
        { Qt::Key_Comma, Qt::NoModifier, [](TimelineWidget &w) { w.stepOnTrack(-1); } },
        { Qt::Key_BracketRight, Qt::NoModifier,
          [](TimelineWidget &w) { emit w.dependencyStepRequested(+1); } },
        { Qt::Key_BracketLeft, Qt::NoModifier,
          [](TimelineWidget &w) { emit w.dependencyStepRequested(-1); } },
        { Qt::Key_BracketRight, Qt::ControlModifier,
          [](TimelineWidget &w) { emit w.dependencyChoiceRequested(+1); } },
        { Qt::Key_BracketLeft, Qt::ControlModifier,
          [](TimelineWidget &w) { emit w.dependencyChoiceRequested(-1); } },
        { Qt::Key_A, Qt::ControlModifier, [](TimelineWidget &w) { w.areaOfTrack(); } },
        { Qt::Key_Q, Qt::NoModifier, [](TimelineWidget &w) { emit w.detailsToggleRequested(); } },
        { Qt::Key_BracketRight, Qt::AltModifier,
          [](TimelineWidget &w) { w.stepOnCriticalPath(+1); } },
        { Qt::Key_BracketLeft, Qt::AltModifier,
          [](TimelineWidget &w) { w.stepOnCriticalPath(-1); } },
        { Qt::Key_Left, Qt::AltModifier, [](TimelineWidget &w) { w.state().goBack(); } },
        { Qt::Key_Right, Qt::AltModifier, [](TimelineWidget &w) { w.state().goForward(); } },
        { Qt::Key_E, Qt::NoModifier, [](TimelineWidget &w) { w.state().toggleAllGroups(); } },
        { Qt::Key_O, Qt::NoModifier,
          [](TimelineWidget &w) { w.state().setRankOverview(!w.state().isRankOverview()); } },
        { Qt::Key_B, Qt::ControlModifier, [](TimelineWidget &w) { w.toggleTrackColumn(); } },
        { Qt::Key_Escape, Qt::NoModifier, [](TimelineWidget &w) { w.escape(); } },
    };
    const auto modifiers = event.modifiers() & ~Qt::KeypadModifier;
    for (const Command &command : commands) {
        const bool isSlash = command.key == Qt::Key_Slash; // typed with Shift on many layouts
        if (event.key() == command.key && (modifiers == command.modifiers || isSlash)) {
            command.run(timeline);
            return true;
        }
    }
    return false;
}

} // namespace ui
