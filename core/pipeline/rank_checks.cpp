#include "core/pipeline/rank_checks.h"

#include "core/base/duration_text.h"
#include "core/model/world_size.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>

namespace core {

namespace {

    constexpr const char *MissingRanks = "missing-ranks";
    constexpr const char *OtherJob = "other-job";
    constexpr const char *IterationCounts = "iteration-counts";
    constexpr std::size_t MaxListed = 8;
    /// Times below are no time since the Unix epoch but since a boot or a start.
    constexpr std::int64_t EarliestTimeOfDayNs = 1'000'000'000'000'000'000; // in 2001
    /// Hosts' clocks rarely differ by more; ranks of one job record at the same time.
    constexpr std::int64_t UsualClockErrorNs = 300'000'000'000;

    Diagnostic warning(const char *code, std::string file, std::string message)
    {
        return { code, Severity::Warning, 1, std::move(file), {}, std::move(message) };
    }

    std::string firstFileOf(const Worker &worker)
    {
        return worker.files.empty() ? std::string() : worker.files.front();
    }

    /// The value that most have; of equally many the smallest. `counts` is not empty.
    template <class Value>
    Value mostFrequent(const std::map<Value, std::size_t> &counts)
    {
        return std::max_element(counts.begin(), counts.end(),
                                [](const auto &a, const auto &b) { return a.second < b.second; })
            ->first;
    }

    /// "2, 4, 5 and 3 more".
    std::string listed(const std::vector<int> &numbers, std::size_t total)
    {
        std::string text;
        for (const int number : numbers)
            text += (text.empty() ? "" : ", ") + std::to_string(number);
        if (total > numbers.size())
            text += " and " + std::to_string(total - numbers.size()) + " more";
        return text;
    }

    void checkMissing(const Trace &trace, int worldSize, std::vector<Diagnostic> &found)
    {
        std::set<int> present;
        for (const Worker &worker : trace.workers)
            if (worker.rank >= 0 && worker.rank < worldSize)
                present.insert(worker.rank);
        const std::size_t missing = static_cast<std::size_t>(worldSize) - present.size();
        if (missing == 0)
            return;
        std::vector<int> first;
        for (int rank = 0; rank < worldSize && first.size() < MaxListed; ++rank)
            if (!present.contains(rank))
                first.push_back(rank);
        found.push_back(warning(
            MissingRanks, {},
            "The job has " + std::to_string(worldSize) + " ranks, as its traces say; of "
                + std::to_string(missing) + " there is no trace: " + listed(first, missing)
                + ". What waits for them cannot be explained; add their traces with --append."));
    }

    void checkWorldSizes(const Trace &trace, int worldSize, std::vector<Diagnostic> &found)
    {
        for (const Worker &worker : trace.workers)
            if (isOfOtherJob(worker, worldSize))
                found.push_back(warning(
                    OtherJob, firstFileOf(worker),
                    "This trace is of a job with " + std::to_string(*worker.worldSize)
                        + " ranks, most others of one with " + std::to_string(worldSize)
                        + ". If it is of another job, import it into a project of its own."));
    }

    /// When a worker ran; absent without slices or where its clock does not tell the time of day.
    std::vector<std::optional<TimeRange>> timesOfDay(const Trace &trace)
    {
        std::vector<std::optional<TimeRange>> times(trace.workers.size());
        for (const Track &track : trace.tracks) {
            auto &time = times[track.worker.value];
            if (track.sliceCount == 0 || track.range.startNs < EarliestTimeOfDayNs)
                continue;
            time = time ? TimeRange { std::min(time->startNs, track.range.startNs),
                                      std::max(time->endNs, track.range.endNs) }
                        : track.range;
        }
        return times;
    }

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

    /// Workers that recorded at about the same time.
    struct Run
    {
        std::vector<std::size_t> workers;
        TimeRange time;
    };

    std::vector<Run> runsOf(const Trace &trace)
    {
        const auto times = timesOfDay(trace);
        std::vector<Run> runs;
        for (const std::size_t i : byStart(times)) {
            const TimeRange &time = *times[i];
            if (runs.empty() || time.startNs - runs.back().time.endNs > UsualClockErrorNs)
                runs.push_back({ {}, time });
            Run &run = runs.back();
            run.workers.push_back(i);
            run.time.endNs = std::max(run.time.endNs, time.endNs);
        }
        return runs;
    }

