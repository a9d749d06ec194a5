#include "core/graph/build/stream_lanes.h"

#include "core/model/category.h"
#include "core/model/finish_track.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>

namespace core {

namespace {

    constexpr std::size_t FewestContradictions = 2; ///< one may be a bad time
    constexpr std::size_t OpsOfAContradiction = 100;
    constexpr std::size_t MostLanes = 64;
    constexpr std::int64_t MuchOverlapNs = 5000; ///< kernels that depend on another begin earlier

    struct LaneOp
    {
        std::size_t row = 0;
        TimeRange range; ///< aligned
        std::optional<std::int64_t> launchedNs;
        std::string_view group; ///< process group, else empty
        NameId name;
    };

    std::vector<LaneOp> laneOps(const GraphContext &context, const Track &track)
    {
        const SliceColumns &slices = context.trace.slices[track.id.value];
        std::vector<LaneOp> ops;
        for (std::size_t row = 0; row < slices.size(); ++row) {
            if (!isDeviceActivity(slices.category[row]) || !context.isOfIterations(track, row))
                continue;
            const std::int64_t startNs = context.trace.toAligned(track.worker, slices.startNs[row]);
            LaneOp op;
            op.row = row;
            op.range = { startNs, startNs + slices.durationNs[row] };
            op.name = slices.name[row];
            if (const auto launch = context.launchOf(track, row))
                op.launchedNs = context.builder.op(*launch).measuredStartNs;
            ops.push_back(op);
        }
        return ops;
    }

    /// Whether both ran for most of the shorter one's time, and were launched each for itself:
    /// branches of a graph, and what is within an operation, may.
    bool ranTogether(const LaneOp &earlier, const LaneOp &later)
    {
        const std::int64_t ns
            = std::min(earlier.range.endNs, later.range.endNs) - later.range.startNs;
        const std::int64_t shorterNs
            = std::min(earlier.range.durationNs(), later.range.durationNs());
        return ns > MuchOverlapNs && ns > shorterNs / 2 && earlier.launchedNs && later.launchedNs
            && earlier.launchedNs != later.launchedNs;
    }

    /// Signs of several streams: how often operations ran at once, and began in another order than
    /// they were launched.
    struct Contradictions
    {
        std::size_t overlaps = 0, inversions = 0;
    };

    Contradictions contradictionsOf(const std::vector<LaneOp> &ops)
    {
        Contradictions found;
        const LaneOp *longest = nullptr; ///< of those before, that ends last
        std::int64_t launchedNs = std::numeric_limits<std::int64_t>::min();
        for (const LaneOp &op : ops) {
            found.overlaps += longest != nullptr && ranTogether(*longest, op) ? 1 : 0;
            if (longest == nullptr || op.range.endNs > longest->range.endNs)
                longest = &op;
            if (!op.launchedNs)
                continue;
            found.inversions += *op.launchedNs < launchedNs ? 1 : 0;
            launchedNs = std::max(launchedNs, *op.launchedNs);
        }
        return found;
    }

    struct Lane
    {
        std::int64_t endNs = 0;
        std::optional<std::int64_t> launchedNs; ///< of the last launched one
        std::string_view group;
        NameId name;
    };

    bool mayFollow(const LaneOp &op, const Lane &lane)
    {
        return lane.endNs <= op.range.startNs + TouchToleranceNs
            && (!op.launchedNs || !lane.launchedNs || *lane.launchedNs <= *op.launchedNs);
    }

    /// The lane that the op goes on best, else a new one.
    std::size_t bestLane(const LaneOp &op, const std::vector<Lane> &lanes)
    {
        std::size_t best = lanes.size();
        int bestLikeness = -1;
        for (std::size_t i = 0; i < lanes.size(); ++i) {
            if (!mayFollow(op, lanes[i]))
                continue;
            const int likeness
                = (lanes[i].group == op.group ? 2 : 0) + (lanes[i].name == op.name ? 1 : 0);
            if (likeness > bestLikeness
                || (likeness == bestLikeness && lanes[i].endNs > lanes[best].endNs)) {
                best = i;
                bestLikeness = likeness;
            }
        }
        return best;
    }

    /// Sorts all collectives once, as every row may be contradictory. `ops` are in order of rows.
    void nameGroups(GraphContext &context, const Track &track, std::vector<LaneOp> &ops)
    {
        const std::vector<CollectiveCall> &calls = context.trace.collectives;
        const auto sliceOf = [&calls](std::size_t call) { return calls[call].slice.value; };
        std::vector<std::size_t> &order = context.collectivesBySlice;
        if (order.size() != calls.size()) {
            order.resize(calls.size());
            std::iota(order.begin(), order.end(), std::size_t { 0 });
            std::ranges::sort(order, {}, sliceOf);
        }
        const std::uint64_t first = context.trace.slices[track.id.value].first.value;
        auto call = std::ranges::lower_bound(order, first, {}, sliceOf);
        for (LaneOp &op : ops)
            for (; call != order.end() && sliceOf(*call) <= first + op.row; ++call)
                if (sliceOf(*call) == first + op.row)
                    op.group = calls[*call].group;
    }

    std::string mergedText(const Trace &trace, const Track &track, std::size_t lanes,
                           bool isOutOfOrder)
    {
        return "Rank " + std::to_string(trace.workers[track.worker.value].rank) + ": operations of "
            + track.name + " overlap"
            + (isOutOfOrder ? " and begin in another order than they were launched" : "")
            + ", which one stream cannot do. Its order is not trusted: it is taken for "
            + std::to_string(lanes) + " streams that the profiler shows in one row.";
    }

} // namespace

StreamLanes streamLanes(GraphContext &context, const Track &track)
{
    StreamLanes result;
    std::vector<LaneOp> ops = laneOps(context, track);
    const Contradictions contradictions = contradictionsOf(ops);
    // Kernels that are launched early (programmatic dependent launch) overlap now and then.
    if (contradictions.overlaps < std::max(FewestContradictions, ops.size() / OpsOfAContradiction))
        return result;
    nameGroups(context, track, ops);
    result.laneOfRow.assign(context.trace.slices[track.id.value].size(), 0);
    std::vector<Lane> lanes;
    for (const LaneOp &op : ops) {
        std::size_t lane = bestLane(op, lanes);
        if (lane == lanes.size() && lanes.size() < MostLanes)
            lanes.emplace_back();
        lane = std::min(lane, lanes.size() - 1);
        result.laneOfRow[op.row] = lane;
        lanes[lane] = { op.range.endNs, op.launchedNs ? op.launchedNs : lanes[lane].launchedNs,
                        op.group, op.name };
    }
    result.count = lanes.size();
    context.builder.addFault(
        mergedText(context.trace, track, result.count, contradictions.inversions > 0));
    return result;
}

} // namespace core
