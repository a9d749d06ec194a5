#pragma once

#include "core/blocks/outline.h"
#include "core/graph/graph_builder.h"
#include "core/replay/replay.h"

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

namespace bench {

/// A graph of one million ops: 64 ranks with a host thread, a stream and a stream of collectives,
/// six iterations of 24 layers forward and backward, each backward layer reduced by all ranks.
struct DrawnGraph
{
    std::shared_ptr<const core::Graph> graph;
    std::shared_ptr<const core::ReplayResult> replay;
    std::vector<core::Worker> workers;
    std::vector<core::OpId> path;

    core::GraphOutline outline() const
    {
        return core::outlineOf({ graph, replay, workers, 2, path }, {});
    }
};

class DrawnGraphMaker
{
public:
    DrawnGraph make()
    {
        for (std::uint32_t rank = 0; rank < m_ranks; ++rank)
            addRank(rank);
        m_link = addDevice(0, "network", true);
        for (std::int32_t iteration = 0; iteration < Iterations; ++iteration)
            addIteration(iteration);
        for (std::uint32_t rank = 0; rank < m_ranks; ++rank)
            m_begins.push_back(addVirtual(rank, 0));
        m_builder.setIterations(m_begins, endsByRank(), Iterations);
        DrawnGraph made;
        made.graph = std::make_shared<const core::Graph>(m_builder.build());
        made.replay = std::make_shared<const core::ReplayResult>(core::replay(*made.graph, {}));
        made.path = core::criticalPath(*made.graph, *made.replay, made.graph->iterationEnds[2]);
        std::erase_if(made.path,
                      [&](core::OpId op) { return made.graph->iteration[op.value] != 2; });
        made.workers = m_workers;
        return made;
    }

private:
    static constexpr std::int32_t Iterations = 6;
    static constexpr int Layers = 24;

    bool isSmoke() const { return std::getenv("LONGPOLE_BENCH_SMOKE") != nullptr; }

    core::DeviceId addDevice(std::uint32_t rank, const std::string &name, bool isLink)
    {
        core::Device device;
        device.name = name;
        device.worker = core::WorkerId(rank);
        device.isLink = isLink;
        device.isStream = name.starts_with("stream");
        device.discipline = isLink ? core::Discipline::Shared : core::Discipline::Fifo;
        return m_builder.addDevice(device);
    }

    void addRank(std::uint32_t rank)
    {
        core::Worker worker;
        worker.id = core::WorkerId(rank);
        worker.rank = static_cast<int>(rank);
        m_workers.push_back(worker);
        m_hosts.push_back(addDevice(rank, "thread 1", false));
        m_streams.push_back(addDevice(rank, "stream 7", false));
        m_comm.push_back(addDevice(rank, "stream 20", false));
        m_lastHost.push_back(core::NoOp);
        m_lastKernel.push_back(core::NoOp);
        m_lastReady.push_back(core::NoOp);
    }

    core::OpId addVirtual(std::uint32_t rank, std::int32_t iteration)
    {
        core::OpSpec spec;
        spec.kind = core::OpKind::Virtual;
        spec.device = m_hosts[rank];
        spec.worker = core::WorkerId(rank);
        spec.iteration = iteration;
        spec.measuredStartNs = m_order++;
        return m_builder.addOp(spec);
    }

    core::OpId addOp(core::DeviceId device, std::uint32_t rank, std::vector<core::OpId> &last,
                     core::OpKind kind, core::Phase phase, std::int64_t ns, const std::string &name)
    {
        core::OpSpec spec;
        spec.name = m_builder.intern(name);
        spec.device = device;
        spec.kind = kind;
        spec.phase = phase;
        spec.worker = core::WorkerId(rank);
        spec.durationNs = ns;
        spec.iteration = m_iteration;
        spec.measuredStartNs = m_order++;
        const core::OpId op = m_builder.addOp(spec);
        if (last[rank] != core::NoOp)
            m_builder.addEdge(last[rank], op, core::EdgeKind::StreamOrder);
        return last[rank] = op;
    }

