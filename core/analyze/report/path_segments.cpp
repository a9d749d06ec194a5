#include "core/analyze/report/path_segments.h"

#include <algorithm>

namespace core {

namespace {

    void addEntry(PathSegment &segment, const CriticalOp &op)
    {
        const TimeRange range { op.startNs, op.startNs + op.durationNs };
        if (segment.slices.empty() && segment.durationNs == 0)
            segment.range = range;
        segment.range.endNs = std::max(segment.range.endNs, range.endNs);
        segment.durationNs += op.durationNs;
        if (op.durationNs > segment.longestNs) {
            segment.longestNs = op.durationNs;
            segment.name = op.name;
            segment.device = op.device;
            segment.isGap = op.isGap;
            if (op.slice != NoSlice)
                segment.slice = op.slice;
        }
        if (segment.slice == NoSlice)
            segment.slice = op.slice;
        if (op.slice != NoSlice)
            segment.slices.push_back(op.slice);
    }

} // namespace

std::vector<PathSegment> pathSegments(const CriticalPathReport &report)
{
    const double shortNs = ShortShare * static_cast<double>(report.totalNs());
    std::vector<PathSegment> segments;
    segments.reserve(report.ops.size());
    std::size_t runBegin = 0; // of the segments that short entries may join
    for (const CriticalOp &op : report.ops) {
        const bool isShort = static_cast<double>(op.durationNs) < shortNs;
        if (!isShort || (runBegin < segments.size() && segments[runBegin].rank != op.rank))
            runBegin = segments.size();
        const auto begin = segments.begin() + static_cast<std::ptrdiff_t>(runBegin);
        auto same = std::find_if(begin, segments.end(), [&op](const PathSegment &segment) {
            return segment.kind == op.kind && segment.waitsFor == op.waitsFor;
        });
        if (same == segments.end()) {
            PathSegment segment;
            segment.kind = op.kind;
            segment.rank = op.rank;
            segment.waitsFor = op.waitsFor;
            same = segments.insert(segments.end(), std::move(segment));
        }
        addEntry(*same, op);
        if (!isShort)
            runBegin = segments.size();
    }
    return segments;
}

std::map<std::optional<int>, std::int64_t> waitsByRank(const std::vector<PathSegment> &segments)
{
    std::map<std::optional<int>, std::int64_t> waits;
    for (const PathSegment &one : segments)
        if (one.isOnPath && one.kind == "wait")
            waits[one.waitsFor] += one.durationNs;
    return waits;
}

std::vector<PathSegment> nearCriticalSegments(const NearCriticalIteration &iteration)
{
    std::vector<PathSegment> segments;
    segments.reserve(iteration.ops.size());
    for (const NearCriticalOp &op : iteration.ops) {
        PathSegment segment;
        segment.name = op.name;
        segment.kind = op.kind;
        segment.rank = op.rank;
        segment.device = op.device;
        segment.range = { op.startNs, op.startNs + op.durationNs };
        segment.durationNs = segment.longestNs = op.durationNs;
        segment.slackNs = op.slackNs;
        segment.isOnPath = false;
        segment.slice = op.slice;
        if (op.slice != NoSlice)
            segment.slices.push_back(op.slice);
        segments.push_back(std::move(segment));
    }
    std::stable_sort(segments.begin(), segments.end(), [](const auto &a, const auto &b) {
        return a.range.startNs < b.range.startNs;
    });
    return segments;
}

} // namespace core
