#pragma once

class QAction;
class QWidget;

namespace ui {

/// Two buttons, "Timeline" and "Graph", one of which is on as the checkable action says (on:
/// graph).
QWidget *createPageSwitch(QAction &asGraphs, QWidget *parent);

} // namespace ui
