#include "core/optimize/folded_ranks.h"

#include "core/change/graph_edits.h"
#include "core/graph/graph_builder.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <set>
#include <utility>

namespace core {

namespace {

    constexpr std::size_t FewestFoldedRanks = 8;
    constexpr double MostApart = 0.01;

    /// Ops of a rank on one of its devices, in the order of devices.
    struct DeviceShare
    {
        std::size_t ops = 0;
        double ns = 0;
    };

    struct RankShape
    {
        std::vector<DeviceShare> devices;
        std::vector<const GradientStep *> steps;
        double computedNs = 0;
    };

    std::vector<RankShape> shapesOf(const Graph &graph)
    {
        std::vector<DeviceShare> shares(graph.devices.size());
        std::vector<std::size_t> owner(graph.devices.size(), graph.workerCount());
        std::vector<RankShape> shapes(graph.workerCount());
        for (std::uint32_t op = 0; op < graph.size(); ++op) {
            const std::uint32_t device = graph.device[op].value;
            if (graph.kind[op] == OpKind::Virtual || graph.devices[device].isLink)
                continue;
            owner[device] = graph.worker[op].value;
            ++shares[device].ops;
            shares[device].ns += static_cast<double>(graph.durationNs[op]);
            if (graph.kind[op] == OpKind::Compute)
                shapes[owner[device]].computedNs += static_cast<double>(graph.durationNs[op]);
        }
        for (std::size_t device = 0; device < shares.size(); ++device)
            if (owner[device] < shapes.size())
                shapes[owner[device]].devices.push_back(shares[device]);
        for (const GradientStep &step : graph.gradientSteps)
            shapes[step.worker.value].steps.push_back(&step);
        return shapes;
    }

    double longestNs(const std::vector<RankShape> &shapes)
    {
        double ns = 0;
        for (const RankShape &shape : shapes)
            for (const DeviceShare &share : shape.devices)
                ns = std::max(ns, share.ns);
        return ns;
    }

    bool areAlike(const RankShape &a, const RankShape &b, double mostNs)
    {
        return std::equal(a.devices.begin(), a.devices.end(), b.devices.begin(), b.devices.end(),
                          [mostNs](const DeviceShare &x, const DeviceShare &y) {
                              return x.ops == y.ops && std::abs(x.ns - y.ns) <= mostNs;
                          })
            && std::equal(a.steps.begin(), a.steps.end(), b.steps.begin(), b.steps.end(),
                          [](const GradientStep *x, const GradientStep *y) {
                              return x->iteration == y->iteration
                                  && x->parameterBytes == y->parameterBytes;
                          });
    }

    bool areOfAllRanks(const std::vector<CollectiveNode> &collectives, std::size_t ranks)
    {
        return std::all_of(collectives.begin(), collectives.end(), [&](const CollectiveNode &node) {
            return !node.isMessage && node.parts.size() == ranks
                && std::all_of(node.parts.begin(), node.parts.end(),
                               [](const auto &part) { return part.chunks.empty(); });
        });
    }

    /// True by OpId where it is of a rank that another one stands for.
    std::vector<char> foldedOps(const Graph &graph, const std::vector<WorkerId> &standIns)
    {
        std::vector<char> isFolded(graph.size(), 0);
        for (std::size_t op = 0; op < graph.size(); ++op)
            isFolded[op] = standIns[graph.worker[op].value] != graph.worker[op] ? 1 : 0;
        for (const CollectiveNode &node : graph.collectives)
            isFolded[node.arrival.value] = isFolded[node.transfer.value] = 0;
        return isFolded;
    }

    /// The builder's graph without these ops; the others keep their order.
    Graph without(const Graph &graph, const std::vector<char> &isRemoved, GraphBuilder &builder,
                  const JobControl &control)
    {
        for (std::uint32_t op = 0; op < graph.size(); ++op) {
            builder.op(OpId(op)).measuredStartNs = op;
            if (isRemoved[op] != 0)
                builder.removeOp(OpId(op));
        }
        std::vector<OpId> newIds;
        Graph rest = builder.build(control, &newIds);
        for (std::uint32_t op = 0; op < graph.size(); ++op)
            if (newIds[op] != NoOp)
                rest.measuredStartNs[newIds[op].value] = graph.measuredStartNs[op];
        return rest;
    }

