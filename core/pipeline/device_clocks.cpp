#include "core/pipeline/device_clocks.h"

#include "core/base/duration_text.h"
#include "core/base/ranks_text.h"
#include "core/base/saturated_time.h"
#include "core/graph/build/launched_work.h"
#include "core/graph/build/wait_names.h"
#include "core/model/by_worker.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace core {

namespace {

    /// More is another fault than a conversion of clocks; see MostClockSkewNs of the graph.
    constexpr std::int64_t MostShiftNs = 500'000;
    /// Limit of how much earlier or later than its work a wait may seem to end.
    constexpr std::int64_t MostOvershootNs = 100'000;
    constexpr std::size_t LeastWitnesses = 3; ///< launches or waits
    /// One launch in this many may be tied to the wrong call.
    constexpr std::size_t LaunchesOfAnOutlier = 500;
    constexpr std::size_t WaitsOfAnOutlier = 10;

    /// The least shift with which all but some activities begin after the call that launches them;
    /// absent where too few launches are recorded.
    std::optional<std::int64_t> leastByLaunches(const LaunchedWork &work)
    {
        std::vector<std::int64_t> earlyNs; // negative: how long after its launch it began
        for (const auto &stream : work.streams())
            for (const LaunchedActivity &one : stream) {
                if (one.launchNs == LaunchedActivity::NotRecorded)
                    continue;
                const std::int64_t early = saturatedDifference(one.launchNs, one.startNs);
                if (early <= MostShiftNs)
                    earlyNs.push_back(early);
            }
        const std::size_t outliers = 1 + earlyNs.size() / LaunchesOfAnOutlier;
        if (earlyNs.size() < LeastWitnesses + outliers)
            return {};
        const auto nth = earlyNs.begin() + static_cast<std::ptrdiff_t>(outliers);
        std::nth_element(earlyNs.begin(), nth, earlyNs.end(), std::greater<>());
        return *nth;
    }

    /// The shift that all but some of the host's waits ask for, where most seem to return too
    /// early.
    std::optional<std::int64_t> mostByWaits(const Trace &trace,
                                            const std::vector<const Track *> &tracks,
                                            const LaunchedWork &work)
    {
        std::vector<std::int64_t> afterNs;
        for (const Track *track : tracks) {
            const SliceColumns &slices = trace.slices[track->id.value];
            if (track->kind != TrackKind::HostThread)
                continue;
            for (std::size_t row = 0; row < slices.size(); ++row) {
                if (slices.category[row] != Category::Runtime
                    || !waitsForStream(trace.nameOf(slices.name[row])))
                    continue;
                const std::int64_t startNs = slices.startNs[row], endNs = slices.endNs(row);
                const auto doneNs = work.nearestEnd(startNs, endNs);
                if (doneNs && *doneNs > startNs && std::abs(endNs - *doneNs) <= MostOvershootNs)
                    afterNs.push_back(endNs - *doneNs);
            }
        }
        if (afterNs.size() < LeastWitnesses)
            return {};
        std::sort(afterNs.begin(), afterNs.end());
        if (afterNs[afterNs.size() / 2] >= 0)
            return {};
        return afterNs[afterNs.size() / WaitsOfAnOutlier];
    }

    /// A launch is tied to its kernel by its number, a wait by its time: launches prevail.
    std::int64_t shiftOf(const Trace &trace, const std::vector<const Track *> &tracks)
    {
        const LaunchedWork work(trace, tracks);
        const auto least = leastByLaunches(work);
        if (least && *least > 0)
            return *least;
        const std::int64_t most = mostByWaits(trace, tracks, work).value_or(0);
        return least ? std::max(*least, most) : most;
    }

    void shift(Trace &trace, const Track &track, std::int64_t byNs)
    {
        for (std::int64_t &startNs : trace.slices[track.id.value].startNs)
            startNs += byNs;
        Track &moved = trace.tracks[track.id.value];
        moved.range = { moved.range.startNs + byNs, moved.range.endNs + byNs };
    }

    bool hasDeviceWork(const Trace &trace, const std::vector<const Track *> &tracks)
    {
        return std::any_of(tracks.begin(), tracks.end(), [&trace](const Track *track) {
            return track->kind == TrackKind::Stream && trace.slices[track->id.value].size() > 0;
        });
    }

} // namespace

void joinDeviceClocks(Trace &trace, const JobControl &control)
{
    std::vector<int> ranks;
    std::int64_t mostNs = 0;
    const WorkerTracks tracks(trace);
    for (const Worker &worker : trace.workers) {
        throwIfCancelled(control);
        std::optional<std::int64_t> ofWorker; // of its first file with devices
        for (const std::vector<const Track *> &own : byFile(tracks.of(worker.id))) {
            if (!hasDeviceWork(trace, own))
                continue;
            const std::int64_t byNs = shiftOf(trace, own);
            ofWorker = ofWorker.value_or(byNs);
            if (byNs == 0)
                continue;
            for (const Track *track : own)
                if (isOfDevice(*track))
                    shift(trace, *track, byNs);
            if (ranks.empty() || ranks.back() != worker.rank)
                ranks.push_back(worker.rank);
            mostNs = std::max(mostNs, std::abs(byNs));
        }
        if (ofWorker && !trace.alignment.workers.empty())
            trace.alignment.workers[worker.id.value].offsetNs -= *ofWorker;
    }
    if (ranks.empty())
        return;
    RecordingFault mended;
    mended.worker = trace.workers.front().id;
    mended.text = "The clock of the devices was up to " + durationText(mostNs)
        + " off that of their hosts on " + ranksText(ranks) + ": both were brought together.";
    mended.isMended = true;
    trace.faults.push_back(std::move(mended));
}

} // namespace core
