#pragma once

#include "core/base/job_control.h"
#include "core/base/time_range.h"
#include "core/model/category.h"
#include "core/model/ids.h"

#include <QString>

#include <array>
#include <filesystem>
#include <vector>

namespace ui {

/// All slices of one name in the area; durations are cut at its edges, and nested slices count in
/// each of their enclosing ones as well.
struct NameTotal
{
    QString name;
    core::Role role = core::Role::Host;
    std::uint64_t count = 0;
    std::int64_t sumNs = 0;
    std::int64_t longestNs = 0;

    std::int64_t meanNs() const
    {
        return count == 0 ? 0 : sumNs / static_cast<std::int64_t>(count);
    }
};

/// How one rank spent the area: lengths of unions of intervals.
struct RankTotal
{
    int rank = 0;
    std::int64_t computeNs = 0; ///< everything but communication and host
    std::int64_t commNs = 0;
    std::int64_t exposedCommNs = 0; ///< communication without compute
    std::int64_t idleNs = 0; ///< neither
};

struct RoleTotal
{
    core::Role role = core::Role::Host;
    std::int64_t busyNs = 0; ///< union of its intervals, summed over ranks
};

struct AreaTotals
{
    core::TimeRange range; ///< aligned
    std::vector<NameTotal> names; ///< largest sum first
    std::vector<RoleTotal> roles;
    std::vector<RankTotal> ranks; ///< by rank

    /// What shares are of: the area's duration times its ranks.
    std::int64_t wholeNs() const
    {
        return range.durationNs() * static_cast<std::int64_t>(ranks.size());
    }
};

/// Reads the slices of `tracks` in `range` (aligned) from the project file and adds them up. Opens
/// a connection of its own; for a worker thread.
AreaTotals areaTotals(const std::filesystem::path &project,
                      const std::vector<core::TrackId> &tracks, core::TimeRange range,
                      const core::JobControl &control);

/// Sum of the lengths of the union of intervals; sorts them.
std::int64_t unionNs(std::vector<core::TimeRange> &intervals);

} // namespace ui
