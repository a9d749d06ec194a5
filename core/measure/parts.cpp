#include "core/measure/parts.h"

#include "core/base/interval_set.h"
#include "core/replay/replayed_collectives.h"

#include <algorithm>
#include <limits>

namespace core {

namespace {

    /// By WorkerId: those with an op that `fits`. Looks no further than it takes to know of all.
    template <class Fits>
    std::vector<char> workersWith(const Graph &graph, const Fits &fits)
    {
        std::vector<char> has(graph.workerCount(), 0);
        std::size_t left = has.size();
        for (std::size_t i = 0; i < graph.size() && left > 0; ++i) {
            char &own = has[graph.worker[i].value];
            if (own == 0 && fits(graph.kind[i], graph.devices[graph.device[i].value])) {
                own = 1;
                --left;
            }
        }
        return has;
    }

    /// A trace with device streams computes on these; a CPU training's compute is what its host
    /// threads do.
    std::vector<char> workersWithStreams(const Graph &graph)
    {
        return workersWith(graph, [](OpKind kind, const Device &device) {
            return kind == OpKind::Compute && device.isStream;
        });
    }

    std::vector<char> workersThatCompute(const Graph &graph)
    {
        return workersWith(graph, [](OpKind kind, const Device &device) {
            return kind == OpKind::Compute && !device.isLink;
        });
    }

    /// Those that have a step: a rank whose files have no times takes part with marks only.
    std::vector<char> workersWithActivity(const Graph &graph)
    {
        std::vector<char> has = workersWith(graph, [](OpKind kind, const Device &device) {
            return kind != OpKind::Virtual && !device.isLink;
        });
        for (const CollectiveNode &node : graph.collectives)
            for (const CollectiveNode::Part &part : node.parts)
                has[part.worker.value] = 1;
        return has;
    }

    /// By WorkerId: what means are over.
    std::vector<char> workersInMean(const Graph &graph)
    {
        std::vector<char> in = workersWithActivity(graph);
        for (const WorkerId server : serverWorkers(graph))
            in[server.value] = 0;
        return in;
    }

    IntervalSet countedIterations(const ReplayedIterations &own)
    {
        std::vector<TimeRange> counted;
        for (std::size_t i = 0; i < own.endNs.size(); ++i)
            if (own.counts(i))
                counted.push_back({ i == 0 ? own.beginNs : own.endNs[i - 1], own.endNs[i] });
        return IntervalSet(std::move(counted));
    }

    /// What a worker does in a replay.
    struct ReplayedActivity
    {
        std::vector<TimeRange> compute, communication, transfer, memory;
        bool isMatched = false, hasUnseen = false; ///< as measured ones: see DeviceActivity
    };

    /// When the last rank of a collective comes.
    std::int64_t lastComes(const CollectiveNode &node, const ReplayResult &result)
    {
        std::int64_t lastNs = std::numeric_limits<std::int64_t>::min();
        for (const CollectiveNode::Part &part : node.parts)
            if (part.ready != NoOp)
                lastNs = std::max(lastNs, result.endNs[part.ready.value]);
        return lastNs;
    }

    /// With room for the transfers of collectives.
    std::vector<ReplayedActivity> noActivities(const Graph &graph)
    {
        std::vector<std::size_t> parts(graph.workerCount(), 0);
        for (const CollectiveNode &node : graph.collectives)
            for (const CollectiveNode::Part &part : node.parts)
                ++parts[part.worker.value];
        std::vector<ReplayedActivity> all(graph.workerCount());
        for (std::size_t w = 0; w < all.size(); ++w) {
            all[w].communication.reserve(parts[w]);
            all[w].transfer.reserve(parts[w]);
        }
        return all;
    }

