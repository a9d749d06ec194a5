#pragma once

class QMenu;

namespace ui {

class ProjectHistory;

/// Undo and Redo of the project with the name of the change, "Undo: Mark". A text field that has
/// the focus takes their keys for its own text.
void addUndoActions(QMenu &menu, ProjectHistory &history);

} // namespace ui
