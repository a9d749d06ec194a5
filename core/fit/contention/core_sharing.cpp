#include "core/fit/contention/core_sharing.h"

#include "core/fit/contention/interference.h"
#include "core/measure/bounded_time.h"
#include "core/measure/framework_ops.h"
#include "core/measure/group_places.h"
#include "core/model/slice_index.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <set>
#include <string_view>

namespace core {

namespace {

    constexpr double NotedChange = 0.01; ///< of the framework ops' time
    constexpr double OtherShare = 0.05; ///< of the framework ops' time on a rank
    constexpr double MuchSharing = 0.05; ///< of the framework ops' time

    bool haveOwnHosts(const Trace &trace)
    {
        std::set<std::string_view> hosts;
        for (const Worker &worker : trace.workers)
            hosts.insert(worker.host);
        return hosts.size() > 1 && hosts.size() == trace.workers.size()
            && !hosts.contains(std::string_view());
    }

    /// Of all ranks' framework ops, by WorkerId, times the ranks: 1 where all have as much.
    std::vector<double> sharesOfWork(const Graph &graph)
    {
        std::vector<double> shares(graph.workerCount(), 0);
        for (std::size_t op = 0; op < graph.size(); ++op)
            shares[graph.worker[op].value] += static_cast<double>(graph.stretchShare[op])
                * static_cast<double>(graph.durationNs[op]);
        const double all = std::accumulate(shares.begin(), shares.end(), 0.0);
        for (double &share : shares)
            share = all > 0 ? static_cast<double>(shares.size()) * share / all : 1;
        return shares;
    }

    bool haveOtherShares(const Graph &graph, const Graph &before)
    {
        const std::vector<double> now = sharesOfWork(graph), then = sharesOfWork(before);
        return !std::equal(now.begin(), now.end(), then.begin(), then.end(),
                           [](double a, double b) { return std::abs(a - b) <= OtherShare; });
    }

