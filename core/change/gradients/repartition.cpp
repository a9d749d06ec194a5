#include "core/change/gradients/repartition.h"

#include "core/change/gradients/gradient_rewriter.h"
#include "core/change/plans/forward_order.h"
#include "core/graph/build/queue_order.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace core {

namespace {

    const CollectiveNode &firstOf(const Graph &graph, const RecordedGradient &gradient)
    {
        return graph.collectives[gradient.collectives.front()];
    }

    bool isServedByPriority(const Graph &graph, const CollectiveNode &node)
    {
        return graph.devices[graph.device[node.transfer.value].value].discipline
            == Discipline::Priority;
    }

    /// Lower is needed earlier, by tensor.
    std::map<std::string_view, std::int32_t> urgencies(const Graph &graph,
                                                       const RecordedGradients &gradients)
    {
        std::vector<QueuedTransfer> transfers;
        for (const auto &[iteration, ofIteration] : gradients)
            for (const RecordedGradient &gradient : ofIteration)
                transfers.push_back(
                    { gradient.tensor, iteration, gradient.readyNs,
                      graph.measuredStartNs[firstOf(graph, gradient).transfer.value] });
        return tensorPriorities(transfers);
    }

    /// Sets priorities of partitions that were sent in the order of readiness. A tensor that the
    /// fullest iteration does not have is needed last. Returns whether there are any.
    bool setPriorities(const Graph &graph, const RecordedGradients &gradients, GradientPlan &plan)
    {
        const std::map<std::string_view, std::int32_t> known = urgencies(graph, gradients);
        bool isAny = false;
        for (auto &[iteration, groups] : plan.iterations)
            for (GradientGroup &group : groups) {
                const RecordedGradient &gradient = gradients.at(iteration)[group.firstTensor];
                if (isServedByPriority(graph, firstOf(graph, gradient)))
                    continue;
                isAny = true;
                const auto urgency = known.find(gradient.tensor);
                group.priority = urgency == known.end() ? static_cast<std::int32_t>(known.size())
                                                        : urgency->second;
            }
        return isAny;
    }

    struct GradientOps
    {
        double bytes = 0, opsOfPartition = 0;
        double followers = 0, awaitedBytes = 0; ///< by all of them
    };

    GradientOps opsOf(const Graph &graph, const RecordedGradient &gradient,
                      const PartitionFollowers &followers)
    {
        GradientOps ops;
        std::set<PartitionFollowers::Follower> all;
        for (const std::size_t i : gradient.collectives) {
            const auto bytes = static_cast<double>(graph.collectives[i].bytes);
            const auto &own = followers.of(graph.collectives[i].transfer);
            all.insert(own.begin(), own.end());
            ops.bytes += bytes;
            ops.awaitedBytes += bytes * static_cast<double>(own.size());
        }
        ops.opsOfPartition = static_cast<double>(2 + firstOf(graph, gradient).parts.size());
        ops.followers = static_cast<double>(all.size());
        return ops;
    }

    /// A gradient's wanted partitions have an arrival, a transfer, and ready ops; an edge to an op
    /// that waits counts as an op. An op that waits for some recorded partitions waits for as many
    /// bytes of the wanted ones, for one at least.
    void checkOps(const Graph &graph, const RecordedGradients &gradients,
                  const PartitionLimits &limits, const JobControl &control)
    {
        const PartitionFollowers followers(graph, control);
        std::vector<GradientOps> all;
        for (const auto &[iteration, ofIteration] : gradients)
            for (const RecordedGradient &gradient : ofIteration)
                all.push_back(opsOf(graph, gradient, followers));
        const auto count = [&](std::uint64_t partitionBytes) {
            throwIfCancelled(control);
            const auto ofOne = static_cast<double>(partitionBytes);
            double ops = 0;
            for (const GradientOps &gradient : all)
                ops += std::ceil(gradient.bytes / ofOne) * gradient.opsOfPartition
                    + gradient.followers + gradient.awaitedBytes / ofOne;
            return ops;
        };
        checkOpsOfPartitions(count, limits);
    }

} // namespace

