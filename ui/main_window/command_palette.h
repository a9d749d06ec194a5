#pragma once

#include <QList>

class QAction;
class QWidget;

namespace ui {

/// Pops up a list of the actions over `window`; the one that is picked is run.
void showCommandPalette(const QList<QAction *> &actions, QWidget &window);

} // namespace ui
