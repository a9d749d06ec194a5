#pragma once

#include "core/graph/graph_builder.h"
#include "core/model/trace.h"
#include "core/predict/clock_reasons.h"
#include "core/predict/prediction.h"
#include "core/predict/trust.h"
#include "tests/support/predict.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace tests {

inline constexpr std::int64_t Noon = 1'700'000'000'000'000'000, Second = 1'000'000'000;

/// Two ranks that record four seconds each; the second starts so much later.
inline core::Trace twoRanks(std::int64_t laterNs)
{
    using namespace core;
    Trace trace;
    for (std::uint32_t i = 0; i < 2; ++i) {
        Worker worker;
        worker.id = WorkerId(i);
        worker.rank = static_cast<int>(i);
        trace.workers.push_back(worker);
        Track track;
        track.id = TrackId(i);
        track.worker = worker.id;
        track.sliceCount = 1;
        const std::int64_t startNs = Noon + i * laterNs;
        track.range = { startNs, startNs + 4 * Second };
        trace.tracks.push_back(track);
    }
    return trace;
}

/// What is judged of a prediction by hand.
struct Judged
{
    const core::Trace &trace;
    const core::Graph &graph;
    core::PartTimes measured, replayed;
    const core::Graph &recorded;
    std::vector<core::ReplayedTotal> totals = {};
};

/// With what the clocks tell, as a base has it.
inline void judge(const Judged &judged, core::Prediction &result)
{
    const core::LinkModels links = linksOf(result);
    const core::Strategy strategy = result.noChange ? core::Strategy {} : result.strategy;
    judgeTrust({ judged.trace,
                 judged.graph,
                 judged.measured,
                 judged.replayed,
                 judged.recorded,
                 links,
                 {},
                 strategy,
                 true,
                 core::clockReasons(judged.trace),
                 judged.totals },
               result);
}

/// Is it a reason for the trust or against it?
inline bool says(const core::Prediction &result, const std::string &words)
{
    return std::any_of(
        result.trustReasons.begin(), result.trustReasons.end(),
        [&words](const std::string &reason) { return reason.find(words) != std::string::npos; });
}

/// Of two ranks, so many bytes each.
inline core::Graph allReduces(const std::vector<std::uint64_t> &sizes)
{
    using namespace core;
    GraphBuilder builder({ "" });
    OpSpec transfer;
    transfer.device = builder.addDevice({});
    builder.addOp(transfer); // of each
    Graph graph = builder.build();
    for (const std::uint64_t bytes : sizes) {
        CollectiveNode node;
        node.name = "all_reduce";
        node.bytes = bytes;
        for (const std::uint32_t w : { 0U, 1U })
            node.parts.push_back({ WorkerId(w), NoSlice, 0, 0, NoOp });
        graph.collectives.push_back(node);
    }
    return graph;
}

} // namespace tests
