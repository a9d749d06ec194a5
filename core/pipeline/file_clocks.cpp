#include "core/pipeline/file_clocks.h"

#include "core/align/recorder_clock.h"
#include "core/align/sequence_matching.h"
#include "core/base/duration_text.h"
#include "core/base/saturated_time.h"
#include "core/model/recording_times.h"
#include "core/project/project_limits.h"
#include "core/project/write/known_ranks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace core {

namespace {

    using FileOfWorker = std::pair<WorkerId, FileId>;

    struct FileTimes
    {
        TimeRange time; ///< first start to last end; raw clock
        std::uint64_t slices = 0;
        bool isOfNccl = false;
        bool hasSteps = false; ///< it ran when the steps did that the rank's source states
    };
    using TimesOfFiles = std::map<FileId, FileTimes>;

    std::map<WorkerId, TimesOfFiles> filesOfWorkers(const ProjectInfo &info)
    {
        const std::set<FileId> ofNccl = filesOfNccl(info);
        std::map<WorkerId, TimesOfFiles> files;
        for (const Track &track : info.tracks) {
            if (track.sliceCount == 0)
                continue;
            const auto [it, isNew] = files[track.worker].try_emplace(
                track.file, FileTimes { track.range, 0, ofNccl.contains(track.file), false });
            FileTimes &file = it->second;
            file.time.startNs = std::min(file.time.startNs, track.range.startNs);
            file.time.endNs = std::max(file.time.endNs, track.range.endNs);
            file.slices += track.sliceCount;
        }
        std::erase_if(files, [](const auto &entry) { return entry.second.size() < 2; });
        for (const Iteration &iteration : info.iterations)
            if (const auto own = files.find(iteration.worker);
                iteration.isStated && own != files.end())
                for (auto &[id, file] : own->second)
                    file.hasSteps |= file.time.overlaps(iteration.range);
        return files;
    }

    /// The file whose clock is the rank's.
    FileId baseOf(const TimesOfFiles &files)
    {
        const auto weightOf = [](const auto &entry) {
            const FileTimes &file = entry.second;
            return std::tuple(file.hasSteps, !file.isOfNccl, isTimeOfDay(file.time), file.slices);
        };
        return std::max_element(
                   files.begin(), files.end(),
                   [&](const auto &a, const auto &b) { return weightOf(a) < weightOf(b); })
            ->first;
    }

    bool hasOtherClock(const FileTimes &file, const FileTimes &base, const TimesOfFiles &all)
    {
        const bool isOverlapped = std::any_of(all.begin(), all.end(), [&file](const auto &other) {
            return !other.second.isOfNccl && other.second.time.overlaps(file.time);
        });
        return (file.isOfNccl && !base.isOfNccl && !isOverlapped)
            || isTimeOfDay(file.time) != isTimeOfDay(base.time)
            || gapNs(file.time, base.time) > MaxClockGapNs;
    }

    /// Both tell the time of day, and so that they ran one after the other: what looks like shared
    /// calls are those of other steps.
    bool ranAtOtherTime(const FileTimes &file, const FileTimes &base)
    {
        return isTimeOfDay(file.time) && isTimeOfDay(base.time) && !file.time.overlaps(base.time);
    }

    /// What a file has of a rank's calls and marks, by what they are, in order of start.
    using CallsByWhat = std::map<std::string, CallSequence>;

    class SharedCalls
    {
    public:
        SharedCalls(const Trace &trace, const JobControl &control)
            : m_trace(trace)
            , m_control(control)
        {
            m_kinds.reserve(trace.collectives.size());
            for (const CollectiveCall &call : trace.collectives)
                m_kinds.emplace(call.slice, &call.kind);
        }

        /// What brings the file's times to the base's; absent where too little tells.
        std::optional<RecorderClock> clockOf(WorkerId worker, FileId base, FileId file,
                                             const TimeRange &recorded) const
        {
            CallsByWhat ofBase = callsOf(worker, base), ofFile = callsOf(worker, file);
            std::erase_if(ofBase, [&](const auto &own) { return !ofFile.contains(own.first); });
            std::erase_if(ofFile, [&](const auto &own) { return !ofBase.contains(own.first); });
            const auto sequences = [](CallsByWhat &calls) {
                std::vector<CallSequence> all;
                for (auto &[what, own] : calls)
                    all.push_back(std::move(own));
                return all;
            };
            return agreedClock(sequences(ofBase), sequences(ofFile), recorded);
        }

