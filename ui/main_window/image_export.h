#pragma once

#include <QPixmap>
#include <QString>

class QWidget;

namespace ui {

/// The widget as a picture of twice its resolution, with `caption` in a line below (none if empty).
QPixmap renderImage(QWidget &widget, const QString &caption);

} // namespace ui
