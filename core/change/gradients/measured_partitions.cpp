#include "core/change/gradients/measured_partitions.h"

#include "core/change/gradients/gradient_plan.h"
#include "core/change/gradients/partition_schedule.h"
#include "core/change/gradients/rebucket.h"
#include "core/change/gradients/repartition.h"

#include <algorithm>

namespace core {

std::optional<PartitionChanges> recordedPartitions(const Trace &trace, const Graph &graph)
{
    if (!isSentInPartitions(graph))
        return std::nullopt;
    const GradientPlan plan = measuredPartitionPlan(graph);
    std::uint64_t largestBytes = 0;
    for (const auto &[iteration, groups] : plan.iterations)
        for (const GradientGroup &group : groups)
            largestBytes = std::max(largestBytes, group.partitionBytes);
    PartitionChanges recorded;
    recorded.schedule = plan.isByPriority ? Schedule::P3 : Schedule::Fifo;
    recorded.partitionBytes
        = trace.stated.partitionBytes.value_or(static_cast<double>(largestBytes));
    recorded.creditBytes = trace.stated.creditBytes;
    return recorded;
}

PartitionChanges partitionChanges(const Strategy &strategy)
{
    PartitionChanges changes;
    if (const auto name = strategy.text("schedule"))
        changes.schedule = scheduleNamed(*name);
    changes.partitionBytes = strategy.number("partition_bytes");
    changes.creditBytes = strategy.number("credit_bytes");
    changes.seed = static_cast<std::uint64_t>(strategy.number("schedule_seed").value_or(0));
    return changes;
}

std::optional<std::string> partitionObstacle(const PartitionChanges &changes, const Trace &trace,
                                             const Graph &graph)
{
    if (changes.schedule && !traitsOf(*changes.schedule).isByTensor)
        return rebucketObstacle(graph);
    if (changes.schedule && !traitsOf(*changes.schedule).fitsRecordedPartitions
        && isSentInPartitions(graph))
        return "its program sends partitions itself, and which operations use their tensors is not "
               "recorded. Give schedule="
            + scheduleNames(
                   [](const ScheduleTraits &traits) { return traits.fitsRecordedPartitions; })
            + ".";
    if (changes.schedule || changes.isEmpty() || recordedPartitions(trace, graph))
        return partitioningObstacle(graph);
    if (auto obstacle = partitioningObstacle(graph))
        return obstacle;
    return "its gradients were not sent in partitions. Give schedule="
        + scheduleNames(&hasPartitionSize) + ", too, to predict that they are.";
}

PartitionChanges withRecordedPartitions(PartitionChanges changes, const Trace &trace,
                                        const Graph &graph)
{
    const std::optional<PartitionChanges> recorded
        = changes.isEmpty() ? std::nullopt : recordedPartitions(trace, graph);
    if (!recorded || (changes.schedule && !traitsOf(*changes.schedule).isByTensor))
        return changes;
    const bool isAsRecorded = changes.schedule.value_or(*recorded->schedule) == recorded->schedule
        && changes.partitionBytes.value_or(*recorded->partitionBytes) == recorded->partitionBytes
        && (!changes.creditBytes || changes.creditBytes == recorded->creditBytes);
    if (isAsRecorded)
        return {};
    if (!changes.schedule)
        changes.schedule = recorded->schedule;
    if (!changes.partitionBytes)
        changes.partitionBytes = recorded->partitionBytes;
    return changes;
}

} // namespace core
