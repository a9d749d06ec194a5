#include "core/measure/iteration_time.h"

#include "core/model/iteration_period.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace core {

namespace {

    constexpr std::size_t FewestSteady = 2; ///< iterations left to judge by

    void setPeriods(ReplayedIterations &iterations)
    {
        iterations.periodNs.clear();
        std::int64_t previousNs = iterations.beginNs;
        for (const std::int64_t endNs : iterations.endNs) {
            iterations.periodNs.push_back(endNs - previousNs);
            previousNs = endNs;
        }
        iterations.typicalNs = typicalOfPeriod(
            iterations.periodNs,
            iterationsAt(iterations.periodNs.size(), iterations.positions,
                         [&iterations](std::size_t i) { return iterations.counts(i); }));
    }

    /// `own` has periods.
    void setTypical(const ReplayedIterations &unchanged, ReplayedIterations &own)
    {
        const auto same = [&unchanged](std::size_t i) { return i % unchanged.periodNs.size(); };
        std::vector<std::int64_t> changes, before;
        for (std::size_t i = 0; i < own.periodNs.size(); ++i) {
            changes.push_back(own.periodNs[i] - unchanged.periodNs[same(i)]);
            before.push_back(unchanged.periodNs[same(i)]);
        }
        const IterationsAt counted
            = iterationsAt(own.periodNs.size(), own.positions, [&](std::size_t i) {
                  return own.counts(i) && unchanged.counts(same(i));
              });
        const auto beforeNs = static_cast<double>(typicalOfPeriod(before, counted));
        if (beforeNs <= 0)
            return;
        const double growth = 1 + static_cast<double>(typicalOfPeriod(changes, counted)) / beforeNs;
        own.typicalNs = std::llround(static_cast<double>(unchanged.typicalNs) * growth);
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
    /// is shorter: no one left it any.
    std::size_t warmUpOf(const Graph &graph, const ReplayResult &result,
                         const FirstTransfers &first, std::size_t worker)
    {
        const auto count = static_cast<std::size_t>(graph.iterationCount);
        if (count <= FewestSteady)
            return 0;
        return first[worker] > result.iterationEndNs[worker * count] ? 1 : 0;
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
        own.positions = graph.positions;
        return own;
    }

    /// By WorkerId; without periods.
    std::vector<ReplayedIterations> iterationsOfHosts(const Graph &graph,
                                                      const ReplayResult &result)
    {
        const FirstTransfers first = firstTransfers(graph, result);
        std::vector<ReplayedIterations> all;
        all.reserve(graph.workerCount());
        for (std::size_t worker = 0; worker < graph.workerCount(); ++worker)
            all.push_back(iterationsOfHost(graph, result, first, worker));
        return all;
    }

    /// When a worker's accelerators end each iteration.
    struct DeviceEnds
    {
        std::vector<std::int64_t> endNs; ///< [iterations]; empty without accelerators
        std::vector<OpId> lastOp; ///< [iterations]; NoOp where they have nothing to do
    };

    /// Gathers what workers' accelerators do in each iteration.
    class DeviceEndFinder
    {
    public:
        DeviceEndFinder(const Graph &graph, const ReplayResult &result)
            : m_graph(graph)
            , m_result(result)
            , m_all(graph.workerCount())
        {
            const std::vector<bool> isAccelerated = acceleratedWorkers(graph);
            const auto count = static_cast<std::size_t>(graph.iterationCount);
            for (std::size_t worker = 0; worker < m_all.size(); ++worker)
                if (isAccelerated[worker])
                    m_all[worker]
                        = { std::vector<std::int64_t>(count, 0), std::vector<OpId>(count, NoOp) };
        }

        /// By WorkerId.
        std::vector<DeviceEnds> find()
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
            return std::move(m_all);
        }

    private:
        void add(OpId op, WorkerId worker)
        {
            const std::int32_t iteration = m_graph.iteration[op.value];
            DeviceEnds &own = m_all[worker.value];
            if (iteration < 0 || static_cast<std::size_t>(iteration) >= own.endNs.size())
                return;
            const auto i = static_cast<std::size_t>(iteration);
            if (own.lastOp[i] == NoOp || m_result.endNs[op.value] > own.endNs[i]) {
                own.endNs[i] = m_result.endNs[op.value];
                own.lastOp[i] = op;
            }
        }

        const Graph &m_graph;
        const ReplayResult &m_result;
        std::vector<DeviceEnds> m_all;
    };

