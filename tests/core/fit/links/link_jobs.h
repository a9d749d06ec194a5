#pragma once

#include "core/base/time_range.h"
#include "core/fit/links/link_models.h"
#include "core/graph/graph_builder.h"

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace tests {

struct Measured
{
    std::int64_t startNs, endNs;
    std::uint64_t bytes;
    std::uint32_t other = 1; ///< the rank that has it in common with rank 0
};

/// What the ranks have in common for so long: `node` has its kind, size and, of a message, that it
/// is one.
inline void addTransfer(core::GraphBuilder &builder, core::DeviceId link, core::CollectiveNode node,
                        const std::vector<std::uint32_t> &ranks, const core::TimeRange &measured)
{
    core::OpSpec spec;
    spec.device = link;
    spec.kind = core::OpKind::Communication;
    spec.measuredStartNs = measured.startNs;
    spec.durationNs = measured.durationNs();
    node.transfer = node.arrival = builder.addOp(spec);
    for (const std::uint32_t rank : ranks)
        node.parts.push_back({ core::WorkerId(rank), core::NoSlice, measured.startNs,
                               measured.endNs, node.transfer });
    builder.addCollective(std::move(node));
}

/// Without iterations.
inline core::Graph builtOf(core::GraphBuilder &builder, std::size_t ranks)
{
    core::OpSpec begin;
    begin.kind = core::OpKind::Virtual;
    begin.device = builder.addDevice({});
    builder.setIterations(std::vector<core::OpId>(ranks, builder.addOp(begin)), {}, 0);
    return builder.build();
}

/// All-reduces of all ranks one after the other, by kernels of that name, each as long as its
/// payload takes.
template <class DurationNs>
core::Graph allReducesOf(std::uint32_t ranks, const std::vector<std::uint64_t> &payloads,
                         const DurationNs &durationNs, const char *kernel = "all_reduce")
{
    core::GraphBuilder builder({ kernel });
    core::Device link;
    link.isLink = true;
    const core::DeviceId device = builder.addDevice(link);
    std::vector<std::uint32_t> all(ranks);
    std::iota(all.begin(), all.end(), 0U);
    std::int64_t nowNs = 0;
    for (const std::uint64_t bytes : payloads) {
        core::CollectiveNode node;
        node.name = "all_reduce";
        node.bytes = bytes;
        const std::int64_t endNs = nowNs + durationNs(bytes);
        addTransfer(builder, device, std::move(node), all, { nowNs, endNs });
        nowNs = endNs + 1000;
    }
    return builtOf(builder, ranks);
}

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
        core::CollectiveNode node;
        node.name = "all_reduce";
        node.bytes = m.bytes;
        addTransfer(builder, device, std::move(node), { 0U, m.other }, { m.startNs, m.endNs });
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
    trace.stated.bandwidthMbit = 800;
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
