#include "core/change/gradients/partition_updates.h"

#include "core/measure/bounded_time.h"

#include <algorithm>
#include <numeric>

namespace core {

SliceUpdates::SliceUpdates(const Graph &graph, const std::vector<OpId> &launchOf, bool isOnDevice,
                           GraphBuilder &builder)
    : m_steps(graph.gradientSteps.data())
{
    m_bytesOfStep.reserve(graph.gradientSteps.size());
    for (const GradientStep &step : graph.gradientSteps)
        m_bytesOfStep.push_back(static_cast<double>(std::accumulate(
            step.parameterBytes.begin(), step.parameterBytes.end(), std::uint64_t { 0 })));
    for (std::uint32_t i = 0; i < graph.size(); ++i) {
        OpSpec &op = builder.op(OpId(i));
        if (op.phase != Phase::Optimizer || op.kind == OpKind::Communication
            || graph.devices[op.device.value].isStream != isOnDevice)
            continue;
        // An accelerator may still be at it in the host's next iteration.
        const OpId host = launchOf[i] == NoOp ? OpId(i) : launchOf[i];
        HostTime &time = m_optimizers[{ op.worker, graph.iteration[host.value] }];
        time.add(static_cast<double>(op.durationNs), op.stretchShare);
        if (!isOnDevice)
            time.add(static_cast<double>(op.delayNs), 0);
        op.durationNs = op.delayNs = 0;
    }
    if (!isOnDevice && graph.slowdown > 1)
        findBusyCores(graph);
}

void SliceUpdates::findBusyCores(const Graph &graph)
{
    std::map<WorkerId, HostTime> layers;
    for (std::uint32_t i = 0; i < graph.size(); ++i)
        if (graph.phase[i] == Phase::Forward || graph.phase[i] == Phase::Backward)
            layers[graph.worker[i]].add(static_cast<double>(graph.durationNs[i]),
                                        graph.stretchShare[i]);
    for (const auto &[worker, time] : layers)
        if (time.stretchedNs > time.ns / 2)
            m_busyCores.insert(worker);
}

SliceUpdates::Cost SliceUpdates::costOf(const GradientStep &step, std::size_t parameter) const
{
    const double all = m_bytesOfStep[static_cast<std::size_t>(&step - m_steps)];
    const double share = static_cast<double>(step.parameterBytes[parameter]) / std::max(1.0, all);
    const auto optimizer = m_optimizers.find({ step.worker, step.iteration });
    const HostTime ofAll = optimizer == m_optimizers.end() ? HostTime {} : optimizer->second;
    HostTime time { share * ofAll.ns, share * ofAll.stretchedNs };
    if (const auto averaging = m_averagingNs.find(step.gradients[parameter]);
        averaging != m_averagingNs.end())
        time.add(averaging->second, 1);
    return { boundedNs(time.ns), static_cast<float>(time.ns > 0 ? time.stretchedNs / time.ns : 0) };
}

} // namespace core