    void addLayer(core::Phase phase, int layer)
    {
        constexpr int KernelsOfLayer = 26;
        const int kernels = isSmoke() ? 2 : KernelsOfLayer;
        for (std::uint32_t rank = 0; rank < m_ranks; ++rank)
            for (int kernel = 0; kernel < kernels; ++kernel) {
                const std::string name = "op" + std::to_string(kernel);
                const core::OpId launch = addOp(m_hosts[rank], rank, m_lastHost, core::OpKind::Host,
                                                phase, 4'000, name);
                const core::OpId work
                    = addOp(m_streams[rank], rank, m_lastKernel, core::OpKind::Compute, phase,
                            20'000 + 1'000 * kernel + 10 * (rank % 5), name);
                m_builder.addEdge(launch, work, core::EdgeKind::Launch);
            }
        if (phase == core::Phase::Backward)
            addCollective(layer);
    }

    void addCollective(int layer)
    {
        core::CollectiveNode node;
        node.name = "all_reduce";
        node.bytes = 25'000'000;
        node.sequence = static_cast<std::uint64_t>(layer);
        node.arrival = addVirtual(0, m_iteration);
        core::OpSpec transfer;
        transfer.name = m_builder.intern("all_reduce");
        transfer.device = m_link;
        transfer.kind = core::OpKind::Communication;
        transfer.durationNs = 900'000;
        transfer.iteration = m_iteration;
        transfer.measuredStartNs = m_order++;
        node.transfer = m_builder.addOp(transfer);
        m_builder.addEdge(node.arrival, node.transfer, core::EdgeKind::Collective);
        for (std::uint32_t rank = 0; rank < m_ranks; ++rank) {
            const core::OpId ready = addOp(m_comm[rank], rank, m_lastReady, core::OpKind::Compute,
                                           core::Phase::None, 0, "ready");
            m_builder.addEdge(m_lastKernel[rank], ready, core::EdgeKind::Sync);
            m_builder.addEdge(ready, node.arrival, core::EdgeKind::Collective);
            node.parts.push_back({ core::WorkerId(rank), core::NoSlice, 0, 0, ready });
        }
        m_lastTransfer = node.transfer;
        m_builder.addCollective(std::move(node));
    }

    void addIteration(std::int32_t iteration)
    {
        m_iteration = iteration;
        for (int layer = 0; layer < Layers; ++layer)
            addLayer(core::Phase::Forward, layer);
        for (int layer = 0; layer < Layers; ++layer)
            addLayer(core::Phase::Backward, layer);
        m_ends.emplace_back();
        for (std::uint32_t rank = 0; rank < m_ranks; ++rank) {
            const core::OpId update
                = addOp(m_streams[rank], rank, m_lastKernel, core::OpKind::Compute,
                        core::Phase::Optimizer, 500'000, "update");
            m_builder.addEdge(m_lastTransfer, update, core::EdgeKind::Sync);
            m_ends.back().push_back(addVirtual(rank, iteration));
            m_builder.addEdge(update, m_ends.back().back(), core::EdgeKind::Iteration);
        }
    }

    std::vector<core::OpId> endsByRank() const
    {
        std::vector<core::OpId> ends;
        for (std::uint32_t rank = 0; rank < m_ranks; ++rank)
            for (const std::vector<core::OpId> &ofIteration : m_ends)
                ends.push_back(ofIteration[rank]);
        return ends;
    }

    core::GraphBuilder m_builder { { "" } };
    std::uint32_t m_ranks = 64;
    std::vector<core::Worker> m_workers;
    std::vector<core::DeviceId> m_hosts, m_streams, m_comm;
    std::vector<core::OpId> m_lastHost, m_lastKernel, m_lastReady, m_begins;
    std::vector<std::vector<core::OpId>> m_ends; ///< by iteration, by rank
    core::DeviceId m_link;
    core::OpId m_lastTransfer = core::NoOp;
    std::int32_t m_iteration = 0;
    std::int64_t m_order = 0;
};

} // namespace bench
