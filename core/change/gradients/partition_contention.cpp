#include "core/change/gradients/partition_contention.h"

#include "core/change/change_list.h"
#include "core/change/gradients/repartition.h"
#include "core/change/rewriting.h"
#include "core/fit/contention/interference.h"
#include "core/fit/links/collective_cost.h"
#include "core/fit/links/node_shape.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

namespace core {

namespace {

    constexpr std::string_view AllReduce = "all_reduce";

    /// Of one rank, by the algorithm and for the number of ranks that are set.
    double wantedBytes(const CollectiveNode &node, const Trace &trace, const LinkChanges &changes)
    {
        if (!changes.worldSize && !changes.collective)
            return wireBytes(node, node.bytes, trace);
        const CollectiveChoice choice = changes.collective.value_or(CollectiveChoice {});
        const bool isHierarchy = choice.algorithm == CollectiveAlgorithm::Hierarchical;
        TransferPlace place;
        place.servers = static_cast<double>(choice.servers);
        const double ranks = changes.worldSize.value_or(static_cast<double>(node.rankCount()));
        return transferShape(isHierarchy ? CollectiveAlgorithm::Ring : choice.algorithm, node.name,
                             static_cast<double>(node.bytes), ranks, place)
            .bytes;
    }

    /// Bytes a nanosecond while the link is busy with all-reduces, or halves of them; 0 where it
    /// never is.
    double meanRate(const Graph &graph, DeviceId link, const Trace &trace,
                    const LinkChanges &changes)
    {
        double bytes = 0, busyNs = 0;
        for (const CollectiveNode &node : graph.collectives)
            if ((node.name == AllReduce || graph.isPredicted(node.transfer))
                && graph.device[node.transfer.value] == link) {
                bytes += wantedBytes(node, trace, changes);
                busyNs += static_cast<double>(graph.durationNs[node.transfer.value]);
            }
        return busyNs > 0 ? bytes / busyNs : 0;
    }

} // namespace

Graph withCostOfPartitions(Graph graph, const Graph &recorded, const Trace &trace,
                           const LinkChanges &changes)
{
    const std::optional<DeviceId> link = interferingHostLink(graph);
    if (!link || recorded.slowdown <= 1)
        return graph;
    const double before = meanRate(recorded, *link, trace, {});
    const double after = meanRate(graph, *link, trace, changes);
    if (before > 0 && after > 0)
        graph.slowdown = std::min(LargestSlowdown, std::pow(recorded.slowdown, after / before));
    return graph;
}

namespace {

    class PartitionContention : public ChangeKind
    {
    public:
        Stage stage() const override { return Stage::Transfers; }
        bool worksOnBlocks() const override { return true; }

        bool isAsked(const Strategy &strategy) const override
        {
            return hasEffect(strategy, effect::Transfers | effect::Gradients);
        }

        void apply(Rewriting &rewriting) const override
        {
            const bool areOtherLinks = hasEffect(rewriting.strategy(), effect::Transfers)
                && isSentInPartitions(rewriting.recorded());
            if (rewriting.partitions.arePartitioned() || areOtherLinks)
                rewriting.set(withCostOfPartitions(rewriting.graph(), rewriting.recorded(),
                                                   rewriting.trace(),
                                                   linkChanges(rewriting.strategy())));
        }
    };

} // namespace

std::unique_ptr<const ChangeKind> partitionContention()
{
    return std::make_unique<PartitionContention>();
}

} // namespace core
