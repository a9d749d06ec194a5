#include "core/change/plans/reduction_line.h"

#include "core/measure/bounded_time.h"

#include <memory>
#include <utility>

namespace core {

namespace {

    constexpr double ProbeBytes = 1024.0 * 1024;

    /// Alone it takes alpha + beta * bytes, whatever the settings of partitions.
    double changedNs(const PlanRequest &request, double bytes)
    {
        const GradientStep &step = request.graph->gradientSteps.front();
        auto probe = std::make_shared<Graph>(*request.graph);
        CollectiveNode &node = probe->collectives[step.buckets.front().collective];
        const std::size_t transfer = node.transfer.value;
        node.bytes = static_cast<std::uint64_t>(bytes);
        const LinkModel *model
            = modelOf(request.links, probe->device[transfer], node, request.trace);
        if (model == nullptr)
            return 0;
        probe->durationNs[transfer] = boundedNs(
            model->alphaNs + model->betaNsPerByte * wireBytes(node, node.bytes, request.trace));
        probe->delayNs[transfer] = 0;
        probe->bytes.resize(probe->size(), 0); // as of predicted transfers
        probe->bytes[transfer] = node.bytes;
        const auto changed = request.changes.transfersOf(std::move(probe));
        return static_cast<double>(changed->durationNs[transfer] + changed->delayNs[transfer]);
    }

} // namespace

ReductionLine reductionLine(const PlanRequest &request)
{
    const double oneNs = changedNs(request, ProbeBytes);
    const double nsPerByte = (changedNs(request, 2 * ProbeBytes) - oneNs) / ProbeBytes;
    return { oneNs - nsPerByte * ProbeBytes, nsPerByte };
}

} // namespace core
