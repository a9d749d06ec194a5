#include "ui/timeline_sources/level_of_detail.h"

#include <algorithm>

namespace ui {
namespace {

    constexpr std::int64_t FinestBinNs = 1000;
    constexpr std::int64_t LevelFactor = 4;
    constexpr std::size_t SmallEnough = 2000; ///< boxes of the coarsest level

    /// Longest single slice first: it lends name and role to the run.
    void append(TimelineBox &run, std::int64_t &longestNs, const TimelineBox &box)
    {
        const std::int64_t longest = box.count == 1 ? box.endNs - box.startNs : box.busyNs;
        if (longest > longestNs) {
            longestNs = longest;
            run.id = box.id;
            run.role = box.role;
        }
        run.endNs = std::max(run.endNs, box.endNs);
        run.busyNs += box.busyNs;
        run.count += box.count;
        run.waitNs = 0;
    }

} // namespace

LevelOfDetail::LevelOfDetail(std::vector<TimelineBox> boxes, const core::JobControl &control)
{
    m_levels.push_back({ 0, std::move(boxes) });
    for (std::int64_t width = FinestBinNs; m_levels.back().boxes.size() > SmallEnough;
         width *= LevelFactor) {
        core::throwIfCancelled(control);
        Level level = merged(m_levels.back(), width);
        if (level.boxes.size() * 4 < m_levels.back().boxes.size() * 3) {
            m_levels.push_back(std::move(level));
        } else if (width > std::int64_t { 1 } << 56) {
            break; // boxes this wide are few
        }
    }
}

LevelOfDetail::Level LevelOfDetail::merged(const Level &finer, std::int64_t widthNs)
{
    Level level { widthNs, {} };
    std::int64_t longestNs = 0;
    for (const TimelineBox &box : finer.boxes) {
        const bool joins
            = !level.boxes.empty() && box.endNs - level.boxes.back().startNs <= widthNs;
        if (joins) {
            append(level.boxes.back(), longestNs, box);
        } else {
            level.boxes.push_back(box);
            longestNs = box.busyNs;
        }
    }
    return level;
}

void LevelOfDetail::read(core::TimeRange range, std::int64_t resolutionNs,
                         std::vector<TimelineBox> &out) const
{
    if (m_levels.empty()) {
        return;
    }
    std::size_t pick = 0;
    while (pick + 1 < m_levels.size() && m_levels[pick + 1].widthNs <= resolutionNs) {
        ++pick;
    }
    const std::vector<TimelineBox> &boxes = m_levels[pick].boxes;
    const auto first = std::ranges::partition_point(
        boxes, [&range](const TimelineBox &box) { return box.endNs <= range.startNs; });
    const auto last = std::partition_point(
        first, boxes.end(), [&range](const TimelineBox &box) { return box.startNs < range.endNs; });
    out.insert(out.end(), first, last);
}

} // namespace ui
