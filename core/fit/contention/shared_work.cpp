#include "core/fit/contention/shared_work.h"

#include <algorithm>

namespace core {

namespace {

    double recordedNs(const Graph &graph, const CollectiveNode &node)
    {
        return static_cast<double>(graph.durationNs[node.transfer.value]);
    }

    double alphaNsOf(const Graph &graph, const CollectiveNode &node, const Trace &trace,
                     const LinkModels &links)
    {
        const LinkModel *model = modelOf(links, graph.device[node.transfer.value], node, trace);
        return model ? std::min(model->alphaNs, recordedNs(graph, node)) : 0;
    }

} // namespace

std::map<std::size_t, double> workSharedByBytes(const Graph &measured, const Trace &trace,
                                                const LinkModels &links,
                                                const std::vector<bool> &showsLatency)
{
    struct Share
    {
        std::size_t collective;
        double alphaNs, bytes;
    };
    std::map<std::size_t, double> shared;
    for (const std::vector<std::size_t> &period : bucketPeriods(measured)) {
        std::vector<Share> shares;
        double leftNs = 0, bytes = 0;
        for (const std::size_t i : period) {
            const CollectiveNode &node = measured.collectives[i];
            const double alphaNs = showsLatency[i] ? alphaNsOf(measured, node, trace, links) : 0;
            shares.push_back({ i, alphaNs, wireBytes(node, node.bytes, trace) });
            leftNs += recordedNs(measured, node) - alphaNs;
            bytes += shares.back().bytes;
        }
        if (bytes > 0)
            for (const Share &share : shares)
                shared[share.collective] = share.alphaNs + leftNs * share.bytes / bytes;
    }
    return shared;
}

} // namespace core
