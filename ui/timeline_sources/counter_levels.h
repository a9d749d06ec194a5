#pragma once

#include "core/base/job_control.h"
#include "ui/timeline/timeline_source.h"

#include <vector>

namespace ui {

/// A counter's curve at several resolutions: any zoom reads a bounded number of points. Each level
/// merges runs within four times the width of the level below, with their mean and maximum. Of very
/// many points only merged ones are kept.
class CounterLevels
{
public:
    CounterLevels() = default;
    /// `points` by time, not overlapping. Throws core::Cancelled.
    explicit CounterLevels(std::vector<CounterPoint> points, const core::JobControl &control = {});

    /// The points that overlap `range`, merged up to `resolutionNs`.
    std::vector<CounterPoint> read(core::TimeRange range, std::int64_t resolutionNs) const;

private:
    struct Level
    {
        std::int64_t widthNs = 0;
        std::vector<CounterPoint> points;
    };
    static Level merged(const Level &finer, std::int64_t widthNs);

    std::vector<Level> m_levels; ///< finest first
};

} // namespace ui
