#include "core/pipeline/merged_collectives.h"

#include "core/align/sequence_matching.h"
#include "core/import/kineto/kineto_collectives.h"
#include "core/import/nccl/nccl_names.h"
#include "core/model/by_worker.h"
#include "core/model/slice_index.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace core {

namespace {

    /// NCCL polls for the end of its kernels: what it takes for it may be as late as this.
    constexpr std::int64_t LatestNoticeNs = 1'000'000;

    /// A kernel that communicates, or NCCL's own record.
    struct CollectiveSlice
    {
        SliceId slice;
        TimedCall time;
    };

    /// By kind, in order of start.
    using SlicesByKind = std::map<std::string, std::vector<CollectiveSlice>>;

    struct MergedPair
    {
        CollectiveSlice kernel, record;

        SharedRecord times() const
        {
            return { { kernel.time.startNs, kernel.time.endNs },
                     { record.time.startNs, record.time.endNs } };
        }
    };

    std::vector<SharedRecord> timesOf(const std::vector<MergedPair> &pairs)
    {
        std::vector<SharedRecord> times;
        times.reserve(pairs.size());
        for (const MergedPair &pair : pairs)
            times.push_back(pair.times());
        return times;
    }

    std::vector<CallSequence> timesOf(const SlicesByKind &slices, const SlicesByKind &kinds)
    {
        std::vector<CallSequence> times;
        for (const auto &[kind, ofRecords] : kinds) {
            times.emplace_back();
            if (const auto found = slices.find(kind); found != slices.end())
                for (const CollectiveSlice &one : found->second)
                    times.back().push_back(one.time);
        }
        return times;
    }

    std::vector<MergedPair> pairsOf(const SlicesByKind &kernels, const SlicesByKind &records,
                                    const std::optional<OffsetWindow> &window)
    {
        const auto rows
            = matchSequences(timesOf(kernels, records), timesOf(records, records), window);
        std::vector<MergedPair> pairs;
        std::size_t k = 0;
        for (const auto &[kind, own] : records) {
            for (std::size_t i = 0; i < own.size(); ++i)
                if (rows[k][i]) {
                    pairs.push_back({ kernels.at(kind)[*rows[k][i]], own[i] });
                }
            ++k;
        }
        return pairs;
    }

    std::size_t sizeOf(const SlicesByKind &slices)
    {
        std::size_t size = 0;
        for (const auto &[kind, ofKind] : slices)
            size += ofKind.size();
        return size;
    }

    TimeRange timeOf(const SlicesByKind &slices)
    {
        std::optional<TimeRange> time;
        for (const auto &[kind, ofKind] : slices)
            for (const CollectiveSlice &one : ofKind) {
                if (!time)
                    time = TimeRange { one.time.startNs, one.time.endNs };
                time->startNs = std::min(time->startNs, one.time.startNs);
                time->endNs = std::max(time->endNs, one.time.endNs);
            }
        return time.value_or(TimeRange {});
    }

    /// Kernels and NCCL's records of them, and the clock that brings them together.
    struct PairedFile
    {
        std::vector<MergedPair> pairs;
        RecorderClock clock;
        std::size_t fitting = 0;
        bool hasOtherClock = false;
    };

    PairedFile byRanksClock(const SlicesByKind &kernels, const SlicesByKind &records)
    {
        PairedFile paired;
        paired.pairs = pairsOf(kernels, records, OffsetWindow { 0, LatestNoticeNs });
        paired.fitting = countFitting(paired.clock, timesOf(paired.pairs));
        return paired;
    }

    PairedFile byOtherClock(const SlicesByKind &kernels, const SlicesByKind &records,
                            const JobControl &control)
    {
        PairedFile paired;
        paired.pairs = pairsOf(kernels, records, {});
        const std::vector<SharedRecord> times = timesOf(paired.pairs);
        if (const auto clock = recorderClock(times, timeOf(records), control)) {
            paired.clock = *clock;
            paired.fitting = countFitting(paired.clock, times);
            paired.hasOtherClock = true;
        }
        return paired;
    }

    /// As few as fit by chance are no reason to believe in a drift.
    bool isClearlyMore(std::size_t fitting, std::size_t own)
    {
        return 10 * fitting > 11 * own;
    }

    bool isDriftBetter(const PairedFile &other, const PairedFile &own)
    {
        return other.clock.driftPpm.value_or(0) != 0 && isClearlyMore(other.fitting, own.fitting);
    }

