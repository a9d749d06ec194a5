#include "core/model/broken_off_iterations.h"

#include "core/model/by_worker.h"

#include <algorithm>
#include <map>

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

    bool isComputation(Category category)
    {
        return category == Category::CpuOp || category == Category::Kernel;
    }

    /// Of the iterations of one worker: what the i-th has until the next begins, where that is the
    /// next by its number: a mark may have been cut with what it is of.
    TimeRange rangeOf(std::span<const Iteration> own, std::size_t i)
    {
        TimeRange range = own[i].range;
        if (i + 1 < own.size() && own[i + 1].index == own[i].index + 1)
            range.endNs = std::max(range.endNs, own[i + 1].range.startNs);
        return range;
    }

    /// The part of an iteration at its end in which nothing begins; 1 if only its mark does.
    double lossOf(const TimeRange &range, const std::vector<const Track *> &tracks,
                  const LastStartIn &lastStart)
    {
        std::int64_t lastNs = range.startNs;
        for (const Track *track : tracks)
            if (const auto startNs = lastStart(track->id, { lastNs, range.endNs }))
                lastNs = std::max(lastNs, *startNs);
        return static_cast<double>(range.endNs - lastNs)
            / static_cast<double>(std::max<std::int64_t>(1, range.durationNs()));
    }

    bool endsInAGap(std::span<const Iteration> own, const std::vector<const Track *> &tracks,
                    const LastStartIn &lastStart)
    {
        const double loss = lossOf(own.back().range, tracks, lastStart);
        if (loss <= SmallestLoss)
            return false;
        return std::all_of(own.begin(), own.end() - 1, [&](const Iteration &earlier) {
            return loss > OddFactor * lossOf(earlier.range, tracks, lastStart);
        });
    }

    WorkIn workOf(const TimeRange &range, const std::vector<const Track *> &tracks,
                  const RecordedSlices &slices)
    {
        WorkIn all;
        for (const Track *track : tracks)
            all += slices.work(track->id, range);
        return all;
    }

    /// own: of one worker.
    bool lastBreaksOff(std::span<const Iteration> own, const std::vector<const Track *> &tracks,
                       const RecordedSlices &slices)
    {
        if (own.size() < 2 || !endsInAGap(own, tracks, slices.lastStart))
            return false;
        const WorkIn last = workOf(own.back().range, tracks, slices);
        if (last.endNs >= own.back().range.endNs)
            return false;
        // The first of several may lack what ran before the recording began.
        const std::size_t first = own.size() > 2 ? 1 : 0;
        std::size_t compared = 0;
        for (std::size_t i = own.size() - 1; i-- > first && compared < MostCompared; ++compared)
            if (workOf(own[i].range, tracks, slices).slices <= last.slices)
                return false;
        return true;
    }

    /// Whether the last one ends with its last communication, while all others go on after theirs
    /// until the next begins, and is shorter than each: where nothing marks steps and no
    /// computation is recorded, neither is how long the last one took.
    bool lastHasNoEnd(std::span<const Iteration> own, const std::vector<const Track *> &tracks,
                      const RecordedSlices &slices)
    {
        if (own.size() < 2)
            return false;
        const TimeRange last = own.back().range;
        const auto endsWithWork = [&](const TimeRange &range) {
            const std::int64_t idleNs = range.endNs - workOf(range, tracks, slices).endNs;
            return static_cast<double>(idleNs)
                <= SmallestLoss * static_cast<double>(range.durationNs());
        };
        const WorkIn lastWork = workOf(last, tracks, slices);
        if (lastWork.isComputing || lastWork.endNs < last.endNs)
            return false;
        // The first of several may begin when the recording does.
        const std::size_t first = own.size() > 2 ? 1 : 0;
        std::size_t compared = 0;
        for (std::size_t i = own.size() - 1; i-- > first && compared < MostCompared; ++compared)
            if (last.durationNs() >= own[i].range.durationNs() || endsWithWork(own[i].range))
                return false;
        return true;
    }

    bool isOdd(double part, double usual)
    {
        return part > SmallestLoss && part > OddFactor * usual;
    }

    /// Whether the i-th of several has so much less work than the others of the worker that it
    /// falls out of the range of theirs: below the fewest by more than they differ.
    bool hasLessThanUsual(std::span<const Iteration> own, std::size_t i, std::size_t work,
                          const std::vector<const Track *> &tracks, const RecordedSlices &slices)
    {
        // The nearest whole ones: neither the first nor the last, where there are others.
        const std::size_t first = own.size() > 2 ? 1 : 0;
        std::vector<std::size_t> others;
        for (std::size_t distance = 1; distance < own.size() && others.size() < MostCompared;
             ++distance) {
            if (i >= distance + first)
                others.push_back(i - distance);
            if (i + distance + 1 < own.size())
                others.push_back(i + distance);
        }
        others.resize(std::min(others.size(), MostCompared)); // of the last two one may be too many
        if (others.size() < 2) // how much they differ is not known
            return false;
        std::size_t fewest = std::numeric_limits<std::size_t>::max(), most = 0;
        for (const std::size_t other : others) {
            const std::size_t count = workOf(rangeOf(own, other), tracks, slices).slices;
            fewest = std::min(fewest, count);
            most = std::max(most, count);
        }
        return work < fewest && fewest - work > most - fewest;
    }

    double medianOf(std::vector<double> values)
    {
        const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
        std::nth_element(values.begin(), middle, values.end());
        return *middle;
    }

    /// Of one worker, the last excepted: those that stop before the next begins, by their mark or
    /// by what begins in them.
    std::vector<std::size_t> stoppedAmong(std::span<const Iteration> own,
                                          const std::vector<const Track *> &tracks,
                                          const RecordedSlices &slices)
    {
        if (own.size() < 2)
            return {};
        std::vector<double> losses, unmarked;
        for (std::size_t i = 0; i + 1 < own.size(); ++i) {
            const TimeRange range = rangeOf(own, i);
            losses.push_back(lossOf(range, tracks, slices.lastStart));
            unmarked.push_back(
                static_cast<double>(range.endNs - own[i].range.endNs)
                / static_cast<double>(std::max<std::int64_t>(1, range.durationNs())));
        }
        const double usualLoss = medianOf(losses), usuallyUnmarked = medianOf(unmarked);
        std::vector<std::size_t> stopped;
        for (std::size_t i = 0; i < losses.size(); ++i) {
            const bool isMarkCut = isOdd(unmarked[i], usuallyUnmarked);
            if (!isMarkCut && !isOdd(losses[i], usualLoss))
                continue;
            const TimeRange range = rangeOf(own, i);
            const WorkIn work = workOf(range, tracks, slices);
            if ((isMarkCut || work.endNs < range.endNs)
                && hasLessThanUsual(own, i, work.slices, tracks, slices))
                stopped.push_back(i);
        }
        return stopped;
    }

    /// Iterations of one worker.
    using OwnIterations = std::span<Iteration>;

    std::vector<OwnIterations> byWorker(std::vector<Iteration> &iterations)
    {
        std::vector<OwnIterations> all;
        for (auto begin = iterations.begin(); begin != iterations.end();) {
            const auto end = std::find_if(begin, iterations.end(), [begin](const Iteration &other) {
                return other.worker != begin->worker;
            });
            all.emplace_back(begin, end);
            begin = end;
        }
        return all;
    }

    /// A step in which most ranks do less is one of the job's.
    void markStopped(const std::vector<OwnIterations> &workers, const WorkerTracks &tracksOf,
                     const RecordedSlices &slices)
    {
        std::map<std::int64_t, std::vector<Iteration *>> stopped; // by number
        for (const OwnIterations &own : workers)
            for (const std::size_t i : stoppedAmong(own, tracksOf.of(own[0].worker), slices))
                stopped[own[i].index].push_back(&own[i]);
        if (stopped.empty())
            return;
        std::map<std::int64_t, std::size_t> ranks;
        for (const OwnIterations &own : workers)
            for (const Iteration &iteration : own)
                ++ranks[iteration.index];
        for (const auto &[number, those] : stopped)
            if (those.size() * 2 <= ranks.at(number))
                for (Iteration *iteration : those)
                    iteration->isWhole = false;
    }

} // namespace

