#pragma once

#include "ui/theme/theme.h"

#include <QRect>

class QPainter;

namespace ui {

/// How the timeline draws a box of one role, for legends: filled, or, where it waits for other
/// ranks, hatched.
void paintSwatch(QPainter &painter, const QRect &box, core::Role role, bool isHatched,
                 const Theme &theme);

} // namespace ui
