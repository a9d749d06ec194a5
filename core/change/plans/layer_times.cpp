#include "core/change/plans/layer_times.h"

#include "core/change/gradients/reduction_costs.h"
#include "core/change/plans/forward_order.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>

namespace core {

namespace {

    /// The first op of the backward pass on the step's rank: on accelerators a kernel. Where none
    /// is named so, when the first gradient is ready.
    std::int64_t backwardBeginNs(const Graph &graph, const GradientStep &step,
                                 const ReplayResult &replayed)
    {
        const OpId first = readyOp(step, 0);
        std::int64_t beginNs = replayed.endNs[first.value];
        for (std::uint32_t i = 0; i < graph.size(); ++i)
            if (graph.worker[i] == step.worker && graph.phase[i] == Phase::Backward
                && graph.iteration[i] == graph.iteration[first.value]
                && graph.devices[graph.device[i].value].isStream == !step.kernels.empty())
                beginNs = std::min(beginNs, replayed.startNs[i]);
        return beginNs;
    }

    /// When the tensor is first used; where that is not known, none.
    std::optional<std::int64_t> useNs(const GradientStep &step, std::size_t tensor,
                                      const ReplayResult &replayed)
    {
        const OpId use = step.forwards[tensor];
        return use == NoOp ? std::nullopt : std::optional(replayed.startNs[use.value]);
    }

    /// Adds one iteration's share of the mean. A tensor whose use is not known takes no time.
    void addIteration(const Graph &graph, const GradientStep &step, const ReplayResult &replayed,
                      double share, LayerChain &chain)
    {
        const std::size_t tensors = step.parameterBytes.size();
        const std::int64_t beginNs = backwardBeginNs(graph, step, replayed);
        std::int64_t beforeNs = beginNs, nextUseNs = beginNs;
        for (std::size_t tensor = 0; tensor < tensors; ++tensor) {
            const std::size_t layer = tensors - 1 - tensor;
            const std::int64_t readyNs
                = std::max(beforeNs, replayed.endNs[readyOp(step, tensor).value]);
            chain.backwardNs[layer] += share * static_cast<double>(readyNs - beforeNs);
            beforeNs = readyNs;
            const auto firstNs = useNs(step, tensor, replayed);
            if (firstNs && *firstNs < nextUseNs) {
                chain.forwardNs[layer] += share * static_cast<double>(nextUseNs - *firstNs);
                nextUseNs = *firstNs;
            }
        }
    }

} // namespace

std::vector<double> readyTimes(const StepsByIteration &steps, const ReplayResult &replayed)
{
    const std::size_t tensors = steps.begin()->second.front()->parameterBytes.size();
    const double share = 1 / static_cast<double>(steps.size());
    std::vector<double> readyNs(tensors, 0);
    for (const auto &[iteration, ranks] : steps) {
        const auto latestNs = [&replayed, &ofRanks = ranks](std::size_t tensor) {
            std::int64_t ns = std::numeric_limits<std::int64_t>::min();
            for (const GradientStep *step : ofRanks)
                ns = std::max(ns, replayed.endNs[readyOp(*step, tensor).value]);
            return ns;
        };
        const std::int64_t firstNs = latestNs(0);
        for (std::size_t tensor = 0; tensor < tensors; ++tensor)
            readyNs[tensor] += share * static_cast<double>(latestNs(tensor) - firstNs);
    }
    for (std::size_t tensor = 1; tensor < tensors; ++tensor)
        readyNs[tensor] = std::max(readyNs[tensor], readyNs[tensor - 1]);
    return readyNs;
}

LayerChain layerTimes(const PlanRequest &request)
{
    const std::shared_ptr<const Graph> changed = request.changes.of(request.graph);
    const ReplayResult replayed = replay(*changed, request.control);
    const StepsByIteration steps = stepsOf(*changed, wholeIterations(*changed));
    const std::vector<std::uint64_t> &bytes = steps.begin()->second.front()->parameterBytes;
    LayerChain chain;
    chain.forwardNs.resize(bytes.size());
    chain.backwardNs.resize(bytes.size());
    chain.bytes.assign(bytes.rbegin(), bytes.rend());
    for (const auto &[iteration, ranks] : steps)
        addIteration(*changed, *ranks.front(), replayed, 1 / static_cast<double>(steps.size()),
                     chain);
    return chain;
}

} // namespace core
