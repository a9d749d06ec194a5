#include "core/model/recording_times.h"

#include <algorithm>

namespace core {

namespace {

    /// Times below are no time since the Unix epoch but since a boot or a start.
    constexpr std::int64_t EarliestTimeOfDayNs = 1'000'000'000'000'000'000; // in 2001

    /// The workers whose time is known, by its start.
    std::vector<std::size_t> byStart(const std::vector<std::optional<TimeRange>> &times)
    {
        std::vector<std::size_t> order;
        for (std::size_t i = 0; i < times.size(); ++i)
            if (times[i])
                order.push_back(i);
        std::sort(order.begin(), order.end(), [&times](std::size_t a, std::size_t b) {
            return times[a]->startNs < times[b]->startNs;
        });
        return order;
    }

} // namespace

bool isTimeOfDay(const TimeRange &time)
{
    return time.startNs >= EarliestTimeOfDayNs;
}

std::vector<std::optional<TimeRange>> recordedTimes(std::span<const Track> tracks,
                                                    std::size_t workerCount)
{
    std::vector<std::optional<TimeRange>> times(workerCount);
    for (const Track &track : tracks) {
        auto &time = times[track.worker.value];
        if (track.sliceCount == 0 || (time && isTimeOfDay(*time) && !isTimeOfDay(track.range)))
            continue;
        time = time && isTimeOfDay(*time) == isTimeOfDay(track.range)
            ? TimeRange { std::min(time->startNs, track.range.startNs),
                          std::max(time->endNs, track.range.endNs) }
            : track.range;
    }
    return times;
}

std::vector<RecordingRun> recordingRuns(const Trace &trace)
{
    const auto times = recordedTimes(trace.tracks, trace.workers.size());
    std::vector<RecordingRun> runs;
    for (const std::size_t i : byStart(times)) {
        const TimeRange &time = *times[i];
        if (runs.empty() || runs.back().isTimeOfDay != isTimeOfDay(time)
            || time.startNs - runs.back().time.endNs > SetClocksErrorNs)
            runs.push_back({ {}, time, isTimeOfDay(time) });
        RecordingRun &run = runs.back();
        run.workers.push_back(trace.workers[i].id);
        run.time.endNs = std::max(run.time.endNs, time.endNs);
    }
    return runs;
}

std::vector<OtherRecording> recordingsAtOtherTimes(const Trace &trace)
{
    std::vector<RecordingRun> runs = recordingRuns(trace);
    std::erase_if(runs, [](const RecordingRun &run) { return !run.isTimeOfDay; });
    const auto job = std::max_element(runs.begin(), runs.end(),
                                      [](const RecordingRun &a, const RecordingRun &b) {
                                          return a.workers.size() < b.workers.size();
                                      });
    std::vector<OtherRecording> others;
    for (auto run = runs.begin(); run != runs.end(); ++run) {
        if (run == job)
            continue;
        const bool isBefore = run < job;
        const std::int64_t gapNs
            = isBefore ? job->time.startNs - run->time.endNs : run->time.startNs - job->time.endNs;
        for (const WorkerId worker : run->workers)
            others.push_back(
                { worker, job->workers.front(), job->workers.size(), gapNs, isBefore });
    }
    return others;
}

} // namespace core
