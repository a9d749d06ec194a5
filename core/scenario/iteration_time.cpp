#include "core/scenario/iteration_time.h"

#include "core/base/median_ns.h"
#include "core/model/compared_iterations.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace core {

namespace {

    constexpr std::size_t FewestSteady = 2; ///< iterations left to judge by

    void setPeriods(ReplayedIterations &iterations)
    {
        std::int64_t previousNs = iterations.beginNs;
        for (const std::int64_t endNs : iterations.endNs) {
            iterations.periodNs.push_back(endNs - previousNs);
            previousNs = endNs;
        }
        iterations.typicalNs = medianNs(iterations.countedNs());
    }

    /// [workers]; when the last of what a CPU backend sends for the first iteration has come.
    using FirstTransfers = std::vector<std::int64_t>;

    FirstTransfers firstTransfers(const Graph &graph, const ReplayResult &result)
    {
        FirstTransfers lastEndNs(graph.workerCount(), 0);
        for (const CollectiveNode &node : graph.collectives)
            if (node.iteration == 0
                && graph.devices[graph.device[node.transfer.value].value].isHostLink)
                for (const CollectiveNode::Part &part : node.parts)
                    lastEndNs[part.worker.value] = std::max(
                        lastEndNs[part.worker.value], result.endNs[node.completionOf(part).value]);
        return lastEndNs;
    }

    /// Where a CPU backend's communication goes on during the next iteration, the first iteration
    /// is shorter: no one left it any. (Accelerators that are behind their host: see
    /// leaveFirstOut().)
    std::size_t warmUpOf(const Graph &graph, const ReplayResult &result,
                         const FirstTransfers &first, std::size_t worker)
    {
        const auto count = static_cast<std::size_t>(graph.iterationCount);
        if (count <= FewestSteady)
            return 0;
        return first[worker] > result.iterationEndNs[worker * count] ? 1 : 0;
    }

    /// How long after the host has ended iteration i its accelerators end it. `ofDevices` has
    /// periods.
    std::int64_t leftNs(const ReplayedIterations &ofDevices, const ReplayedIterations &ofHost,
                        std::size_t i)
    {
        return std::max<std::int64_t>(0, ofDevices.endNs[i] - ofHost.endNs[i]);
    }

    WorkerLag lagOf(const ReplayedIterations &ofDevices, const ReplayedIterations &ofHost)
    {
        WorkerLag lag;
        lag.typicalNs = std::max<std::int64_t>(0, ofDevices.typicalNs - ofHost.typicalNs);
        for (std::size_t i = 0; i < ofDevices.periodNs.size(); ++i)
            lag.mostLeftNs = std::max(lag.mostLeftNs, leftNs(ofDevices, ofHost, i));
        return lag;
    }

    constexpr double HardlyLeft = 0.001; ///< of an iteration: what roundings leave, too

    /// A faster host ends the last iteration before its accelerators do: their last kernels would
    /// count in none.
    void leaveFirstOut(const ReplayedIterations &ofDevices, const WorkerLag &lag,
                       ReplayedIterations &ofHost)
    {
        if (ofDevices.periodNs.size() <= FewestSteady || ofHost.warmUp > 0
            || static_cast<double>(leftNs(ofDevices, ofHost, 0) - lag.mostLeftNs)
                <= HardlyLeft * static_cast<double>(ofDevices.typicalNs))
            return;
        ofHost.warmUp = 1;
        ofHost.typicalNs = medianNs(ofHost.countedNs());
    }

    ReplayedIterations iterationsOfHost(const Graph &graph, const ReplayResult &result,
                                        const FirstTransfers &first, std::size_t worker)
    {
        ReplayedIterations own;
        own.beginNs = result.endNs[graph.iterationBegins[worker].value];
        const auto count = static_cast<std::size_t>(graph.iterationCount);
        for (std::size_t i = worker * count; i < (worker + 1) * count; ++i) {
            own.endNs.push_back(result.iterationEndNs[i]);
            own.lastOp.push_back(graph.iterationEnds[i]);
        }
        own.warmUp = warmUpOf(graph, result, first, worker);
        own.kept = graph.keptIterations;
        setPeriods(own);
        return own;
    }

    /// Gathers what a worker's accelerators do in each iteration.
    class DeviceIterations
    {
    public:
        DeviceIterations(const Graph &graph, const ReplayResult &result)
            : m_graph(graph)
            , m_result(result)
            , m_isAccelerated(acceleratedWorkers(graph))
            , m_own(graph.workerCount())
        {
            for (ReplayedIterations &own : m_own) {
                own.beginNs = std::numeric_limits<std::int64_t>::max();
                own.endNs.assign(static_cast<std::size_t>(graph.iterationCount), 0);
                own.lastOp.assign(static_cast<std::size_t>(graph.iterationCount), NoOp);
                own.kept = graph.keptIterations;
            }
        }

