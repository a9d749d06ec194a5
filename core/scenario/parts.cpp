#include "core/scenario/parts.h"

#include "core/base/interval_set.h"

#include <algorithm>
#include <functional>
#include <limits>

namespace core {

namespace {

    /// When an op and a part of a collective ran, and when a worker's iterations began and ended.
    struct Times
    {
        std::function<TimeRange(OpId)> ofOp;
        /// From when all ranks of a collective have come: for those of its parts that ask.
        std::function<std::int64_t(const CollectiveNode &)> transferStart;
        std::function<ReplayedPart(const CollectiveNode &, const CollectiveNode::Part &,
                                   std::int64_t transferStartNs)>
            ofPart;
        std::function<IntervalSet(std::size_t)> ofIterations; ///< of a worker's together
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

    IntervalSet countedIterations(const ReplayedIterations &own)
    {
        std::vector<TimeRange> counted;
        for (std::size_t i = 0; i < own.endNs.size(); ++i)
            if (own.counts(i))
                counted.push_back({ i == 0 ? own.beginNs : own.endNs[i - 1], own.endNs[i] });
        return IntervalSet(std::move(counted));
    }

    /// It carries a tensor from one rank to another: a RECV may be posted at any time before, and
    /// that is no waiting of a rank that has nothing else to do.
    bool isTensorMessage(const CollectiveNode &node)
    {
        return node.name == MessageKind && !node.tensor.empty();
    }

    /// Of each worker, in collectives of several ranks.
    struct WaitRanges
    {
        std::vector<std::vector<TimeRange>> waiting, transfers;
        bool areKnown = false;

        explicit WaitRanges(std::size_t workers)
            : waiting(workers)
            , transfers(workers)
        {
        }

        void add(std::size_t worker, const ReplayedPart &part)
        {
            const std::int64_t comeNs = std::clamp(part.transferStartNs, part.startNs,
                                                   std::max(part.startNs, part.endNs));
            waiting[worker].push_back({ part.startNs, comeNs });
            transfers[worker].push_back({ comeNs, part.endNs });
            areKnown = true;
        }

        /// Of what nothing hides.
        std::int64_t exposedWaitNs(std::size_t worker, const IntervalSet &exposed)
        {
            return exposed.intersectedWith(IntervalSet(std::move(waiting[worker])))
                .without(IntervalSet(std::move(transfers[worker])))
                .lengthNs();
        }
    };

    /// What every worker does when.
    struct Activities
    {
        std::vector<std::vector<TimeRange>> compute, comm, memory;
        WaitRanges waits;

        explicit Activities(std::size_t workers)
            : compute(workers)
            , comm(workers)
            , memory(workers)
            , waits(workers)
        {
        }

        void addTransfer(std::size_t worker, const TimeRange &range)
        {
            comm[worker].push_back(range);
            waits.transfers[worker].push_back(range);
        }

        void addOps(const Graph &graph, const Times &times)
        {
            const std::vector<char> hasStreams = workersWithStreams(graph);
            for (std::uint32_t i = 0; i < graph.size(); ++i) {
                const Device &device = graph.devices[graph.device[i].value];
                const std::size_t w = graph.worker[i].value;
                if (device.isLink)
                    continue;
                if (graph.kind[i] == OpKind::Communication)
                    addTransfer(w, times.ofOp(OpId(i)));
                else if (graph.kind[i] == OpKind::Compute
                         && device.isStream == (hasStreams[w] != 0))
                    compute[w].push_back(times.ofOp(OpId(i)));
                else if (graph.kind[i] == OpKind::Memory)
                    memory[w].push_back(times.ofOp(OpId(i)));
            }
        }

        void addCollective(const CollectiveNode &node, const Times &times)
        {
            const bool hasWaits = node.parts.size() > 1 && !isTensorMessage(node);
            const std::int64_t transferStartNs = times.transferStart(node);
            for (const CollectiveNode::Part &part : node.parts) {
                const ReplayedPart range = times.ofPart(node, part, transferStartNs);
                if (!hasWaits) {
                    addTransfer(part.worker.value, { range.startNs, range.endNs });
                    continue;
                }
                comm[part.worker.value].push_back({ range.startNs, range.endNs });
                waits.add(part.worker.value, range);
            }
        }
    };

