#include "core/change/compute_scale.h"

#include "core/change/named_ranks.h"
#include "core/measure/bounded_time.h"
#include "core/measure/layer_compute.h"

#include <algorithm>

namespace core {

namespace {

    /// By WorkerId.
    std::vector<double> factors(const Trace &trace, const ComputeChanges &changes)
    {
        std::vector<double> factor(trace.workers.size(), changes.scale.value_or(1));
        for (const auto &[rank, own] : changes.scaleOf)
            factor[workerOfRank(trace, rank).id.value] = own;
        return factor;
    }

    /// By WorkerId: whether any op is of a layer.
    std::vector<bool> workersWithLayers(const Graph &graph, const std::vector<bool> &isAccelerated)
    {
        std::vector<bool> hasLayers(isAccelerated.size(), false);
        for (std::size_t op = 0; op < graph.size(); ++op) {
            const std::size_t worker = graph.worker[op].value;
            hasLayers[worker]
                = hasLayers[worker] || isLayerCompute(graph, op, isAccelerated[worker]);
        }
        return hasLayers;
    }

    /// By how much the batch lengthens an op of a layer.
    double batchFactor(const ComputeChanges &changes, const BatchModel &batch, SliceId slice)
    {
        if (!changes.batch)
            return 1;
        const double fixed = batch.fixedShare(slice);
        return fixed + (1 - fixed) * *changes.batch;
    }

    /// By how much the processor's speed lengthens an op that is its work.
    double speedFactor(double factor, const ComputeModel &model, bool isAllScaled, SliceId slice)
    {
        const double memory
            = isAllScaled || factor == 1 || !model.memory ? 0 : model.memory->of(slice);
        return memory + (1 - memory) * factor;
    }

} // namespace

ComputeChanges computeChanges(const Strategy &strategy)
{
    ComputeChanges changes;
    changes.scale = strategy.number(ComputeScaleKey);
    for (const Change *change : strategy.ofRanks(ComputeScaleKey))
        for (const int rank : change->ranks)
            changes.scaleOf[rank] = change->number().value_or(1);
    changes.batch = strategy.number(BatchScaleKey);
    return changes;
}

Graph scaleCompute(Graph graph, const Trace &trace, const ComputeChanges &changes,
                   const ComputeModel &model)
{
    const std::vector<double> factor = factors(trace, changes);
    const std::vector<bool> isAccelerated = acceleratedWorkers(graph);
    const std::vector<bool> hasCompute = workersWithLayers(graph, isAccelerated);
    for (std::size_t op = 0; op < graph.size(); ++op) {
        const std::size_t worker = graph.worker[op].value;
        double scale = 1;
        const bool isLayer = isLayerCompute(graph, op, isAccelerated[worker]);
        const bool isAllScaled = isAccelerated[worker] == (model.reading == ComputeReading::Likely);
        if (isLayer
            || (isAllScaled && hasCompute[worker]
                && isOwnCompute(graph, op, isAccelerated[worker])))
            scale = speedFactor(factor[worker], model, isAllScaled, graph.slice[op]);
        if (isLayer) {
            scale *= batchFactor(changes, model.batch, graph.slice[op]);
        } else if (graph.phase[op] == Phase::Input) {
            scale = changes.batch.value_or(1);
        }
        graph.durationNs[op] = scaledBy(graph.durationNs[op], scale);
    }
    return graph;
}

std::optional<std::string> computeObstacle(const Graph &graph, const Trace &trace,
                                           const ComputeChanges &changes)
{
    const std::vector<double> factor = factors(trace, changes);
    const std::vector<bool> hasCompute = workersWithLayers(graph, acceleratedWorkers(graph));
    // Of all ranks those are scaled that compute: a parameter server does not.
    const bool isAny = std::find(hasCompute.begin(), hasCompute.end(), true) != hasCompute.end();
    for (std::size_t worker = 0; worker < factor.size(); ++worker) {
        const int rank = trace.workers[worker].rank;
        const bool isMeant = changes.scaleOf.contains(rank) || !isAny;
        if (factor[worker] * changes.batch.value_or(1) != 1 && !hasCompute[worker] && isMeant)
            return "of rank " + std::to_string(rank) + " no operation that computes is recorded.";
    }
    return std::nullopt;
}

} // namespace core
