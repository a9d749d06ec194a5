#include "ui/timeline_sources/counter_levels.h"

#include <algorithm>
#include <utility>

namespace ui {
namespace {

    double integral(const CounterPoint &point)
    {
        return point.mean * static_cast<double>(point.endNs - point.startNs);
    }

    /// Appends a later point to a run: its mean is over all of its time, gaps included.
    void append(CounterPoint &run, const CounterPoint &point)
    {
        const double sum = integral(run) + integral(point);
        run.endNs = point.endNs;
        run.mean = sum / static_cast<double>(std::max<std::int64_t>(1, run.endNs - run.startNs));
        run.maximum = std::max(run.maximum, point.maximum);
    }

} // namespace

CounterLevels::CounterLevels(std::vector<CounterPoint> points, const core::JobControl &control)
{
    constexpr std::int64_t FinestNs = 1000, Factor = 4, WidestNs = std::int64_t { 1 } << 56;
    constexpr std::size_t SmallEnough = 2000; // points of the coarsest level
    constexpr std::size_t MostKept = 200'000; // millions of allocations have 64 ranks each
    m_levels.push_back({ 0, std::move(points) });
    for (std::int64_t width = FinestNs;
         m_levels.back().points.size() > SmallEnough && width < WidestNs; width *= Factor) {
        core::throwIfCancelled(control);
        Level level = merged(m_levels.back(), width);
        if (level.points.size() * 4 < m_levels.back().points.size() * 3)
            m_levels.push_back(std::move(level));
    }
    while (m_levels.front().points.size() > MostKept && m_levels.size() > 1)
        m_levels.erase(m_levels.begin());
}

CounterLevels::Level CounterLevels::merged(const Level &finer, std::int64_t widthNs)
{
    Level level { widthNs, {} };
    for (const CounterPoint &point : finer.points) {
        if (!level.points.empty() && point.endNs - level.points.back().startNs <= widthNs)
            append(level.points.back(), point);
        else
            level.points.push_back(point);
    }
    return level;
}

std::vector<CounterPoint> CounterLevels::read(core::TimeRange range,
                                              std::int64_t resolutionNs) const
{
    if (m_levels.empty())
        return {};
    std::size_t pick = 0;
    while (pick + 1 < m_levels.size() && m_levels[pick + 1].widthNs <= resolutionNs)
        ++pick;
    const std::vector<CounterPoint> &points = m_levels[pick].points;
    const auto first = std::ranges::partition_point(
        points, [&range](const CounterPoint &point) { return point.endNs <= range.startNs; });
    const auto last
        = std::partition_point(first, points.end(), [&range](const CounterPoint &point) {
              return point.startNs < range.endNs;
          });
    return { first, last };
}

} // namespace ui
