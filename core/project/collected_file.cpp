#include "core/project/collected_file.h"

namespace core {

namespace {

    std::string keyOf(WorkerId worker, const TrackSpec &spec)
    {
        std::string key;
        key += std::to_string(worker.value) + '/' + std::to_string(static_cast<int>(spec.kind))
            + '/' + (spec.device ? std::to_string(*spec.device) : std::string("-")) + '/';
        key.append(spec.pid).append(1, '\0').append(spec.tid);
        return key;
    }

} // namespace

CollectedFile::CollectedFile(std::string fileName, WorkerId firstWorker, TrackId firstTrack)
    : name(std::move(fileName))
    , m_firstWorker(firstWorker)
    , m_firstTrack(firstTrack)
{
}

WorkerId CollectedFile::addWorker()
{
    CollectedWorker collected;
    collected.worker.id
        = WorkerId(m_firstWorker.value + static_cast<std::uint32_t>(workers.size()));
    collected.worker.files = { name };
    workers.push_back(std::move(collected));
    return workers.back().worker.id;
}

void CollectedFile::describeWorker(WorkerId id, const WorkerInfo &info)
{
    CollectedWorker &collected = workerAt(id);
    if (info.rank)
        collected.rank = info.rank;
    if (info.worldSize)
        collected.worker.worldSize = info.worldSize;
    if (!info.host.empty())
        collected.worker.host = info.host;
}

void CollectedFile::countEvents(WorkerId worker, std::string_view category, std::uint64_t count)
{
    workerAt(worker).worker.eventsByCategory[std::string(category)] += count;
}

TrackId CollectedFile::track(WorkerId worker, const TrackSpec &spec)
{
    const auto idOf = [this](std::size_t index) {
        return TrackId(m_firstTrack.value + static_cast<std::uint32_t>(index));
    };
    if (m_lastTrack < tracks.size() && tracks[m_lastTrack].matches(spec, worker))
        return idOf(m_lastTrack);
    const auto [it, isNew] = m_trackByKey.try_emplace(keyOf(worker, spec), tracks.size());
    if (isNew) {
        tracks.emplace_back(spec, worker);
        tracks.back().track.id = idOf(it->second);
    }
    m_lastTrack = it->second;
    return idOf(m_lastTrack);
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
    workerAt(worker).memory.add(event, compressor);
}

void CollectedFile::dependency(WorkerId worker, const DependencyEdge &edge)
{
    workerAt(worker).dependencies.add(edge, compressor);
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
