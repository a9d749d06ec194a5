#pragma once

class QAbstractAxis;
class QValueAxis;

namespace ui {

struct Theme;

/// Fonts and colours of an axis of a chart.
void styleAxis(QAbstractAxis &axis, const Theme &theme, bool hasGrid);

/// A step of 1, 2, 2.5 or 5 times a power of ten, about six of which make up `range`.
double roundStep(double range);

/// Round steps that hold both, and their labels.
void setRoundRange(QValueAxis &axis, double smallest, double largest);

} // namespace ui