    double frameworkNs(const Graph &graph)
    {
        double ns = 0;
        for (std::size_t op = 0; op < graph.size(); ++op)
            ns += static_cast<double>(graph.stretchShare[op])
                * static_cast<double>(graph.durationNs[op]);
        return ns;
    }

} // namespace

CoreSharing::CoreSharing(const Graph &recorded, const Trace &trace, const JobControl &control)
    : m_ranks(largestGroup(recorded))
    , m_mayShare(interferingHostLink(recorded) && m_ranks > 1 && !haveOwnHosts(trace))
{
    if (!m_mayShare || trace.workers.size() < 2 || trace.workers.size() > MostContendingRanks)
        return;
    const FrameworkTimes times(trace, control);
    m_contention = fitCoreContention(recorded, trace, times, control);
    setExponents(recorded, trace, times, control);
}

void CoreSharing::setExponents(const Graph &recorded, const Trace &trace,
                               const FrameworkTimes &times, const JobControl &control)
{
    const SliceIndex index(trace);
    std::vector<FrameworkTimes::Reader> others; // by WorkerId
    others.reserve(trace.workers.size());
    for (std::size_t worker = 0; worker < trace.workers.size(); ++worker)
        others.emplace_back(times, worker);
    for (std::size_t op = 0; op < recorded.size(); ++op) {
        throwIfCancelled(control);
        const SliceId slice = recorded.slice[op];
        if (recorded.stretchShare[op] <= 0)
            continue;
        const auto place = index.find(slice);
        if (!place)
            continue;
        const WorkerId worker = trace.tracks[place->track.value].worker;
        const SliceColumns &slices = trace.slices[place->track.value];
        const std::int64_t endNs = slices.endNs(place->row);
        double savedNs = 0;
        visitFrameworkOps(trace, slices, place->row, endNs, [&](std::size_t row) {
            const TimeRange range { trace.toAligned(worker, slices.startNs[row]),
                                    trace.toAligned(worker, std::min(endNs, slices.endNs(row))) };
            const double exponent = exponentOf(worker.value, others[worker.value].sharesOf(range));
            savedNs += static_cast<double>(range.durationNs()) * (1 - std::exp(-exponent));
        });
        const double share = savedNs
            / static_cast<double>(std::max<std::int64_t>(1, endNs - slices.startNs[place->row]));
        if (share > 0 && share < 1)
            m_exponents.emplace(slice.value, -std::log(1 - share));
    }
}

double CoreSharing::sharersLeft(double wanted) const
{
    return m_ranks > 1 ? std::clamp((wanted - 1) / (m_ranks - 1), 0.0, 1.0) : 1;
}

/// What all other ranks' exponents come to; at most all take turns on one core.
double CoreSharing::exponentOf(std::size_t worker, const std::vector<double> &shares) const
{
    double sum = 0;
    for (std::size_t other = 0; other < shares.size(); ++other)
        sum += shares[other] * m_contention.of(worker, other);
    return std::min(sum, std::log(static_cast<double>(m_contention.ranks)));
}

/// With itself.
double CoreSharing::ranksOnCore(std::size_t worker) const
{
    double sum = 0;
    for (std::size_t other = 0; other < m_contention.ranks; ++other)
        sum += m_contention.of(worker, other);
    return 1 + sum / std::numbers::ln2;
}

Graph CoreSharing::withSharersLeft(Graph graph, double from, double left) const
{
    for (std::size_t op = 0; op < graph.size(); ++op)
        if (const auto found = m_exponents.find(graph.slice[op].value); found != m_exponents.end())
            graph.durationNs[op]
                = scaledBy(graph.durationNs[op], std::exp((left - from) * found->second));
    return graph;
}

Graph CoreSharing::withCrowdedCores(Graph graph, double wanted) const
{
    const double added = std::ceil(wanted / m_ranks) - 1;
    // As many more drive their links there.
    graph.slowdown = std::min(LargestSlowdown, std::pow(graph.slowdown, 1 + added));
    for (std::size_t op = 0; op < graph.size(); ++op)
        if (graph.stretchShare[op] > 0)
            graph.durationNs[op] = scaledBy(graph.durationNs[op],
                                            1
                                                + static_cast<double>(graph.stretchShare[op])
                                                    * added / ranksOnCore(graph.worker[op].value));
    return graph;
}

Graph CoreSharing::forRanks(Graph graph, double wanted) const
{
    if (!m_mayShare || wanted == m_ranks)
        return graph;
    if (wanted > m_ranks) {
        graph.notes.push_back(
            "Ranks beyond the recorded ones are taken to have cores of their own; "
            "the interval reaches to where they share the recorded ones'.");
        return graph;
    }
    if (m_contention.ranks == 0) {
        graph.notes.push_back("Whether ranks slow each other's computation down is told of 2 to "
                              + std::to_string(MostContendingRanks)
                              + " recorded ones only: that of fewer ranks is taken to be as slow.");
        return graph;
    }
    const double wasNs = frameworkNs(graph);
    graph = withSharersLeft(std::move(graph), 1, sharersLeft(wanted));
    if (frameworkNs(graph) < (1 - NotedChange) * wasNs)
        graph.notes.push_back("Ranks slow each other's computation down, as those do that share "
                              "cores: of fewer ranks fewer are taken to. The interval holds that "
                              "none does, and that all do as recorded.");
    return graph;
}

Graph CoreSharing::withOtherSharesNoted(Graph graph, const Graph &before) const
{
    if (m_contention.ranks == 0 || !haveOtherShares(graph, before))
        return graph;
    if (frameworkNs(withSharersLeft(before, 1, 0)) < (1 - MuchSharing) * frameworkNs(before))
        graph.notes.push_back("Ranks slow each other's computation down, as those do that share "
                              "cores. With other shares of the work they are at it together for "
                              "longer or shorter than recorded, which is not predicted: what "
                              "computes, what waits and, less so, the iteration are unsure.");
    return graph;
}

} // namespace core
