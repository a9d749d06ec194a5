#include "core/project/write/worker_finisher.h"

#include "core/project/schema/record_tables.h"
#include "core/project/schema/timing_tables.h"
#include "core/project/schema/worker_tables.h"

#include <algorithm>

namespace core {

namespace {

    void countNesting(const DepthReport &depths, const std::string &file, Diagnostics &diagnostics)
    {
        if (depths.overlapping > 0)
            diagnostics.add({ "overlapping-slices",
                              Severity::Info,
                              depths.overlapping,
                              file,
                              {},
                              "Slices on one row overlap without one holding the other; they are "
                              "shown on the next free row." });
        if (depths.tooDeep > 0)
            diagnostics.add({ "too-deep",
                              Severity::Info,
                              depths.tooDeep,
                              file,
                              {},
                              "Slices nest deeper than 255 levels; the innermost share one row." });
    }

} // namespace

WorkerFinisher::WorkerFinisher(Database &db, CollectedFile &file, const NextIds &first,
                               StringPool &names)
    : m_db(db)
    , m_file(file)
    , m_first(first)
    , m_meanings([&file](NameId name) { return file.names.text(name); })
    , m_nextSlice(first.slice)
    , m_statements(db)
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
        for (NamedTransfer &transfer : collected.transfers)
            transfer.transaction = m_nameIds[transfer.transaction.value];
    }
    writeTensors();
    for (CollectedTrack &collected : file.tracks)
        for (TensorUse &use : collected.tensorUses)
            use.tensor = m_tensorIds[use.tensor.value];
    writeIterations();
}

WorkerId WorkerFinisher::idOf(WorkerId worker) const
{
    return m_file.workers[worker.value].projectId;
}

void WorkerFinisher::writeTensors()
{
    std::vector<Tensor> added;
    for (const Tensor &tensor : m_file.tensors) {
        const WorkerId worker = idOf(tensor.worker);
        const auto known = m_file.workers[tensor.worker.value].isNew
            ? std::nullopt
            : findTensor(m_db, worker, tensor.name);
        m_tensorIds.push_back(known.value_or(TensorId(m_first.tensor.value + m_newTensors)));
        if (known) {
            completeTensor(m_db, *known, tensor);
            continue;
        }
        ++m_newTensors;
        added.push_back(tensor);
        added.back().id = m_tensorIds.back();
        added.back().worker = worker;
    }
    insertTensors(m_db, added);
}

void WorkerFinisher::writeIterations()
{
    std::vector<Iteration> added;
    for (Iteration iteration : m_file.iterations) {
        const bool isNew = m_file.workers[iteration.worker.value].isNew;
        iteration.worker = idOf(iteration.worker);
        // Steps that one file states are not stated again by another.
        if (isNew || !hasStatedIterations(m_db, iteration.worker))
            added.push_back(iteration);
    }
    insertStatedIterations(m_db, m_file.fileId, added);
}

void WorkerFinisher::writeRecords(WorkerId worker, CollectedFile::CollectedWorker &collected)
{
    for (DependencyEdge &edge : collected.dependencies.nameEdges()) {
        edge.from = m_nameIds[edge.from].value;
        edge.to = m_nameIds[edge.to].value;
    }
    insertMemory(m_db, worker, m_file.fileId, collected.memory.take(m_file.compressor),
                 m_file.spillFile());
    insertDependencies(m_db, worker, collected.dependencies.take(m_file.compressor),
                       m_file.spillFile());
}

NextIds WorkerFinisher::nextIds() const
{
    NextIds next { m_first.worker, m_first.track, m_first.tensor, m_nextSlice,
                   m_first.args + m_file.args.count() };
    for (const CollectedFile::CollectedWorker &worker : m_file.workers)
        next.worker.value += worker.isNew ? 1 : 0;
    next.track.value += static_cast<std::uint32_t>(m_file.tracks.size());
    next.tensor.value += m_newTensors;
    return next;
}

JobControl WorkerFinisher::nextPart(const JobControl &control, const CollectedTrack &track)
{
    const double all = 2.0
        * static_cast<double>(std::max<std::uint64_t>(m_nextSlice.value - m_first.slice.value, 1));
    const double from = static_cast<double>(m_rowsDone) / all;
    m_rowsDone += track.size();
    return control.part(from, static_cast<double>(m_rowsDone) / all);
}

