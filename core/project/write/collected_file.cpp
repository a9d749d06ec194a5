#include "core/project/write/collected_file.h"

#include "core/project/project_limits.h"

#include <algorithm>
#include <limits>

namespace core {

namespace {

    /// With what sorting needs.
    constexpr std::size_t BytesPerRow = sizeof(CollectedSlice) + 28;

    /// Names, tracks and tensors have this part of the memory limit each.
    constexpr std::size_t Share = 8;
    constexpr std::size_t ImporterShare = 2; ///< as Share; small where rows fill the memory
    constexpr std::size_t LeastShare = std::size_t(1) << 20;
    /// About what a track takes besides its slices, until it is written.
    constexpr std::size_t BytesPerTrack = 2048;
    constexpr std::size_t TrackTexts
        = 2; ///< copies of a track's process and thread: its own, the key
    constexpr std::size_t CallShare = 4; ///< as Share; most calls are waits, and there are many
    constexpr std::size_t BytesPerCollective = sizeof(CollectiveCall) + 64; ///< with its kind
    constexpr std::size_t BytesPerCall = std::max(sizeof(SyncCall), sizeof(NamedTransfer));
    constexpr std::size_t BytesPerTensor = 2 * sizeof(Tensor);
    constexpr TrackId NoTrack(std::numeric_limits<std::uint32_t>::max());
    constexpr WorkerId NoWorker(std::numeric_limits<std::uint32_t>::max());

    std::string keyOf(WorkerId worker, const TrackSpec &spec)
    {
        std::string key;
        key += std::to_string(worker.value) + '/' + std::to_string(static_cast<int>(spec.kind))
            + '/' + (spec.device ? std::to_string(*spec.device) : std::string("-")) + '/';
        key.append(spec.pid).append(1, '\0').append(spec.tid);
        return key;
    }

