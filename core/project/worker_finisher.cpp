#include "core/project/worker_finisher.h"

#include "core/model/finish_track.h"
#include "core/project/project_tables.h"
#include "core/project/record_tables.h"

#include <algorithm>

namespace core {

namespace {

    TimeRange rangeOf(const SliceColumns &slices)
    {
        if (slices.size() == 0)
            return {};
        TimeRange range = { slices.startNs.front(), slices.startNs.front() };
        for (std::size_t row = 0; row < slices.size(); ++row)
            range.endNs = std::max(range.endNs, slices.endNs(row));
        return range;
    }

} // namespace

/// The columns of the tracks of one worker; [tracks].
struct WorkerFinisher::Columns
{
    std::vector<SliceColumns> slices;
    std::vector<std::vector<std::uint64_t>> argsOrdinals;
    std::vector<Track> tracks;
};

WorkerFinisher::WorkerFinisher(Database &db, CollectedFile &file, const NextIds &first,
                               StringPool &names, Diagnostics &diagnostics)
    : m_db(db)
    , m_file(file)
    , m_first(first)
    , m_names(names)
    , m_diagnostics(diagnostics)
    , m_nextSlice(first.slice)
    , m_trackWriter(db)
{
    m_nameIds.reserve(file.names.size());
    for (std::uint32_t id = 0; id < file.names.size(); ++id)
        m_nameIds.push_back(names.intern(file.names.text(NameId(id))));
    for (CollectedTrack &collected : file.tracks) {
        Track &track = collected.track;
        track.id = TrackId(m_first.track.value + track.id.value);
        track.file = file.fileId;
        track.firstSlice = m_nextSlice;
        track.sliceCount = collected.size();
        m_nextSlice = SliceId(m_nextSlice.value + track.sliceCount);
        for (TensorUse &use : collected.tensorUses)
            use.tensor.value += m_first.tensor.value;
        for (NamedTransfer &transfer : collected.transfers)
            transfer.transaction = m_nameIds[transfer.transaction.value];
    }
    writeTensors();
    writeIterations();
}

WorkerId WorkerFinisher::idOf(WorkerId worker) const
{
    return WorkerId(m_first.worker.value + worker.value);
}

void WorkerFinisher::writeTensors()
{
    for (Tensor &tensor : m_file.tensors) {
        tensor.id.value += m_first.tensor.value;
        tensor.worker = idOf(tensor.worker);
    }
    insertTensors(m_db, m_file.tensors);
}

void WorkerFinisher::writeIterations()
{
    for (Iteration &iteration : m_file.iterations)
        iteration.worker = idOf(iteration.worker);
    insertIterations(m_db, m_file.iterations);
}

void WorkerFinisher::writeRecords(WorkerId worker, CollectedFile::CollectedWorker &collected)
{
    for (DependencyEdge &edge : collected.dependencies.nameEdges()) {
        edge.from = m_nameIds[edge.from].value;
        edge.to = m_nameIds[edge.to].value;
    }
    insertMemory(m_db, worker, collected.memory.take(m_file.compressor));
    insertDependencies(m_db, worker, collected.dependencies.take(m_file.compressor));
}

NextIds WorkerFinisher::nextIds() const
{
    const auto after = [](auto first, const auto &added) {
        first.value += static_cast<std::uint32_t>(added.size());
        return first;
    };
    return { after(m_first.worker, m_file.workers), after(m_first.track, m_file.tracks),
             after(m_first.tensor, m_file.tensors), m_nextSlice,
             m_first.args + m_file.args.count() };
}

void WorkerFinisher::finish(CollectedFile::CollectedWorker &collected, const JobControl &control)
{
    const std::vector<std::size_t> indices = m_file.tracksOf(collected.worker.id);
    Worker worker = collected.worker;
    worker.id = idOf(worker.id);
    insertWorker(m_db, worker, m_file.fileId);
    writeRecords(worker.id, collected);
    Columns columns;
    for (const std::size_t index : indices)
        sortAndNest(worker.id, m_file.tracks[index], columns);
    assignPhases(columns.tracks, columns.slices,
                 [this](NameId name) { return m_names.text(name); });
    for (std::size_t i = 0; i < indices.size(); ++i) {
        throwIfCancelled(control);
        insertTrack(m_db, columns.tracks[i]);
        insertCollectives(m_db, m_file.tracks[indices[i]].collectives);
        insertSyncs(m_db, m_file.tracks[indices[i]].syncs);
        insertTransfers(m_db, m_file.tracks[indices[i]].transfers);
        insertTensorUses(m_db, m_file.tracks[indices[i]].tensorUses);
        m_trackWriter.write(columns.tracks[i].id, columns.slices[i], columns.argsOrdinals[i]);
        columns.slices[i] = {};
        columns.argsOrdinals[i] = {};
    }
}

void WorkerFinisher::sortAndNest(WorkerId worker, CollectedTrack &collected, Columns &columns)
{
    std::vector<std::uint64_t> argsOrdinal;
    SliceColumns slices = collected.takeColumns(argsOrdinal);
    slices.first = collected.track.firstSlice;
    for (NameId &name : slices.name)
        name = m_nameIds[name.value];
    for (std::uint64_t &ordinal : argsOrdinal)
        ordinal += ordinal == 0 ? 0 : m_first.args;
    const std::vector<std::uint32_t> order = sortSlices(slices);
    reorder(argsOrdinal, order);
    collected.resolveCalls(worker, slices.first, order);

    Track track = collected.track;
    track.worker = worker;
    const DepthReport depths = assignDepths(slices);
    track.kind = finishedKind(track.kind, slices);
    track.depthCount = depths.depthCount;
    track.range = rangeOf(slices);
    if (depths.overlapping > 0)
        m_diagnostics.add({ "overlapping-slices",
                            Severity::Info,
                            depths.overlapping,
                            m_file.source.name,
                            {},
                            "Slices on one row overlap without one holding the other; they are "
                            "shown on the next free row." });
    if (depths.tooDeep > 0)
        m_diagnostics.add({ "too-deep",
                            Severity::Info,
                            depths.tooDeep,
                            m_file.source.name,
                            {},
                            "Slices nest deeper than 255 levels; the innermost share one row." });
    columns.slices.push_back(std::move(slices));
    columns.argsOrdinals.push_back(std::move(argsOrdinal));
    columns.tracks.push_back(std::move(track));
}

} // namespace core
