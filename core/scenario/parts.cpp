#include "core/scenario/parts.h"

#include "core/base/interval_set.h"

#include <algorithm>
#include <functional>

namespace core {

namespace {

    /// When an op and a part of a collective ran, and when a worker's iterations began and ended.
    struct Times
    {
        std::function<TimeRange(OpId)> ofOp;
        std::function<TimeRange(const CollectiveNode &, const CollectiveNode::Part &)> ofPart;
        std::function<TimeRange(std::size_t)> ofIterations; ///< of all of a worker's together
        std::function<std::size_t(std::size_t)> iterationCount; ///< how many these are
    };

    /// A trace with device streams computes on these; a CPU training's compute is what its host
    /// threads do.
    std::vector<char> workersWithStreams(const Graph &graph)
    {
        std::vector<char> has(graph.workerCount(), 0);
        for (std::size_t i = 0; i < graph.size(); ++i)
            if (graph.kind[i] == OpKind::Compute && graph.devices[graph.device[i].value].isStream)
                has[graph.worker[i].value] = 1;
        return has;
    }

    /// Those that have a step: a rank whose files have no times takes part with marks only.
    std::vector<char> workersWithActivity(const Graph &graph)
    {
        std::vector<char> has(graph.workerCount(), 0);
        for (std::size_t i = 0; i < graph.size(); ++i)
            if (graph.kind[i] != OpKind::Virtual && !graph.devices[graph.device[i].value].isLink)
                has[graph.worker[i].value] = 1;
        for (const CollectiveNode &node : graph.collectives)
            for (const CollectiveNode::Part &part : node.parts)
                has[part.worker.value] = 1;
        return has;
    }

    PartTimes partsOf(const Graph &graph, const Times &times)
    {
        const std::size_t workers = graph.workerCount();
        const std::vector<char> hasStreams = workersWithStreams(graph);
        const std::vector<char> hasActivity = workersWithActivity(graph);
        std::vector<std::vector<TimeRange>> compute(workers), comm(workers), memory(workers);
        for (std::uint32_t i = 0; i < graph.size(); ++i) {
            const Device &device = graph.devices[graph.device[i].value];
            const std::size_t w = graph.worker[i].value;
            if (device.isLink)
                continue;
            if (graph.kind[i] == OpKind::Communication)
                comm[w].push_back(times.ofOp(OpId(i)));
            else if (graph.kind[i] == OpKind::Compute && device.isStream == (hasStreams[w] != 0))
                compute[w].push_back(times.ofOp(OpId(i)));
            else if (graph.kind[i] == OpKind::Memory)
                memory[w].push_back(times.ofOp(OpId(i)));
        }
        for (const CollectiveNode &node : graph.collectives)
            for (const CollectiveNode::Part &part : node.parts)
                comm[part.worker.value].push_back(times.ofPart(node, part));

        PartTimes sum;
        std::int64_t share = 0;
        for (std::size_t w = 0; w < workers; ++w) {
            if (hasActivity[w] == 0)
                continue;
            const TimeRange window = times.ofIterations(w);
            share += static_cast<std::int64_t>(times.iterationCount(w));
            const IntervalSet busyComputing = IntervalSet(std::move(compute[w])).clippedTo(window);
            const IntervalSet communicating = IntervalSet(std::move(comm[w])).clippedTo(window);
            const std::int64_t computeNs = busyComputing.lengthNs();
            const std::int64_t overlapNs = busyComputing.intersectedWith(communicating).lengthNs();
            const std::int64_t exposedNs = communicating.lengthNs() - overlapNs;
            sum.computeNs += computeNs;
            sum.overlapNs += overlapNs;
            sum.exposedCommNs += exposedNs;
            const IntervalSet copying = IntervalSet(std::move(memory[w])).clippedTo(window);
            const std::int64_t busyNs
                = busyComputing.unitedWith(communicating).unitedWith(copying).lengthNs();
            sum.memOnlyNs += busyNs - computeNs - exposedNs;
            sum.idleNs += window.durationNs() - busyNs;
        }
        if (share == 0)
            return {};
        return { sum.computeNs / share, sum.exposedCommNs / share, sum.overlapNs / share,
                 sum.memOnlyNs / share, sum.idleNs / share };
    }

} // namespace

std::size_t ranksWithActivity(const Graph &graph)
{
    const std::vector<char> has = workersWithActivity(graph);
    return static_cast<std::size_t>(std::count(has.begin(), has.end(), 1));
}

std::int64_t wholeNs(const PartTimes &parts)
{
    return parts.computeNs + parts.exposedCommNs + parts.memOnlyNs + parts.idleNs;
}

PartTimes measuredParts(const Graph &graph)
{
    const auto startOf = [&](OpId op) { return graph.measuredStartNs[op.value]; };
    return partsOf(
        graph,
        { [&](OpId op) {
             return TimeRange { startOf(op), startOf(op) + graph.durationNs[op.value] };
         },
          [](const CollectiveNode &, const CollectiveNode::Part &part) {
              return TimeRange { part.startNs, part.endNs };
          },
          [&](std::size_t worker) {
              const auto count = static_cast<std::size_t>(graph.iterationCount);
              return TimeRange { startOf(graph.iterationBegins[worker]),
                                 startOf(graph.iterationEnds[worker * count + count - 1]) };
          },
          [&](std::size_t) { return static_cast<std::size_t>(graph.iterationCount); } });
}

PartTimes replayedParts(const Graph &graph, const ReplayResult &result,
                        const std::vector<ReplayedIterations> &iterations)
{
    const auto ofPart = [&](const CollectiveNode &node, const CollectiveNode::Part &part) {
        const ReplayedPart replayed = replayedPart(result, node, part);
        return TimeRange { replayed.startNs, replayed.endNs };
    };
    return partsOf(graph,
                   { [&](OpId op) {
                        return TimeRange { result.startNs[op.value], result.endNs[op.value] };
                    },
                     ofPart,
                     [&](std::size_t worker) {
                         const ReplayedIterations &own = iterations[worker];
                         return TimeRange { own.warmUp == 0 ? own.beginNs
                                                            : own.endNs[own.warmUp - 1],
                                            own.endNs.back() };
                     },
                     [&](std::size_t worker) {
                         return iterations[worker].endNs.size() - iterations[worker].warmUp;
                     } });
}

} // namespace core
