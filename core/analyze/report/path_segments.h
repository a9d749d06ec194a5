#pragma once

#include "core/analyze/diagnosis.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace core {

/// A stretch of the critical path: one op, a gap, or a run of short ones of one part and rank.
struct PathSegment
{
    std::string name; ///< of the longest entry
    std::string kind; ///< as CriticalOp::kind
    int rank = 0;
    std::optional<int> waitsFor = {}; ///< as CriticalOp::waitsFor
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

/// The report's ops in order of time. Short neighbours on one rank are one segment for each part
/// and rank waited for, so that calls of 1 us do not fill the list. Durations add up to those of
/// `report.ops`.
std::vector<PathSegment> pathSegments(const CriticalPathReport &report);

/// Waits on the path by the rank that is waited for, ns; those for no known rank are of an empty
/// one. They add up to the report's waitNs.
std::map<std::optional<int>, std::int64_t> waitsByRank(const std::vector<PathSegment> &segments);

/// Ops off the path whose slack is small, as segments.
std::vector<PathSegment> nearCriticalSegments(const NearCriticalIteration &iteration);

} // namespace core