    /// Of one worker in `window`; each of its activities is asked for once.
    PartTimes partsOf(Activities &activities, std::size_t w, const IntervalSet &window)
    {
        const IntervalSet computing
            = IntervalSet(std::move(activities.compute[w])).intersectedWith(window);
        const IntervalSet communicating
            = IntervalSet(std::move(activities.comm[w])).intersectedWith(window);
        const IntervalSet copying
            = IntervalSet(std::move(activities.memory[w])).intersectedWith(window);
        const IntervalSet exposed = communicating.without(computing);
        PartTimes parts;
        parts.computeNs = computing.lengthNs();
        parts.exposedCommNs = exposed.lengthNs();
        parts.overlapNs = communicating.lengthNs() - parts.exposedCommNs;
        const std::int64_t busyNs
            = computing.unitedWith(communicating).unitedWith(copying).lengthNs();
        parts.memOnlyNs = busyNs - parts.computeNs - parts.exposedCommNs;
        parts.idleNs = window.lengthNs() - busyNs;
        if (activities.waits.areKnown)
            parts.exposedWaitNs = activities.waits.exposedWaitNs(w, exposed);
        return parts;
    }

    PartTimes partsOf(const Graph &graph, const Times &times)
    {
        const std::vector<char> hasActivity = workersWithActivity(graph);
        Activities activities(graph.workerCount());
        activities.addOps(graph, times);
        for (const CollectiveNode &node : graph.collectives)
            activities.addCollective(node, times);
        PartTimes sum;
        std::int64_t share = 0, waitNs = 0;
        for (std::size_t w = 0; w < graph.workerCount(); ++w) {
            if (hasActivity[w] == 0)
                continue;
            const PartTimes own = partsOf(activities, w, times.ofIterations(w));
            share += static_cast<std::int64_t>(times.iterationCount(w));
            sum.computeNs += own.computeNs;
            sum.overlapNs += own.overlapNs;
            sum.exposedCommNs += own.exposedCommNs;
            sum.memOnlyNs += own.memOnlyNs;
            sum.idleNs += own.idleNs;
            waitNs += own.exposedWaitNs.value_or(0);
        }
        if (share == 0)
            return {};
        PartTimes mean { sum.computeNs / share, sum.exposedCommNs / share, sum.overlapNs / share,
                         sum.memOnlyNs / share, sum.idleNs / share };
        if (activities.waits.areKnown)
            mean.exposedWaitNs = waitNs / share;
        return mean;
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
    return partsOf(graph,
                   { [&](OpId op) {
                        return TimeRange { startOf(op), startOf(op) + graph.durationNs[op.value] };
                    },
                     [](const CollectiveNode &node) {
                         std::int64_t lastNs = std::numeric_limits<std::int64_t>::min();
                         for (const CollectiveNode::Part &part : node.parts)
                             lastNs = std::max(lastNs, part.startNs);
                         return lastNs;
                     },
                     [](const CollectiveNode &, const CollectiveNode::Part &part,
                        std::int64_t transferStartNs) {
                         return ReplayedPart { part.startNs, transferStartNs, part.endNs };
                     },
                     [&](std::size_t worker) {
                         const auto count = static_cast<std::size_t>(graph.iterationCount);
                         return IntervalSet(
                             { { startOf(graph.iterationBegins[worker]),
                                 startOf(graph.iterationEnds[worker * count + count - 1]) } });
                     },
                     [&](std::size_t) { return static_cast<std::size_t>(graph.iterationCount); } });
}

PartTimes replayedParts(const Graph &graph, const ReplayResult &result,
                        const std::vector<ReplayedIterations> &iterations)
{
    const auto ofPart = [&](const CollectiveNode &node, const CollectiveNode::Part &part,
                            std::int64_t) { return replayedPart(result, node, part); };
    return partsOf(graph,
                   { [&](OpId op) {
                        return TimeRange { result.startNs[op.value], result.endNs[op.value] };
                    },
                     [](const CollectiveNode &) { return std::int64_t { 0 }; }, ofPart,
                     [&](std::size_t worker) { return countedIterations(iterations[worker]); },
                     [&](std::size_t worker) { return iterations[worker].countedNs().size(); } });
}

} // namespace core