void WorkerFinisher::finish(CollectedFile::CollectedWorker &collected, const JobControl &control)
{
    const std::vector<std::size_t> &tracks = collected.tracks;
    Worker worker = collected.worker;
    worker.id = idOf(worker.id);
    if (collected.isNew)
        insertWorker(m_db, worker, m_file.fileId);
    else
        addToWorker(m_db, worker, m_file.fileId);
    writeRecords(worker.id, collected);
    const std::vector<TrackSurvey> surveys = survey(tracks, control);
    WorkerPhases phases { std::any_of(surveys.begin(), surveys.end(),
                                      [](const TrackSurvey &s) { return s.marks.hasStep(); }),
                          PhaseLinks(m_file.limits().linksBytes) };
    // Device activities take the phases of the host slices that launched them.
    for (const bool isHostTurn : { true, false })
        for (std::size_t i = 0; i < tracks.size(); ++i) {
            CollectedTrack &track = m_file.tracks[tracks[i]];
            if (isHost(track.track.kind) == isHostTurn)
                write(worker.id, track, surveys[i], phases, nextPart(control, track));
        }
    countDroppedLinks(phases.links.dropped());
}

std::vector<TrackSurvey> WorkerFinisher::survey(std::span<const std::size_t> tracks,
                                                const JobControl &control)
{
    std::vector<TrackSurvey> surveys;
    for (const std::size_t index : tracks) {
        CollectedTrack &track = m_file.tracks[index];
        track.sortHeld();
        surveys.push_back(
            surveyTrack(track, m_file.spillFile(), m_meanings, nextPart(control, track)));
        countNesting(surveys.back().depths, m_file.source.name, m_file.diagnostics());
    }
    return surveys;
}

void WorkerFinisher::write(WorkerId worker, CollectedTrack &collected, const TrackSurvey &survey,
                           WorkerPhases &phases, const JobControl &control)
{
    std::vector<SliceId> calls(collected.callCount(), UnwrittenSlice);
    writeSlices(collected, survey, phases, calls, control);
    Track track = collected.track;
    track.worker = worker;
    track.kind = finishedKind(track.kind, survey.onlyCommunicates);
    track.depthCount = survey.depths.depthCount;
    track.range = survey.range;
    insertTrack(m_db, track);
    collected.resolveCalls(worker, calls);
    writeCalls(collected);
    collected.clear();
}

void WorkerFinisher::writeSlices(const CollectedTrack &collected, const TrackSurvey &survey,
                                 WorkerPhases &phases, std::vector<SliceId> &calls,
                                 const JobControl &control)
{
    const Track &track = collected.track;
    const bool isOnHost = isHost(track.kind);
    TrackWriter writer(m_statements, track.id, track.firstSlice, survey.levelWidthsNs);
    DepthAssigner depths;
    HostPhases hostPhases(survey.marks.isAutogradThread(), phases.hasSteps);
    SortedSlices slices(collected, m_file.spillFile());
    std::uint64_t row = 0;
    for (const CollectedSlice *next = slices.next(); next; next = slices.next(), ++row) {
        if (row % RowsBetweenPolls == 0)
            pollPass(control, row, collected.size());
        CollectedSlice slice = *next;
        const std::uint8_t depth = depths.place(slice.startNs, slice.endNs());
        const NameMeaning meaning = m_meanings(slice.name);
        const Phase phase = isOnHost
            ? hostPhases.next(depth, meaning, slice.category)
            : phases.links.find(slice.category, slice.correlation, slice.externalId, meaning);
        if (isOnHost)
            phases.links.add(slice.category, slice.correlation, slice.externalId, phase);
        if (slice.callOrdinal > 0)
            calls[slice.callOrdinal - 1] = SliceId(track.firstSlice.value + row);
        slice.name = m_nameIds[slice.name.value];
        slice.argsOrdinal += slice.argsOrdinal == 0 ? 0 : m_first.args;
        writer.add(slice, depth, phase);
    }
    writer.finish();
}

void WorkerFinisher::writeCalls(const CollectedTrack &track)
{
    insertCollectives(m_db, track.collectives);
    insertSyncs(m_db, track.syncs);
    insertTransfers(m_db, track.transfers);
    insertTensorUses(m_db, track.tensorUses);
}

void WorkerFinisher::countDroppedLinks(std::uint64_t count)
{
    if (count > 0)
        m_file.diagnostics().add(
            { "phases-left-out",
              Severity::Warning,
              count,
              m_file.source.name,
              {},
              "Correlation ids are too far apart to remember all of them within the "
              "memory limit; device activities of these launches have no phase. "
              "Import again with a larger --memory-limit (longpole import)." });
}

} // namespace core
