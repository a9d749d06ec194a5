#include "core/analyze/bottlenecks/bottleneck_searches.h"
#include "core/analyze/groups/transfer_groups.h"
#include "core/base/duration_text.h"
#include "core/base/interval_set.h"
#include "core/measure/worker_activity.h"
#include "core/model/slice_index.h"

#include <algorithm>
#include <map>
#include <utility>

// Stages of a pipeline that wait for each other.
namespace core {

namespace {

    /// What goes from stage to stage in one iteration.
    struct StageMessages
    {
        std::vector<const CollectiveNode *> all;
        std::size_t stages = 0; ///< of the longest pipeline
        std::size_t eachWay = 0; ///< activations, or gradients, between two stages
    };

    /// All messages that are recorded; empty where some are no pipeline's.
    std::vector<const CollectiveNode *> pipelineMessages(const BottleneckSearch &search,
                                                         std::size_t &stages)
    {
        const TransferGroups index(search.trace, search.diagnosis.groups);
        std::vector<const CollectiveNode *> messages;
        for (const CollectiveNode &node : search.graph.collectives) {
            if (!node.isMessage)
                continue;
            const ProcessGroup *group = index.find(node);
            if (group == nullptr || group->role != GroupRole::Pipeline)
                return {};
            stages = std::max(stages, group->ranks.size());
            messages.push_back(&node);
        }
        return messages;
    }

    /// By sender and receiver, and iteration: most of them. Sizes that go ahead of tensors are
    /// messages, too, and much smaller.
    std::size_t messagesEachWay(const std::vector<const CollectiveNode *> &messages)
    {
        std::uint64_t largest = 0;
        for (const CollectiveNode *node : messages)
            largest = std::max(largest, node->bytes);
        std::map<std::pair<std::pair<WorkerId, WorkerId>, std::int64_t>, std::size_t> counts;
        for (const CollectiveNode *node : messages)
            if (node->bytes >= largest / 2)
                ++counts[{ { node->parts[0].worker, node->parts[1].worker }, node->iteration }];
        std::size_t most = 0;
        for (const auto &[ends, count] : counts)
            most = std::max(most, count);
        return most;
    }

    StageMessages stageMessages(const BottleneckSearch &search)
    {
        StageMessages found;
        found.all = pipelineMessages(search, found.stages);
        found.eachWay = messagesEachWay(found.all);
        return found;
    }

    /// Of a worker in one iteration, waiting for messages while it computes nothing; raw clock.
    struct BubbleTime
    {
        std::int64_t meanNs = 0; ///< over all ranks and iterations that are compared
        std::int64_t mostNs = 0; ///< of one rank, in the mean iteration
        int mostRank = 0;
        SliceId slice = NoSlice; ///< that waits longest
        TimeRange range; ///< in which it waits; aligned
    };

    using MessageWaits = std::map<WorkerId, std::vector<TimeRange>>; ///< raw clock

    MessageWaits messageWaits(const BottleneckSearch &search, const StageMessages &messages,
                              BubbleTime &longest)
    {
        const SliceIndex slices(search.trace);
        MessageWaits waits;
        for (const CollectiveNode *node : messages.all)
            for (const CollectiveNode::Part &part : node->parts) {
                const auto transfer = search.diagnosis.transfers.find(part.slice.value);
                const auto place = slices.find(part.slice);
                if (transfer == search.diagnosis.transfers.end() || !place)
                    continue;
                const std::int64_t startNs
                    = search.trace.slices[place->track.value].startNs[place->row];
                const TimeRange waiting { startNs, startNs + transfer->second.waitNs };
                if (waiting.durationNs() > longest.range.durationNs()) {
                    longest.slice = part.slice;
                    longest.range = { search.trace.toAligned(part.worker, waiting.startNs),
                                      search.trace.toAligned(part.worker, waiting.endNs) };
                }
                waits[part.worker].push_back(waiting);
            }
        return waits;
    }

    BubbleTime bubbleTime(const BottleneckSearch &search, const StageMessages &messages)
    {
        BubbleTime bubble;
        MessageWaits waits = messageWaits(search, messages, bubble);
        const std::vector<WorkerActivity> activities
            = workerActivities(search.trace, search.diagnosis.transfers, search.control.part(0, 0));
        std::int64_t sumNs = 0, ranks = 0;
        for (auto &[worker, ranges] : waits) {
            const WorkerActivity &activity = activities[worker.value];
            if (activity.compared.empty())
                continue;
            const IntervalSet waiting
                = IntervalSet(std::move(ranges)).without(activity.together.compute);
            std::int64_t ns = 0;
            for (const TimeRange &iteration : activity.compared)
                ns += waiting.clippedTo(iteration).lengthNs();
            ns /= std::ssize(activity.compared);
            sumNs += ns;
            ++ranks;
            if (ns > bubble.mostNs) {
                bubble.mostNs = ns;
                bubble.mostRank = search.trace.workers[worker.value].rank;
            }
        }
        bubble.meanNs = ranks > 0 ? sumNs / ranks : 0;
        return bubble;
    }

    /// (p - 1) / (m + p - 1) of the time; with v chunks of layers on each stage, each micro-batch
    /// passes v times, which counts as m. Narayanan et al., "Efficient Large-Scale Language Model
    /// Training on GPU Clusters Using Megatron-LM", SC 2021, 2.2: (p - 1) / (v m) of the work.
    double bubbleShare(std::size_t stages, std::size_t passes)
    {
        const auto warmUp = static_cast<double>(stages) - 1;
        return warmUp / (static_cast<double>(passes) + warmUp);
    }

    std::string scheduleLine(const StageMessages &messages)
    {
        return countText(messages.stages, "stage") + "; " + countText(messages.eachWay, "message")
            + " of activations from one to the next in an iteration. While equal stages fill and "
              "drain, each is idle for "
            + percentText(bubbleShare(messages.stages, messages.eachWay))
            + " of the time; with twice as many messages for "
            + percentText(bubbleShare(messages.stages, 2 * messages.eachWay)) + ".";
    }

} // namespace

std::optional<Bottleneck> findPipelineBubble(const BottleneckSearch &search)
{
    if (search.obstacle("ideal_pipeline"))
        return std::nullopt;
    const StageMessages messages = stageMessages(search);
    if (messages.all.empty() || messages.stages < 2)
        return std::nullopt;
    auto found = search.withGainOf("pipeline-bubble", { { "ideal_pipeline", 1 } });
    if (!found)
        return std::nullopt;
    found->title = "Pipeline stages wait for each other";
    found->effect = ", which costs up to ";
    const BubbleTime bubble = bubbleTime(search, messages);
    if (bubble.mostNs > 0)
        found->evidence.push_back("Waiting for messages of other stages, beside no computation: "
                                  + durationText(bubble.meanNs) + " of " + search.words.one()
                                  + search.onAverage() + ", most on rank "
                                  + std::to_string(bubble.mostRank) + " ("
                                  + durationText(bubble.mostNs) + ").");
    found->evidence.push_back(scheduleLine(messages));
    found->isBound = true;
    found->evidence.push_back("Upper bound: no stage waits for another. " + predictedText(*found)
                              + " The first and the last micro-batch always leave some idle time.");
    found->advice = search.advice.onPipeline();
    found->slice = bubble.slice;
    found->range = bubble.range;
    return found;
}

} // namespace core
