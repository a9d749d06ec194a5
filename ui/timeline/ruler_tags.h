#pragma once

#include <QRectF>

#include <vector>

namespace ui {

/// Left edge of the pointer's time on the ruler, all in pixels: over `x` where no tag of `taken`
/// is, else beside `x`; negative where both sides are taken. `width`: of the ruler.
double pointerTagLeft(double x, double length, double width, const std::vector<QRectF> &taken);

/// Length of the label of a note at `x`: as wanted, or up to the flag at `nextX`; 0 where that is
/// too short to be read.
double flagLabelLength(double x, double wanted, double nextX);

} // namespace ui
