#include "core/analyze/report/breakdown.h"

#include "core/analyze/ranks/rank_waits.h"
#include "core/model/metadata_keys.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace core {

namespace {

    std::string deviceName(const Trace &trace, const Worker &worker,
                           const std::optional<int> &device)
    {
        return device ? acceleratorWord(trace.metadata, worker) + ' ' + std::to_string(*device)
                      : "CPU";
    }

    /// Until the iteration in which the recording breaks off: marks of its steps may last to the
    /// end of the job, and the work in them that is lost would be idle time.
    TimeRange recordedWhole(TimeRange window, const std::optional<std::int64_t> &brokenOffNs)
    {
        if (brokenOffNs && window.startNs < *brokenOffNs)
            window.endNs = std::min(window.endNs, *brokenOffNs);
        return window;
    }

    /// Over `ranges`; zeroes where there are none.
    TimeBreakdown meanOf(const DeviceActivity &device, const std::vector<TimeRange> &ranges)
    {
        constexpr std::array Parts { &TimeBreakdown::windowNs,      &TimeBreakdown::computeNs,
                                     &TimeBreakdown::commNs,        &TimeBreakdown::overlapNs,
                                     &TimeBreakdown::exposedCommNs, &TimeBreakdown::memOnlyNs,
                                     &TimeBreakdown::idleNs };
        TimeBreakdown mean;
        if (device.areWaitsKnown())
            mean.exposedWaitNs = 0;
        for (const TimeRange &range : ranges) {
            const TimeBreakdown time = breakDown(device, range);
            for (const auto part : Parts)
                mean.*part += time.*part;
            if (mean.exposedWaitNs)
                *mean.exposedWaitNs += time.exposedWaitNs.value_or(0);
        }
        // Each sum is divided once: else waiting could come out longer than what it is a part of.
        const auto count = static_cast<std::int64_t>(std::max<std::size_t>(1, ranges.size()));
        for (const auto part : Parts)
            mean.*part /= count;
        if (mean.exposedWaitNs)
            *mean.exposedWaitNs /= count;
        return mean;
    }

    /// When a worker waits for others.
    struct Waits
    {
        WaitSegments any, alone; ///< for any one, and for the only one missing
    };

    /// In the mean of `ranges`.
    std::vector<RankWait> meanWaits(const Trace &trace, const DeviceActivity &device,
                                    const Waits &waits, const std::vector<TimeRange> &ranges)
    {
        const auto count = static_cast<std::int64_t>(std::max<std::size_t>(1, ranges.size()));
        std::map<int, RankWait> byRank;
        for (const TimeRange &range : ranges) {
            const IntervalSet waiting = device.communication.clippedTo(range)
                                            .without(device.compute.clippedTo(range))
                                            .without(device.transfer.clippedTo(range));
            for (const auto &[worker, ns] : waitsByWorker(waits.any, waiting))
                byRank[trace.workers[worker.value].rank].ns += ns;
            for (const auto &[worker, ns] : waitsByWorker(waits.alone, waiting))
                byRank[trace.workers[worker.value].rank].aloneNs += ns;
        }
        std::vector<RankWait> mean;
        mean.reserve(byRank.size());
        for (const auto &[rank, wait] : byRank)
            mean.push_back({ rank, wait.ns / count, wait.aloneNs / count });
        std::stable_sort(mean.begin(), mean.end(),
                         [](const RankWait &a, const RankWait &b) { return a.ns > b.ns; });
        return mean;
    }

    RankDiagnosis diagnoseRank(const Trace &trace, const Worker &worker,
                               const WorkerActivity &activity, const Waits &waits)
    {
        RankDiagnosis rank;
        rank.worker = worker.id;
        rank.rank = worker.rank;
        for (const DeviceActivity &device : activity.devices)
            rank.devices.push_back(
                { deviceName(trace, worker, device.device),
                  breakDown(device, recordedWhole(device.window, activity.brokenOffNs)),
                  meanOf(device, activity.compared) });
        rank.waits = meanWaits(trace, activity.together, waits, activity.compared);
        rank.iterations = activity.iterations;
        return rank;
    }

} // namespace

std::vector<RankDiagnosis> rankDiagnoses(const Trace &trace, const SliceTransfers &transfers,
                                         const std::vector<WorkerActivity> &activities,
                                         const std::vector<CollectiveReport> &collectives)
{
    std::vector<WaitSegments> segments = waitSegments(trace, transfers);
    std::vector<WaitSegments> alone = aloneSegments(trace, collectives);
    std::vector<RankDiagnosis> ranks;
    for (const Worker &worker : trace.workers)
        ranks.push_back(diagnoseRank(
            trace, worker, activities[worker.id.value],
            { std::move(segments[worker.id.value]), std::move(alone[worker.id.value]) }));
    std::stable_sort(
        ranks.begin(), ranks.end(),
        [](const RankDiagnosis &a, const RankDiagnosis &b) { return a.rank < b.rank; });
    return ranks;
}

} // namespace core
