#include "core/model/broken_off_iterations.h"

#include "core/model/by_worker.h"

#include <algorithm>

namespace core {

namespace {

    /// A last iteration breaks off if nothing begins in more than this part of it at its end and in
    /// more than OddFactor times of what is usual for the worker, no work runs to its end (else
    /// that is where it ends), and it has less work than each of the MostCompared before it.
    constexpr double SmallestLoss = 0.01, OddFactor = 3;
    constexpr std::size_t MostCompared = 3;

    bool isWork(Category category)
    {
        switch (category) {
        case Category::UserAnnotation:
        case Category::PythonFunction:
        case Category::Runtime:
        case Category::Sync:
        case Category::GpuAnnotation:
        case Category::Overhead:
        case Category::Span:
            return false;
        default:
            return true;
        }
    }

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

    bool endsInAGap(std::span<const Iteration> own, const std::vector<const Track *> &tracks,
                    const LastStartIn &lastStart)
    {
        const double loss = lossOf(own.back(), tracks, lastStart);
        if (loss <= SmallestLoss)
            return false;
        return std::all_of(own.begin(), own.end() - 1, [&](const Iteration &earlier) {
            return loss > OddFactor * lossOf(earlier, tracks, lastStart);
        });
    }

    WorkIn workOf(const Iteration &iteration, const std::vector<const Track *> &tracks,
                  const RecordedSlices &slices)
    {
        WorkIn all;
        for (const Track *track : tracks) {
            const WorkIn own = slices.work(track->id, iteration.range);
            all.slices += own.slices;
            all.endNs = std::max(all.endNs, own.endNs);
        }
        return all;
    }

    /// own: of one worker.
    bool lastBreaksOff(std::span<const Iteration> own, const std::vector<const Track *> &tracks,
                       const RecordedSlices &slices)
    {
        if (own.size() < 2 || !endsInAGap(own, tracks, slices.lastStart))
            return false;
        const WorkIn last = workOf(own.back(), tracks, slices);
        if (last.endNs >= own.back().range.endNs)
            return false;
        // The first of several may lack what ran before the recording began.
        const std::size_t first = own.size() > 2 ? 1 : 0;
        std::size_t compared = 0;
        for (std::size_t i = own.size() - 1; i-- > first && compared < MostCompared; ++compared)
            if (workOf(own[i], tracks, slices).slices <= last.slices)
                return false;
        return true;
    }

} // namespace

void markBrokenOff(std::vector<Iteration> &iterations, std::span<const Track> tracks,
                   const RecordedSlices &slices)
{
    std::size_t workerCount = iterations.empty() ? 0 : iterations.back().worker.value + 1;
    for (const Track &track : tracks)
        workerCount = std::max<std::size_t>(workerCount, track.worker.value + 1);
    const WorkerTracks tracksOf(tracks, workerCount);
    for (auto begin = iterations.begin(); begin != iterations.end();) {
        const auto end = std::find_if(begin, iterations.end(), [begin](const Iteration &iteration) {
            return iteration.worker != begin->worker;
        });
        (end - 1)->isWhole = !lastBreaksOff({ begin, end }, tracksOf.of(begin->worker), slices);
        begin = end;
    }
}

WorkIn workIn(const SliceColumns &slices, const TimeRange &range)
{
    WorkIn work;
    const auto first
        = std::lower_bound(slices.startNs.begin(), slices.startNs.end(), range.startNs);
    for (auto row = static_cast<std::size_t>(first - slices.startNs.begin());
         row < slices.size() && slices.startNs[row] < range.endNs; ++row)
        if (isWork(slices.category[row])) {
            ++work.slices;
            work.endNs = std::max(work.endNs, slices.endNs(row));
        }
    return work;
}

void markBrokenOff(Trace &trace)
{
    const auto lastStart
        = [&trace](TrackId track, const TimeRange &range) -> std::optional<std::int64_t> {
        const auto &starts = trace.slices[track.value].startNs;
        const auto after = std::lower_bound(starts.begin(), starts.end(), range.endNs);
        if (after == starts.begin() || *(after - 1) < range.startNs)
            return std::nullopt;
        return *(after - 1);
    };
    markBrokenOff(trace.iterations, trace.tracks,
                  { lastStart, [&trace](TrackId track, const TimeRange &range) {
                       return workIn(trace.slices[track.value], range);
                   } });
}

} // namespace core
