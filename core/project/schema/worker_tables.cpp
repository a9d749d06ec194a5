#include "core/project/schema/worker_tables.h"

#include "core/project/codec/checked_values.h"

#include <array>
#include <limits>

namespace core {

namespace {

    constexpr std::array TrackKinds
        = { TrackKind::HostThread,    TrackKind::Stream,     TrackKind::StreamSync,
            TrackKind::Communication, TrackKind::Annotation, TrackKind::Other };

    TrackKind trackKindNamed(std::string_view name)
    {
        for (const TrackKind kind : TrackKinds)
            if (trackKindName(kind) == name)
                return kind;
        return TrackKind::Other;
    }

    void insertEventCounts(Database &db, const Worker &worker)
    {
        Statement insert(db,
                         "INSERT INTO event_count VALUES (?, ?, ?) ON CONFLICT (worker, category) "
                         "DO UPDATE SET count = count + excluded.count");
        for (const auto &[category, count] : worker.eventsByCategory)
            insert.bindAll(std::int64_t(worker.id.value), std::string_view(category), count).run();
    }

    void insertWorkerFiles(Database &db, const Worker &worker, FileId file)
    {
        Statement insert(db, "INSERT INTO worker_file VALUES (?, ?, ?)");
        for (const std::string &name : worker.files)
            insert
                .bindAll(std::int64_t(worker.id.value), std::string_view(name),
                         std::int64_t(file.value))
                .run();
    }

} // namespace

void insertWorker(Database &db, const Worker &worker, FileId file)
{
    const auto id = std::int64_t(worker.id.value);
    Statement insert(db, "INSERT INTO worker VALUES (?, ?, ?, ?)");
    insert.bindAll(id, worker.rank, std::string_view(worker.host), worker.worldSize).run();
    insertWorkerFiles(db, worker, file);
    insertEventCounts(db, worker);
}

void addToWorker(Database &db, const Worker &worker, FileId file)
{
    const auto id = std::int64_t(worker.id.value);
    Statement(db,
              "UPDATE worker SET host = CASE host WHEN '' THEN ? ELSE host END, "
              "world_size = coalesce(world_size, ?) WHERE id = ?")
        .bindAll(std::string_view(worker.host), worker.worldSize, id)
        .run();
    insertWorkerFiles(db, worker, file);
    insertEventCounts(db, worker);
}

void insertTrack(Database &db, const Track &track)
{
    Statement insert(db, "INSERT INTO track VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    insert
        .bindAll(std::int64_t(track.id.value), std::int64_t(track.worker.value),
                 trackKindName(track.kind), std::string_view(track.pid),
                 std::string_view(track.tid), std::string_view(track.name), track.device,
                 track.firstSlice.value, track.sliceCount, std::int64_t(track.depthCount),
                 track.range.startNs, track.range.endNs, std::int64_t(track.file.value))
        .run();
}

void insertNames(Database &db, const StringPool &names, std::size_t from)
{
    Statement insert(db, "INSERT INTO name VALUES (?, ?)");
    for (std::size_t id = from; id < names.size(); ++id)
        insert
            .bindAll(static_cast<std::uint64_t>(id),
                     names.text(NameId(static_cast<std::uint32_t>(id))))
            .run();
}

std::vector<Worker> readWorkers(Database &db)
{
    std::vector<Worker> workers;
    Statement select(db, "SELECT id, rank, host, world_size FROM worker ORDER BY id");
    while (select.step()) {
        if (select.natural(0) != workers.size())
            db.failDamaged("a worker is missing");
        Worker worker;
        worker.id = WorkerId(static_cast<std::uint32_t>(workers.size()));
        worker.rank = static_cast<int>(select.integer(1));
        worker.host = select.text(2);
        worker.worldSize = select.optional<int>(3);
        workers.push_back(std::move(worker));
    }
    Statement files(db, "SELECT worker, file FROM worker_file ORDER BY rowid");
    while (files.step())
        workers[checkedId<WorkerId>(db, files, 0, workers.size()).value].files.push_back(
            files.text(1));
    Statement counts(db, "SELECT worker, category, count FROM event_count");
    while (counts.step())
        workers[checkedId<WorkerId>(db, counts, 0, workers.size()).value]
            .eventsByCategory[counts.text(1)]
            = counts.natural(2);
    return workers;
}

std::vector<Track> readTracks(Database &db, std::size_t workerCount)
{
    std::vector<Track> tracks;
    std::uint64_t nextSlice = 0;
    Statement select(db,
                     "SELECT id, worker, kind, pid, tid, name, device, first_slice, slice_count, "
                     "depth_count, raw_start_ns, raw_end_ns, file FROM track ORDER BY id");
    while (select.step()) {
        Track track;
        track.id = TrackId(static_cast<std::uint32_t>(tracks.size()));
        track.worker = checkedId<WorkerId>(db, select, 1, workerCount);
        track.kind = trackKindNamed(select.text(2));
        track.pid = select.text(3);
        track.tid = select.text(4);
        track.name = select.text(5);
        track.device = select.optional<int>(6);
        track.firstSlice = SliceId(select.natural(7));
        track.sliceCount = select.natural(8);
        track.depthCount = static_cast<std::uint32_t>(select.integer(9));
        track.range = checkedRange(db, select, 10);
        track.file = FileId(static_cast<std::uint32_t>(select.natural(12)));
        if (select.natural(0) != tracks.size() || track.firstSlice.value != nextSlice
            || track.sliceCount > std::numeric_limits<std::uint32_t>::max()
            || track.depthCount > 256)
            db.failDamaged("a track is missing");
        nextSlice += track.sliceCount;
        tracks.push_back(std::move(track));
    }
    return tracks;
}

std::vector<std::string> readNames(Database &db)
{
    std::vector<std::string> names;
    Statement select(db, "SELECT id, text FROM name ORDER BY id");
    while (select.step()) {
        if (select.natural(0) != names.size())
            db.failDamaged("a name is missing");
        names.push_back(select.text(1));
    }
    if (names.empty())
        names.emplace_back();
    return names;
}

} // namespace core