    /// Where the accelerators are further behind the host than in the unchanged job.
    void waitForDevices(const DeviceEnds &devices, const ReplayedIterations &unchanged,
                        ReplayedIterations &own)
    {
        for (std::size_t i = 0; i < devices.endNs.size() && !unchanged.leftNs.empty(); ++i) {
            const std::int64_t endNs
                = devices.endNs[i] - unchanged.leftNs[i % unchanged.leftNs.size()];
            if (devices.lastOp[i] != NoOp && endNs > own.endNs[i]) {
                own.endNs[i] = endNs;
                own.lastOp[i] = devices.lastOp[i];
            }
            // None ends before the one before it, of which the accelerators are still at work.
            if (i > 0 && own.endNs[i] < own.endNs[i - 1]) {
                own.endNs[i] = own.endNs[i - 1];
                own.lastOp[i] = own.lastOp[i - 1];
            }
        }
    }

} // namespace

MeasuredIterations measuredIterations(const Trace &trace)
{
    std::vector<std::vector<std::int64_t>> durations(trace.workers.size());
    for (const Iteration &iteration : trace.compared.iterations)
        durations[iteration.worker.value].push_back(iteration.range.durationNs());
    const std::vector<std::uint32_t> positions = positionsOf(trace.compared);
    MeasuredIterations measured;
    measured.reserve(durations.size());
    for (const std::vector<std::int64_t> &ofWorker : durations)
        measured.push_back(ofWorker.empty() ? std::nullopt
                                            : std::optional(typicalOfPeriod(ofWorker, positions)));
    return measured;
}

std::int64_t slowestMeasuredNs(const MeasuredIterations &measured)
{
    std::int64_t slowestNs = 0;
    for (const std::optional<std::int64_t> &typicalNs : measured)
        slowestNs = std::max(slowestNs, typicalNs.value_or(0));
    return slowestNs;
}

std::vector<ReplayedIterations> unchangedIterations(const Graph &graph, const ReplayResult &result)
{
    std::vector<ReplayedIterations> all = iterationsOfHosts(graph, result);
    const std::vector<DeviceEnds> devices = DeviceEndFinder(graph, result).find();
    for (std::size_t worker = 0; worker < all.size(); ++worker) {
        ReplayedIterations &own = all[worker];
        setPeriods(own);
        for (std::size_t i = 0; i < devices[worker].endNs.size(); ++i)
            own.leftNs.push_back(
                std::max<std::int64_t>(0, devices[worker].endNs[i] - own.endNs[i]));
    }
    return all;
}

std::vector<ReplayedIterations> replayedIterations(const Graph &graph, const ReplayResult &result,
                                                   const std::vector<ReplayedIterations> &unchanged)
{
    std::vector<ReplayedIterations> all = iterationsOfHosts(graph, result);
    const std::vector<DeviceEnds> devices = DeviceEndFinder(graph, result).find();
    for (std::size_t worker = 0; worker < all.size(); ++worker) {
        if (graph.isStoodInFor(worker))
            continue;
        ReplayedIterations &own = all[worker];
        waitForDevices(devices[worker], unchanged[worker], own);
        setPeriods(own);
        setTypical(unchanged[worker], own);
    }
    for (std::size_t worker = 0; worker < all.size(); ++worker)
        if (graph.isStoodInFor(worker))
            all[worker] = all[graph.standIns[worker].value];
    return all;
}

std::int64_t slowestTypicalNs(const std::vector<ReplayedIterations> &iterations)
{
    std::int64_t slowestNs = 0;
    for (const ReplayedIterations &own : iterations)
        slowestNs = std::max(slowestNs, own.typicalNs);
    return slowestNs;
}

std::int64_t slowestRankNs(const Graph &graph, const ReplayResult &result,
                           const std::vector<ReplayedIterations> &unchanged)
{
    return slowestTypicalNs(replayedIterations(graph, result, unchanged));
}

} // namespace core
