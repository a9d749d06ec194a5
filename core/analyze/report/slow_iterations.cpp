#include "core/analyze/report/slow_iterations.h"

#include "core/analyze/ranks/late_cause.h"
#include "core/analyze/report/collective_report.h"
#include "core/base/duration_text.h"
#include "core/measure/typical_iteration.h"
#include "core/replay/latest_time.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace core {

namespace {

    /// Of the slower iterations, then of the others.
    using InBothGroups = std::array<std::int64_t, 2>;

    /// Sums over the iterations of each group become means.
    struct GroupSizes
    {
        explicit GroupSizes(const IterationGroups &groups)
            : slower(static_cast<std::int64_t>(groups.slower.size()))
            , others(static_cast<std::int64_t>(groups.count - groups.slower.size()))
        {
        }
        InBothGroups means(const InBothGroups &sums) const
        {
            return { sums[0] / slower, sums[1] / others };
        }

        std::int64_t slower, others; ///< one or more
    };

    /// A part of a rank's own work, means per iteration.
    struct PartOfWork
    {
        WorkFamily family;
        InBothGroups ns {};
        std::int64_t excessNs() const { return ns[0] - ns[1]; }
    };

    bool isSlower(const IterationGroups &groups, const CommonIteration &iteration)
    {
        return std::binary_search(groups.slower.begin(), groups.slower.end(), iteration.index);
    }

    /// By WorkerId: what takes each most longer in the slower iterations.
    class LargestParts
    {
    public:
        LargestParts(const Graph &graph, const IterationGroups &groups,
                     const std::vector<CommonIteration> &iterations)
            : m_graph(graph)
            , m_groups(groups)
            , m_iterations(iterations)
            , m_sizes(groups)
            , m_parts(graph.workerCount())
        {
        }

        void add(OpId op, const WorkFamily &family, std::int64_t ns)
        {
            const auto at = static_cast<std::size_t>(m_graph.iteration[op.value]);
            if (m_graph.iteration[op.value] < 0 || at >= m_iterations.size())
                return;
            if (family != m_family || m_graph.worker[op.value] != m_worker) {
                keep();
                m_family = family;
                m_worker = m_graph.worker[op.value];
            }
            std::int64_t &sumNs = m_sums[isSlower(m_groups, m_iterations[at]) ? 0 : 1];
            sumNs = laterNs(sumNs, ns);
        }

        std::vector<PartOfWork> parts()
        {
            keep();
            return std::move(m_parts);
        }

    private:
        void keep()
        {
            const PartOfWork part { m_family, m_sizes.means(m_sums) };
            m_sums = {};
            if (m_worker.value < m_parts.size()
                && part.excessNs() > m_parts[m_worker.value].excessNs())
                m_parts[m_worker.value] = part;
        }

        const Graph &m_graph;
        const IterationGroups &m_groups;
        const std::vector<CommonIteration> &m_iterations;
        const GroupSizes m_sizes;
        std::vector<PartOfWork> m_parts;
        WorkFamily m_family {};
        WorkerId m_worker { 0 };
        InBothGroups m_sums {};
    };

    /// By rank: for how much longer it is the only one missing in a slower iteration.
    std::map<int, std::int64_t> latenessBeyond(const Diagnosis &diagnosis,
                                               const std::vector<CommonIteration> &iterations)
    {
        const IterationGroups &groups = *diagnosis.iterationGroups;
        const auto isIn = [&](const CollectiveReport &collective, bool inSlower) {
            std::int64_t comeNs = collective.ranks.empty() ? 0 : collective.ranks.front().startNs;
            for (const CollectiveRankReport &part : collective.ranks)
                comeNs = std::max(comeNs, part.startNs);
            const auto in = std::find_if(
                iterations.begin(), iterations.end(),
                [comeNs](const CommonIteration &one) { return one.range.contains(comeNs); });
            return in != iterations.end() && isSlower(groups, *in) == inSlower;
        };
        const auto latenessIn = [&](bool inSlower) {
            return latenessByRank(diagnosis.collectives,
                                  [&isIn, inSlower](const CollectiveReport &collective) {
                                      return isIn(collective, inSlower);
                                  });
        };
        const GroupSizes sizes(groups);
        std::map<int, std::int64_t> beyondNs;
        for (const auto &[rank, late] : latenessIn(true))
            beyondNs[rank] += late.lastByNs / sizes.slower;
        for (const auto &[rank, late] : latenessIn(false))
            beyondNs[rank] -= late.lastByNs / sizes.others;
        return beyondNs;
    }

    std::string whyText(const PartOfWork &part, const Graph &graph, bool isAccelerated)
    {
        LateCause cause;
        cause.work = { part.family.kind, part.ns[0], part.ns[1] };
        OpTypeSlowdown op;
        op.name = graph.names[part.family.name.value];
        if (part.family.isGap) {
            op.before = graph.names[part.family.before.value];
            op.behind = op.name;
        }
        op.kind = part.family.kind;
        op.ns = part.ns[0];
        op.othersNs = part.ns[1];
        cause.largest = std::move(op);
        cause.others = "in the other iterations";
        cause.isAccelerated = isAccelerated;
        return shortText(cause);
    }

