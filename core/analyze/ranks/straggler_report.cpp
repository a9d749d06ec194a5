#include "core/analyze/ranks/straggler_report.h"

#include "core/analyze/bottlenecks/path_evidence.h"
#include "core/change/rewriting.h"
#include "core/measure/own_work.h"
#include "core/replay/latest_time.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace core {

namespace {

    constexpr std::size_t MostOpTypes = 10; ///< of a rank

    /// What a family takes a rank longer than the others, sums over the graph.
    struct SlowOps
    {
        WorkFamily family;
        std::int64_t ns, medianNs, othersNs;
        std::int64_t excessNs() const { return ns - othersNs; }
    };

    /// Leaves those that cost most, largest first; alike ones in the order of their names.
    void keepWorst(std::vector<SlowOps> &ops)
    {
        std::stable_sort(ops.begin(), ops.end(), [](const SlowOps &a, const SlowOps &b) {
            return a.excessNs() > b.excessNs();
        });
        ops.resize(std::min(ops.size(), MostOpTypes));
    }

    /// By WorkKind, then by WorkerId.
    using WorkByKind = std::array<std::vector<std::int64_t>, WorkKinds.size()>;

    /// Gathers what own work goes to while its families pass by.
    class WorkComparison
    {
    public:
        explicit WorkComparison(const Graph &graph)
            : m_ranks(ranksWithOwnWork(graph))
            , m_ops(graph.workerCount())
            , m_fastest(graph.workerCount())
        {
            m_kinds.fill(std::vector<std::int64_t>(graph.workerCount(), 0));
        }

        void add(const WorkFamily &family, const std::vector<WorkShare> &shares)
        {
            std::vector<std::int64_t> &ofKind = m_kinds[static_cast<std::size_t>(family.kind)];
            m_sumsNs.assign(std::max(m_ranks, shares.size()), 0);
            for (std::size_t i = 0; i < shares.size(); ++i) {
                m_sumsNs[i] = shares[i].ns;
                std::int64_t &sumNs = ofKind[shares[i].worker.value];
                sumNs = laterNs(sumNs, shares[i].ns);
            }
            const std::int64_t medianNs = medianOfRanks(m_sumsNs, m_ranks);
            const OthersMedian others(m_sumsNs);
            for (const WorkShare &share : shares) {
                const SlowOps slow { family, share.ns, medianNs, others.without(share.ns) };
                std::vector<SlowOps> &ofRank = m_ops[share.worker.value];
                if (slow.excessNs() > 0)
                    ofRank.push_back(slow);
                else if (family.kind == WorkKind::Host)
                    keepFastest(slow, m_fastest[share.worker.value]);
                if (ofRank.size() >= 4 * MostOpTypes)
                    keepWorst(ofRank);
            }
        }

        /// By WorkerId: the families that cost the rank most.
        std::vector<std::vector<SlowOps>> worstOps()
        {
            for (std::vector<SlowOps> &ofRank : m_ops)
                keepWorst(ofRank);
            return std::move(m_ops);
        }
        const WorkByKind &kinds() const { return m_kinds; }
        /// Family of each worker's host that takes it less time than the others, by the most.
        const std::vector<std::optional<SlowOps>> &fastestOps() const { return m_fastest; }

    private:
        static void keepFastest(const SlowOps &ops, std::optional<SlowOps> &fastest)
        {
            if (ops.excessNs() < (fastest ? fastest->excessNs() : 0))
                fastest = ops;
        }

        std::size_t m_ranks;
        std::vector<std::vector<SlowOps>> m_ops; ///< by WorkerId
        std::vector<std::optional<SlowOps>> m_fastest; ///< by WorkerId
        WorkByKind m_kinds;
        std::vector<std::int64_t> m_sumsNs;
    };

    struct RowCounts
    {
        std::size_t streams = 0, threads = 0; ///< that do own work
    };

    /// By WorkerId.
    std::vector<RowCounts> rowCounts(const Graph &graph)
    {
        const std::vector<bool> isOwn = ownWork(graph);
        std::vector<bool> isCounted(graph.devices.size(), false);
        std::vector<RowCounts> counts(graph.workerCount());
        for (std::size_t op = 0; op < graph.size(); ++op) {
            const std::size_t device = graph.device[op].value;
            if (!isOwn[op] || isCounted[device] || graph.kind[op] == OpKind::Virtual)
                continue;
            isCounted[device] = true;
            RowCounts &own = counts[graph.worker[op].value];
            ++(graph.devices[device].isStream ? own.streams : own.threads);
        }
        return counts;
    }

