#pragma once

#include <QIcon>
#include <QString>

class QPalette;

namespace ui {

/// A line icon of resources/icons by its file name without suffix, drawn in the palette's text
/// colour. Make it again on QEvent::PaletteChange.
QIcon themedIcon(const QString &name, const QPalette &palette);
QIcon applicationIcon();

} // namespace ui
