#include "core/model/unrelated_clocks.h"

#include "core/base/ranks_text.h"
#include "core/base/saturated_time.h"
#include "core/model/recording_times.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace core {

namespace {

    /// What a project can hold: see project_limits.h.
    constexpr std::int64_t LargestPlacedNs = 2'300'000'000'000'000'000;

    struct PlacedGroup
    {
        std::vector<std::size_t> workers;
        TimeRange time;
    };

    TimeRange aroundBoth(TimeRange a, TimeRange b)
    {
        return { std::min(a.startNs, b.startNs), std::max(a.endNs, b.endNs) };
    }

    bool isFarFrom(TimeRange a, TimeRange b)
    {
        return std::max(saturatedDifference(a.startNs, b.endNs),
                        saturatedDifference(b.startNs, a.endNs))
            > UnsetClockGapNs;
    }

    /// When each worker ran, by the clocks; absent without slices.
    std::vector<std::optional<TimeRange>> alignedTimes(std::span<const Track> tracks,
                                                       const AlignmentReport &clocks)
    {
        std::vector<std::optional<TimeRange>> times = recordedTimes(tracks, clocks.workers.size());
        for (std::size_t w = 0; w < times.size(); ++w)
            if (times[w])
                times[w] = TimeRange { clocks.workers[w].toAligned(times[w]->startNs),
                                       clocks.workers[w].toAligned(times[w]->endNs) };
        return times;
    }

    /// By start; a new one begins where nobody of them recorded for long.
    std::vector<PlacedGroup> unknownGroups(const std::vector<std::optional<TimeRange>> &times,
                                           const AlignmentReport &clocks)
    {
        std::vector<std::pair<TimeRange, std::size_t>> unknown;
        for (std::size_t w = 0; w < times.size(); ++w)
            if (times[w] && !clocks.workers[w].isKnown && !clocks.workers[w].isReference)
                unknown.emplace_back(*times[w], w);
        std::sort(unknown.begin(), unknown.end(),
                  [](const auto &a, const auto &b) { return a.first.startNs < b.first.startNs; });
        std::vector<PlacedGroup> groups;
        for (const auto &[time, worker] : unknown) {
            if (groups.empty() || isFarFrom(time, groups.back().time))
                groups.push_back({ {}, time });
            groups.back().workers.push_back(worker);
            groups.back().time = aroundBoth(groups.back().time, time);
        }
        return groups;
    }

    /// Of the ranks whose clocks are known; of the first of the others where they have no slices.
    std::optional<TimeRange> timeToPlaceAt(const std::vector<std::optional<TimeRange>> &times,
                                           const AlignmentReport &clocks,
                                           const std::vector<PlacedGroup> &groups)
    {
        std::optional<TimeRange> known;
        for (std::size_t w = 0; w < times.size(); ++w)
            if (times[w] && (clocks.workers[w].isKnown || clocks.workers[w].isReference))
                known = known ? aroundBoth(*known, *times[w]) : *times[w];
        if (!known && !groups.empty())
            known = groups.front().time;
        return known;
    }

} // namespace

std::optional<int> referenceRank(std::span<const Worker> workers, const AlignmentReport &clocks)
{
    for (const Alignment &clock : clocks.workers)
        if (clock.isReference)
            return workers[clock.worker.value].rank;
    return std::nullopt;
}

std::string placedClockText(std::span<const Worker> workers, const AlignmentReport &clocks,
                            WorkerId worker)
{
    if (worker.value >= clocks.workers.size() || !isPlaced(clocks.workers[worker.value]))
        return {};
    const auto reference = referenceRank(workers, clocks);
    return "not aligned: no common clock with "
        + (reference ? "rank " + std::to_string(*reference) : "the others");
}

void placeUnrelatedClocks(std::span<const Track> tracks, AlignmentReport &clocks)
{
    const auto times = alignedTimes(tracks, clocks);
    const std::vector<PlacedGroup> groups = unknownGroups(times, clocks);
    const std::optional<TimeRange> to = timeToPlaceAt(times, clocks, groups);
    for (const PlacedGroup &group : groups) {
        if (!isFarFrom(group.time, *to))
            continue;
        const std::int64_t moveNs = saturatedDifference(to->startNs, group.time.startNs);
        for (const std::size_t worker : group.workers) {
            std::int64_t &offsetNs = clocks.workers[worker].offsetNs;
            offsetNs
                = std::clamp(saturatedSum(offsetNs, moveNs), -LargestPlacedNs, LargestPlacedNs);
        }
    }
}

void tellPlacedClocks(std::span<const Worker> workers, AlignmentReport &clocks)
{
    std::vector<int> ranks;
    for (const Alignment &clock : clocks.workers)
        if (isPlaced(clock))
            ranks.push_back(workers[clock.worker.value].rank);
    if (ranks.empty())
        return;
    std::sort(ranks.begin(), ranks.end());
    const std::string text = "Moved only to be shown beside the others, by no measured offset: "
        + ranksText(ranks) + ".";
    if (clocks.status.find(text) == std::string::npos)
        clocks.status += (clocks.status.empty() ? "" : " ") + text;
}

} // namespace core
