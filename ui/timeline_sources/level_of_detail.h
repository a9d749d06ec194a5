#pragma once

#include "core/base/job_control.h"
#include "ui/timeline/timeline_source.h"

#include <vector>

namespace ui {

/// The boxes of one row at several resolutions: any zoom reads a bounded number of them. Each
/// level merges what lies within four times the width of the level below.
class LevelOfDetail
{
public:
    LevelOfDetail() = default;
    /// `boxes` of one depth, sorted by start, not overlapping. Throws core::Cancelled.
    explicit LevelOfDetail(std::vector<TimelineBox> boxes, const core::JobControl &control = {});

    /// Appends the boxes that overlap `range`, merged up to `resolutionNs`.
    void read(core::TimeRange range, std::int64_t resolutionNs,
              std::vector<TimelineBox> &out) const;

private:
    struct Level
    {
        std::int64_t widthNs = 0;
        std::vector<TimelineBox> boxes;
    };
    static Level merged(const Level &finer, std::int64_t widthNs);

    std::vector<Level> m_levels; ///< finest first
};

} // namespace ui
