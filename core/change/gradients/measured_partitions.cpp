#include "core/change/gradients/measured_partitions.h"

#include "core/base/error.h"
#include "core/change/gradients/partition_schedule.h"
#include "core/change/gradients/repartition.h"
#include "core/measure/job_metadata.h"

#include <algorithm>

namespace core {

namespace {

    bool isAboutSlices(const ScenarioSettings &settings)
    {
        return settings.schedule || settings.partitionBytes || settings.creditBytes;
    }

    /// Collectives of gradients.
    bool isSlice(const Graph &graph, const CollectiveNode &node)
    {
        return node.name == "all_reduce" && !node.tensor.empty()
            && graph.devices[graph.device[node.transfer.value].value].isHostLink;
    }

} // namespace

std::optional<ScenarioSettings> recordedSlices(const Trace &trace, const Graph &graph)
{
    if (!isSentInSlices(graph))
        return std::nullopt;
    ScenarioSettings recorded;
    recorded.schedule = Schedule::Fifo;
    std::uint64_t largestBytes = 0;
    for (const CollectiveNode &node : graph.collectives) {
        if (!isSlice(graph, node))
            continue;
        largestBytes = std::max(largestBytes, node.bytes);
        const Device &link = graph.devices[graph.device[node.transfer.value].value];
        if (link.discipline == Discipline::Priority)
            recorded.schedule = Schedule::P3;
    }
    recorded.partitionBytes
        = statedPartitionBytes(trace).value_or(static_cast<double>(largestBytes));
    recorded.creditBytes = statedCreditBytes(trace);
    return recorded;
}

ScenarioSettings withRecordedSlices(ScenarioSettings settings, const Trace &trace,
                                    const Graph &graph)
{
    if (!isAboutSlices(settings))
        return settings;
    const std::optional<ScenarioSettings> recorded = recordedSlices(trace, graph);
    if (!recorded) {
        if (settings.schedule)
            return settings;
        const std::optional<std::string> obstacle = sliceObstacle(graph);
        throw Error(std::string(settings.partitionBytes ? "partition_bytes" : "credit_bytes")
                    + " cannot be changed on this trace: "
                    + (obstacle ? *obstacle
                                : "its gradients were not sent in slices. Give schedule=fifo or "
                                  "schedule=p3, too, to predict that they are."));
    }
    if (settings.schedule == Schedule::Wfbp) // it is refused: see rebucketObstacle()
        return settings;
    const bool isAsRecorded = settings.schedule.value_or(*recorded->schedule) == recorded->schedule
        && settings.partitionBytes.value_or(*recorded->partitionBytes) == recorded->partitionBytes
        && (!settings.creditBytes || settings.creditBytes == recorded->creditBytes);
    if (isAsRecorded) {
        settings.schedule.reset();
        settings.partitionBytes.reset();
        settings.creditBytes.reset();
        return settings;
    }
    if (!settings.schedule)
        settings.schedule = recorded->schedule;
    if (!settings.partitionBytes)
        settings.partitionBytes = recorded->partitionBytes;
    return settings;
}

} // namespace core
