#include "core/measure/gradient_collectives.h"

#include <algorithm>

namespace core {

std::vector<bool> gradientCollectives(const Graph &graph)
{
    std::vector<bool> areOfGradients;
    areOfGradients.reserve(graph.collectives.size());
    for (const CollectiveNode &node : graph.collectives)
        areOfGradients.push_back((!node.tensor.empty() && !node.isMessage)
                                 || graph.isPredicted(node.transfer));
    for (const GradientStep &step : graph.gradientSteps)
        for (const GradientStep::Bucket &bucket : step.buckets)
            areOfGradients[bucket.collective] = true;
    return areOfGradients;
}

bool reducesGradients(const Graph &graph)
{
    const std::vector<bool> areOfGradients = gradientCollectives(graph);
    return std::find(areOfGradients.begin(), areOfGradients.end(), true) != areOfGradients.end();
}

bool lacksGradientSizes(const Graph &graph)
{
    const auto isWithout = [](const GradientStep &step) {
        return std::all_of(step.parameterBytes.begin(), step.parameterBytes.end(),
                           [](std::uint64_t bytes) { return bytes == 0; });
    };
    return !graph.gradientSteps.empty()
        && std::all_of(graph.gradientSteps.begin(), graph.gradientSteps.end(), isWithout);
}

} // namespace core
