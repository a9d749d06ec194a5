#include "core/model/broken_off_iterations.h"

#include "core/model/by_worker.h"

#include <algorithm>

namespace core {

namespace {

    /// A last iteration breaks off if nothing begins in more than this part of it at its end, and
    /// in more than OddFactor times of what is usual for the worker.
    constexpr double SmallestLoss = 0.1, OddFactor = 3;

    /// The part of an iteration at its end in which nothing begins; 1 if only its mark does.
    double lossOf(const Iteration &iteration, const std::vector<const Track *> &tracks,
                  const LastStartIn &lastStart)
    {
        std::int64_t lastNs = iteration.range.startNs;
        for (const Track *track : tracks)
            if (const auto startNs = lastStart(track->id, { lastNs, iteration.range.endNs }))
                lastNs = std::max(lastNs, *startNs);
        return static_cast<double>(iteration.range.endNs - lastNs)
            / static_cast<double>(std::max<std::int64_t>(1, iteration.range.durationNs()));
    }

    /// own: of one worker.
    bool lastBreaksOff(std::span<const Iteration> own, const std::vector<const Track *> &tracks,
                       const LastStartIn &lastStart)
    {
        if (own.size() < 2)
            return false;
        const double loss = lossOf(own.back(), tracks, lastStart);
        if (loss <= SmallestLoss)
            return false;
        return std::all_of(own.begin(), own.end() - 1, [&](const Iteration &earlier) {
            return loss > OddFactor * lossOf(earlier, tracks, lastStart);
        });
    }

} // namespace

void markBrokenOff(std::vector<Iteration> &iterations, std::span<const Track> tracks,
                   const LastStartIn &lastStart)
{
    std::size_t workerCount = iterations.empty() ? 0 : iterations.back().worker.value + 1;
    for (const Track &track : tracks)
        workerCount = std::max<std::size_t>(workerCount, track.worker.value + 1);
    const WorkerTracks tracksOf(tracks, workerCount);
    for (auto begin = iterations.begin(); begin != iterations.end();) {
        const auto end = std::find_if(begin, iterations.end(), [begin](const Iteration &iteration) {
            return iteration.worker != begin->worker;
        });
        (end - 1)->isWhole = !lastBreaksOff({ begin, end }, tracksOf.of(begin->worker), lastStart);
        begin = end;
    }
}

void markBrokenOff(Trace &trace)
{
    markBrokenOff(trace.iterations, trace.tracks,
                  [&trace](TrackId track, const TimeRange &range) -> std::optional<std::int64_t> {
                      const auto &starts = trace.slices[track.value].startNs;
                      const auto after
                          = std::lower_bound(starts.begin(), starts.end(), range.endNs);
                      if (after == starts.begin() || *(after - 1) < range.startNs)
                          return std::nullopt;
                      return *(after - 1);
                  });
}

} // namespace core
