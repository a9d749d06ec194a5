#include "core/analyze/near_critical.h"

#include "core/graph/common_iterations.h"
#include "core/replay/slack.h"
#include "core/scenario/typical_iteration.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_set>

namespace core {

namespace {

    constexpr std::size_t MostListed = 20; ///< of an iteration, and of the steady state

    bool isLonger(const NearCriticalOp &a, const NearCriticalOp &b)
    {
        return a.durationNs > b.durationNs;
    }

    class NearCriticalSearch
    {
    public:
        NearCriticalSearch(const Trace &trace, const ScenarioResult &replayed)
            : m_trace(trace)
            , m_replayed(replayed)
            , m_graph(*replayed.graph)
            , m_replay(*replayed.replay)
            , m_slack(m_graph, m_replay)
            , m_isAccelerated(acceleratedWorkers(m_graph))
        {
        }

        /// Longest first.
        std::vector<NearCriticalOp> before(OpId last, std::int64_t fromNs, std::int64_t limitNs)
        {
            std::vector<NearCriticalOp> found;
            if (last == NoOp)
                return found;
            const std::unordered_set<std::uint32_t> onPath = pathBefore(last, fromNs);
            for (const Slack::Entry &slack : m_slack.before(last, fromNs)) {
                const std::uint32_t op = slack.op.value;
                if (slack.ns < limitNs && m_graph.kind[op] != OpKind::Virtual
                    && m_replay.endNs[op] > m_replay.startNs[op] && !onPath.contains(op))
                    found.push_back(entryOf(slack.op, slack.ns));
            }
            std::stable_sort(found.begin(), found.end(), isLonger);
            return found;
        }

        /// When the slowest rank ends the i-th iteration, and by which op.
        std::pair<std::int64_t, OpId> endOf(std::size_t iteration) const
        {
            std::pair<std::int64_t, OpId> end { 0, NoOp };
            for (const ReplayedIterations &own : m_replayed.iterations)
                if (own.lastOp[iteration] != NoOp
                    && (end.second == NoOp || own.endNs[iteration] > end.first))
                    end = { own.endNs[iteration], own.lastOp[iteration] };
            return end;
        }

    private:
        /// The critical path as far back as `fromNs`.
        std::unordered_set<std::uint32_t> pathBefore(OpId last, std::int64_t fromNs) const
        {
            std::unordered_set<std::uint32_t> path;
            for (OpId op = last; op != NoOp && m_replay.endNs[op.value] > fromNs;
                 op = m_replay.cause[op.value].op)
                path.insert(op.value);
            return path;
        }

        NearCriticalOp entryOf(OpId op, std::int64_t slackNs) const
        {
            const Device &device = m_graph.devices[m_graph.device[op.value].value];
            NearCriticalOp entry;
            entry.name = m_graph.names[m_graph.name[op.value].value];
            entry.rank = m_trace.workers[m_graph.worker[op.value].value].rank;
            entry.device = device.name;
            entry.startNs = m_replayed.timeOriginNs + m_replay.startNs[op.value];
            entry.durationNs = m_replay.endNs[op.value] - m_replay.startNs[op.value];
            entry.longestNs = entry.meanNs = entry.durationNs;
            entry.slice = m_graph.slice[op.value];
            entry.slackNs = slackNs;
            if (m_graph.kind[op.value] == OpKind::Communication)
                entry.kind = "comm";
            else if (m_graph.kind[op.value] == OpKind::Host
                     || (m_isAccelerated[m_graph.worker[op.value].value] && !device.isStream))
                entry.kind = "host";
            else
                entry.kind = "compute";
            return entry;
        }

        const Trace &m_trace;
        const ScenarioResult &m_replayed;
        const Graph &m_graph;
        const ReplayResult &m_replay;
        Slack m_slack;
        std::vector<bool> m_isAccelerated;
    };

    /// Ops of one name, rank and device in so many iterations together: their times summed, the
    /// least slack.
    std::vector<NearCriticalOp> merged(const std::vector<NearCriticalOp> &ops,
                                       std::size_t iterations)
    {
        std::map<std::tuple<std::string, int, std::string>, NearCriticalOp> families;
        for (const NearCriticalOp &op : ops) {
            const auto [it, isNew] = families.try_emplace({ op.name, op.rank, op.device }, op);
            if (isNew)
                continue;
            it->second.times += op.times;
            it->second.durationNs += op.durationNs;
            it->second.slackNs = std::min(it->second.slackNs, op.slackNs);
        }
        std::vector<NearCriticalOp> all;
        all.reserve(families.size());
        for (auto &[key, family] : families) {
            family.meanNs = family.durationNs / static_cast<std::int64_t>(iterations);
            all.push_back(std::move(family));
        }
        std::stable_sort(all.begin(), all.end(), isLonger);
        return all;
    }

    void keepFirst(std::vector<NearCriticalOp> &ops)
    {
        ops.resize(std::min(ops.size(), MostListed));
    }

} // namespace

NearCriticalReport nearCriticalReport(const Trace &trace, const ScenarioResult &replayed,
                                      const JobControl &control)
{
    NearCriticalReport report;
    report.limitNs
        = static_cast<std::int64_t>(NearCriticalShare * static_cast<double>(replayed.predictedNs));
    NearCriticalSearch search(trace, replayed);
    const auto count = static_cast<std::size_t>(replayed.graph->iterationCount);
    std::vector<std::string> notes;
    const std::vector<CommonIteration> measured
        = pairIterations(commonIterations(trace, notes), trace);
    for (std::size_t i = 0; i < count; ++i) {
        throwIfCancelled(control);
        const std::int64_t fromNs = i == 0 ? 0 : search.endOf(i - 1).first;
        NearCriticalIteration iteration;
        iteration.index
            = measured.size() == count ? measured[i].index : static_cast<std::int64_t>(i);
        iteration.ops = search.before(search.endOf(i).second, fromNs, report.limitNs);
        iteration.count = iteration.ops.size();
        keepFirst(iteration.ops);
        report.iterations.push_back(std::move(iteration));
    }
    report.steadyIterations = std::max<std::size_t>(1, count - 1);
    report.steadyState
        = merged(search.before(search.endOf(count - 1).second,
                               count > 1 ? search.endOf(0).first : 0, report.limitNs),
                 report.steadyIterations);
    keepFirst(report.steadyState);
    return report;
}

} // namespace core
