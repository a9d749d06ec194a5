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

    std::int64_t overlapOf(const RankDiagnosis &rank)
    {
        std::int64_t overlapNs = 0;
        const std::vector<TimeBreakdown> compared = comparedOf(rank);
        for (const TimeBreakdown &time : compared)
            overlapNs += time.overlapNs;
        if (!compared.empty())
            return overlapNs / static_cast<std::int64_t>(compared.size());
        for (const DeviceBreakdown &device : rank.devices)
            overlapNs += device.time.overlapNs;
        return rank.devices.empty() ? 0
                                    : overlapNs / static_cast<std::int64_t>(rank.devices.size());
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

    /// Without a replay: means of what was measured.
    void fillPartsFromRanks(SummaryData &data, const Diagnosis &diagnosis)
    {
        const auto count = static_cast<std::int64_t>(std::max<std::size_t>(1, data.ranks.size()));
        for (std::size_t i = 0; i < data.ranks.size(); ++i) {
            const RankParts &rank = data.ranks[i];
            data.iterationNs = std::max(data.iterationNs, rank.totalNs());
            data.parts.computeNs += rank.computeNs / count;
            data.parts.exposedCommNs += rank.exposedCommNs / count;
            data.parts.memOnlyNs += rank.memOnlyNs / count;
            data.parts.idleNs += rank.idleNs / count;
            data.parts.overlapNs += overlapOf(diagnosis.ranks[i]) / count;
        }
    }

    /// Servers are not in the mean, and neither is what they wait for.
    void fillWaits(SummaryData &data, const Diagnosis &diagnosis)
    {
        const std::vector<int> &servers = diagnosis.selfReplay.serverRanks;
        data.hasServers = !servers.empty();
        std::map<int, std::int64_t> byRank;
        std::int64_t allNs = 0;
        for (const RankDiagnosis &rank : diagnosis.ranks) {
            for (const DeviceBreakdown &device : rank.devices)
                data.hasWaits = data.hasWaits || device.time.exposedWaitNs.has_value();
            if (std::find(servers.begin(), servers.end(), rank.rank) != servers.end())
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
        data.parts = diagnosis.selfReplay.measuredParts;
    } else {
        fillPartsFromRanks(data, diagnosis);
    }
    return data;
}

} // namespace core