    class CollectiveMerger
    {
    public:
        CollectiveMerger(Trace &trace, const std::set<FileId> &ofNccl, const JobControl &control)
            : m_trace(trace)
            , m_ofNccl(ofNccl)
            , m_control(control)
            , m_slices(trace)
            , m_tracks(trace)
            , m_isLeft(trace.collectives.size(), true)
        {
            for (std::size_t i = 0; i < trace.collectives.size(); ++i)
                m_callOf.emplace(trace.collectives[i].slice, i);
        }

        MergedCollectives merge()
        {
            for (const Worker &worker : m_trace.workers)
                mergeWorker(worker.id);
            std::vector<CollectiveCall> left;
            for (std::size_t i = 0; i < m_isLeft.size(); ++i)
                if (m_isLeft[i])
                    left.push_back(std::move(m_trace.collectives[i]));
            std::stable_sort(left.begin(), left.end(),
                             [](const auto &a, const auto &b) { return a.slice < b.slice; });
            m_trace.collectives = std::move(left);
            return std::move(m_merged);
        }

    private:
        void mergeWorker(WorkerId worker)
        {
            SlicesByKind kernels;
            std::map<FileId, SlicesByKind> recordsOfFile;
            for (const Track *track : m_tracks.of(worker, TrackKind::Stream)) {
                const bool isOfNccl = m_ofNccl.contains(track->file);
                collect(*track, isOfNccl ? recordsOfFile[track->file] : kernels, isOfNccl);
            }
            for (auto &[file, records] : recordsOfFile) {
                throwIfCancelled(m_control);
                mergeFile(worker, file, kernels, records);
            }
        }

        void collect(const Track &track, SlicesByKind &slices, bool needsCall) const
        {
            const SliceColumns &columns = m_trace.slices[track.id.value];
            for (std::size_t row = 0; row < columns.size(); ++row) {
                if (columns.category[row] != Category::CommKernel)
                    continue;
                const SliceId id(columns.first.value + row);
                const auto call = m_callOf.find(id);
                const bool hasCall = call != m_callOf.end();
                if (needsCall && !hasCall)
                    continue;
                const std::string kind = hasCall ? m_trace.collectives[call->second].kind
                                                 : kindOf(m_trace.nameOf(columns.name[row]));
                slices[kind].push_back(
                    { id, { id.value, columns.startNs[row], columns.endNs(row) } });
            }
        }

        static std::string kindOf(const std::string &kernel)
        {
            return std::string(collectiveKind(communicationKernel(kernel).value_or(kernel)));
        }

        void mergeFile(WorkerId worker, FileId file, SlicesByKind &kernels, SlicesByKind &records)
        {
            for (SlicesByKind *slices : { &kernels, &records })
                for (auto &[kind, ofKind] : *slices)
                    std::stable_sort(ofKind.begin(), ofKind.end(),
                                     [](const CollectiveSlice &a, const CollectiveSlice &b) {
                                         return a.time.startNs < b.time.startNs;
                                     });
            const std::size_t shorter = std::min(sizeOf(kernels), sizeOf(records));
            if (shorter == 0)
                return;
            PairedFile paired = byRanksClock(kernels, records);
            const bool isEnough = 2 * paired.fitting >= shorter;
            // It takes long, for each of thousands of files: only where it can find a better one.
            if (isClearlyMore(shorter, paired.fitting))
                if (PairedFile other = byOtherClock(kernels, records, m_control);
                    2 * other.fitting >= shorter && (!isEnough || isDriftBetter(other, paired)))
                    paired = std::move(other);
            if (!paired.hasOtherClock && !isEnough)
                return;
            if (paired.hasOtherClock)
                m_merged.otherClocks.push_back({ worker, file, paired.clock });
            for (const MergedPair &pair : paired.pairs)
                if (paired.clock.fits(pair.times()))
                    mergePair(pair);
            if (paired.hasOtherClock)
                for (const auto &[kind, ofKind] : records)
                    for (const CollectiveSlice &record : ofKind)
                        leaveOut(record);
        }

        void mergePair(const MergedPair &pair)
        {
            const std::size_t index = m_callOf.at(pair.record.slice);
            CollectiveCall &record = m_trace.collectives[index];
            m_merged.recordOf.emplace(pair.kernel.slice, pair.record.slice);
            leaveOut(pair.record);
            const auto [known, isNew] = m_callOf.emplace(pair.kernel.slice, index);
            if (isNew) { // the kernel's name was all that is known of it
                record.slice = pair.kernel.slice;
                m_isLeft[index] = true;
                return;
            }
            CollectiveCall &call = m_trace.collectives[known->second];
            call.bytes = call.bytes != 0 ? call.bytes : record.bytes;
            call.groupSize = call.groupSize ? call.groupSize : record.groupSize;
        }

