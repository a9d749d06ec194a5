#pragma once

#include <QList>

class QAction;
class QMenu;

namespace ui {

class MainWindow;
class Session;

/// Fills the menu bar. Each view that has actions of its own gets a menu with its name.
void createMenus(MainWindow &window, Session &session);

/// All enabled actions of the menus, for the command palette.
QList<QAction *> commandActions(const QList<QMenu *> &menus);

} // namespace ui
