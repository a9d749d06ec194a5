#include "core/scenario/bandwidth.h"

#include "core/base/error.h"
#include "core/scenario/interference.h"

#include <algorithm>
#include <cmath>

namespace core {

namespace {

    /// A core that gives all of its time to communication drives its link no faster: c * r <= 1.
    double drivableScale(const Graph &graph, double wanted)
    {
        const double load = std::log(graph.slowdown);
        return wanted * load > 1 ? std::max(1.0, 1 / load) : wanted;
    }

    void scaleTransfers(const LinkModels::key_type &key, const LinkModel &model, double scale,
                        Graph &graph)
    {
        for (const CollectiveNode &node : graph.collectives) {
            if (graph.device[node.transfer.value] != key.first || node.name != key.second)
                continue;
            std::int64_t &durationNs = graph.durationNs[node.transfer.value];
            const double alphaNs = std::min(model.alphaNs, static_cast<double>(durationNs));
            durationNs
                = std::llround(alphaNs + (static_cast<double>(durationNs) - alphaNs) / scale);
        }
        // Once a link, by the kind that the slowdown was estimated from.
        if (graph.interferingLink == key.first && key.second == "all_reduce")
            graph.slowdown = std::min(LargestSlowdown, std::pow(graph.slowdown, scale));
    }

} // namespace

double nominalMbit(const LinkModel &model)
{
    return model.nominalMbit.value_or(model.rateMbit() / (model.isHostLink ? TcpPayloadShare : 1));
}

Graph scaleBandwidth(const Graph &graph, const LinkModels &links, const ScenarioSettings &settings)
{
    if (links.empty())
        throw Error("The bandwidth cannot be changed on this trace: " + std::string(NoLinkText));
    Graph scaled = graph;
    for (const auto &[key, model] : links) {
        const double wanted = settings.bandwidthScale
            ? *settings.bandwidthScale
            : *settings.bandwidthMbit / nominalMbit(model);
        const double scale
            = graph.interferingLink == key.first ? drivableScale(graph, wanted) : wanted;
        if (scale < wanted)
            scaled.notes.push_back("Beyond "
                                   + std::to_string(std::llround(scale * model.rateMbit()))
                                   + " Mbit/s the ranks' cores cannot drive '" + model.group
                                   + "'; the prediction stops there.");
        scaleTransfers(key, model, scale, scaled);
    }
    return scaled;
}

} // namespace core