bool isPartitionOfGradient(const Graph &graph, const CollectiveNode &node)
{
    return node.name == "all_reduce" && !node.tensor.empty() && node.bytes > 0
        && graph.devices[graph.device[node.transfer.value].value].isHostLink && !node.parts.empty();
}

bool sendsByPriority(const Graph &graph)
{
    return std::any_of(
        graph.collectives.begin(), graph.collectives.end(), [&graph](const CollectiveNode &node) {
            return isPartitionOfGradient(graph, node) && isServedByPriority(graph, node);
        });
}

bool isSentInPartitions(const Graph &graph)
{
    if (!graph.gradientSteps.empty())
        return false;
    const RecordedGradients gradients = recordedGradients(graph);
    return std::any_of(gradients.begin(), gradients.end(), [](const auto &entry) {
        return std::any_of(
            entry.second.begin(), entry.second.end(),
            [](const RecordedGradient &gradient) { return gradient.collectives.size() > 1; });
    });
}

/// Collectives carry one gradient if it is of one tensor and was ready at one time.
RecordedGradients recordedGradients(const Graph &graph)
{
    std::map<std::pair<std::string_view, std::int64_t>, std::vector<std::size_t>> partitions;
    for (std::size_t i = 0; i < graph.collectives.size(); ++i) {
        const CollectiveNode &node = graph.collectives[i];
        if (isPartitionOfGradient(graph, node))
            partitions[{ node.tensor, graph.measuredStartNs[node.parts.front().ready.value] }]
                .push_back(i);
    }
    RecordedGradients gradients;
    for (auto &[key, indices] : partitions) {
        const auto iteration
            = static_cast<std::int32_t>(graph.collectives[indices.front()].iteration);
        gradients[iteration].push_back({ key.first, key.second, std::move(indices) });
    }
    return gradients;
}

std::uint64_t gradientBytes(const Graph &graph, const RecordedGradient &gradient)
{
    std::uint64_t bytes = 0;
    for (const std::size_t i : gradient.collectives)
        bytes += graph.collectives[i].bytes;
    return bytes;
}

PartitionFollowers::PartitionFollowers(const Graph &graph, const JobControl &control)
{
    std::vector<char> isTransfer(graph.size(), 0);
    for (const CollectiveNode &node : graph.collectives)
        isTransfer[node.transfer.value] = isPartitionOfGradient(graph, node) ? 1 : 0;
    throwIfCancelled(control);
    for (std::uint32_t op = 0; op < graph.size(); ++op)
        for (const Edge &edge : graph.predecessors(OpId(op)))
            if (isTransfer[edge.op.value] != 0)
                m_followers[edge.op].emplace_back(OpId(op), edge.kind);
}

const std::vector<PartitionFollowers::Follower> &PartitionFollowers::of(OpId transfer) const
{
    static const std::vector<Follower> none;
    const auto followers = m_followers.find(transfer);
    return followers == m_followers.end() ? none : followers->second;
}

Graph withOtherPartitions(const PlanRequest &request, Schedule schedule)
{
    const Graph &graph = *request.graph;
    const RecordedGradients gradients = recordedGradients(graph);
    checkOps(graph, gradients, request.limits, request.control);
    GradientPlan plan = measuredPartitionPlan(graph);
    const bool isByChance = schedule == Schedule::Random;
    plan.isByPriority = traitsOf(schedule).isByPriority;
    plan.creditBytes = request.limits.creditBytes;
    for (auto &[iteration, groups] : plan.iterations) {
        const std::vector<std::int32_t> places = shuffledPlaces(groups.size(), request.seed);
        for (GradientGroup &group : groups) {
            group.partitionBytes = request.limits.partitionBytes;
            if (isByChance)
                group.priority = places[group.firstTensor];
            else if (!plan.isByPriority)
                group.priority = 0;
        }
    }
    const bool isOrderTaken
        = plan.isByPriority && !isByChance && setPriorities(graph, gradients, plan);
    Graph cut = withGradientPlan({ graph, request.trace, request.links, plan, request.control });
    if (isOrderTaken)
        cut.notes.emplace_back(
            "Partitions were sent in the order of readiness: which of them the next forward pass "
            "needs "
            "first is not recorded. It is taken to be the reverse of that order, as backward "
            "passes go through the layers from the last one to the first.");
    return cut;
}

} // namespace core
