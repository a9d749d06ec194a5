#include "core/project/write/stray_events.h"

#include "core/base/saturated_time.h"
#include "core/project/write/sorted_slices.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace core {

namespace {

    /// A device's work before a recording begins and after it ends lies nearer than that: so
    /// many times as far as the recording is long, and no less than a second.
    constexpr std::int64_t FarTimes = 10, LeastFarNs = 1'000'000'000;
    constexpr double MostStrayShare = 2.0 / 3; ///< of a worker's device activities

    /// In which a worker's device activities are expected; absent where no host is recorded.
    std::optional<TimeRange> expectedRange(const CollectedFile &file,
                                           const CollectedFile::CollectedWorker &worker)
    {
        std::optional<TimeRange> host;
        for (const std::size_t index : worker.tracks) {
            const CollectedTrack &track = file.tracks[index];
            if (track.track.kind != TrackKind::HostThread || track.size() == 0)
                continue;
            const TimeRange range = track.range();
            host = host ? TimeRange { std::min(host->startNs, range.startNs),
                                      std::max(host->endNs, range.endNs) }
                        : range;
        }
        if (!host)
            return host;
        const std::int64_t longestNs = std::numeric_limits<std::int64_t>::max() / FarTimes;
        const std::int64_t hostNs
            = std::min(longestNs, saturatedDifference(host->endNs, host->startNs));
        const std::int64_t farNs = std::max(LeastFarNs, FarTimes * hostNs);
        return TimeRange { saturatedDifference(host->startNs, farNs),
                           saturatedSum(host->endNs, farNs) };
    }

    bool liesWithin(const TimeRange &range, const TimeRange &expected)
    {
        return range.startNs >= expected.startNs && range.endNs <= expected.endNs;
    }

    struct Strays
    {
        CollectedTrack *track = nullptr;
        std::uint64_t before = 0, after = 0; ///< in the track's order
        TimeRange rest;

        std::uint64_t count() const { return before + after; }
    };

    Strays straysOf(CollectedTrack &track, const TimeRange &expected, SpillFile *spillFile)
    {
        Strays strays { &track, 0, 0, {} };
        track.sortHeld();
        SortedSlices slices(track, spillFile);
        bool isAny = false;
        while (const CollectedSlice *slice = slices.next()) {
            if (slice->startNs < expected.startNs) {
                ++strays.before;
            } else if (slice->startNs > expected.endNs) {
                ++strays.after;
            } else {
                strays.rest.startNs = isAny ? strays.rest.startNs : slice->startNs;
                strays.rest.endNs
                    = isAny ? std::max(strays.rest.endNs, slice->endNs()) : slice->endNs();
                isAny = true;
            }
        }
        return strays;
    }

    /// How many of a worker's.
    std::uint64_t setAsideOf(CollectedFile &file, const CollectedFile::CollectedWorker &worker)
    {
        const auto expected = expectedRange(file, worker);
        if (!expected)
            return 0;
        std::vector<Strays> found;
        std::uint64_t strays = 0, all = 0;
        for (const std::size_t index : worker.tracks) {
            CollectedTrack &track = file.tracks[index];
            if (!isOfDevice(track.track) || track.size() == 0)
                continue;
            all += track.size();
            if (liesWithin(track.range(), *expected))
                continue;
            found.push_back(straysOf(track, *expected, file.spillFile()));
            strays += found.back().count();
        }
        if (static_cast<double>(strays) > MostStrayShare * static_cast<double>(all))
            return 0;
        for (const Strays &one : found)
            one.track->leaveOut(one.before, one.after, one.rest);
        return strays;
    }

} // namespace

void setAsideStrayEvents(CollectedFile &file)
{
    std::uint64_t count = 0;
    for (const CollectedFile::CollectedWorker &worker : file.workers)
        count += setAsideOf(file, worker);
    if (count > 0)
        file.diagnostics().add({ "stray-device-events",
                                 Severity::Warning,
                                 count,
                                 file.source.name,
                                 {},
                                 "Kernels and copies were left out: their times lie long before or "
                                 "after all the rest. The profiler lost their times. Record "
                                 "again, with another version of it if that repeats.",
                                 /*losesRecords=*/true });
}

} // namespace core
