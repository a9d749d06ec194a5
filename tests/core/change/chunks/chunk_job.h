#pragma once

#include "core/change/change.h"
#include "core/change/change_text.h"
#include "core/change/chunks/expand_collectives.h"
#include "core/change/transfers/link_changes.h"
#include "core/fit/links/link_models.h"
#include "core/graph/graph_builder.h"
#include "core/replay/replay.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace tests {

constexpr std::int64_t TransferNs = 6'000'000;
constexpr std::uint64_t Bytes = 16'000'000;

/// Every rank computes for so long, then takes part in each of the collectives of `kinds`, one
/// behind the other, and computes again.
inline core::Graph jobOf(const std::vector<std::int64_t> &computeNs,
                         const std::vector<const char *> &kinds)
{
    core::GraphBuilder builder({ "compute" });
    core::Device link;
    link.name = "network";
    link.isLink = true;
    link.discipline = core::Discipline::Shared;
    const core::DeviceId network = builder.addDevice(link);
    std::vector<core::OpSpec> own;
    std::vector<core::OpId> last;
    for (std::uint32_t w = 0; w < computeNs.size(); ++w) {
        core::Device device;
        device.worker = core::WorkerId(w);
        core::OpSpec spec;
        spec.device = builder.addDevice(device);
        spec.name = builder.intern("compute");
        spec.kind = core::OpKind::Compute;
        spec.worker = core::WorkerId(w);
        spec.durationNs = computeNs[w];
        own.push_back(spec);
        last.push_back(builder.addOp(spec));
    }
    std::int64_t nowNs = *std::max_element(computeNs.begin(), computeNs.end());
    for (const char *kind : kinds) {
        core::CollectiveNode node;
        node.name = kind;
        node.bytes = Bytes;
        core::OpSpec spec;
        spec.device = network;
        spec.name = builder.intern(kind);
        spec.measuredStartNs = nowNs;
        spec.kind = core::OpKind::Virtual;
        node.arrival = builder.addOp(spec);
        spec.kind = core::OpKind::Communication;
        spec.durationNs = TransferNs;
        node.transfer = builder.addOp(spec);
        builder.addEdge(node.arrival, node.transfer, core::EdgeKind::Collective);
        nowNs += TransferNs;
        for (std::size_t w = 0; w < own.size(); ++w) {
            builder.addEdge(last[w], node.arrival, core::EdgeKind::Collective);
            node.parts.push_back(
                { own[w].worker, core::NoSlice, nowNs - TransferNs, nowNs, last[w] });
            own[w].durationNs = 1000;
            own[w].measuredStartNs = nowNs;
            last[w] = builder.addOp(own[w]);
            builder.addEdge(node.transfer, last[w], core::EdgeKind::Collective);
        }
        builder.addCollective(node);
    }
    builder.setIterations(std::vector<core::OpId>(own.size(), core::OpId(0)), {}, 0);
    return builder.build();
}

inline core::Trace ranks(std::size_t count, std::size_t ranksOfHost = 1)
{
    core::Trace trace;
    for (std::size_t rank = 0; rank < count; ++rank) {
        core::Worker worker;
        worker.id = core::WorkerId(static_cast<std::uint32_t>(rank));
        worker.rank = static_cast<int>(rank);
        worker.host = "host" + std::to_string(rank / ranksOfHost);
        trace.workers.push_back(worker);
    }
    trace.stated.bandwidthMbit = 1000;
    return trace;
}

inline core::Graph expanded(const core::Graph &graph, const core::Trace &trace,
                            const std::vector<std::string> &words = {})
{
    return core::withChunks(graph, trace, core::fitLinks(graph, trace),
                            core::linkChanges(core::parseStrategy(words)), {});
}

inline core::ReplayResult replayed(const core::Graph &graph)
{
    return replay(graph, core::JobControl());
}

} // namespace tests
