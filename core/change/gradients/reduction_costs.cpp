#include "core/change/gradients/reduction_costs.h"

#include "core/change/infeasible.h"
#include "core/fit/links/nccl_choices.h"
#include "core/fit/links/unseen_waits.h"
#include "core/measure/bounded_time.h"

#include <cmath>

namespace core {

const ReductionCosts::Fit &ReductionCosts::fitOf(const GradientStep &step, std::uint64_t bytes)
{
    return m_lastFit.to({ &step, bytes }, [&] { return findFit(step, bytes); });
}

ReductionCosts::Fit ReductionCosts::findFit(const GradientStep &step, std::uint64_t bytes) const
{
    const CollectiveNode &measured = measuredLike(step, bytes);
    Fit fit { &measured, {}, 0 };
    if (!measured.chosenAlgorithm.empty())
        fit.chosenAlgorithm = takenAfter(
            measured, { static_cast<double>(bytes), static_cast<double>(measured.rankCount()) },
            m_job.graph, m_job.trace);
    const DeviceId link = m_job.graph.device[measured.transfer.value];
    const LinkModel *model = modelOf(m_job.links, link, measured, m_job.trace);
    if (!model) // see reductionCostObstacle()
        throw Infeasible("Gradients cannot be regrouped: no transfer of the trace tells what a "
                         "reduction costs.");
    const std::string &algorithm
        = measured.algorithm.empty() ? fit.chosenAlgorithm : measured.algorithm;
    fit.durationNs = boundedNs(
        model->alphaNs + model->betaNsPerByte * wireBytes(measured, algorithm, bytes, m_job.trace));
    return fit;
}

/// NCCL chooses algorithms by size.
const CollectiveNode &ReductionCosts::measuredLike(const GradientStep &step,
                                                   std::uint64_t bytes) const
{
    const std::vector<CollectiveNode> &nodes = m_job.graph.collectives;
    const CollectiveNode *nearest = &nodes[step.buckets.front().collective];
    if (nearest->algorithm.empty())
        return *nearest;
    const auto distance = [bytes](const CollectiveNode &node) {
        return std::abs(std::log(static_cast<double>(node.bytes + 1))
                        - std::log(static_cast<double>(bytes + 1)));
    };
    for (const GradientStep::Bucket &bucket : step.buckets)
        if (distance(nodes[bucket.collective]) < distance(*nearest))
            nearest = &nodes[bucket.collective];
    return *nearest;
}

std::int64_t ReductionCosts::unseenWaitNs(const GradientStep &step, std::size_t parameter)
{
    return m_lastWait.to({ &step, parameter }, [&] { return findUnseenWaitNs(step, parameter); });
}

/// How much later than the recorded ranks those without a recording were ready for the measured
/// all-reduces, between these in proportion to the time: who is late in one is late in parts of it.
std::int64_t ReductionCosts::findUnseenWaitNs(const GradientStep &step, std::size_t parameter) const
{
    const Graph &graph = m_job.graph;
    const auto readyNs = [&](std::size_t ofParameter) {
        return static_cast<double>(graph.measuredStartNs[readyOp(step, ofParameter).value]);
    };
    const double atNs = readyNs(parameter);
    double fromNs = 0, fromWaitNs = 0;
    bool hasFrom = false;
    for (const GradientStep::Bucket &bucket : step.buckets) {
        const double toNs = readyNs(bucket.firstParameter + bucket.parameterCount - 1);
        const auto toWaitNs
            = static_cast<double>(core::unseenWaitNs(graph, graph.collectives[bucket.collective]));
        if (atNs <= toNs)
            return boundedNs(hasFrom && toNs > fromNs ? fromWaitNs
                                     + (toWaitNs - fromWaitNs) * (atNs - fromNs) / (toNs - fromNs)
                                                      : toWaitNs);
        fromNs = toNs;
        fromWaitNs = toWaitNs;
        hasFrom = true;
    }
    return boundedNs(fromWaitNs);
}

const CollectiveNode &ReductionCosts::firstMeasured() const
{
    return m_job.graph.collectives[m_job.graph.gradientSteps.front().buckets.front().collective];
}

std::int64_t ReductionCosts::hiddenLatencyNs(DeviceId link) const
{
    const LinkModel *model = modelOf(m_job.links, link, firstMeasured(), m_job.trace);
    const bool isHidden
        = model && model->isPipelined && m_job.graph.devices[link.value].capacity > 1;
    return isHidden ? boundedNs(model->alphaNs) : 0;
}

std::optional<std::int64_t> ReductionCosts::partitionNs(DeviceId link, std::uint64_t bytes,
                                                        const PartitionLimits &limits)
{
    return m_lastPartition.to({ link, bytes, limits.partitionBytes },
                              [&] { return findPartitionNs(link, bytes, limits); });
}

std::optional<std::int64_t> ReductionCosts::findPartitionNs(DeviceId link, std::uint64_t bytes,
                                                            const PartitionLimits &limits) const
{
    const LinkModel *model = modelOf(m_job.links, link, firstMeasured(), m_job.trace);
    const Device &device = m_job.graph.devices[link.value];
    if (!model || device.capacity <= 1)
        return std::nullopt;
    const double onWire = wireBytes(firstMeasured(), bytes, m_job.trace);
    return boundedNs(costOfPartition(*model, device, limits, onWire).ns(onWire));
}

} // namespace core
