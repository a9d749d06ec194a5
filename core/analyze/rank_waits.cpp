#include "core/analyze/rank_waits.h"

#include "core/model/slice_index.h"

#include <algorithm>
#include <limits>
#include <unordered_set>
#include <utility>

namespace core {

namespace {

    using Segments = std::vector<WorkerWaits::Segment>;

    /// Waits that overlap end with the one that ends last: the time until then is for its rank.
    Segments disjoint(Segments waits)
    {
        std::sort(waits.begin(), waits.end(), [](const auto &a, const auto &b) {
            return std::pair(a.range.endNs, a.rank) > std::pair(b.range.endNs, b.rank);
        });
        Segments result;
        std::int64_t takenFromNs = std::numeric_limits<std::int64_t>::max();
        for (WorkerWaits::Segment &wait : waits) {
            const TimeRange left { wait.range.startNs, std::min(wait.range.endNs, takenFromNs) };
            takenFromNs = std::min(takenFromNs, wait.range.startNs);
            if (!left.isEmpty())
                result.push_back({ left, wait.rank });
        }
        std::reverse(result.begin(), result.end());
        return result;
    }

    struct CollectedWaits
    {
        Segments waits;
        std::vector<TimeRange> transfers;
        bool isKnown = false;
    };

    /// The slices of matched calls.
    std::unordered_set<std::uint64_t> addMatched(const std::vector<CollectiveReport> &collectives,
                                                 const SliceIndex &slices,
                                                 std::vector<CollectedWaits> &workers)
    {
        std::unordered_set<std::uint64_t> matched;
        for (const CollectiveReport &collective : collectives) {
            if (collective.ranks.size() < 2)
                continue;
            for (const CollectiveRankReport &part : collective.ranks) {
                CollectedWaits &own = workers[part.worker.value];
                const std::int64_t startNs = slices.startNs(part.slice);
                const std::int64_t comeNs = startNs + part.waitNs;
                own.isKnown = true;
                own.waits.push_back({ { startNs, comeNs }, collective.lastRank });
                own.transfers.push_back({ comeNs, slices.endNs(part.slice) });
                matched.insert(part.slice.value);
            }
        }
        return matched;
    }

} // namespace

std::vector<WorkerWaits> workerWaits(const Trace &trace,
                                     const std::vector<CollectiveReport> &collectives)
{
    std::vector<WorkerWaits> result(trace.workers.size());
    if (collectives.empty())
        return result;
    const SliceIndex slices(trace);
    std::vector<CollectedWaits> workers(trace.workers.size());
    const std::unordered_set<std::uint64_t> matched = addMatched(collectives, slices, workers);
    for (const CollectiveCall &call : trace.collectives)
        if (!matched.contains(call.slice.value) && slices.find(call.slice))
            workers[call.worker.value].transfers.push_back(
                { slices.startNs(call.slice), slices.endNs(call.slice) });
    for (std::size_t w = 0; w < workers.size(); ++w) {
        result[w].isKnown = workers[w].isKnown;
        result[w].segments = disjoint(std::move(workers[w].waits));
        std::vector<TimeRange> waiting;
        for (const WorkerWaits::Segment &segment : result[w].segments)
            waiting.push_back(segment.range);
        result[w].waiting = IntervalSet(std::move(waiting));
        result[w].transfers = IntervalSet(std::move(workers[w].transfers));
    }
    return result;
}

std::map<int, std::int64_t> waitsByRank(const WorkerWaits &waits, const IntervalSet &exposed)
{
    std::map<int, std::int64_t> byRank;
    if (exposed.isEmpty())
        return byRank;
    const TimeRange range { exposed.intervals().front().startNs, exposed.intervals().back().endNs };
    const IntervalSet only = exposed.intersectedWith(waits.waiting.clippedTo(range))
                                 .without(waits.transfers.clippedTo(range));
    auto segment = std::partition_point(
        waits.segments.begin(), waits.segments.end(),
        [&range](const auto &one) { return one.range.endNs <= range.startNs; });
    for (auto piece = only.intervals().begin();
         piece != only.intervals().end() && segment != waits.segments.end();) {
        const TimeRange both { std::max(piece->startNs, segment->range.startNs),
                               std::min(piece->endNs, segment->range.endNs) };
        if (!both.isEmpty())
            byRank[segment->rank] += both.durationNs();
        if (piece->endNs < segment->range.endNs)
            ++piece;
        else
            ++segment;
    }
    return byRank;
}

} // namespace core