    /// Of the workers that work, which `workNs` tells.
    std::vector<std::int64_t> ofWorking(const std::vector<std::int64_t> &valuesNs,
                                        const std::vector<std::int64_t> &workNs)
    {
        std::vector<std::int64_t> working;
        for (std::size_t w = 0; w < workNs.size(); ++w)
            if (workNs[w] > 0)
                working.push_back(valuesNs[w]);
        return working;
    }

    /// Of the workers that work: each kind beside the others'.
    std::vector<std::vector<WorkBesideOthers>>
    kindsPerIteration(const WorkByKind &kinds, const std::vector<std::int64_t> &workNs,
                      const std::vector<RowCounts> &rows, std::int64_t iterations)
    {
        std::vector<std::vector<WorkBesideOthers>> result(workNs.size());
        for (const WorkKind kind : WorkKinds) {
            const std::vector<std::int64_t> &sumsNs = kinds[static_cast<std::size_t>(kind)];
            const OthersMedian others(ofWorking(sumsNs, workNs));
            for (std::size_t w = 0; w < workNs.size(); ++w)
                if (workNs[w] > 0)
                    result[w].push_back(
                        { kind, sumsNs[w] / iterations, others.without(sumsNs[w]) / iterations,
                          kind == WorkKind::Device ? rows[w].streams : rows[w].threads });
        }
        return result;
    }

    OpTypeSlowdown slowdownOf(const SlowOps &slow, const Graph &graph, std::int64_t iterations)
    {
        OpTypeSlowdown result;
        const std::string &name = graph.names[slow.family.name.value];
        result.name = name;
        if (slow.family.isGap) {
            result.before = graph.names[slow.family.before.value];
            result.behind = name;
            result.name = "no operation " + gapPlaceText(result.before, result.behind);
        }
        result.kind = slow.family.kind;
        result.ns = slow.ns / iterations;
        result.medianNs = slow.medianNs / iterations;
        result.othersNs = slow.othersNs / iterations;
        return result;
    }

    std::vector<OpTypeSlowdown> perIteration(const std::vector<SlowOps> &ops, const Graph &graph)
    {
        const std::int64_t iterations = std::max(1, graph.iterationCount);
        std::vector<OpTypeSlowdown> slowdowns;
        slowdowns.reserve(ops.size());
        for (const SlowOps &slow : ops) {
            OpTypeSlowdown one = slowdownOf(slow, graph, iterations);
            if (one.excessNs() > 0)
                slowdowns.push_back(std::move(one));
        }
        return slowdowns;
    }

    std::optional<OpTypeSlowdown> fastestOf(const std::optional<SlowOps> &ops, const Graph &graph)
    {
        if (!ops)
            return std::nullopt;
        return slowdownOf(*ops, graph, std::max(1, graph.iterationCount));
    }

} // namespace

StragglerReport stragglerReport(const Trace &trace, Predictor &predictor,
                                const std::vector<DelayParts> &delays, const JobControl &control)
{
    StragglerReport report;
    const Graph &graph = *predictor.base().graph;
    const std::vector<std::int64_t> workNs = atWorkNs(graph);
    const std::int64_t medianNs = medianOfWorking(workNs);
    const OthersMedian others(ofWorking(workNs, workNs));
    const std::int64_t iterations = std::max(1, graph.iterationCount);
    WorkComparison comparison(graph);
    visitOwnWork(graph, delays,
                 [&](const WorkFamily &family, const std::vector<WorkShare> &shares) {
                     throwIfCancelled(control);
                     comparison.add(family, shares);
                 });
    const std::vector<std::vector<SlowOps>> ops = comparison.worstOps();
    std::vector<std::vector<WorkBesideOthers>> kinds
        = kindsPerIteration(comparison.kinds(), workNs, rowCounts(graph), iterations);
    for (const Worker &worker : trace.workers) {
        const std::size_t w = worker.id.value;
        if (w < workNs.size() && workNs[w] > 0)
            report.ranks.push_back({ worker.rank, workNs[w] / iterations, medianNs / iterations,
                                     others.without(workNs[w]) / iterations, std::move(kinds[w]),
                                     perIteration(ops[w], graph),
                                     fastestOf(comparison.fastestOps()[w], graph) });
    }
    std::stable_sort(report.ranks.begin(), report.ranks.end(),
                     [](const auto &a, const auto &b) { return a.rank < b.rank; });
    report.isWorkRecorded = report.ranks.size() > 1
        && std::find(graph.kind.begin(), graph.kind.end(), OpKind::Compute) != graph.kind.end();
    report.isWithoutOverlap = report.isWorkRecorded && graph.slowdown > 1;
    const Change idealPeers { "ideal_peers", 1 };
    if (const auto obstacle = changeObstacle(predictor.job(), idealPeers))
        report.obstacle = *obstacle;
    else
        report.idealNs = predictor.iterationNs({ idealPeers }, control);
    return report;
}

} // namespace core