    /// A tensor may be named before its size is told.
    void complete(Tensor &tensor, const TensorRecord &record)
    {
        if (tensor.bytes == 0)
            tensor.bytes = record.bytes;
        if (tensor.dtype.empty())
            tensor.dtype = record.dtype;
        if (tensor.shape.empty())
            tensor.shape = record.shape;
    }

} // namespace

CollectedFile::CollectedFile(SourceFile file, CollectLimits limits)
    : source(std::move(file))
    , m_limits(std::move(limits))
{
}

std::size_t CollectedFile::shareOf(std::size_t part) const
{
    return std::max(m_limits.memoryBytes / part, LeastShare);
}

std::size_t CollectedFile::importerBytes() const
{
    return shareOf(ImporterShare);
}

void CollectedFile::leaveOut(std::string_view code, std::string_view what)
{
    m_diagnostics.count(code, Severity::Error, { source.name, {} },
                        "The file has more " + std::string(what)
                            + " than the import may hold; the others were left out. Import again "
                              "with a larger --memory-limit (longpole import), or record less.");
}

void CollectedFile::leaveOutBeyond(std::size_t most, std::string_view code, std::string_view what)
{
    m_diagnostics.count(code, Severity::Error, { source.name, {} },
                        "The file has more than " + std::to_string(most) + " " + std::string(what)
                            + ", which is the most that a project takes of one file; the others "
                              "were left out. Record fewer of them into one file.");
}

void CollectedFile::simplify(std::string_view code, std::string_view what)
{
    m_diagnostics.count(
        code, Severity::Warning, { source.name, {} },
        "The file has more " + std::string(what)
            + ". Import again with a larger --memory-limit (longpole import), or record less.");
}

NameId CollectedFile::intern(std::string_view text)
{
    if (names.heldBytes() <= shareOf(Share))
        return names.intern(text);
    if (const auto known = names.find(text))
        return *known;
    simplify("names-left-out",
             "different names than the import may hold; slices of the others are there as \"(name "
             "left out)\"");
    return names.intern("(name left out)");
}

WorkerId CollectedFile::addWorker()
{
    if (workers.size() == MaxWorkers) {
        leaveOutBeyond(MaxWorkers, "ranks-left-out", "ranks");
        return NoWorker;
    }
    CollectedWorker collected;
    collected.worker.id = WorkerId(static_cast<std::uint32_t>(workers.size()));
    collected.worker.files = { source.name };
    workers.push_back(std::move(collected));
    return workers.back().worker.id;
}

void CollectedFile::describeWorker(WorkerId id, const WorkerInfo &info)
{
    if (!has(id))
        return;
    CollectedWorker &collected = workers[id.value];
    if (info.rank)
        collected.rank = info.rank;
    if (info.worldSize)
        collected.worker.worldSize = info.worldSize;
    if (!info.host.empty())
        collected.worker.host = info.host;
}

TrackId CollectedFile::track(WorkerId worker, const TrackSpec &spec)
{
    if (m_lastTrack.value < tracks.size() && tracks[m_lastTrack.value].matches(spec, worker))
        return m_lastTrack;
    if (!has(worker))
        return NoTrack;
    const TrackId next(static_cast<std::uint32_t>(tracks.size()));
    const std::size_t size = BytesPerTrack + TrackTexts * (spec.pid.size() + spec.tid.size());
    if (next.value >= MaximumTracks || m_trackBytes + size > shareOf(Share)) {
        const auto known = m_trackByKey.find(keyOf(worker, spec));
        return known == m_trackByKey.end() ? NoTrack : known->second;
    }
    const auto [it, isNew] = m_trackByKey.try_emplace(keyOf(worker, spec), next);
    if (isNew) {
        workers[worker.value].tracks.push_back(tracks.size());
        tracks.emplace_back(spec, worker);
        tracks.back().track.id = next;
        m_trackBytes += size;
    }
    return m_lastTrack = it->second;
}

void CollectedFile::nameTrack(TrackId track, std::string_view name)
{
    if (track.value < tracks.size())
        tracks[track.value].track.name = name;
}

void CollectedFile::slice(TrackId track, const SliceRecord &record)
{
    if (track.value >= tracks.size()) {
        constexpr std::string_view Rows = "rows of the timeline (counted here are their slices)";
        if (tracks.size() >= MaximumTracks)
            leaveOutBeyond(MaximumTracks, "rows-left-out", Rows);
        else
            leaveOut("rows-left-out", Rows);
        return;
    }
    const std::uint64_t argsOrdinal = addArgs(record.args);
    const bool isSane = record.startNs >= -MaxTimeNs && record.startNs <= MaxTimeNs
        && record.durationNs >= 0 && record.durationNs <= MaxDurationNs
        && record.startNs + record.durationNs <= MaxTimeNs;
    const NameId transaction = record.transfer ? intern(record.transfer->transaction) : NameId();
    const bool hasCalls = record.collective || record.sync || record.transfer;
    SliceRecord kept = hasCalls ? withinLimits(record) : record;
    CollectiveInfo collective;
    if (kept.collective && kept.collective->readyNs && !isPossible(*kept.collective->readyNs)) {
        collective = *kept.collective;
        collective.readyNs.reset();
        kept.collective = &collective;
    }
    tracks[track.value].add(isSane ? kept : sane(kept), argsOrdinal, transaction);
    ++m_heldRows;
    if (m_heldRows * BytesPerRow + args.heldBytes() > m_limits.memoryBytes)
        spill();
}

std::uint64_t CollectedFile::addArgs(std::string_view text)
{
    if (text.size() > MaxArgsBytes) {
        m_diagnostics.count("args-left-out", Severity::Warning, { source.name, {} },
                            "A slice has arguments of more than "
                                + std::to_string(MaxArgsBytes >> 20U)
                                + " MiB; it was kept without them. If the program wrote none of "
                                  "that size, the file is damaged: copy or record it again.");
        return 0;
    }
    return text.empty() ? 0 : args.add(text) + 1;
}

SliceRecord CollectedFile::withinLimits(const SliceRecord &record)
{
    const std::size_t bytes = record.collective
        ? BytesPerCollective + record.collective->group.size()
            + record.collective->tensors.size() * sizeof(TensorUse)
        : BytesPerCall;
    if (m_callBytes + bytes <= shareOf(CallShare)) {
        m_callBytes += bytes;
        return record;
    }
    simplify("calls-left-out",
             "collectives, waits and transfers than the import may hold; of the others only the "
             "slices are there");
    SliceRecord plain = record;
    plain.collective = nullptr;
    plain.sync = nullptr;
    plain.transfer = nullptr;
    return plain;
}

/// Tracks that hold at least half as much as the average hold more than half of all.
void CollectedFile::spill()
{
    args.spill(openSpillFile());
    const std::size_t heldBefore = m_heldRows;
    for (CollectedTrack &track : tracks) {
        if (track.heldRows() * 2 * tracks.size() < heldBefore)
            continue;
        m_heldRows -= track.heldRows();
        track.spill(*m_spillFile);
    }
}

SpillFile &CollectedFile::openSpillFile()
{
    if (!m_spillFile)
        m_spillFile = std::make_unique<SpillFile>(m_limits.spillFolder);
    return *m_spillFile;
}

/// For records that are left out if their time is impossible.
bool CollectedFile::isPossible(std::int64_t timeNs)
{
    const bool isPossible = timeNs >= -MaxTimeNs && timeNs <= MaxTimeNs;
    if (!isPossible)
        m_diagnostics.countLost(
            "impossible-record-time", Severity::Warning, { source.name, {} },
            "A memory event, a step or the time at which a collective was ready has an "
            "impossible time (more than a hundred years away); it was left out.");
    return isPossible;
}

SliceRecord CollectedFile::sane(const SliceRecord &record)
{
    SliceRecord result = record;
    result.startNs = std::clamp(record.startNs, -MaxTimeNs, MaxTimeNs);
    const std::int64_t mostNs = std::min(MaxDurationNs, MaxTimeNs - result.startNs);
    result.durationNs = std::clamp<std::int64_t>(record.durationNs, 0, mostNs);
    m_diagnostics.count("impossible-time", Severity::Warning, { source.name, {} },
                        "A record's start or duration is impossible (negative duration, or more "
                        "than a hundred years away); it was moved to the nearest possible time.");
    return result;
}

TensorId CollectedFile::tensor(WorkerId worker, const TensorRecord &record)
{
    if (!has(worker))
        return NoTensor;
    const TensorId next(static_cast<std::uint32_t>(tensors.size()));
    if (m_tensorBytes > shareOf(Share)
        && !m_tensorByName.contains({ worker, std::string(record.name) })) {
        leaveOut("tensors-left-out", "tensors");
        return NoTensor;
    }
    const auto [it, isNew] = m_tensorByName.try_emplace({ worker, std::string(record.name) }, next);
    if (isNew)
        m_tensorBytes += BytesPerTensor + 2 * record.name.size() + record.shape.size();
    if (isNew)
        tensors.push_back({ next, worker, std::string(record.name), record.bytes,
                            std::string(record.dtype), std::string(record.shape) });
    else
        complete(tensors[it->second.value], record);
    return it->second;
}

void CollectedFile::memory(WorkerId worker, const MemoryEvent &event)
{
    if (has(worker) && isPossible(event.timeNs))
        addRecord(workers[worker.value].memory, event);
}

void CollectedFile::dependency(WorkerId worker, const DependencyEdge &edge)
{
    if (has(worker))
        addRecord(workers[worker.value].dependencies, edge);
}

template <class Chunks, class Record>
void CollectedFile::addRecord(Chunks &chunks, const Record &record)
{
    if (m_fixedRecordBytes > shareOf(Share)) {
        leaveOut("records-left-out", "memory events and dependencies");
        return;
    }
    m_recordBytes -= chunks.heldBytes();
    m_fixedRecordBytes -= chunks.fixedBytes();
    chunks.add(record, compressor);
    m_recordBytes += chunks.heldBytes();
    m_fixedRecordBytes += chunks.fixedBytes();
    if (m_recordBytes > shareOf(Share))
        spillRecords();
}

/// As spill(): what holds at least half as much as the average holds more than half of all.
void CollectedFile::spillRecords()
{
    const std::size_t average = m_recordBytes / (2 * workers.size());
    const auto spillLarge = [&](auto &chunks) {
        const std::size_t held = chunks.heldBytes();
        if (held == 0 || held * 2 < average)
            return;
        m_recordBytes -= held;
        m_fixedRecordBytes -= chunks.fixedBytes();
        chunks.spill(compressor, openSpillFile());
        m_recordBytes += chunks.heldBytes();
        m_fixedRecordBytes += chunks.fixedBytes();
    };
    for (CollectedWorker &worker : workers) {
        spillLarge(worker.memory);
        spillLarge(worker.dependencies);
    }
}

void CollectedFile::iteration(WorkerId worker, std::int64_t index, TimeRange range)
{
    if (!has(worker) || !isPossible(range.startNs) || !isPossible(range.endNs))
        return;
    if (iterations.size() >= shareOf(Share) / sizeof(Iteration)) {
        leaveOut("iterations-left-out", "marked iterations");
        return;
    }
    iterations.push_back(
        { worker, index, { range.startNs, std::max(range.startNs, range.endNs) }, true });
}

void CollectedFile::metadata(std::string_view name, std::string_view text)
{
    const std::size_t size = sizeof(JobMetadata) + source.name.size() + name.size() + text.size();
    if (m_metadataBytes + size > shareOf(Share)) {
        leaveOut("metadata-left-out", "text about the job");
        return;
    }
    m_metadataBytes += size;
    jobMetadata.push_back({ source.name + '#' + std::string(name), std::string(text) });
}

void CollectedFile::countEvents(WorkerId worker, std::string_view category, std::uint64_t count)
{
    const std::string key(category);
    if (has(worker))
        workers[worker.value].worker.eventsByCategory[key] += count;
    source.eventsByCategory[key] += count;
}

std::optional<TimeRange> CollectedFile::rangeOf(WorkerId worker) const
{
    std::optional<TimeRange> all;
    for (const std::size_t index : workers[worker.value].tracks) {
        const CollectedTrack &track = tracks[index];
        if (track.size() == 0)
            continue;
        const TimeRange range = track.range();
        all = all
            ? TimeRange { std::min(all->startNs, range.startNs), std::max(all->endNs, range.endNs) }
            : range;
    }
    return all;
}

bool CollectedFile::hasDeviceWork(WorkerId worker) const
{
    const std::vector<std::size_t> &all = workers[worker.value].tracks;
    return std::any_of(all.begin(), all.end(), [this](std::size_t index) {
        return tracks[index].size() > 0 && tracks[index].track.kind == TrackKind::Stream;
    });
}

} // namespace core
