#include "core/analyze/ranks/rank_waits.h"

#include "core/model/slice_index.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace core {

namespace {

    /// Waits that overlap end with the one that ends last: the time until then is for its worker.
    WaitSegments disjoint(WaitSegments waits)
    {
        std::sort(waits.begin(), waits.end(), [](const auto &a, const auto &b) {
            return std::pair(a.range.endNs, a.awaited) > std::pair(b.range.endNs, b.awaited);
        });
        WaitSegments result;
        std::int64_t takenFromNs = std::numeric_limits<std::int64_t>::max();
        for (const WaitSegment &wait : waits) {
            const TimeRange left { wait.range.startNs, std::min(wait.range.endNs, takenFromNs) };
            takenFromNs = std::min(takenFromNs, wait.range.startNs);
            if (!left.isEmpty())
                result.push_back({ left, wait.awaited });
        }
        std::reverse(result.begin(), result.end());
        return result;
    }

} // namespace

std::vector<WaitSegments> waitSegments(const Trace &trace, const SliceTransfers &transfers)
{
    std::vector<WaitSegments> waits(trace.workers.size());
    if (transfers.empty())
        return waits;
    const SliceIndex slices(trace);
    for (const auto &[id, transfer] : transfers)
        if (transfer.waitNs > 0) {
            const std::int64_t startNs = slices.startNs(SliceId(id));
            waits[slices.worker(SliceId(id)).value].push_back(
                { { startNs, startNs + transfer.waitNs }, transfer.awaited });
        }
    for (WaitSegments &own : waits)
        own = disjoint(std::move(own));
    return waits;
}

std::vector<WaitSegments> aloneSegments(const Trace &trace,
                                        const std::vector<CollectiveReport> &collectives)
{
    std::vector<WaitSegments> waits(trace.workers.size());
    if (collectives.empty())
        return waits;
    const SliceIndex slices(trace);
    for (const CollectiveReport &collective : collectives) {
        const auto last
            = std::find_if(collective.ranks.begin(), collective.ranks.end(),
                           [&](const auto &part) { return part.rank == collective.lastRank; });
        if (!collective.isCompared || last == collective.ranks.end())
            continue;
        for (const CollectiveRankReport &part : collective.ranks) {
            const std::int64_t endNs = slices.startNs(part.slice) + part.waitNs;
            const std::int64_t aloneNs = std::min(part.waitNs, collective.lateNs);
            if (part.worker != last->worker && aloneNs > 0)
                waits[part.worker.value].push_back({ { endNs - aloneNs, endNs }, last->worker });
        }
    }
    for (WaitSegments &own : waits)
        own = disjoint(std::move(own));
    return waits;
}

std::map<WorkerId, std::int64_t> waitsByWorker(const WaitSegments &segments,
                                               const IntervalSet &waiting)
{
    std::map<WorkerId, std::int64_t> byWorker;
    if (waiting.isEmpty())
        return byWorker;
    const std::int64_t fromNs = waiting.intervals().front().startNs;
    auto segment
        = std::partition_point(segments.begin(), segments.end(), [fromNs](const WaitSegment &one) {
              return one.range.endNs <= fromNs;
          });
    for (auto piece = waiting.intervals().begin();
         piece != waiting.intervals().end() && segment != segments.end();) {
        const TimeRange both { std::max(piece->startNs, segment->range.startNs),
                               std::min(piece->endNs, segment->range.endNs) };
        if (!both.isEmpty())
            byWorker[segment->awaited] += both.durationNs();
        if (piece->endNs < segment->range.endNs)
            ++piece;
        else
            ++segment;
    }
    return byWorker;
}

} // namespace core
