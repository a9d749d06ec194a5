#pragma once

#include "ui/theme/theme.h"
#include "ui/timeline/timeline_coordinates.h"
#include "ui/timeline/timeline_source.h"

#include <QImage>

namespace ui {

/// How busy the ranks were on average at each column of `axis`, stacked by role: everything but
/// communication above, communication below. Format_RGB32, as wide as the axis.
QImage densityImage(const TimelineSource &source, const TimeAxis &axis, int height,
                    const Theme &theme, QRgb ground);

} // namespace ui
