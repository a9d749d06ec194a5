#include "core/analyze/summary_data.h"

#include "core/analyze/report/collective_report.h"

#include <algorithm>
#include <map>
#include <set>

namespace core {

namespace {

    void add(RankParts &parts, const TimeBreakdown &time)
    {
        parts.computeNs += time.computeNs;
        parts.exposedCommNs += time.exposedCommNs;
        parts.exposedWaitNs += time.exposedWaitNs.value_or(0);
        parts.memOnlyNs += time.memOnlyNs;
        parts.idleNs += time.idleNs;
    }

    void divide(RankParts &parts, std::int64_t count)
    {
        parts.computeNs /= count;
        parts.exposedCommNs /= count;
        parts.exposedWaitNs /= count;
        parts.memOnlyNs /= count;
        parts.idleNs /= count;
    }

    /// Times of the rank's compared iterations.
    std::vector<TimeBreakdown> comparedOf(const RankDiagnosis &rank)
    {
        std::vector<TimeBreakdown> times;
        for (const IterationBreakdown &iteration : rank.iterations)
            if (iteration.isCompared)
                times.push_back(iteration.time);
        return times;
    }

    /// Mean over the rank's compared iterations; without any the mean over its devices.
    RankParts partsOf(const RankDiagnosis &rank)
    {
        RankParts parts;
        parts.rank = rank.rank;
        const std::vector<TimeBreakdown> compared = comparedOf(rank);
        for (const TimeBreakdown &time : compared)
            add(parts, time);
        if (!compared.empty()) {
            divide(parts, static_cast<std::int64_t>(compared.size()));
            return parts;
        }
        for (const DeviceBreakdown &device : rank.devices)
            add(parts, device.time);
        if (!rank.devices.empty())
            divide(parts, static_cast<std::int64_t>(rank.devices.size()));
        return parts;
    }

    void fillIterations(SummaryData &data, const Diagnosis &diagnosis)
    {
        std::set<std::int64_t> numbers;
        for (const RankDiagnosis &rank : diagnosis.ranks) {
            for (const IterationBreakdown &iteration : rank.iterations)
                numbers.insert(iteration.index);
        }
        data.iterationNumbers.assign(numbers.begin(), numbers.end());
        data.hasIterations = diagnosis.hasIterations && !numbers.empty();
        data.iterationTimesNs.assign(diagnosis.ranks.size() * numbers.size(), 0);
        for (std::size_t r = 0; r < diagnosis.ranks.size(); ++r) {
            for (const IterationBreakdown &iteration : diagnosis.ranks[r].iterations) {
                const auto at = std::lower_bound(data.iterationNumbers.begin(),
                                                 data.iterationNumbers.end(), iteration.index);
                const auto column = static_cast<std::size_t>(at - data.iterationNumbers.begin());
                data.iterationTimesNs[r * numbers.size() + column] = iteration.range.durationNs();
            }
        }
    }

    struct LongestWait
    {
        std::int64_t waitNs = -1;
        SliceId slice = NoSlice;
        TimeRange range;
    };

    TimeRange rangeOf(const CollectiveReport &collective)
    {
        TimeRange range { collective.ranks.front().startNs, collective.ranks.front().endNs };
        for (const CollectiveRankReport &part : collective.ranks) {
            range.startNs = std::min(range.startNs, part.startNs);
            range.endNs = std::max(range.endNs, part.endNs);
        }
        return range;
    }

    std::map<int, LongestWait> longestWaits(const Diagnosis &diagnosis)
    {
        std::map<int, LongestWait> waits;
        for (const CollectiveReport &collective : diagnosis.collectives)
            for (const CollectiveRankReport &part : collective.ranks)
                if (LongestWait &longest = waits[part.rank];
                    collective.isCompared && part.waitNs > longest.waitNs)
                    longest = { part.waitNs, part.slice, rangeOf(collective) };
        return waits;
    }

    /// How late each comes, and where that is seen.
    void fillRanks(SummaryData &data, const Diagnosis &diagnosis)
    {
        const auto lateness = latenessByRank(diagnosis.collectives);
        const auto waits = longestWaits(diagnosis);
        for (std::size_t i = 0; i < data.ranks.size(); ++i) {
            RankParts &rank = data.ranks[i];
            if (const auto wait = waits.find(rank.rank); wait != waits.end()) {
                rank.place = rank.waitPlace = wait->second.slice;
                rank.placeRange = rank.waitRange = wait->second.range;
            }
            const auto late = lateness.find(rank.rank);
            if (late == lateness.end() || late->second.lastByNs == 0)
                continue;
            const auto compared = static_cast<std::int64_t>(comparedOf(diagnosis.ranks[i]).size());
            rank.lateNs = late->second.lastByNs / std::max<std::int64_t>(1, compared);
            const CollectiveReport &worst = diagnosis.collectives[late->second.worst];
            for (const CollectiveRankReport &part : worst.ranks)
                if (part.rank == rank.rank)
                    rank.place = part.slice;
            rank.placeRange = rangeOf(worst);
        }
    }

