#include "ui/timeline/ruler_tags.h"

#include <algorithm>

namespace ui {

double pointerTagLeft(double x, double length, double width, const std::vector<QRectF> &taken)
{
    constexpr double Gap = 3; // of the line at x
    constexpr double Nowhere = -1;
    const double centred = std::clamp(x - length / 2, 0.0, std::max(0.0, width - length));
    for (const double left : { centred, x + Gap, x - Gap - length }) {
        const bool isFree = std::ranges::none_of(taken, [&](const QRectF &tag) {
            return tag.left() < left + length && left < tag.right();
        });
        if (isFree && left >= 0 && left + length <= std::max(width, length)) {
            return left;
        }
    }
    return Nowhere;
}

double flagLabelLength(double x, double wanted, double nextX)
{
    constexpr double Shortest = 24, Gap = 2;
    const double room = nextX - x - Gap;
    return room >= wanted ? wanted : room < Shortest ? 0 : room;
}

} // namespace ui
