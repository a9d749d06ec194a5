#include "core/replay/replayed_collectives.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace core {

namespace {

    using Parts = std::vector<std::vector<ReplayedPart>>;

    ReplayedPart replayedPart(const ReplayResult &result, const CollectiveNode &node,
                              const CollectiveNode::Part &part)
    {
        OpId first = node.transfer;
        if (!part.chunks.empty())
            first = *std::min_element(part.chunks.begin(), part.chunks.end(), [&](OpId a, OpId b) {
                return result.startNs[a.value] < result.startNs[b.value];
            });
        const std::int64_t transferStartNs = result.startNs[first.value];
        const bool isQueued = result.cause[first.value].isDeviceOrder;
        return { isQueued ? transferStartNs : result.endNs[part.ready.value], transferStartNs,
                 result.endNs[node.completionOf(part).value] };
    }

    struct BackendCall
    {
        ReplayedPart *part;
        OpId transfer;
    };

    /// By link and rank; messages are not taken in turn with others.
    std::map<std::pair<DeviceId, WorkerId>, std::vector<BackendCall>>
    backendCalls(const Graph &graph, Parts &parts)
    {
        std::map<std::pair<DeviceId, WorkerId>, std::vector<BackendCall>> calls;
        for (std::size_t i = 0; i < parts.size(); ++i) {
            const CollectiveNode &node = graph.collectives[i];
            const DeviceId link = graph.device[node.transfer.value];
            if (node.isMessage || !graph.devices[link.value].isHostLink)
                continue;
            for (std::size_t k = 0; k < node.parts.size(); ++k)
                calls[{ link, node.parts[k].worker }].push_back({ &parts[i][k], node.transfer });
        }
        return calls;
    }

    void startWhenThreadsAreFree(std::vector<BackendCall> &calls, std::size_t threads)
    {
        std::sort(calls.begin(), calls.end(), [](const BackendCall &a, const BackendCall &b) {
            return std::tuple(a.part->transferStartNs, a.transfer)
                < std::tuple(b.part->transferStartNs, b.transfer);
        });
        std::vector<std::int64_t> freeNs(std::max<std::size_t>(1, threads), 0);
        for (const BackendCall &call : calls) {
            const auto thread = std::min_element(freeNs.begin(), freeNs.end());
            ReplayedPart &part = *call.part;
            part.startNs = std::min(std::max(part.startNs, *thread), part.transferStartNs);
            *thread = part.endNs;
        }
    }

} // namespace

Parts replayedCollectives(const Graph &graph, const ReplayResult &result)
{
    Parts parts;
    parts.reserve(graph.collectives.size());
    for (const CollectiveNode &node : graph.collectives) {
        std::vector<ReplayedPart> &own = parts.emplace_back();
        own.reserve(node.parts.size());
        for (const CollectiveNode::Part &part : node.parts)
            own.push_back(replayedPart(result, node, part));
    }
    for (auto &[place, calls] : backendCalls(graph, parts))
        startWhenThreadsAreFree(calls, graph.devices[place.first.value].capacity);
    return parts;
}

} // namespace core