void markBrokenOff(std::vector<Iteration> &iterations, std::span<const Track> tracks,
                   const RecordedSlices &slices)
{
    std::size_t workerCount = iterations.empty() ? 0 : iterations.back().worker.value + 1;
    for (const Track &track : tracks)
        workerCount = std::max<std::size_t>(workerCount, track.worker.value + 1);
    const WorkerTracks tracksOf(tracks, workerCount);
    const std::vector<OwnIterations> workers = byWorker(iterations);
    for (Iteration &iteration : iterations)
        iteration.isWhole = true;
    markStopped(workers, tracksOf, slices);
    std::size_t withoutEnd = 0;
    for (const OwnIterations &own : workers) {
        std::vector<Iteration> whole(own.begin(), own.end());
        std::erase_if(whole, [](const Iteration &iteration) { return !iteration.isWhole; });
        const std::vector<const Track *> &ownTracks = tracksOf.of(own[0].worker);
        own.back().isWhole = !lastBreaksOff(whole, ownTracks, slices);
        withoutEnd += lastHasNoEnd(whole, ownTracks, slices) ? 1 : 0;
    }
    if (withoutEnd == workers.size()) // else it is a step of the job's like any other
        for (const OwnIterations &own : workers)
            own.back().isWhole = false;
}

WorkIn &WorkIn::operator+=(const WorkIn &other)
{
    slices += other.slices;
    endNs = std::max(endNs, other.endNs);
    isComputing = isComputing || other.isComputing;
    return *this;
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
            work.isComputing = work.isComputing || isComputation(slices.category[row]);
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
