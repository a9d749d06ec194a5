#include "core/analyze/report/near_critical.h"

#include "core/base/interval_set.h"
#include "core/measure/typical_iteration.h"
#include "core/replay/slack.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <unordered_set>
#include <utility>

namespace core {

namespace {

    constexpr std::size_t MostListed = 20; ///< of an iteration, and of the steady state
    constexpr double LeastShare = 0.001; ///< of an iteration: shorter ones gain nothing in sum

    struct FoundOp
    {
        OpId op;
        std::int64_t slackNs;
    };

    /// Ops of one name, worker and device.
    using FamilyKey = std::tuple<NameId, WorkerId, DeviceId>;

    bool isLonger(const NearCriticalOp &a, const NearCriticalOp &b)
    {
        return a.durationNs > b.durationNs;
    }

    class NearCriticalSearch
    {
    public:
        NearCriticalSearch(const Trace &trace, const Prediction &replayed)
            : m_trace(trace)
            , m_replayed(replayed)
            , m_graph(*replayed.graph)
            , m_replay(*replayed.replay)
            , m_slack(m_graph, m_replay)
            , m_isAccelerated(acceleratedWorkers(m_graph))
        {
        }

        std::vector<FoundOp> before(OpId last, std::int64_t fromNs, std::int64_t limitNs)
        {
            std::vector<FoundOp> found;
            if (last == NoOp)
                return found;
            const std::unordered_set<std::uint32_t> onPath = pathBefore(last, fromNs);
            for (const Slack::Entry &slack : m_slack.before(last, fromNs)) {
                const std::uint32_t op = slack.op.value;
                if (slack.ns < limitNs && m_graph.kind[op] != OpKind::Virtual
                    && durationOf(slack.op) > 0 && !onPath.contains(op))
                    found.push_back({ slack.op, slack.ns });
            }
            return found;
        }

        /// The longest, longest first.
        std::vector<NearCriticalOp> longest(std::vector<FoundOp> found) const
        {
            const auto kept = std::min(found.size(), MostListed);
            std::partial_sort(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(kept),
                              found.end(), [this](const FoundOp &a, const FoundOp &b) {
                                  return std::pair(-durationOf(a.op), a.op)
                                      < std::pair(-durationOf(b.op), b.op);
                              });
            std::vector<NearCriticalOp> ops;
            for (std::size_t i = 0; i < kept; ++i)
                ops.push_back(entryOf(found[i].op, found[i].slackNs));
            return ops;
        }

        /// By families: the time that any of their ops takes, the least slack; longest first.
        /// Those that take less than a thousandth of an iteration are left out.
        std::vector<NearCriticalOp> merged(const std::vector<FoundOp> &found,
                                           std::int32_t firstIteration) const
        {
            std::map<FamilyKey, std::vector<FoundOp>> families;
            for (const FoundOp &one : found)
                families[{ m_graph.name[one.op.value], m_graph.worker[one.op.value],
                           m_graph.device[one.op.value] }]
                    .push_back(one);
            std::vector<NearCriticalOp> all;
            all.reserve(families.size());
            for (const auto &[key, ops] : families)
                all.push_back(familyOf(ops, firstIteration));
            const double leastNs = LeastShare * static_cast<double>(m_replayed.predictedNs);
            std::erase_if(all, [leastNs](const NearCriticalOp &one) {
                return static_cast<double>(one.meanNs) < leastNs;
            });
            std::stable_sort(all.begin(), all.end(), isLonger);
            all.resize(std::min(all.size(), MostListed));
            return all;
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
        std::int64_t durationOf(OpId op) const
        {
            return m_replay.endNs[op.value] - m_replay.startNs[op.value];
        }

        /// Ops that a link serves side by side take their time together, once.
        NearCriticalOp familyOf(const std::vector<FoundOp> &ops, std::int32_t firstIteration) const
        {
            FoundOp most = ops.front();
            std::vector<TimeRange> times;
            std::set<std::int32_t> iterations;
            for (const FoundOp &one : ops) {
                if (durationOf(one.op) > durationOf(most.op))
                    most.op = one.op;
                most.slackNs = std::min(most.slackNs, one.slackNs);
                times.push_back({ m_replay.startNs[one.op.value], m_replay.endNs[one.op.value] });
                // What the first one leaves over is done in the next.
                iterations.insert(std::max(firstIteration, m_graph.iteration[one.op.value]));
            }
            NearCriticalOp family = entryOf(most.op, most.slackNs);
            family.times = ops.size();
            family.iterations = iterations.size();
            family.durationNs = IntervalSet(std::move(times)).lengthNs();
            family.meanNs = family.durationNs / static_cast<std::int64_t>(family.iterations);
            return family;
        }

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
            entry.durationNs = durationOf(op);
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
        const Prediction &m_replayed;
        const Graph &m_graph;
        const ReplayResult &m_replay;
        Slack m_slack;
        std::vector<bool> m_isAccelerated;
    };

} // namespace

NearCriticalReport nearCriticalReport(const Trace &trace, const Prediction &replayed,
                                      const JobControl &control)
{
    NearCriticalReport report;
    report.limitNs
        = static_cast<std::int64_t>(NearCriticalShare * static_cast<double>(replayed.predictedNs));
    NearCriticalSearch search(trace, replayed);
    const auto count = static_cast<std::size_t>(replayed.graph->iterationCount);
    const std::vector<CommonIteration> measured = commonIterations(trace);
    for (std::size_t i = 0; i < count; ++i) {
        throwIfCancelled(control);
        const std::int64_t fromNs = i == 0 ? 0 : search.endOf(i - 1).first;
        NearCriticalIteration iteration;
        iteration.index
            = measured.size() == count ? measured[i].index : static_cast<std::int64_t>(i);
        const std::vector<FoundOp> found
            = search.before(search.endOf(i).second, fromNs, report.limitNs);
        iteration.ops = search.longest(found);
        iteration.count = found.size();
        report.iterations.push_back(std::move(iteration));
    }
    report.steadyIterations = std::max<std::size_t>(1, count - 1);
    const std::int64_t fromNs = count > 1 ? search.endOf(0).first : 0;
    report.steadyState = search.merged(
        search.before(search.endOf(count - 1).second, fromNs, report.limitNs), count > 1 ? 1 : 0);
    return report;
}

} // namespace core
