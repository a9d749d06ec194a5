#include "core/analyze/report/collective_report.h"

#include "core/base/interval_set.h"
#include "core/model/compared_iterations.h"
#include "core/model/device_iterations.h"
#include "core/model/slice_index.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

namespace core {

namespace {

    CollectiveReport reportOf(const Trace &trace, const SliceIndex &slices,
                              const MatchedCollective &matched)
    {
        CollectiveReport report;
        const CollectiveCall &first = trace.collectives[matched.calls.front()];
        report.name = first.kind;
        report.group = first.group;
        report.sequence = matched.sequence;
        std::int64_t lastStartNs = std::numeric_limits<std::int64_t>::min();
        std::int64_t lastButOneNs = lastStartNs;
        for (const std::size_t index : matched.calls) {
            const CollectiveCall &call = trace.collectives[index];
            CollectiveRankReport part;
            part.worker = call.worker;
            part.rank = trace.workers[call.worker.value].rank;
            part.slice = call.slice;
            part.startNs = trace.toAligned(call.worker, slices.startNs(call.slice));
            part.endNs = trace.toAligned(call.worker, slices.endNs(call.slice));
            report.bytes = std::max(report.bytes, call.bytes);
            if (part.startNs > lastStartNs) {
                lastStartNs = part.startNs;
                report.lastRank = part.rank;
            }
            report.ranks.push_back(part);
        }
        for (const CollectiveRankReport &part : report.ranks)
            if (part.rank != report.lastRank)
                lastButOneNs = std::max(lastButOneNs, part.startNs);
        // Damaged files may give all of them one rank's number.
        if (lastButOneNs > std::numeric_limits<std::int64_t>::min())
            report.lateNs = lastStartNs - lastButOneNs;
        for (CollectiveRankReport &part : report.ranks) {
            part.waitNs = std::min(lastStartNs, part.endNs) - part.startNs;
            part.transferNs = part.endNs - part.startNs - part.waitNs;
        }
        return report;
    }

    /// When each worker's compared iterations begin and end on its device.
    class ComparedTime
    {
    public:
        explicit ComparedTime(const Trace &trace)
            : m_ofWorker(trace.workers.size())
        {
            const NumbersOfWorkers compared = comparedNumbers(trace);
            const std::vector<TimeRange> onDevice = deviceIterationRanges(trace);
            for (std::size_t i = 0; i < trace.iterations.size(); ++i) {
                const Iteration &iteration = trace.iterations[i];
                if (compared.contains({ iteration.worker, iteration.index }))
                    add(iteration.worker,
                        { trace.toAligned(iteration.worker, onDevice[i].startNs),
                          trace.toAligned(iteration.worker, onDevice[i].endNs) });
            }
        }

        /// By the rank that comes last, or of those that have iterations the last one.
        bool contains(const CollectiveReport &report) const
        {
            const CollectiveRankReport *last = nullptr;
            for (const CollectiveRankReport &part : report.ranks)
                if (m_ofWorker[part.worker.value] && (!last || part.startNs >= last->startNs))
                    last = &part;
            return !last || m_ofWorker[last->worker.value]->contains(last->startNs);
        }

    private:
        void add(WorkerId worker, const TimeRange &range)
        {
            std::optional<TimeRange> &all = m_ofWorker[worker.value];
            if (!all)
                all = range;
            all->startNs = std::min(all->startNs, range.startNs);
            all->endNs = std::max(all->endNs, range.endNs);
        }

        std::vector<std::optional<TimeRange>> m_ofWorker; ///< aligned
    };

    std::int64_t firstStartNs(const CollectiveReport &report)
    {
        std::int64_t first = std::numeric_limits<std::int64_t>::max();
        for (const CollectiveRankReport &part : report.ranks)
            first = std::min(first, part.startNs);
        return first;
    }

} // namespace

std::vector<CollectiveReport> collectiveReports(const Trace &trace,
                                                const std::vector<MatchedCollective> &collectives,
                                                const JobControl &control)
{
    const SliceIndex slices(trace);
    const ComparedTime compared(trace);
    std::vector<std::pair<std::int64_t, CollectiveReport>> byStart;
    for (const MatchedCollective &matched : collectives) {
        throwIfCancelled(control);
        CollectiveReport report = reportOf(trace, slices, matched);
        report.isCompared = compared.contains(report);
        const std::int64_t startNs = firstStartNs(report);
        byStart.emplace_back(startNs, std::move(report));
    }
    std::stable_sort(byStart.begin(), byStart.end(),
                     [](const auto &a, const auto &b) { return a.first < b.first; });
    std::vector<CollectiveReport> reports;
    reports.reserve(byStart.size());
    for (auto &entry : byStart)
        reports.push_back(std::move(entry.second));
    return reports;
}

std::size_t comparedCount(const std::vector<CollectiveReport> &collectives)
{
    return static_cast<std::size_t>(
        std::count_if(collectives.begin(), collectives.end(),
                      [](const CollectiveReport &report) { return report.isCompared; }));
}

std::map<int, Lateness> latenessByRank(const std::vector<CollectiveReport> &collectives)
{
    return latenessByRank(collectives,
                          [](const CollectiveReport &report) { return report.isCompared; });
}

std::map<int, Lateness> latenessByRank(const std::vector<CollectiveReport> &collectives,
                                       const std::function<bool(const CollectiveReport &)> &isMeant)
{
    std::map<int, Lateness> byRank;
    std::map<int, std::vector<TimeRange>> aloneByRank, waitsByRank;
    for (std::size_t i = 0; i < collectives.size(); ++i) {
        const CollectiveReport &collective = collectives[i];
        if (!isMeant(collective))
            continue;
        std::int64_t last = std::numeric_limits<std::int64_t>::min(), lastButOne = last;
        for (const CollectiveRankReport &part : collective.ranks) {
            Lateness &lateness = byRank[part.rank];
            lateness.rank = part.rank;
            waitsByRank[part.rank].push_back({ part.startNs, part.startNs + part.waitNs });
            if (part.startNs > last)
                lastButOne = std::exchange(last, part.startNs);
            else
                lastButOne = std::max(lastButOne, part.startNs);
        }
        if (collective.ranks.size() < 2)
            continue;
        const TimeRange alone { lastButOne, last };
        Lateness &late = byRank[collective.lastRank];
        ++late.timesLast;
        aloneByRank[collective.lastRank].push_back(alone);
        if (alone.durationNs() > late.worstRange.durationNs()) {
            late.worst = i;
            late.worstRange = alone;
        }
    }
    for (auto &[rank, alone] : aloneByRank)
        byRank[rank].lastByNs = IntervalSet(std::move(alone)).lengthNs();
    for (auto &[rank, waits] : waitsByRank)
        byRank[rank].waitNs = IntervalSet(std::move(waits)).lengthNs();
    return byRank;
}

} // namespace core
