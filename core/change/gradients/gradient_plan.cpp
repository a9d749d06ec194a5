#include "core/change/gradients/gradient_plan.h"

#include "core/change/gradients/repartition.h"

namespace core {

GradientPiece pieceOf(const GradientGroup &group, std::size_t piece, std::uint64_t leftBytes)
{
    if (piece + 1 < group.pieces.size())
        return { std::min(group.pieces[piece].bytes, leftBytes), group.pieces[piece].priority };
    if (!group.pieces.empty())
        return { leftBytes, group.pieces.back().priority };
    return { nextPieceBytes(group, leftBytes), group.priority };
}

std::vector<GradientGroup> measuredGroups(const GradientStep &step)
{
    std::vector<GradientGroup> groups;
    for (const GradientStep::Bucket &bucket : step.buckets)
        groups.push_back({ bucket.firstParameter, bucket.parameterCount });
    return groups;
}

GradientPlan measuredPartitionPlan(const Graph &graph)
{
    GradientPlan plan;
    plan.isByPriority = sendsByPriority(graph);
    for (const auto &[iteration, gradients] : recordedGradients(graph))
        for (const RecordedGradient &gradient : gradients) {
            std::vector<GradientGroup> &groups = plan.iterations[iteration];
            GradientGroup &group = groups.emplace_back();
            group.firstTensor = groups.size() - 1;
            group.tensorCount = 1;
            for (const std::size_t i : gradient.collectives)
                group.partitionBytes = std::max(group.partitionBytes, graph.collectives[i].bytes);
            group.priority
                = graph.priorityOf(graph.collectives[gradient.collectives.front()].transfer);
        }
    return plan;
}

} // namespace core