    std::vector<ReplayedActivity> replayedActivities(const Graph &graph, const ReplayResult &result)
    {
        const std::vector<char> hasStreams = workersWithStreams(graph);
        std::vector<ReplayedActivity> all = noActivities(graph);
        for (std::uint32_t i = 0; i < graph.size(); ++i) {
            const Device &device = graph.devices[graph.device[i].value];
            const std::size_t w = graph.worker[i].value;
            const TimeRange range { result.startNs[i], result.endNs[i] };
            if (device.isLink)
                continue;
            if (graph.kind[i] == OpKind::Communication) {
                all[w].communication.push_back(range);
                all[w].transfer.push_back(range);
            } else if (graph.kind[i] == OpKind::Compute
                       && device.isStream == (hasStreams[w] != 0)) {
                all[w].compute.push_back(range);
            } else if (graph.kind[i] == OpKind::Memory) {
                all[w].memory.push_back(range);
            }
        }
        const std::vector<std::vector<ReplayedPart>> parts = replayedCollectives(graph, result);
        for (std::size_t i = 0; i < parts.size(); ++i) {
            const CollectiveNode &node = graph.collectives[i];
            const std::int64_t lastNs = lastComes(node, result);
            for (std::size_t k = 0; k < parts[i].size(); ++k) {
                const CollectiveNode::Part &part = node.parts[k];
                const ReplayedPart &replayed = parts[i][k];
                // Chunk by chunk some are sent before the last rank has come; as measured, that is
                // waiting.
                const std::int64_t beginNs = part.chunks.empty()
                    ? replayed.transferStartNs
                    : std::max(replayed.transferStartNs, lastNs);
                ReplayedActivity &own = all[part.worker.value];
                own.communication.push_back({ replayed.startNs, replayed.endNs });
                own.transfer.push_back({ beginNs, std::max(beginNs, replayed.endNs) });
                own.isMatched = own.isMatched || node.parts.size() > 1;
                own.hasUnseen = own.hasUnseen || node.hasUnseenRanks();
            }
        }
        return all;
    }

    PartTimes partsOf(const TimeBreakdown &time)
    {
        return { time.computeNs, time.exposedCommNs, time.overlapNs,
                 time.memOnlyNs, time.idleNs,        time.exposedWaitNs };
    }

    PartTimes partsWithin(const IntervalSet &window, ReplayedActivity activity)
    {
        const auto within = [&window](std::vector<TimeRange> &ranges) {
            return IntervalSet(std::move(ranges)).intersectedWith(window);
        };
        return partsOf(divided({ within(activity.compute), within(activity.communication),
                                 within(activity.transfer), within(activity.memory) },
                               window.lengthNs(), activity.isMatched && !activity.hasUnseen));
    }

    /// Over iterations of several workers.
    class MeanParts
    {
    public:
        void add(const PartTimes &parts, std::size_t iterations)
        {
            for (const auto part : Parts)
                m_sum.*part += parts.*part;
            if (parts.exposedWaitNs)
                m_sum.exposedWaitNs = m_sum.exposedWaitNs.value_or(0) + *parts.exposedWaitNs;
            m_areWaitsKnown = m_areWaitsKnown && (parts.exposedWaitNs || parts.exposedCommNs == 0);
            m_iterations += static_cast<std::int64_t>(iterations);
        }

        PartTimes mean() const
        {
            const std::int64_t count = std::max<std::int64_t>(1, m_iterations);
            PartTimes mean;
            for (const auto part : Parts)
                mean.*part = m_sum.*part / count;
            if (m_sum.exposedWaitNs && m_areWaitsKnown)
                mean.exposedWaitNs = *m_sum.exposedWaitNs / count;
            return mean;
        }

    private:
        static constexpr std::int64_t PartTimes::*Parts[]
            = { &PartTimes::computeNs, &PartTimes::exposedCommNs, &PartTimes::overlapNs,
                &PartTimes::memOnlyNs, &PartTimes::idleNs };

