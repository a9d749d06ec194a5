#pragma once

#include "core/model/category.h"
#include "ui/theme/measures.h"

#include <QColor>
#include <QFont>
#include <QPalette>

#include <optional>

class QApplication;
class QString;

namespace ui {

/// The colours of one theme. A plain value: a widget asks themeOf(palette()) while it paints and
/// repaints on QEvent::PaletteChange; nobody keeps a reference to "the" theme.
struct Theme
{
    bool isDark = false;
    QColor background; ///< canvases, tables, pages
    QColor panel; ///< bars, docks, label columns, cards
    QColor line; ///< hairlines
    QColor text;
    QColor secondaryText;
    QColor accent; ///< selection, focus, links
    QColor accentText; ///< on a ground of accent
    QColor hover; ///< ground of what the pointer is over
    QColor better, worse; ///< deltas; never the only carrier of the meaning
    QColor warning;
    QColor criticalPath, criticalPathCasing;
    QColor predictedGround; ///< ground of predicted as opposed to measured data
    QColor idle; ///< for charts, where idle needs a mark; the timeline leaves it empty

    /// Fill of a slice; the same meaning has the same colour in every view.
    QColor role(core::Role role) const;
    /// Text on a fill of that role, with a contrast of at least 4.5:1 where the fill allows it.
    QColor onRole(core::Role role) const;
};

const Theme &lightTheme();
const Theme &darkTheme();
/// The theme that a palette belongs to.
const Theme &themeOf(const QPalette &palette);
QPalette paletteOf(const Theme &theme);

enum class ThemeChoice { System, Light, Dark };
/// "system", "light", "dark"; empty for another word.
std::optional<ThemeChoice> themeChoiceFromName(const QString &name);
QString themeChoiceName(ThemeChoice choice);

/// Sets style, palette, style sheet and fonts of the whole application.
void applyTheme(QApplication &application, ThemeChoice choice);

/// The UI font at one of the sizes in use; figures have one width.
QFont uiFont(TextSize size, QFont::Weight weight = QFont::Normal);

/// Contrast of two colours after WCAG 2: 1 (none) .. 21.
double contrastRatio(const QColor &a, const QColor &b);
/// `over` painted with `opacity` (0..1) on `ground`.
QColor blend(const QColor &ground, const QColor &over, double opacity);

} // namespace ui