    private:
        CallsByWhat callsOf(WorkerId worker, FileId file) const
        {
            CallsByWhat calls;
            for (const Track &track : m_trace.tracks) {
                if (track.worker != worker || track.file != file)
                    continue;
                const SliceColumns &slices = m_trace.slices[track.id.value];
                for (std::size_t row = 0; row < slices.size(); ++row) {
                    const SliceId id(slices.first.value + row);
                    const auto kind = m_kinds.find(id);
                    const std::string what = kind != m_kinds.end()
                        ? "collective " + *kind->second
                        : "slice " + m_trace.nameOf(slices.name[row]);
                    calls[what].push_back({ id.value, slices.startNs[row], slices.endNs(row) });
                }
            }
            for (auto &[what, own] : calls)
                std::stable_sort(own.begin(), own.end(), [](const auto &a, const auto &b) {
                    return a.startNs < b.startNs;
                });
            return calls;
        }

        std::optional<RecorderClock> agreedClock(const std::vector<CallSequence> &base,
                                                 const std::vector<CallSequence> &file,
                                                 const TimeRange &recorded) const
        {
            const auto rows = matchSequences(base, file);
            std::vector<SharedRecord> shared;
            std::size_t ofBase = 0, ofFile = 0;
            for (std::size_t k = 0; k < file.size(); ++k) {
                ofBase += base[k].size();
                ofFile += file[k].size();
                for (std::size_t i = 0; i < file[k].size(); ++i)
                    if (rows[k][i]) {
                        const TimedCall &known = base[k][*rows[k][i]], &other = file[k][i];
                        shared.push_back(
                            { { known.startNs, known.endNs }, { other.startNs, other.endNs } });
                    }
            }
            const std::optional<RecorderClock> clock = recorderClock(shared, recorded, m_control);
            const std::size_t fitting = clock ? countFitting(*clock, shared) : 0;
            return fitting >= FewestSharedRecords && 2 * fitting >= std::min(ofBase, ofFile)
                ? clock
                : std::nullopt;
        }

        const Trace &m_trace;
        const JobControl &m_control;
        std::unordered_map<SliceId, const std::string *> m_kinds; ///< of collectives
    };

    /// Times must stay within what a project can hold.
    bool isPossible(TimeRange time, const FileClock &by, const FileClock &total)
    {
        const auto isIn = [](std::int64_t ns, std::int64_t limit) {
            return static_cast<double>(ns) > -static_cast<double>(limit)
                && static_cast<double>(ns) < static_cast<double>(limit);
        };
        return isIn(total.offsetNs, MaxDurationNs) && isIn(by.offsetNs, MaxDurationNs)
            && std::abs(total.driftPpm.value_or(0)) < MaxDriftPpm
            && isIn(total.driftFromNs, MaxTimeNs) && isIn(by.driftFromNs, MaxTimeNs)
            && isIn(saturatedSum(time.startNs, by.addedNs(time.startNs)), MaxTimeNs)
            && isIn(saturatedSum(time.endNs, by.addedNs(time.endNs)), MaxTimeNs);
    }

    /// First `known`, then `by`, of the times that `known` leaves.
    FileClock joined(const FileClock &known, const FileClock &by)
    {
        FileClock total = by;
        total.offsetNs = saturatedSum(by.offsetNs, known.offsetNs);
        total.driftFromNs = saturatedDifference(by.driftFromNs, known.offsetNs);
        if (!known.hasDrift())
            return total;
        const double first = *known.driftPpm * 1e-6, second = by.driftPpm.value_or(0) * 1e-6;
        total.driftPpm = (first + second + first * second) * 1e6;
        total.driftFromNs = known.driftFromNs;
        total.offsetNs = saturatedSum(known.offsetNs,
                                      by.addedNs(saturatedSum(known.driftFromNs, known.offsetNs)));
        return total;
    }

    class FileClockSearch
    {
    public:
        FileClockSearch(const Trace &trace, const ProjectInfo &info, const JobControl &control)
            : m_trace(trace)
            , m_control(control)
            , m_files(filesOfWorkers(info))
        {
            for (const FileClock &clock : info.fileClocks)
                m_clocks[{ clock.worker, clock.file }] = clock;
        }

        std::vector<FileClock> find(const MergedCollectives &merged)
        {
            std::set<FileOfWorker> done;
            for (const MergedCollectives::OtherClock &clock : merged.otherClocks)
                if (done.emplace(clock.worker, clock.file).second)
                    moveMerged(clock);
            for (const auto &[worker, files] : m_files) {
                const FileId base = baseOf(files);
                for (const auto &[id, file] : files) {
                    throwIfCancelled(m_control);
                    if (id != base && !done.contains({ worker, id })
                        && hasOtherClock(file, files.at(base), files))
                        move(comparedClock(worker, base, id));
                }
            }
            std::vector<FileClock> clocks;
            for (const auto &[file, clock] : m_clocks)
                clocks.push_back(clock);
            return clocks;
        }

