#include "core/change/transfers/transfer_obstacles.h"

#include "core/base/duration_text.h"
#include "core/change/gradients/repartition.h"
#include "core/fit/links/node_shape.h"
#include "core/measure/framework.h"

#include <algorithm>

namespace core {

std::string noLinkObstacle(const Graph &graph)
{
    const std::string withSizes = torchProfilerHint(graph, "record_shapes=True") + ".";
    if (graph.collectives.empty())
        return "it holds no collective and no message of which the other ranks' part is recorded, "
               "too. Import every rank of the job, recorded with sizes"
            + withSizes;
    if (std::any_of(graph.collectives.begin(), graph.collectives.end(),
                    [](const CollectiveNode &node) { return node.bytes > 0; }))
        return "its transfers are not between recorded ranks, or take no time. Import every rank "
               "of the job.";
    const std::size_t count = graph.collectives.size();
    const std::string what = hasOnlyMessages(graph)
        ? countText(count, "matched message") + " between ranks (it holds no collectives)"
        : countText(count, "matched collective");
    return "of the " + what + " in its iterations no size is recorded. Record sizes, too"
        + withSizes;
}

std::optional<std::string> reductionCostObstacle(const Graph &graph, const Trace &trace,
                                                 const LinkModels &links)
{
    if (links.empty())
        return noLinkObstacle(graph);
    const auto hasCost = [&](const CollectiveNode &node) {
        return modelOf(links, graph.device[node.transfer.value], node, trace) != nullptr;
    };
    const bool arePartitionsKnown = std::all_of(
        graph.collectives.begin(), graph.collectives.end(), [&](const CollectiveNode &node) {
            return !isPartitionOfGradient(graph, node) || hasCost(node);
        });
    const bool areBucketsKnown = std::all_of(
        graph.gradientSteps.begin(), graph.gradientSteps.end(), [&](const GradientStep &step) {
            return std::all_of(step.buckets.begin(), step.buckets.end(),
                               [&](const GradientStep::Bucket &bucket) {
                                   return hasCost(graph.collectives[bucket.collective]);
                               });
        });
    if (arePartitionsKnown && areBucketsKnown)
        return {};
    return "no transfer of the trace tells what an all-reduce of its gradients costs. Record more "
           "iterations of every rank"
        + torchProfilerHint(graph, "record_shapes=True") + ".";
}

std::optional<std::string> worldSizeObstacle(const Graph &graph,
                                             const std::vector<LinkModel> &links)
{
    if (hasOnlyMessages(graph))
        return "its ranks send messages to each other, and nothing tells which more ranks would "
               "send. Collectives of all ranks do.";
    if (auto obstacle = algorithmObstacle(links))
        return obstacle;
    if (std::all_of(
            graph.collectives.begin(), graph.collectives.end(),
            [](const CollectiveNode &node) { return node.isMessage || hasUnknownPeers(node); })
        && !graph.collectives.empty())
        return "its ranks' transfers are sends and receives of which it is not recorded who sends "
               "to whom (send_recv), so nothing tells what more ranks would send. Record the "
               "program's calls with them"
            + torchProfilerHint(graph, "activities with ProfilerActivity.CPU") + ".";
    for (const CollectiveNode &node : graph.collectives)
        if (node.parts.size() != graph.ownWorkerCount())
            return node.name
                + (node.group.empty() ? ""
                                      : " of group '" + node.group + "' (as the trace names it)")
                + " is between " + std::to_string(node.parts.size()) + " of the "
                + std::to_string(graph.workerCount())
                + " ranks, so the trace does not tell what would grow with them.";
    return {};
}

std::optional<std::string> collectiveObstacle(const Graph &graph,
                                              const std::vector<LinkModel> &links)
{
    const auto ofAllReduce = [](const auto &item) { return item == "all_reduce"; };
    if (std::any_of(links.begin(), links.end(),
                    [&](const LinkModel &model) { return ofAllReduce(model.kind); }))
        return algorithmObstacle(links);
    if (hasOnlyMessages(graph))
        return "its ranks send messages to each other (as with a parameter server or a pipeline), "
               "and only an all-reduce has an algorithm to choose.";
    if (std::none_of(graph.collectives.begin(), graph.collectives.end(),
                     [&](const CollectiveNode &node) { return ofAllReduce(node.name); }))
        return "the trace holds no all-reduce that is matched across ranks, and only these are "
               "changed.";
    return "the trace holds no all-reduce whose size is recorded, and only these are changed. "
           "Record sizes, too"
        + torchProfilerHint(graph, "record_shapes=True") + ".";
}

bool hasOnlyMessages(const Graph &graph)
{
    return !graph.collectives.empty()
        && std::all_of(graph.collectives.begin(), graph.collectives.end(),
                       [](const CollectiveNode &node) { return node.isMessage; });
}

} // namespace core