    void foldIterations(const Graph &graph, const std::vector<WorkerId> &standIns,
                        GraphBuilder &builder)
    {
        std::vector<OpId> begins, ends;
        const auto count = static_cast<std::size_t>(graph.iterationCount);
        begins.reserve(standIns.size());
        ends.reserve(standIns.size() * count);
        for (const WorkerId standIn : standIns) {
            begins.push_back(graph.iterationBegins[standIn.value]);
            const auto own
                = graph.iterationEnds.begin() + static_cast<std::ptrdiff_t>(standIn.value * count);
            ends.insert(ends.end(), own, own + static_cast<std::ptrdiff_t>(count));
        }
        builder.setIterations(std::move(begins), std::move(ends), graph.iterationCount);
    }

} // namespace

std::vector<WorkerId> alikeRanks(const Graph &graph)
{
    const std::size_t ranks = graph.workerCount();
    if (ranks < FewestFoldedRanks || !areOfAllRanks(graph.collectives, ranks))
        return {};
    const std::vector<RankShape> shapes = shapesOf(graph);
    const double mostNs = MostApart * longestNs(shapes);
    std::vector<std::size_t> slowestFirst(ranks);
    std::iota(slowestFirst.begin(), slowestFirst.end(), 0);
    std::stable_sort(slowestFirst.begin(), slowestFirst.end(), [&](std::size_t a, std::size_t b) {
        return shapes[a].computedNs > shapes[b].computedNs;
    });
    std::vector<WorkerId> standIns(ranks);
    std::vector<std::size_t> drawn;
    for (const std::size_t rank : slowestFirst) {
        const auto alike = std::find_if(drawn.begin(), drawn.end(), [&](std::size_t other) {
            return areAlike(shapes[rank], shapes[other], mostNs);
        });
        const std::size_t standIn = alike == drawn.end() ? rank : *alike;
        if (alike == drawn.end())
            drawn.push_back(rank);
        standIns[rank] = WorkerId(static_cast<std::uint32_t>(standIn));
    }
    return drawn.size() == ranks ? std::vector<WorkerId> {} : standIns;
}

Graph foldedGraph(const Graph &graph, const std::vector<WorkerId> &standIns,
                  const JobControl &control)
{
    const auto isDrawn = [&standIns](WorkerId worker) { return standIns[worker.value] == worker; };
    GraphBuilder builder(graph, {}, control);
    for (CollectiveNode &node : builder.collectives()) {
        node.statedRanks = static_cast<std::uint32_t>(node.rankCount());
        std::erase_if(node.parts, [&](const auto &part) { return !isDrawn(part.worker); });
    }
    std::erase_if(builder.gradientSteps(),
                  [&](const GradientStep &step) { return !isDrawn(step.worker); });
    foldIterations(graph, standIns, builder);
    builder.setStandIns(standIns);
    return without(graph, foldedOps(graph, standIns), builder, control);
}

Graph firstIterations(const Graph &graph, std::int32_t count, const JobControl &control)
{
    std::vector<char> isLater(graph.size(), 0);
    for (std::size_t op = 0; op < graph.size(); ++op)
        isLater[op] = graph.iteration[op] >= count ? 1 : 0;
    GraphBuilder builder(graph, {}, control);
    std::erase_if(builder.gradientSteps(),
                  [count](const GradientStep &step) { return step.iteration >= count; });
    std::set<std::size_t> later;
    for (std::size_t i = 0; i < graph.collectives.size(); ++i)
        if (isLater[graph.collectives[i].transfer.value] != 0)
            later.insert(i);
    const std::vector<std::size_t> newIndex = removeCollectives(later, builder);
    for (GradientStep &step : builder.gradientSteps())
        for (GradientStep::Bucket &bucket : step.buckets)
            bucket.collective = newIndex[bucket.collective];
    std::vector<OpId> ends;
    const auto all = static_cast<std::size_t>(graph.iterationCount);
    for (std::size_t end = 0; end < graph.iterationEnds.size(); ++end)
        if (end % all < static_cast<std::size_t>(count))
            ends.push_back(graph.iterationEnds[end]);
    builder.setIterations(graph.iterationBegins, std::move(ends), count);
    if (!graph.positions.empty())
        builder.setPositions({ graph.positions.begin(), graph.positions.begin() + count });
    std::vector<std::int32_t> kept = graph.keptIterations;
    std::erase_if(kept, [count](std::int32_t iteration) { return iteration >= count; });
    builder.keepIterations(std::move(kept));
    return without(graph, isLater, builder, control);
}

} // namespace core
