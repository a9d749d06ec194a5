#include "core/project/collected_file.h"

#include "core/project/codec.h"

#include <algorithm>

namespace core {

namespace {

    /// With what sorting needs.
    constexpr std::size_t BytesPerRow = sizeof(CollectedSlice) + 28;

    std::string keyOf(WorkerId worker, const TrackSpec &spec)
    {
        std::string key;
        key += std::to_string(worker.value) + '/' + std::to_string(static_cast<int>(spec.kind))
            + '/' + (spec.device ? std::to_string(*spec.device) : std::string("-")) + '/';
        key.append(spec.pid).append(1, '\0').append(spec.tid);
        return key;
    }

} // namespace

CollectedFile::CollectedFile(SourceFile file, CollectLimits limits)
    : source(std::move(file))
    , m_limits(std::move(limits))
{
}

WorkerId CollectedFile::addWorker()
{
    CollectedWorker collected;
    collected.worker.id = WorkerId(static_cast<std::uint32_t>(workers.size()));
    collected.worker.files = { source.name };
    workers.push_back(std::move(collected));
    return workers.back().worker.id;
}

void CollectedFile::describeWorker(WorkerId id, const WorkerInfo &info)
{
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
    const TrackId next(static_cast<std::uint32_t>(tracks.size()));
    const auto [it, isNew] = m_trackByKey.try_emplace(keyOf(worker, spec), next);
    if (isNew) {
        tracks.emplace_back(spec, worker);
        tracks.back().track.id = next;
    }
    return m_lastTrack = it->second;
}

void CollectedFile::nameTrack(TrackId track, std::string_view name)
{
    tracks[track.value].track.name = name;
}

void CollectedFile::slice(TrackId track, const SliceRecord &record)
{
    const std::uint64_t argsOrdinal = record.args.empty() ? 0 : args.add(record.args) + 1;
    const bool isSane = record.startNs >= -MaxTimeNs && record.startNs <= MaxTimeNs
        && record.durationNs >= 0 && record.durationNs <= MaxDurationNs
        && record.startNs + record.durationNs <= MaxTimeNs;
    const NameId transaction
        = record.transfer ? names.intern(record.transfer->transaction) : NameId();
    tracks[track.value].add(isSane ? record : sane(record), argsOrdinal, transaction);
    ++m_heldRows;
    if (m_heldRows * BytesPerRow + args.heldBytes() > m_limits.memoryBytes)
        spill();
}

/// Tracks that hold at least half as much as the average hold more than half of all.
void CollectedFile::spill()
{
    if (!m_spillFile)
        m_spillFile = std::make_unique<SpillFile>(m_limits.spillFolder);
    args.spill(*m_spillFile);
    const std::size_t heldBefore = m_heldRows;
    for (CollectedTrack &track : tracks) {
        if (track.heldRows() * 2 * tracks.size() < heldBefore)
            continue;
        m_heldRows -= track.heldRows();
        track.spill(*m_spillFile);
    }
}

/// For records that are left out if their time is impossible.
bool CollectedFile::isPossible(std::int64_t timeNs)
{
    const bool isPossible = timeNs >= -MaxTimeNs && timeNs <= MaxTimeNs;
    if (!isPossible)
        m_diagnostics.count("impossible-record-time", Severity::Warning, { source.name, {} },
                            "A memory event or a step has an impossible time (more than a hundred "
                            "years away); it was left out.");
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
    const TensorId next(static_cast<std::uint32_t>(tensors.size()));
    const auto [it, isNew] = m_tensorByName.try_emplace({ worker, std::string(record.name) }, next);
    if (isNew)
        tensors.push_back({ next, worker, std::string(record.name), record.bytes,
                            std::string(record.dtype), std::string(record.shape) });
    return it->second;
}

void CollectedFile::memory(WorkerId worker, const MemoryEvent &event)
{
    if (isPossible(event.timeNs))
        workers[worker.value].memory.add(event, compressor);
}

void CollectedFile::dependency(WorkerId worker, const DependencyEdge &edge)
{
    workers[worker.value].dependencies.add(edge, compressor);
}

void CollectedFile::iteration(WorkerId worker, std::int64_t index, TimeRange range)
{
    if (isPossible(range.startNs) && isPossible(range.endNs))
        iterations.push_back(
            { worker, index, { range.startNs, std::max(range.startNs, range.endNs) }, true });
}

void CollectedFile::metadata(std::string_view name, std::string_view text)
{
    jobMetadata.push_back({ source.name + '#' + std::string(name), std::string(text) });
}

void CollectedFile::countEvents(WorkerId worker, std::string_view category, std::uint64_t count)
{
    const std::string key(category);
    workers[worker.value].worker.eventsByCategory[key] += count;
    source.eventsByCategory[key] += count;
}

std::optional<TimeRange> CollectedFile::rangeOf(WorkerId worker) const
{
    std::optional<TimeRange> all;
    for (const CollectedTrack &track : tracks) {
        if (track.track.worker != worker || track.size() == 0)
            continue;
        const TimeRange range = track.range();
        all = all
            ? TimeRange { std::min(all->startNs, range.startNs), std::max(all->endNs, range.endNs) }
            : range;
    }
    return all;
}

std::vector<std::size_t> CollectedFile::tracksOf(WorkerId worker) const
{
    std::vector<std::size_t> indices;
    for (std::size_t i = 0; i < tracks.size(); ++i)
        if (tracks[i].track.worker == worker)
            indices.push_back(i);
    return indices;
}

} // namespace core
