#pragma once

class QKeyEvent;

namespace ui {

class TimelineWidget;

/// Does what the key stands for in a timeline, but for the held ones (timeline_keys.h); false if it
/// stands for nothing.
bool runTimelineCommand(TimelineWidget &timeline, const QKeyEvent &event);

} // namespace ui
