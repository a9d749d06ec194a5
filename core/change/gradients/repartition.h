#pragma once

#include "core/base/job_control.h"
#include "core/change/gradients/gradient_plan.h"
#include "core/change/gradients/schedule.h"
#include "core/change/plans/plan_request.h"
#include "core/graph/graph.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

namespace core {

/// Whether the collective carries a gradient, or a part of it, of its own.
bool isPartitionOfGradient(const Graph &graph, const CollectiveNode &node);

/// Whether links send such collectives by priority (P3).
bool sendsByPriority(const Graph &graph);

/// Whether a program of a CPU backend cuts gradients itself: some gradient has several collectives.
bool isSentInPartitions(const Graph &graph);

/// A gradient that a program sent by itself, in one or more collectives.
struct RecordedGradient
{
    std::string_view tensor;
    std::int64_t readyNs = 0; ///< aligned
    std::vector<std::size_t> collectives; ///< indices, in the order of the graph; at least one
};

/// By iteration; in it by tensor, then readiness. A gradient's place is its number in a
/// GradientGroup.
using RecordedGradients = std::map<std::int32_t, std::vector<RecordedGradient>>;
RecordedGradients recordedGradients(const Graph &graph);

std::uint64_t gradientBytes(const Graph &graph, const RecordedGradient &gradient);

/// The ops that wait for recorded transfers of gradients.
class PartitionFollowers
{
public:
    using Follower = std::pair<OpId, EdgeKind>;

    PartitionFollowers(const Graph &graph, const JobControl &control);
    /// In the order of ids.
    const std::vector<Follower> &of(OpId transfer) const;

private:
    std::map<OpId, std::vector<Follower>> m_followers; ///< by transfer
};

/// The graph with the recorded partitions of each gradient cut anew; see PartitionReduction. The
/// schedule fits recorded partitions. One by chance sets their urgency. Else partitions that were
/// sent by priority are as urgent as they were. Others become urgent in the reverse order of
/// readiness (tensorPriorities()), which a note says. There must be no reductionCostObstacle().
/// Throws TooManyPartitions; Cancelled.
Graph withOtherPartitions(const PlanRequest &request, Schedule schedule);

} // namespace core