        PartTimes m_sum;
        std::int64_t m_iterations = 0;
        bool m_areWaitsKnown = true; ///< of each rank that communicates
    };

} // namespace

std::vector<WorkerId> serverWorkers(const Graph &graph)
{
    std::vector<char> sends(graph.workerCount(), 0), reduces(graph.workerCount(), 0);
    for (const CollectiveNode &node : graph.collectives) {
        std::vector<char> &takesPart = node.isMessage ? sends : reduces;
        for (const CollectiveNode::Part &part : node.parts)
            takesPart[part.worker.value] = 1;
    }
    if (std::find(sends.begin(), sends.end(), 1) == sends.end())
        return {};
    const std::vector<char> computes = workersThatCompute(graph);
    if (std::find(computes.begin(), computes.end(), 1) == computes.end())
        return {};
    std::vector<WorkerId> servers;
    for (std::uint32_t w = 0; w < graph.workerCount(); ++w)
        if (computes[w] == 0 && sends[w] != 0 && reduces[w] == 0)
            servers.push_back(WorkerId(w));
    return servers;
}

std::size_t ranksInMean(const Graph &graph)
{
    const std::vector<char> in = workersInMean(graph);
    return static_cast<std::size_t>(std::count(in.begin(), in.end(), 1));
}

std::vector<PartTime> partRows(const PartTimes &measured, const PartTimes &predicted)
{
    std::vector<PartTime> rows { { PartRow::Compute, measured.computeNs, predicted.computeNs } };
    if (measured.exposedWaitNs) {
        const std::int64_t waitNs = predicted.exposedWaitNs.value_or(0);
        rows.push_back({ PartRow::ExposedTransfer, measured.exposedCommNs - *measured.exposedWaitNs,
                         predicted.exposedCommNs - waitNs });
        rows.push_back({ PartRow::Waiting, *measured.exposedWaitNs, waitNs });
    } else {
        rows.push_back({ PartRow::Exposed, measured.exposedCommNs, predicted.exposedCommNs });
    }
    if (measured.memOnlyNs > 0 || predicted.memOnlyNs > 0)
        rows.push_back({ PartRow::Copies, measured.memOnlyNs, predicted.memOnlyNs });
    rows.push_back({ PartRow::Idle, measured.idleNs, predicted.idleNs });
    rows.push_back({ PartRow::Sum, wholeNs(measured), wholeNs(predicted) });
    rows.push_back({ PartRow::Overlap, measured.overlapNs, predicted.overlapNs });
    return rows;
}

std::int64_t wholeNs(const PartTimes &parts)
{
    return parts.computeNs + parts.exposedCommNs + parts.memOnlyNs + parts.idleNs;
}

PartTimes measuredParts(const std::vector<WorkerActivity> &activities, const Graph &graph)
{
    const std::vector<char> in = workersInMean(graph);
    MeanParts mean;
    for (std::size_t w = 0; w < activities.size(); ++w)
        for (const IterationBreakdown &iteration : activities[w].iterations)
            if (in[w] != 0 && iteration.isCompared)
                mean.add(partsOf(iteration.time), 1);
    return mean.mean();
}

std::vector<PartTimes> measuredIterationParts(const std::vector<WorkerActivity> &activities,
                                              const Graph &graph)
{
    const std::vector<char> in = workersInMean(graph);
    std::vector<MeanParts> means;
    for (std::size_t w = 0; w < activities.size(); ++w) {
        std::size_t next = 0;
        for (const IterationBreakdown &iteration : activities[w].iterations) {
            if (in[w] == 0 || !iteration.isCompared)
                continue;
            means.resize(std::max(means.size(), next + 1));
            means[next++].add(partsOf(iteration.time), 1);
        }
    }
    std::vector<PartTimes> parts;
    parts.reserve(means.size());
    for (const MeanParts &mean : means)
        parts.push_back(mean.mean());
    return parts;
}

PartTimes replayedParts(const Graph &graph, const ReplayResult &result,
                        const std::vector<ReplayedIterations> &iterations)
{
    const std::vector<char> in = workersInMean(graph);
    std::vector<ReplayedActivity> activities = replayedActivities(graph, result);
    MeanParts mean;
    for (std::size_t w = 0; w < activities.size(); ++w)
        if (in[w] != 0)
            mean.add(partsWithin(countedIterations(iterations[w]), std::move(activities[w])),
                     iterations[w].countedNs().size());
    return mean.mean();
}

} // namespace core