        /// By WorkerId; without periods for a worker that has no accelerator.
        std::vector<ReplayedIterations> gather()
        {
            for (std::uint32_t op = 0; op < m_graph.size(); ++op)
                if (m_graph.kind[op] != OpKind::Virtual
                    && m_graph.devices[m_graph.device[op].value].isStream)
                    add(OpId(op), m_graph.worker[op]);
            for (const CollectiveNode &node : m_graph.collectives)
                for (const CollectiveNode::Part &part : node.parts) {
                    for (const OpId chunk : part.chunks)
                        add(chunk, part.worker);
                    if (part.chunks.empty())
                        add(node.transfer, part.worker);
                }
            for (std::size_t worker = 0; worker < m_own.size(); ++worker)
                if (m_isAccelerated[worker])
                    finish(m_own[worker]);
            return std::move(m_own);
        }

    private:
        void add(OpId op, WorkerId worker)
        {
            const std::int32_t iteration = m_graph.iteration[op.value];
            if (iteration < 0 || iteration >= m_graph.iterationCount)
                return;
            ReplayedIterations &own = m_own[worker.value];
            own.beginNs = std::min(own.beginNs, m_result.startNs[op.value]);
            const auto i = static_cast<std::size_t>(iteration);
            if (own.lastOp[i] == NoOp || m_result.endNs[op.value] > own.endNs[i]) {
                own.endNs[i] = m_result.endNs[op.value];
                own.lastOp[i] = op;
            }
        }

        /// An iteration in which the accelerators have nothing to do ends with the one before.
        static void finish(ReplayedIterations &own)
        {
            for (std::size_t i = 0; i < own.endNs.size(); ++i) {
                const std::int64_t beforeNs = i == 0 ? own.beginNs : own.endNs[i - 1];
                if (own.lastOp[i] == NoOp || own.endNs[i] < beforeNs) {
                    own.endNs[i] = beforeNs;
                    own.lastOp[i] = i == 0 ? NoOp : own.lastOp[i - 1];
                }
            }
            const bool isIdle = std::all_of(own.lastOp.begin(), own.lastOp.end(),
                                            [](OpId op) { return op == NoOp; });
            if (!isIdle)
                setPeriods(own);
        }

        const Graph &m_graph;
        const ReplayResult &m_result;
        std::vector<bool> m_isAccelerated;
        std::vector<ReplayedIterations> m_own; ///< by WorkerId
    };

} // namespace

bool ReplayedIterations::counts(std::size_t i) const
{
    return i >= warmUp
        && !std::binary_search(kept.begin(), kept.end(), static_cast<std::int32_t>(i));
}

std::vector<std::int64_t> ReplayedIterations::countedNs() const
{
    std::vector<std::int64_t> counted;
    for (std::size_t i = 0; i < periodNs.size(); ++i)
        if (counts(i))
            counted.push_back(periodNs[i]);
    return counted;
}

MeasuredIterations measuredIterations(const Trace &trace)
{
    std::vector<std::vector<std::int64_t>> durations(trace.workers.size());
    for (const Iteration &iteration : comparedIterations(trace).iterations)
        durations[iteration.worker.value].push_back(iteration.range.durationNs());
    MeasuredIterations measured;
    for (std::vector<std::int64_t> &ofWorker : durations)
        measured.push_back(ofWorker.empty() ? std::nullopt
                                            : std::optional(medianNs(std::move(ofWorker))));
    return measured;
}

std::int64_t slowestMeasuredNs(const MeasuredIterations &measured)
{
    std::int64_t slowestNs = 0;
    for (const std::optional<std::int64_t> &medianNs : measured)
        slowestNs = std::max(slowestNs, medianNs.value_or(0));
    return slowestNs;
}

DeviceLag deviceLag(const Graph &base, const ReplayResult &selfReplay)
{
    DeviceLag lag;
    const FirstTransfers first = firstTransfers(base, selfReplay);
    const std::vector<ReplayedIterations> ofDevices = DeviceIterations(base, selfReplay).gather();
    lag.reserve(ofDevices.size());
    for (std::size_t worker = 0; worker < ofDevices.size(); ++worker)
        lag.push_back(lagOf(ofDevices[worker], iterationsOfHost(base, selfReplay, first, worker)));
    return lag;
}

std::vector<ReplayedIterations> replayedIterations(const Graph &graph, const ReplayResult &result,
                                                   const DeviceLag &lag)
{
    std::vector<ReplayedIterations> all = DeviceIterations(graph, result).gather();
    const FirstTransfers first = firstTransfers(graph, result);
    for (std::size_t worker = 0; worker < all.size(); ++worker) {
        ReplayedIterations ofHost = iterationsOfHost(graph, result, first, worker);
        leaveFirstOut(all[worker], lag[worker], ofHost);
        all[worker].typicalNs -= lag[worker].typicalNs;
        if (all[worker].typicalNs <= ofHost.typicalNs)
            all[worker] = std::move(ofHost);
    }
    return all;
}

std::int64_t slowestTypicalNs(const std::vector<ReplayedIterations> &iterations)
{
    std::int64_t slowestNs = 0;
    for (const ReplayedIterations &own : iterations)
        slowestNs = std::max(slowestNs, own.typicalNs);
    return slowestNs;
}

std::int64_t slowestRankNs(const Graph &graph, const ReplayResult &result, const DeviceLag &lag)
{
    return slowestTypicalNs(replayedIterations(graph, result, lag));
}

} // namespace core
