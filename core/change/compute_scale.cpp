#include "core/change/compute_scale.h"

#include "core/change/refused_settings.h"
#include "core/change/setting_rank.h"
#include "core/measure/bounded_time.h"
#include "core/measure/layer_compute.h"

#include <algorithm>

namespace core {

namespace {

    /// By WorkerId.
    std::vector<double> factors(const Trace &trace, const ScenarioSettings &settings)
    {
        std::vector<double> factor(trace.workers.size(), settings.computeScale.value_or(1));
        for (const auto &[rank, own] : settings.computeScaleOf)
            factor[workerOfSetting(trace, "compute_scale", rank).id.value] = own;
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
    double batchFactor(const ScenarioSettings &settings, const BatchModel &batch, SliceId slice)
    {
        if (!settings.batchScale)
            return 1;
        const double fixed = batch.fixedShare(slice);
        return fixed + (1 - fixed) * *settings.batchScale;
    }

    /// By how much the processor's speed lengthens an op that is its work.
    double speedFactor(double factor, const ComputeModel &model, bool isAllScaled, SliceId slice)
    {
        const double memory
            = isAllScaled || factor == 1 || !model.memory ? 0 : model.memory->of(slice);
        return memory + (1 - memory) * factor;
    }

} // namespace

bool scalesCompute(const ScenarioSettings &settings)
{
    return settings.computeScale || !settings.computeScaleOf.empty();
}

Graph scaleCompute(Graph graph, const Trace &trace, const ScenarioSettings &settings,
                   const ComputeModel &model)
{
    const std::vector<double> factor = factors(trace, settings);
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
            scale *= batchFactor(settings, model.batch, graph.slice[op]);
        } else if (graph.phase[op] == Phase::Input) {
            scale = settings.batchScale.value_or(1);
        }
        graph.durationNs[op] = scaledBy(graph.durationNs[op], scale);
    }
    // Of all ranks those are scaled that compute: a parameter server does not.
    const bool isAny = std::find(hasCompute.begin(), hasCompute.end(), true) != hasCompute.end();
    for (std::size_t worker = 0; worker < factor.size(); ++worker) {
        const int rank = trace.workers[worker].rank;
        const bool isMeant = settings.computeScaleOf.contains(rank) || !isAny;
        if (factor[worker] * settings.batchScale.value_or(1) != 1 && !hasCompute[worker] && isMeant)
            refuseFor("of rank " + std::to_string(rank)
                          + " no operation that computes is recorded.",
                      settings, { "compute_scale", "batch_scale" });
    }
    return graph;
}

} // namespace core
