#include "core/scenario/bandwidth.h"

#include "core/base/error.h"
#include "core/scenario/interference.h"

#include <algorithm>
#include <cmath>

namespace core {

double nominalMbit(const LinkModel &model)
{
    return model.nominalMbit.value_or(model.rateMbit() / (model.isHostLink ? TcpPayloadShare : 1));
}

Graph scaleBandwidth(const Graph &graph, const LinkModels &links, const ScenarioSettings &settings)
{
    if (links.empty())
        throw Error("The bandwidth cannot be changed on this trace: it holds no collective that is "
                    "matched across ranks "
                    "and whose size is recorded. Import every rank of the job, recorded with "
                    "record_shapes=True.");
    Graph scaled = graph;
    for (const CollectiveNode &node : graph.collectives) {
        const auto model = links.find({ graph.device[node.transfer.value], node.name });
        if (model == links.end())
            continue;
        const double factor = settings.bandwidthScale
            ? 1 / *settings.bandwidthScale
            : nominalMbit(model->second) / *settings.bandwidthMbit;
        if (graph.interferingLink == model->first.first)
            scaled.slowdown = std::min(LargestSlowdown, std::pow(graph.slowdown, 1 / factor));
        std::int64_t &durationNs = scaled.durationNs[node.transfer.value];
        const double alphaNs = std::min(model->second.alphaNs, static_cast<double>(durationNs));
        durationNs = std::llround(alphaNs + (static_cast<double>(durationNs) - alphaNs) * factor);
    }
    return scaled;
}

} // namespace core