        void leaveOut(const CollectiveSlice &record)
        {
            const std::size_t index = m_callOf.at(record.slice);
            if (m_trace.collectives[index].slice != record.slice)
                return; // it is the kernel's now
            const auto place = m_slices.find(record.slice);
            m_trace.slices[place->track.value].category[place->row] = Category::Other;
            m_isLeft[index] = false;
        }

        Trace &m_trace;
        const std::set<FileId> &m_ofNccl;
        const JobControl &m_control;
        SliceIndex m_slices;
        WorkerTracks m_tracks;
        std::unordered_map<SliceId, std::size_t> m_callOf; ///< into trace.collectives
        std::vector<bool> m_isLeft; ///< [collectives]
        MergedCollectives m_merged;
    };

    using FileOfRank = std::pair<WorkerId, FileId>;

    /// The tracks that have collectives.
    std::set<TrackId> tracksWithCalls(const Trace &trace, const SliceIndex &slices)
    {
        std::set<TrackId> tracks;
        for (const CollectiveCall &call : trace.collectives)
            if (const auto place = slices.find(call.slice))
                tracks.insert(place->track);
        return tracks;
    }

    /// Those files with a clock of their own whose rank has collectives of others.
    std::set<FileOfRank> repeatingFiles(const Trace &trace, const ProjectInfo &info,
                                        const std::set<TrackId> &withCalls)
    {
        const std::set<FileId> ofNccl = filesOfNccl(info);
        std::set<FileOfRank> moved, others;
        for (const FileClock &clock : info.fileClocks)
            if (!ofNccl.contains(clock.file))
                moved.emplace(clock.worker, clock.file);
        for (const TrackId id : withCalls)
            if (const Track &track = trace.tracks[id.value];
                !moved.contains({ track.worker, track.file }))
                others.emplace(track.worker, FileId());
        std::erase_if(moved, [&others](const FileOfRank &file) {
            return !others.contains({ file.first, FileId() });
        });
        return moved;
    }

    void leaveOutRepeated(Trace &trace, const ProjectInfo &info)
    {
        const SliceIndex slices(trace);
        const std::set<TrackId> withCalls = tracksWithCalls(trace, slices);
        const std::set<FileOfRank> files = repeatingFiles(trace, info, withCalls);
        std::set<TrackId> tracks;
        for (const TrackId id : withCalls)
            if (const Track &track = trace.tracks[id.value];
                files.contains({ track.worker, track.file }))
                tracks.insert(id);
        std::erase_if(trace.collectives, [&](const CollectiveCall &call) {
            const auto place = slices.find(call.slice);
            if (!place || !tracks.contains(place->track))
                return false;
            trace.slices[place->track.value].category[place->row] = Category::Other;
            return true;
        });
    }

} // namespace

MergedCollectives mergeFiles(Trace &trace, const ProjectInfo &info, const JobControl &control)
{
    MergedCollectives merged = mergeCollectives(trace, filesOfNccl(info), control);
    if (!info.fileClocks.empty())
        leaveOutRepeated(trace, info);
    return merged;
}

MergedCollectives mergeCollectives(Trace &trace, const std::set<FileId> &ofNccl,
                                   const JobControl &control)
{
    return ofNccl.empty() ? MergedCollectives {} : CollectiveMerger(trace, ofNccl, control).merge();
}

std::set<FileId> filesOfNccl(const ProjectInfo &info)
{
    std::set<FileId> files;
    for (const SourceFile &file : info.files)
        if (file.id && isNcclFormat(file.format))
            files.insert(*file.id);
    return files;
}

void addStatedAlgorithms(const ProjectReader &reader, Trace &trace, const MergedCollectives &merged,
                         const JobControl &control)
{
    const std::set<FileId> ofNccl = filesOfNccl(reader.info());
    if (ofNccl.empty())
        return; // other files have many arguments to read, and state none
    for (CollectiveCall &call : trace.collectives) {
        throwIfCancelled(control);
        const auto record = merged.recordOf.find(call.slice);
        const auto slice
            = reader.slice(record == merged.recordOf.end() ? call.slice : record->second);
        if (slice && ofNccl.contains(trace.tracks[slice->track.value].file))
            call.algorithm = ncclAlgorithm(slice->args);
    }
}

Trace readMergedOutline(const ProjectReader &reader,
                        const std::function<bool(std::string_view)> &keepName,
                        const JobControl &control)
{
    Trace trace = reader.readOutline(keepName, control);
    mergeFiles(trace, reader.info(), control);
    return trace;
}

} // namespace core
