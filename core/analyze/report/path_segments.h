#pragma once

#include "core/analyze/diagnosis.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace core {

/// A stretch of the critical path: one op, a gap, or a run of short ones of one part and rank.
struct PathSegment
{
    std::string name; ///< of the longest entry
    std::string kind; ///< as CriticalOp::kind
    int rank = 0;
    std::string device; ///< of the longest entry
    TimeRange range; ///< aligned
    std::int64_t durationNs = 0; ///< on the path; less than the range where a run is interrupted
    std::int64_t longestNs = 0; ///< of one entry
    std::int64_t slackNs = 0; ///< 0 on the path
    bool isOnPath = true;
    bool isGap = false; ///< the longest entry is the time before its slice
    SliceId slice = NoSlice; ///< of the longest entry that has one
    std::vector<SliceId> slices; ///< of all entries, in their order
};

/// Entries below this part of the path are short.
inline constexpr double ShortShare = 0.001;

/// The report's ops in order of time. Short neighbours on one rank are one segment for each part,
/// so that calls of 1 us do not fill the list. Durations add up to those of `report.ops`.
std::vector<PathSegment> pathSegments(const CriticalPathReport &report);

/// Ops off the path whose slack is small, as segments.
std::vector<PathSegment> nearCriticalSegments(const NearCriticalIteration &iteration);

} // namespace core