    std::int64_t ofParts(const TimeBreakdown &time)
    {
        return time.computeNs + time.exposedCommNs + time.memOnlyNs + time.idleNs;
    }

    /// The times of the iteration in the middle, or the two of them.
    std::vector<TimeBreakdown> middleOf(std::vector<TimeBreakdown> times)
    {
        std::stable_sort(
            times.begin(), times.end(),
            [](const TimeBreakdown &a, const TimeBreakdown &b) { return ofParts(a) < ofParts(b); });
        const std::size_t first = times.empty() ? 0 : (times.size() - 1) / 2;
        times.resize(std::min(times.size(), times.size() / 2 + 1));
        times.erase(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(first));
        return times;
    }

    /// Times of the rank that stand for it: of iterations, else of its devices.
    std::vector<TimeBreakdown> typicalOf(const RankDiagnosis &rank, bool isMedian)
    {
        std::vector<TimeBreakdown> times = comparedOf(rank);
        if (!times.empty())
            return isMedian ? middleOf(std::move(times)) : times;
        for (const DeviceBreakdown &device : rank.devices)
            times.push_back(device.time);
        return times;
    }

    bool isServer(const Diagnosis &diagnosis, const RankDiagnosis &rank)
    {
        const std::vector<int> &servers = diagnosis.selfReplay.serverRanks;
        return std::find(servers.begin(), servers.end(), rank.rank) != servers.end();
    }

    void fillParts(SummaryData &data, const Diagnosis &diagnosis)
    {
        std::int64_t count = 0, waitNs = 0;
        bool isWaitKnown = true;
        PartTimes &sum = data.parts;
        for (const RankDiagnosis &rank : diagnosis.ranks) {
            const std::vector<TimeBreakdown> times = typicalOf(rank, data.periodLength == 1);
            if (times.empty() || isServer(diagnosis, rank))
                continue;
            ++count;
            const auto share = static_cast<std::int64_t>(times.size());
            for (const TimeBreakdown &time : times) {
                sum.computeNs += time.computeNs / share;
                sum.exposedCommNs += time.exposedCommNs / share;
                sum.overlapNs += time.overlapNs / share;
                sum.memOnlyNs += time.memOnlyNs / share;
                sum.idleNs += time.idleNs / share;
                waitNs += time.exposedWaitNs.value_or(0) / share;
                isWaitKnown = isWaitKnown && time.exposedWaitNs;
            }
        }
        if (count == 0)
            return;
        for (std::int64_t *part :
             { &sum.computeNs, &sum.exposedCommNs, &sum.overlapNs, &sum.memOnlyNs, &sum.idleNs })
            *part /= count;
        if (isWaitKnown)
            sum.exposedWaitNs = waitNs / count;
    }

    /// Servers are not in the mean, and neither is what they wait for.
    void fillWaits(SummaryData &data, const Diagnosis &diagnosis)
    {
        data.hasServers = !diagnosis.selfReplay.serverRanks.empty();
        std::map<int, std::int64_t> byRank;
        std::int64_t allNs = 0;
        for (const RankDiagnosis &rank : diagnosis.ranks) {
            for (const DeviceBreakdown &device : rank.devices)
                data.hasWaits = data.hasWaits || device.time.exposedWaitNs.has_value();
            if (isServer(diagnosis, rank))
                continue;
            for (const RankWait &wait : rank.waits) {
                byRank[wait.rank] += wait.ns;
                allNs += wait.ns;
            }
        }
        for (const auto &[rank, ns] : byRank) {
            if (ns <= allNs / 2)
                continue;
            data.waitedFor = rank;
            data.isOnlyWaitedFor = ns == allNs;
        }
    }

} // namespace

SummaryData summarize(const Diagnosis &diagnosis)
{
    SummaryData data;
    for (const RankDiagnosis &rank : diagnosis.ranks)
        data.ranks.push_back(partsOf(rank));
    fillIterations(data, diagnosis);
    fillWaits(data, diagnosis);
    fillRanks(data, diagnosis);
    if (diagnosis.selfReplay.measuredNs > 0) {
        data.iterationNs = diagnosis.selfReplay.measuredNs;
        data.periodLength = diagnosis.selfReplay.periodLength();
    } else {
        for (const RankParts &rank : data.ranks)
            data.iterationNs = std::max(data.iterationNs, rank.totalNs());
    }
    fillParts(data, diagnosis);
    return data;
}

} // namespace core
