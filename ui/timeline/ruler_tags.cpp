#include "ui/timeline/ruler_tags.h"

#include <algorithm>
#include <cmath>
#include <utility>

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

std::optional<double> freeTagLeft(const TagWish &wish, const std::vector<QRectF> &taken)
{
    constexpr double Gap = 2;
    std::vector<double> candidates { wish.left };
    candidates.reserve(1 + 2 * taken.size());
    for (const QRectF &other : taken) {
        candidates.push_back(other.right() + Gap);
        candidates.push_back(other.left() - Gap - wish.length);
    }
    std::optional<double> best;
    for (const double left : candidates) {
        const bool isFree = std::ranges::none_of(taken, [&](const QRectF &other) {
            return other.left() < left + wish.length && left < other.right();
        });
        const bool isWithin = left >= wish.least && left <= wish.most;
        if (isFree && isWithin
            && (!best || std::abs(left - wish.left) < std::abs(*best - wish.left)))
            best = left;
    }
    return best;
}

TagPlaces::TagPlaces(std::vector<QRectF> times, std::vector<QRectF> names, QRectF lower,
                     QRectF upper)
    : m_times(std::move(times))
    , m_names(std::move(names))
    , m_lower(lower)
    , m_upper(upper)
{
}

QRectF TagPlaces::place(const TagWish &wish)
{
    const auto tryLine = [&](const QRectF &line, std::vector<QRectF> taken) {
        for (const QRectF &tag : m_tags)
            if (tag.top() == line.top())
                taken.push_back(tag);
        const auto left = freeTagLeft(wish, taken);
        return left ? QRectF(*left, line.top(), wish.length, line.height()) : QRectF();
    };
    QRectF tag = tryLine(m_lower, m_times);
    if (tag.isEmpty())
        tag = tryLine(m_upper, m_names);
    if (tag.isEmpty())
        tag = tryLine(m_lower, {});
    if (!tag.isEmpty())
        m_tags.push_back(tag);
    return tag;
}

} // namespace ui
