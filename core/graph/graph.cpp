#include "core/graph/graph.h"

#include <algorithm>

namespace core {

std::string_view opKindName(OpKind kind)
{
    switch (kind) {
    case OpKind::Compute:
        return "compute";
    case OpKind::Communication:
        return "comm";
    case OpKind::Memory:
        return "memory";
    case OpKind::Host:
        return "host";
    case OpKind::Virtual:
        break;
    }
    return "virtual";
}

std::string_view edgeKindName(EdgeKind kind)
{
    switch (kind) {
    case EdgeKind::HostOrder:
        return "host order";
    case EdgeKind::StreamOrder:
        return "stream order";
    case EdgeKind::Launch:
        return "launch";
    case EdgeKind::Sync:
        return "synchronisation";
    case EdgeKind::Collective:
        return "collective";
    case EdgeKind::Data:
        return "data";
    case EdgeKind::Iteration:
        return "iteration";
    case EdgeKind::Framework:
        return "framework";
    case EdgeKind::Inferred:
        break;
    }
    return "inferred";
}

std::optional<DeviceId> interferingHostLink(const Graph &graph)
{
    for (std::uint32_t i = 0; i < graph.devices.size(); ++i) {
        const Device &device = graph.devices[i];
        if (device.isHostLink && !device.partOf && !device.slows.empty())
            return DeviceId(i);
    }
    return std::nullopt;
}

std::size_t Graph::ownWorkerCount() const
{
    std::size_t count = 0;
    for (std::size_t i = 0; i < workerCount(); ++i)
        count += isStoodInFor(i) ? 0 : 1;
    return count;
}

std::vector<bool> acceleratedWorkers(const Graph &graph)
{
    std::vector<bool> isAccelerated(graph.workerCount(), false);
    for (const Device &device : graph.devices)
        if (device.isStream && device.worker.value < isAccelerated.size())
            isAccelerated[device.worker.value] = true;
    return isAccelerated;
}

std::vector<bool> workersWithHost(const Graph &graph)
{
    const std::vector<bool> isAccelerated = acceleratedWorkers(graph);
    std::vector<bool> hasHost(graph.workerCount(), false);
    for (std::uint32_t op = 0; op < graph.size(); ++op) {
        const std::uint32_t worker = graph.worker[op].value;
        const Device &device = graph.devices[graph.device[op].value];
        const bool isHostWork = graph.kind[op] == OpKind::Host
            || (graph.kind[op] == OpKind::Compute && !device.isStream && !device.isLink);
        const auto preds = graph.predecessors(OpId(op));
        const bool isLaunched = std::any_of(preds.begin(), preds.end(), [](const Edge &edge) {
            return edge.kind == EdgeKind::Launch;
        });
        if (isAccelerated[worker] ? isLaunched : isHostWork)
            hasHost[worker] = true;
    }
    return hasHost;
}

} // namespace core
