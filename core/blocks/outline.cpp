#include "core/blocks/outline.h"

#include "core/blocks/phase_blocks.h"
#include "core/replay/slack.h"

#include <algorithm>
#include <map>
#include <utility>

namespace core {

namespace {

    /// The rank that is longest on the path, of those that are drawn.
    WorkerId rankOfPath(const GraphOutline &outline)
    {
        std::map<std::uint32_t, std::int64_t> onPathNs; // by WorkerId
        for (const OpId op : outline.path)
            if (!outline.graph->devices[outline.graph->device[op.value].value].isLink)
                onPathNs[outline.graph->worker[op.value].value]
                    += outline.graph->durationNs[op.value];
        const auto longest
            = std::max_element(onPathNs.begin(), onPathNs.end(),
                               [](const auto &a, const auto &b) { return a.second < b.second; });
        return longest == onPathNs.end() ? WorkerId(0) : WorkerId(longest->first);
    }

    void setPlaces(GraphOutline &outline)
    {
        outline.places.assign(outline.graph->size(), {});
        for (std::uint32_t l = 0; l < outline.lanes.size(); ++l) {
            const Lane &lane = outline.lanes[l];
            for (std::uint32_t i = 0; i < lane.ops.size(); ++i) {
                const LaneOp &op = lane.ops[i];
                outline.places[op.op.value] = { l, i };
                if (lane.kind == LaneKind::Link && op.collective != LaneOp::NoCollective)
                    outline.places[outline.graph->collectives[op.collective].arrival.value]
                        = { l, i };
            }
        }
    }

    void setSlack(GraphOutline &outline)
    {
        outline.slackNs.assign(outline.graph->size(), -1);
        if (outline.path.empty())
            return;
        Slack slack(*outline.graph, *outline.replay);
        for (const Slack::Entry &entry : slack.before(outline.path.back(), outline.range.startNs))
            outline.slackNs[entry.op.value] = entry.ns;
    }

} // namespace

GraphOutline outlineOf(OutlineInput input, const JobControl &control)
{
    GraphOutline outline;
    outline.graph = std::move(input.graph);
    outline.replay = std::move(input.replay);
    outline.path = std::move(input.path);
    outline.rankOf.reserve(input.workers.size());
    for (const Worker &worker : input.workers)
        outline.rankOf.push_back(worker.rank);
    const DrawnJob job { *outline.graph, *outline.replay, input.workers, input.iteration };
    outline.lanes = lanesOf(job, input.ranks, control);
    outline.range = rangeOf(outline.lanes);
    for (std::uint32_t lane = 0; lane < outline.lanes.size(); ++lane) {
        throwIfCancelled(control);
        outline.outermost.push_back(
            phaseBlocks(*outline.graph, outline.lanes[lane], lane, outline.range.durationNs()));
    }
    outline.alike = findAlikeRanks(outline.lanes, outline.outermost, outline.range.durationNs(),
                                   rankOfPath(outline));
    setPlaces(outline);
    throwIfCancelled(control);
    setSlack(outline);
    return outline;
}

} // namespace core