    void checkTimes(const Trace &trace, std::vector<Diagnostic> &found)
    {
        const std::vector<Run> runs = runsOf(trace);
        const auto job = std::max_element(runs.begin(), runs.end(), [](const Run &a, const Run &b) {
            return a.workers.size() < b.workers.size();
        });
        for (auto run = runs.begin(); run != runs.end(); ++run) {
            if (run == job)
                continue;
            const std::int64_t gapNs = run < job ? job->time.startNs - run->time.endNs
                                                 : run->time.startNs - job->time.endNs;
            for (const std::size_t worker : run->workers)
                found.push_back(warning(
                    OtherJob, firstFileOf(trace.workers[worker]),
                    "By its clock this trace was recorded " + durationText(gapNs)
                        + (run < job ? " before " : " after ")
                        + firstFileOf(trace.workers[job->workers.front()])
                        + (job->workers.size() > 1 ? " and others" : "")
                        + ". If it is of another run, import it into a project of its own; if its "
                          "host's clock is wrong, align tells by how much."));
        }
    }

    /// The group of each worker, named by its first worker: workers are of one group that have a
    /// tensor of the same name, directly or through others. Absent without tensors.
    std::vector<std::optional<std::size_t>> groupsByTensors(const Trace &trace)
    {
        std::vector<std::optional<std::size_t>> groups(trace.workers.size());
        std::map<std::string_view, std::size_t> workerOf;
        for (const Tensor &tensor : trace.tensors) {
            const std::size_t worker = tensor.worker.value;
            if (!groups[worker])
                groups[worker] = worker;
            const std::size_t a = *groups[worker];
            const std::size_t b = *groups[workerOf.try_emplace(tensor.name, worker).first->second];
            if (a != b)
                std::replace(groups.begin(), groups.end(), std::optional(std::max(a, b)),
                             std::optional(std::min(a, b)));
        }
        return groups;
    }

    void checkTensors(const Trace &trace, std::vector<Diagnostic> &found)
    {
        const auto groups = groupsByTensors(trace);
        std::map<std::size_t, std::size_t> sizes;
        for (const auto &group : groups)
            if (group)
                ++sizes[*group];
        if (sizes.size() < 2)
            return;
        const std::size_t job = mostFrequent(sizes);
        for (std::size_t i = 0; i < groups.size(); ++i)
            if (groups[i] && *groups[i] != job)
                found.push_back(warning(
                    OtherJob, firstFileOf(trace.workers[i]),
                    "This trace has no tensor's name in common with "
                        + firstFileOf(trace.workers[job]) + (sizes[job] > 1 ? " and others" : "")
                        + ". If it is of another job, import it into a project of its own."));
    }

    void checkIterations(const Trace &trace, std::vector<Diagnostic> &found)
    {
        std::vector<std::size_t> countOf(trace.workers.size());
        for (const Iteration &iteration : trace.iterations)
            ++countOf[iteration.worker.value];
        std::map<std::size_t, std::size_t> counts;
        for (const std::size_t count : countOf)
            if (count > 0)
                ++counts[count];
        if (counts.size() < 2)
            return;
        const std::size_t usual = mostFrequent(counts);
        std::vector<int> others;
        std::size_t total = 0;
        for (const Worker &worker : trace.workers) {
            const std::size_t count = countOf[worker.id.value];
            if (count == 0 || count == usual)
                continue;
            ++total;
            if (others.size() < MaxListed)
                others.push_back(worker.rank);
        }
        found.push_back(
            warning(IterationCounts, {},
                    "The number of iterations differs between ranks: usually "
                        + std::to_string(usual) + ", but not on rank " + listed(others, total)
                        + ". Only iterations that all ranks have can be compared; record the same "
                          "steps on every rank."));
    }

} // namespace

std::vector<Diagnostic> checkRanks(const Trace &trace)
{
    std::vector<Diagnostic> found;
    if (const auto worldSize = statedWorldSize(trace); worldSize && *worldSize > 0) {
        checkMissing(trace, *worldSize, found);
        checkWorldSizes(trace, *worldSize, found);
    }
    checkTimes(trace, found);
    checkTensors(trace, found);
    checkIterations(trace, found);
    return found;
}

bool isRankCheck(const Diagnostic &diagnostic)
{
    constexpr std::array Codes = { MissingRanks, OtherJob, IterationCounts };
    return std::find(Codes.begin(), Codes.end(), diagnostic.code) != Codes.end();
}

void replaceRankChecks(Diagnostics &diagnostics, const Trace &trace)
{
    Diagnostics replaced;
    for (const Diagnostic &diagnostic : diagnostics.list())
        if (!isRankCheck(diagnostic))
            replaced.add(diagnostic);
    for (const Diagnostic &found : checkRanks(trace))
        replaced.add(found);
    diagnostics = replaced;
}

} // namespace core
