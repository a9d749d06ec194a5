#include "core/project/file_clocks.h"

#include "core/project/checked_values.h"
#include "core/project/project_limits.h"

#include <map>
#include <utility>

namespace core {

namespace {

    /// The extension reads older projects as they are, too.
    bool hasFileClocks(Database &db)
    {
        return db.integer("SELECT count(*) FROM pragma_table_info('file_clock')") > 0;
    }

    std::int64_t shiftedUpTo(std::int64_t latestNs, Database &db, std::int64_t storedNs,
                             std::int64_t shiftNs)
    {
        if (shiftNs == 0)
            return storedNs;
        std::int64_t time = 0;
        if (__builtin_add_overflow(storedNs, shiftNs, &time) || time < -MaxTimeNs
            || time > latestNs)
            db.failDamaged("a time that the clock of its file makes impossible");
        return time;
    }

} // namespace

void replaceFileClocks(Database &db, std::span<const FileClock> clocks)
{
    Transaction transaction(db);
    db.execute("DELETE FROM file_clock");
    Statement insert(db, "INSERT INTO file_clock VALUES (?, ?, ?, ?)");
    for (const FileClock &clock : clocks)
        insert
            .bindAll(std::int64_t(clock.worker.value), std::int64_t(clock.file.value),
                     clock.offsetNs, int(clock.isMeasured))
            .run();
    transaction.commit();
}

std::vector<FileClock> readFileClocks(Database &db, std::size_t workerCount)
{
    std::vector<FileClock> clocks;
    if (!hasFileClocks(db))
        return clocks;
    Statement select(db,
                     "SELECT worker, source_file, offset_ns, is_measured FROM file_clock "
                     "ORDER BY worker, source_file");
    while (select.step()) {
        FileClock &clock = clocks.emplace_back();
        clock.worker = checkedId<WorkerId>(db, select, 0, workerCount);
        clock.file = checkedId<FileId>(db, select, 1, std::uint64_t { 1 } << 32);
        clock.offsetNs = select.integer(2);
        clock.isMeasured = select.integer(3) != 0;
        if (clock.offsetNs < -MaxDurationNs || clock.offsetNs > MaxDurationNs)
            db.failDamaged("an impossible clock of a file");
    }
    return clocks;
}

std::vector<std::int64_t> trackShifts(std::span<const FileClock> clocks,
                                      std::span<const Track> tracks)
{
    std::map<std::pair<WorkerId, FileId>, std::int64_t> byFile;
    for (const FileClock &clock : clocks)
        byFile[{ clock.worker, clock.file }] = clock.offsetNs;
    std::vector<std::int64_t> shifts(tracks.size(), 0);
    for (std::size_t t = 0; t < tracks.size() && !byFile.empty(); ++t)
        if (const auto found = byFile.find({ tracks[t].worker, tracks[t].file });
            found != byFile.end())
            shifts[t] = found->second;
    return shifts;
}

std::int64_t shiftedTime(Database &db, std::int64_t storedNs, std::int64_t shiftNs)
{
    return shiftedUpTo(MaxTimeNs, db, storedNs, shiftNs);
}

std::int64_t shiftedEnd(Database &db, std::int64_t storedNs, std::int64_t shiftNs)
{
    return shiftedUpTo(MaxTimeNs + MaxDurationNs, db, storedNs, shiftNs);
}

TimeRange shiftedRange(Database &db, TimeRange stored, std::int64_t shiftNs)
{
    return { shiftedTime(db, stored.startNs, shiftNs), shiftedEnd(db, stored.endNs, shiftNs) };
}

void shiftTimes(Database &db, std::vector<std::int64_t> &timesNs, std::int64_t shiftNs)
{
    if (shiftNs == 0)
        return;
    for (std::int64_t &time : timesNs)
        time = shiftedTime(db, time, shiftNs);
}

} // namespace core
