#pragma once

class QAction;
class QWidget;

namespace ui {

/// Two buttons, "Timeline" and "Graph", one of which is on as the checkable action says (on:
/// graph).
QWidget *createPageSwitch(QAction &asGraphs, QWidget *parent);

/// Both, without a gap; the one below takes the room that is left.
QWidget *stacked(QWidget *above, QWidget *below, QWidget *parent);

} // namespace ui
