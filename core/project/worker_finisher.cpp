#include "core/project/worker_finisher.h"

#include "core/model/finish_track.h"
#include "core/project/project_tables.h"

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

WorkerFinisher::WorkerFinisher(Database &db, const StringPool &names, Diagnostics &diagnostics)
    : m_db(db)
    , m_names(names)
    , m_diagnostics(diagnostics)
    , m_trackWriter(db)
{
}

void WorkerFinisher::finish(CollectedFile &file, WorkerId worker)
{
    const std::vector<std::size_t> indices = file.tracksOf(worker);
    Columns columns;
    for (const std::size_t index : indices)
        sortAndNest(file.name, file.tracks[index], columns);
    assignPhases(columns.tracks, columns.slices,
                 [this](NameId name) { return m_names.text(name); });
    for (std::size_t i = 0; i < indices.size(); ++i) {
        insertTrack(m_db, columns.tracks[i]);
        insertCollectives(m_db, file.tracks[indices[i]].collectives);
        insertSyncs(m_db, file.tracks[indices[i]].syncs);
        insertTransfers(m_db, file.tracks[indices[i]].transfers);
        insertTensorUses(m_db, file.tracks[indices[i]].tensorUses);
        m_trackWriter.write(columns.tracks[i].id, columns.slices[i], columns.argsOrdinals[i]);
        columns.slices[i] = {};
        columns.argsOrdinals[i] = {};
    }
}

void WorkerFinisher::sortAndNest(const std::string &file, CollectedTrack &collected,
                                 Columns &columns)
{
    std::vector<std::uint64_t> argsOrdinal;
    SliceColumns slices = collected.takeColumns(argsOrdinal);
    slices.first = collected.track.firstSlice;
    const std::vector<std::uint32_t> order = sortSlices(slices);
    reorder(argsOrdinal, order);
    collected.resolveCalls(slices.first, order);

    Track track = collected.track;
    const DepthReport depths = assignDepths(slices);
    track.kind = finishedKind(track.kind, slices);
    track.depthCount = depths.depthCount;
    track.range = rangeOf(slices);
    if (depths.overlapping > 0)
        m_diagnostics.add({ "overlapping-slices",
                            Severity::Info,
                            depths.overlapping,
                            file,
                            {},
                            "Slices on one row overlap without one holding the other; they are "
                            "shown on the next free row." });
    if (depths.tooDeep > 0)
        m_diagnostics.add({ "too-deep",
                            Severity::Info,
                            depths.tooDeep,
                            file,
                            {},
                            "Slices nest deeper than 255 levels; the innermost share one row." });
    columns.slices.push_back(std::move(slices));
    columns.argsOrdinals.push_back(std::move(argsOrdinal));
    columns.tracks.push_back(std::move(track));
}

} // namespace core
