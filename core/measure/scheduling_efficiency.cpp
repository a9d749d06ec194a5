#include "core/measure/scheduling_efficiency.h"

#include "core/base/interval_set.h"
#include "core/measure/own_work.h"

#include <algorithm>
#include <map>
#include <utility>

namespace core {

namespace {

    /// When ops keep their devices busy.
    class BusyRanges
    {
    public:
        BusyRanges(const Graph &graph, const ReplayResult &result)
            : m_graph(graph)
            , m_result(result)
            , m_isWorking(graph.devices.size(), false)
        {
            const std::vector<bool> isOwn = ownWork(graph);
            for (std::size_t op = 0; op < graph.size(); ++op)
                if (isOwn[op])
                    m_isWorking[graph.device[op].value] = true;
        }

        /// Between ops that follow each other on a device that works, the host's own time is its
        /// work, too. A thread that only polls (a backend's watchdog) sleeps in between.
        TimeRange of(std::size_t op) const
        {
            const OpId cause = m_result.cause[op].op;
            const DeviceId device = m_graph.device[op];
            const bool isInChain = m_isWorking[device.value] && cause != NoOp
                && m_graph.device[cause.value] == device;
            return { m_result.startNs[op] - (isInChain ? m_graph.delayNs[op] : 0),
                     m_result.endNs[op] };
        }

    private:
        const Graph &m_graph;
        const ReplayResult &m_result;
        std::vector<bool> m_isWorking; ///< by DeviceId
    };

    SchedulingEfficiency efficiencyOf(double serialNs, double busiestNs, double makespanNs)
    {
        if (serialNs <= busiestNs || busiestNs <= 0)
            return {};
        return { std::clamp((serialNs - makespanNs) / (serialNs - busiestNs), 0.0, 1.0),
                 (serialNs - busiestNs) / busiestNs };
    }

    template <class Loads>
    SchedulingEfficiency efficiencyOf(const Loads &loads, std::int64_t makespanNs)
    {
        double serialNs = 0, busiestNs = 0;
        for (const auto &[device, ns] : loads) {
            serialNs += static_cast<double>(ns);
            busiestNs = std::max(busiestNs, static_cast<double>(ns));
        }
        return efficiencyOf(serialNs, busiestNs, static_cast<double>(makespanNs));
    }

    using Loads = std::map<DeviceId, std::int64_t>; ///< ns
    using Busy = std::map<DeviceId, std::vector<TimeRange>>;

    /// Of ops that a device serves side by side, no time counts twice; what begins before `window`
    /// or ends after it counts within it.
    Loads loadsOf(Busy &&busy, const IntervalSet &window)
    {
        Loads loads;
        for (auto &[device, ranges] : busy)
            loads[device] = IntervalSet(std::move(ranges)).intersectedWith(window).lengthNs();
        return loads;
    }

    /// By WorkerId. A collective's transfer is one on each rank that takes part.
    std::vector<Busy> busyOfWorkers(const Graph &graph, const ReplayResult &result)
    {
        std::vector<Busy> busy(graph.workerCount());
        const BusyRanges ranges(graph, result);
        std::vector<bool> isOfCollective(graph.size(), false);
        for (const CollectiveNode &node : graph.collectives) {
            const std::size_t transfer = node.transfer.value;
            isOfCollective[transfer] = true;
            for (const CollectiveNode::Part &part : node.parts)
                busy[part.worker.value][graph.device[transfer]].push_back(
                    { result.startNs[transfer], result.endNs[transfer] });
        }
        // A device's ops are mostly one worker's.
        std::vector<std::pair<WorkerId, std::vector<TimeRange> *>> last(graph.devices.size());
        for (std::size_t op = 0; op < graph.size(); ++op) {
            if (graph.kind[op] == OpKind::Virtual || isOfCollective[op])
                continue;
            auto &[worker, times] = last[graph.device[op].value];
            if (times == nullptr || worker != graph.worker[op]) {
                worker = graph.worker[op];
                times = &busy[worker.value][graph.device[op]];
            }
            times->push_back(ranges.of(op));
        }
        return busy;
    }

} // namespace

double SchedulingEfficiency::largestSaving() const
{
    const double idleOfBusiest = speedup * (1 - efficiency); // beside its load
    return idleOfBusiest / (1 + idleOfBusiest);
}

bool hasCommunication(const Graph &graph)
{
    return !graph.collectives.empty()
        || std::find(graph.kind.begin(), graph.kind.end(), OpKind::Communication)
        != graph.kind.end();
}

SchedulingEfficiency schedulingEfficiency(const Graph &graph, const ReplayResult &result,
                                          const std::vector<CountedIterations> &iterations)
{
    std::vector<TimeRange> all;
    for (const CountedIterations &own : iterations)
        all.insert(all.end(), own.begin(), own.end());
    const IntervalSet window(std::move(all));
    const BusyRanges ranges(graph, result);
    Busy busy;
    for (std::size_t op = 0; op < graph.size(); ++op)
        if (graph.kind[op] != OpKind::Virtual)
            busy[graph.device[op]].push_back(ranges.of(op));
    return efficiencyOf(loadsOf(std::move(busy), window), window.lengthNs());
}

std::vector<RankEfficiency> rankEfficiencies(const Trace &trace, const Graph &graph,
                                             const ReplayResult &result,
                                             const std::vector<CountedIterations> &iterations)
{
    std::vector<Busy> busy = busyOfWorkers(graph, result);
    std::vector<RankEfficiency> ranks;
    ranks.reserve(trace.workers.size());
    for (const Worker &worker : trace.workers) {
        const CountedIterations &counted = iterations[worker.id.value];
        const IntervalSet window(counted);
        const Loads own = loadsOf(std::move(busy[worker.id.value]), window);
        RankEfficiency rank;
        rank.rank = worker.rank;
        rank.iterations = counted.size();
        rank.makespanNs = window.lengthNs();
        rank.scheduling = efficiencyOf(own, rank.makespanNs);
        double serialNs = 0;
        for (const auto &[device, ns] : own)
            serialNs += static_cast<double>(ns);
        for (const auto &[device, ns] : own)
            if (ns > 0)
                rank.devices.push_back({ graph.devices[device.value].name, ns,
                                         efficiencyOf(serialNs, static_cast<double>(ns),
                                                      static_cast<double>(rank.makespanNs)) });
        std::stable_sort(rank.devices.begin(), rank.devices.end(),
                         [](const auto &a, const auto &b) { return a.loadNs > b.loadNs; });
        ranks.push_back(std::move(rank));
    }
    std::stable_sort(ranks.begin(), ranks.end(),
                     [](const auto &a, const auto &b) { return a.rank < b.rank; });
    return ranks;
}

} // namespace core
