#pragma once

#include "core/blocks/alike_ranks.h"
#include "core/blocks/lanes.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace core {

/// Start of every picture of one iteration: lanes, their outermost blocks, the critical
/// path and the slack. Made once; opening a block changes nothing of it.
struct GraphOutline
{
    std::shared_ptr<const Graph> graph;
    std::shared_ptr<const ReplayResult> replay;
    std::vector<OpId> path;
    TimeRange range; ///< of the iteration, replay's times
    std::vector<Lane> lanes;
    std::vector<std::vector<Block>> outermost; ///< by lane
    AlikeRanks alike;
    std::vector<int> rankOf; ///< by WorkerId

    /// Where an op is drawn, by OpId: arrival and transfer of a collective on its link.
    struct Place
    {
        std::uint32_t lane = NoLane, index = 0; ///< of Lane::ops
    };
    static constexpr std::uint32_t NoLane = ~std::uint32_t { 0 };
    std::vector<Place> places;
    /// [ops]: how much later it could end without the iteration ending later; -1: unknown.
    std::vector<std::int64_t> slackNs;
};

/// Arguments of outlineOf().
struct OutlineInput
{
    std::shared_ptr<const Graph> graph;
    std::shared_ptr<const ReplayResult> replay;
    std::span<const Worker> workers; ///< by WorkerId
    std::int32_t iteration = 0; ///< as Graph::iteration
    std::vector<OpId> path; ///< critical path of the iteration, in order of time
    std::vector<int> ranks = {}; ///< which are drawn; none: all
};

/// Throws Cancelled.
GraphOutline outlineOf(OutlineInput input, const JobControl &control);

} // namespace core
