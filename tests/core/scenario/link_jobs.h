#pragma once

#include "core/graph/graph_builder.h"
#include "core/scenario/link_model.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tests {

struct Measured
{
    std::int64_t startNs, endNs;
    std::uint64_t bytes;
    std::uint32_t other = 1; ///< the rank that has it in common with rank 0
};

/// Two ranks' all-reduces on one link, measured as given.
inline core::Graph linkGraph(const std::vector<Measured> &transfers)
{
    core::GraphBuilder builder({ "" });
    core::Device link;
    link.name = "network";
    link.isLink = true;
    link.isHostLink = true;
    link.discipline = core::Discipline::Shared;
    link.capacity = 2;
    const core::DeviceId device = builder.addDevice(link);
    for (const Measured &m : transfers) {
        core::OpSpec spec;
        spec.device = device;
        spec.kind = core::OpKind::Communication;
        spec.measuredStartNs = m.startNs;
        spec.durationNs = m.endNs - m.startNs;
        core::CollectiveNode node;
        node.name = "all_reduce";
        node.bytes = m.bytes;
        node.transfer = node.arrival = builder.addOp(spec);
        for (const std::uint32_t w : { 0U, m.other })
            node.parts.push_back(
                { core::WorkerId(w), core::NoSlice, m.startNs, m.endNs, node.transfer });
        builder.addCollective(node);
    }
    return builder.build();
}

inline core::Trace twoRanks()
{
    core::Trace trace;
    for (int rank = 0; rank < 2; ++rank) {
        core::Worker worker;
        worker.id = core::WorkerId(static_cast<std::uint32_t>(rank));
        worker.rank = rank;
        trace.workers.push_back(worker);
    }
    return trace;
}

/// Their links' rate is stated.
inline core::Trace twoRanksOf800Mbit()
{
    core::Trace trace = twoRanks();
    trace.metadata.push_back({ "meta.json", R"({"bandwidth_mbit": 800})" });
    return trace;
}

/// Ranks 0 and 1 on one host, 2 on another.
inline core::Trace twoHosts()
{
    core::Trace trace;
    for (int rank = 0; rank < 3; ++rank) {
        core::Worker worker;
        worker.id = core::WorkerId(static_cast<std::uint32_t>(rank));
        worker.rank = rank;
        worker.host = rank < 2 ? "near" : "far";
        trace.workers.push_back(worker);
    }
    return trace;
}

/// Within a host t = 500 + 2 * bytes, between hosts t = 3000 + 20 * bytes.
inline std::vector<Measured> nearAndFar()
{
    return { { 0, 2500, 1000, 1 },          { 10'000, 18'500, 4000, 1 },
             { 20'000, 21'500, 500, 1 },    { 30'000, 34'500, 2000, 1 },
             { 100'000, 123'000, 1000, 2 }, { 200'000, 283'000, 4000, 2 },
             { 300'000, 313'000, 500, 2 },  { 400'000, 443'000, 2000, 2 } };
}

inline std::int64_t transferNs(const core::Graph &graph, std::size_t collective)
{
    return graph.durationNs[graph.collectives[collective].transfer.value];
}

inline core::LinkModel fitted(const core::Graph &graph, const core::Trace &trace = {})
{
    const core::LinkModels models = core::fitLinks(graph, trace);
    return models.empty() ? core::LinkModel {} : models.begin()->second;
}

} // namespace tests
