#pragma once

#include <QDialog>
#include <QList>

class QMenu;

namespace ui {

/// All keys of the window, taken from its menus so that the list cannot lie.
class ShortcutsDialog : public QDialog
{
    Q_OBJECT

public:
    ShortcutsDialog(const QList<QMenu *> &menus, QWidget *parent);
};

} // namespace ui
