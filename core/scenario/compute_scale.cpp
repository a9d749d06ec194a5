#include "core/scenario/compute_scale.h"

#include "core/base/error.h"
#include "core/model/gradient_names.h"
#include "core/scenario/bounded_time.h"
#include "core/scenario/setting_rank.h"

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

    /// By how much the batch lengthens an op of a layer.
    double batchFactor(const ScenarioSettings &settings, const BatchModel &batch, SliceId slice)
    {
        if (!settings.batchScale)
            return 1;
        const double fixed = batch.fixedShare(slice);
        return fixed + (1 - fixed) * *settings.batchScale;
    }

} // namespace

bool isLayerCompute(const Graph &graph, std::size_t op, bool isAccelerated)
{
    const std::string_view name = graph.names[graph.name[op].value];
    const Device &device = graph.devices[graph.device[op].value];
    return graph.kind[op] == OpKind::Compute && graph.phase[op] != Phase::Optimizer
        && !device.isLink && device.isStream == isAccelerated && !name.ends_with(GradientSuffix)
        && !name.ends_with(CopyOutSuffix);
}

Graph scaleCompute(Graph graph, const Trace &trace, const ScenarioSettings &settings,
                   const BatchModel &batch)
{
    const std::vector<double> factor = factors(trace, settings);
    const std::vector<bool> isAccelerated = acceleratedWorkers(graph);
    std::vector<bool> hasCompute(factor.size(), false);
    for (std::size_t op = 0; op < graph.size(); ++op) {
        const std::size_t worker = graph.worker[op].value;
        double scale = 1;
        if (isLayerCompute(graph, op, isAccelerated[worker])) {
            hasCompute[worker] = true;
            scale = factor[worker] * batchFactor(settings, batch, graph.slice[op]);
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
            throw Error("The compute of rank " + std::to_string(rank)
                        + " cannot be scaled: its trace shows no operation that computes.");
    }
    return graph;
}

FixedTime fixedTimeOf(const Graph &graph, const BatchModel &batch)
{
    if (!batch.growth)
        return {};
    const std::vector<bool> isAccelerated = acceleratedWorkers(graph);
    const BatchModel least = batch.read(BatchReading::LeastGrows);
    double allNs = 0, likelyNs = 0, mostNs = 0;
    for (std::size_t op = 0; op < graph.size(); ++op) {
        if (!isLayerCompute(graph, op, isAccelerated[graph.worker[op].value]))
            continue;
        const auto ns = static_cast<double>(graph.durationNs[op]);
        allNs += ns;
        likelyNs += ns * batch.fixedShare(graph.slice[op]);
        mostNs += ns * least.fixedShare(graph.slice[op]);
    }
    return allNs > 0 ? FixedTime { likelyNs / allNs, mostNs / allNs } : FixedTime {};
}

} // namespace core
