#include "core/measure/layer_compute.h"

#include "core/model/gradient_names.h"

#include <string_view>

namespace core {

bool isOwnCompute(const Graph &graph, std::size_t op, bool isAccelerated)
{
    const Device &device = graph.devices[graph.device[op].value];
    return graph.kind[op] == OpKind::Compute && !device.isLink && device.isStream == isAccelerated;
}

bool isLayerCompute(const Graph &graph, std::size_t op, bool isAccelerated)
{
    const std::string_view name = graph.names[graph.name[op].value];
    return isOwnCompute(graph, op, isAccelerated) && graph.phase[op] != Phase::Optimizer
        && !name.ends_with(GradientSuffix) && !name.ends_with(CopyOutSuffix);
}

} // namespace core