    private:
        void moveMerged(const MergedCollectives::OtherClock &clock)
        {
            const auto files = m_files.find(clock.worker);
            if (files == m_files.end())
                return;
            const TimesOfFiles &own = files->second;
            const bool isLater = ranAtOtherTime(own.at(clock.file), own.at(baseOf(own)));
            move(isLater ? FileClock { clock.worker, clock.file }
                         : measured(clock.worker, clock.file, clock.clock));
        }

        static FileClock measured(WorkerId worker, FileId file, const RecorderClock &clock)
        {
            return { worker, file, clock.offsetNs, true, clock.driftPpm, clock.fromNs };
        }

        FileClock comparedClock(WorkerId worker, FileId base, FileId file)
        {
            const TimesOfFiles &files = m_files.at(worker);
            if (ranAtOtherTime(files.at(file), files.at(base)))
                return { worker, file };
            if (!m_calls)
                m_calls.emplace(m_trace, m_control);
            if (const auto clock = m_calls->clockOf(worker, base, file, files.at(file).time))
                return measured(worker, file, *clock);
            return { worker, file,
                     saturatedDifference(files.at(base).time.startNs, files.at(file).time.startNs),
                     false };
        }

        void move(const FileClock &by)
        {
            const auto files = m_files.find(by.worker);
            if (files == m_files.end())
                return;
            const FileOfWorker key(by.worker, by.file);
            const auto known = m_clocks.find(key);
            const FileClock total = known == m_clocks.end() ? by : joined(known->second, by);
            if (isPossible(files->second.at(by.file).time, by, total))
                m_clocks[key] = total;
        }

        const Trace &m_trace;
        const JobControl &m_control;
        std::map<WorkerId, TimesOfFiles> m_files; ///< of ranks of several
        std::optional<SharedCalls> m_calls; ///< gathered where a clock is compared
        std::map<FileOfWorker, FileClock> m_clocks;
    };

    std::string nameOf(const ProjectInfo &info, FileId id)
    {
        const auto found = std::find_if(info.files.begin(), info.files.end(),
                                        [id](const SourceFile &file) { return file.id == id; });
        return found == info.files.end() ? std::string() : found->name;
    }

    std::string driftText(const FileClock &clock)
    {
        if (!clock.driftPpm)
            return {};
        if (!clock.hasDrift())
            return ", and do not drift from the others";
        std::array<char, 48> text {};
        std::snprintf(text.data(), text.size(), ", and their clock runs %s by %.1f ppm",
                      *clock.driftPpm < 0 ? "fast" : "slow", std::abs(*clock.driftPpm));
        return text.data();
    }

    std::string whatIsDone(const FileClock &clock)
    {
        if (!clock.isMeasured && clock.offsetNs == 0)
            return "they do not overlap, and no collectives that both recorded tell how far they "
                   "are apart. They are shown as recorded; record them together, the device with "
                   "torch.profiler or CUPTI.";
        return clock.isMeasured
            ? "by what both recorded they are " + durationText(std::abs(clock.offsetNs))
                + (clock.offsetNs < 0 ? " later" : " earlier") + driftText(clock)
                + ". They were moved by that; collectives that both recorded count once."
                + (clock.driftPpm ? ""
                                  : " Whether their clock drifts from the others' is not known: "
                                    "what both recorded is too little, or of too short a time.")
            : std::string("nothing that both recorded tells how far they are apart. They are shown "
                          "from the start of the others, which is no measured offset: they cannot "
                          "be compared. Record them together, the device with torch.profiler or "
                          "CUPTI.");
    }

} // namespace

bool hasRankOfSeveralFiles(const ProjectInfo &info)
{
    return !filesOfWorkers(info).empty();
}

std::vector<FileClock> findFileClocks(const Trace &trace, const MergedCollectives &merged,
                                      const ProjectInfo &info, const JobControl &control)
{
    return FileClockSearch(trace, info, control).find(merged);
}

std::vector<Diagnostic> fileClockDiagnostics(const ProjectInfo &info)
{
    std::vector<Diagnostic> found;
    for (const FileClock &clock : info.fileClocks)
        found.push_back({ FileClockCode,
                          Severity::Warning,
                          1,
                          nameOf(info, clock.file),
                          {},
                          "Its times have another clock than rank "
                              + std::to_string(info.workers[clock.worker.value].rank)
                              + "'s other files: " + whatIsDone(clock) });
    return found;
}

} // namespace core