    /// Whether the rank of that part takes clearly longer with it than the other ranks do.
    bool standsOut(const std::vector<PartOfWork> &parts, const PartOfWork &most)
    {
        const std::int64_t excessNs = most.excessNs();
        std::vector<std::int64_t> all;
        all.reserve(parts.size());
        for (const PartOfWork &part : parts)
            all.push_back(part.family == most.family ? part.excessNs() : 0);
        return 2 * OthersMedian(std::move(all)).without(excessNs) < excessNs;
    }

    std::size_t workerOf(const Trace &trace, int rank)
    {
        return std::find_if(trace.workers.begin(), trace.workers.end(),
                            [rank](const Worker &worker) { return worker.rank == rank; })
            ->id.value;
    }

} // namespace

std::optional<SlowIterationsCause> slowIterationsCause(const Trace &trace, const Graph &graph,
                                                       const std::vector<DelayParts> &delays,
                                                       const Diagnosis &diagnosis)
{
    const IterationGroups &groups = *diagnosis.iterationGroups;
    const std::vector<CommonIteration> iterations = commonIterations(trace);
    LargestParts largest(graph, groups, iterations);
    visitOwnParts(graph, delays, [&largest](OpId op, const WorkFamily &family, std::int64_t ns) {
        largest.add(op, family, ns);
    });
    const std::vector<PartOfWork> parts = largest.parts();
    const auto isMost = [&groups](std::int64_t ns) {
        return ns > 0 && 2 * ns >= groups.slowerNs - groups.othersNs;
    };
    const std::map<int, std::int64_t> late = latenessBeyond(diagnosis, iterations);
    const auto latest = std::max_element(
        late.begin(), late.end(), [](const auto &a, const auto &b) { return a.second < b.second; });
    SlowIterationsCause cause;
    std::size_t worker = 0;
    if (latest != late.end() && isMost(latest->second)) {
        cause.rank = latest->first;
        cause.lateNs = std::min(latest->second, groups.slowerNs - groups.othersNs);
        worker = workerOf(trace, cause.rank);
    } else {
        const auto most = std::max_element(
            parts.begin(), parts.end(),
            [](const PartOfWork &a, const PartOfWork &b) { return a.excessNs() < b.excessNs(); });
        if (most == parts.end() || !isMost(most->excessNs()))
            return std::nullopt;
        worker = static_cast<std::size_t>(most - parts.begin());
        cause.rank = trace.workers[worker].rank;
        cause.isOfOneRank = standsOut(parts, *most);
    }
    if (worker < parts.size() && isMost(parts[worker].excessNs())) {
        cause.why = whyText(parts[worker], graph, acceleratedWorkers(graph)[worker]);
        if (const WorkFamily &family = parts[worker].family; !family.isGap)
            cause.op = graph.names[family.name.value];
    }
    return cause;
}

std::string slowIterationsText(const IterationGroups &groups)
{
    if (groups.slower.size() == 1)
        return "Iteration " + std::to_string(groups.slower.front());
    return std::to_string(groups.slower.size()) + " of " + std::to_string(groups.count)
        + " iterations";
}

std::int64_t rareSlowIterationsLossNs(const std::optional<IterationGroups> &groups)
{
    if (!groups || 2 * groups->slower.size() >= groups->count)
        return 0;
    return static_cast<std::int64_t>(static_cast<double>(groups->slower.size())
                                     * static_cast<double>(groups->slowerNs - groups->othersNs)
                                     / static_cast<double>(groups->count));
}

double lossFraction(const IterationGroups &groups, std::int64_t lossNs)
{
    const double meanNs = static_cast<double>(groups.othersNs) + static_cast<double>(lossNs);
    return meanNs > 0 ? static_cast<double>(lossNs) / meanNs : 0;
}

std::string slowIterationsCauseText(const SlowIterationsCause &cause, const IterationGroups &groups)
{
    const bool isOne = groups.slower.size() == 1;
    if (!cause.isOfOneRank)
        return std::string("most ranks are slow in ") + (isOne ? "it" : "them")
            + (cause.why.empty() ? ""
                                 : ": on rank " + std::to_string(cause.rank) + " " + cause.why);
    const std::string in = isOne ? " in it" : " in each of them";
    return (cause.lateNs > 0 ? "the other ranks wait for rank " : "look at rank ")
        + std::to_string(cause.rank)
        + (cause.lateNs > 0 ? " for " + durationText(cause.lateNs) : std::string()) + in
        + (cause.why.empty() ? "" : ", as " + cause.why);
}

} // namespace core
