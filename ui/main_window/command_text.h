#pragma once

#include <QString>

class QAction;

namespace ui {

/// What lists of commands call an action: its text in the menu, without the mark of its key there.
QString commandName(const QAction &action);

/// The keys of an action. Of one that has no shortcut, since it is done while a key is held or with
/// the mouse, those that its text names behind a tab, where menus show shortcuts. Empty: none.
QString commandKeys(const QAction &action);

} // namespace ui
