#include "core/pipeline/rank_checks.h"

#include "core/align/shared_steps.h"
#include "core/base/duration_text.h"
#include "core/base/name_beside.h"
#include "core/base/ranks_text.h"
#include "core/model/recording_times.h"
#include "core/model/separate_jobs.h"
#include "core/model/world_size.h"
#include "core/pipeline/file_clocks.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>

namespace core {

namespace {

    constexpr const char *MissingRanks = "missing-ranks";
    constexpr const char *WorldSize = "world-size";
    constexpr const char *OtherJob = "other-job";
    constexpr const char *WrongClock = "wrong-clock";
    constexpr const char *IterationCounts = "iteration-counts";
    constexpr std::size_t MaxListed = 8;

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
        const bool isOne = missing == 1;
        found.push_back(warning(
            MissingRanks, {},
            "The job has " + std::to_string(worldSize) + " ranks, as its traces say, but "
                + (isOne ? "the trace of rank " : "the traces of ranks ") + listed(first, missing)
                + (isOne ? " is missing" : " are missing") + ". Why other ranks wait for "
                + (isOne ? "it" : "them") + " cannot be told. Import "
                + (isOne ? "its trace" : "their traces") + " together with these, or add "
                + (isOne ? "it" : "them") + " with longpole import --append."));
    }

    /// Ranks count from 0, below the size.
    void checkWorldSize(const Trace &trace, int worldSize, std::vector<Diagnostic> &found)
    {
        std::vector<int> beyond;
        for (const Worker &worker : trace.workers)
            if (worker.worldSize == worldSize && worker.rank >= worldSize)
                beyond.push_back(worker.rank);
        if (beyond.empty())
            return;
        std::sort(beyond.begin(), beyond.end());
        found.push_back(warning(
            WorldSize, {},
            "The traces state that the job has "
                + countText(static_cast<std::size_t>(worldSize), "rank") + ", and so no "
                + ranksText(beyond) + ", of which there "
                + (beyond.size() == 1 ? "is one" : "are some")
                + ": ranks of another job are among them, or the stated size is wrong. All are "
                  "compared. Import each job into a project of its own; if a file is of another "
                  "rank than it states, say which: longpole import --rank FILE=N."));
    }

    /// Why a rank that recorded at another time is of the same run all the same; empty if it may
    /// not be.
    std::string wrongClockText(const StepComparison &comparison, const OtherRecording &other)
    {
        if (comparison.ofOneRun(other.compared, other.worker))
            return "; but what they recorded together agrees to well below what steps vary by, as "
                   "it does only within one run. Its host's clock is wrong, and that is corrected: "
                   "longpole align tells by how much.";
        const auto tiedNs = other.gapNs <= UnsetClockGapNs
            ? comparison.tiedWithin(other.compared, other.worker)
            : std::nullopt;
        if (!tiedNs)
            return {};
        return "; but all messages between them fit one offset of its clock, to "
            + durationText(*tiedNs)
            + ", so it is taken for a rank of the same run whose host's clock is wrong. That is "
              "corrected: longpole align tells by how much. If it is of another run, import it "
              "into a project of its own.";
    }

    void checkTimes(const Trace &trace, std::vector<Diagnostic> &found)
    {
        const std::vector<OtherRecording> others = recordingsAtOtherTimes(trace);
        if (others.empty())
            return;
        const StepComparison comparison(trace);
        for (const OtherRecording &other : others) {
            const std::string file = firstFileOf(trace.workers[other.worker.value]);
            const std::string apart = "Its clock says that this trace was recorded "
                + durationText(other.gapNs) + (other.isBefore ? " before " : " after ")
                + nameBeside(firstFileOf(trace.workers[other.compared.value]), file)
                + (other.comparedCount > 1 ? " and others" : "");
            const std::string wrongClock = wrongClockText(comparison, other);
            if (wrongClock.empty())
                found.push_back(warning(
                    OtherJob, file,
                    apart
                        + ". If it is of another run, import it into a project of its own; if its "
                          "host's clock is wrong, align tells by how much."));
            else
                found.push_back({ WrongClock, Severity::Info, 1, file, {}, apart + wrongClock });
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
                        + nameBeside(firstFileOf(trace.workers[job]), firstFileOf(trace.workers[i]))
                        + (sizes[job] > 1 ? " and others" : "")
                        + ". If it is of another job, import it into a project of its own."));
    }

    void checkIterations(const Trace &trace, std::vector<Diagnostic> &found)
    {
        const ComparedIterations &compared = trace.compared;
        if (compared.leftOut.empty())
            return;
        found.push_back(
            warning(IterationCounts, {},
                    compared.leftOut + " Record the same steps, each to its end, on every rank."));
        if (compared.isLeftOutByAll) // where the recording of all ends
            found.back() = { IterationCounts, Severity::Info, 1, {}, {}, compared.leftOut };
    }

} // namespace

std::vector<Diagnostic> checkRanks(const Trace &trace)
{
    std::vector<Diagnostic> found;
    if (const SeparateJobs jobs = separateJobs(trace); jobs.areSeveral())
        return { warning(OtherJob, {}, separateJobsText(trace, jobs)) };
    if (const auto worldSize = statedWorldSize(trace); worldSize && *worldSize > 0) {
        checkMissing(trace, *worldSize, found);
        checkWorldSize(trace, *worldSize, found);
    }
    checkTimes(trace, found);
    // One reason for a doubt is enough.
    if (std::none_of(found.begin(), found.end(),
                     [](const Diagnostic &one) { return one.code == OtherJob; }))
        checkTensors(trace, found);
    checkIterations(trace, found);
    return found;
}

bool isRankCheck(const Diagnostic &diagnostic)
{
    constexpr std::array Codes
        = { MissingRanks, WorldSize, OtherJob, WrongClock, IterationCounts, FileClockCode };
    return std::find(Codes.begin(), Codes.end(), diagnostic.code) != Codes.end();
}

bool areOfSeveralJobs(const std::vector<Diagnostic> &diagnostics)
{
    return std::any_of(diagnostics.begin(), diagnostics.end(), [](const Diagnostic &one) {
        return one.code == OtherJob && one.file.empty(); // else it is about one file
    });
}

void replaceRankChecks(Diagnostics &diagnostics, const Trace &trace,
                       const std::vector<Diagnostic> &fileClocks)
{
    Diagnostics replaced;
    for (const Diagnostic &diagnostic : diagnostics.list())
        if (!isRankCheck(diagnostic))
            replaced.add(diagnostic);
    for (const Diagnostic &found : checkRanks(trace))
        replaced.add(found);
    for (const Diagnostic &found : fileClocks)
        replaced.add(found);
    diagnostics = replaced;
}

} // namespace core
