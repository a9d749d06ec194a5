#include "core/project/read/file_clocks.h"

#include "core/project/codec/checked_values.h"
#include "core/project/project_limits.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace core {

namespace {

    std::int64_t rankTimeUpTo(std::int64_t latestNs, Database &db, const FileClock &clock,
                              std::int64_t storedNs)
    {
        std::int64_t time = 0;
        if (__builtin_add_overflow(storedNs, clock.addedNs(storedNs), &time) || time < -MaxTimeNs
            || time > latestNs)
            db.failDamaged("a time that the clock of its file makes impossible");
        return time;
    }

    bool addsNothing(const FileClock &clock)
    {
        return clock.offsetNs == 0 && !clock.hasDrift();
    }

} // namespace

void replaceFileClocks(Database &db, std::span<const FileClock> clocks)
{
    Transaction transaction(db);
    db.execute("DELETE FROM file_clock");
    Statement insert(db, "INSERT INTO file_clock VALUES (?, ?, ?, ?, ?, ?)");
    for (const FileClock &clock : clocks)
        insert
            .bindAll(std::int64_t(clock.worker.value), std::int64_t(clock.file.value),
                     clock.offsetNs, int(clock.isMeasured), clock.driftPpm, clock.driftFromNs)
            .run();
    transaction.commit();
}

std::vector<FileClock> readFileClocks(Database &db, std::size_t workerCount)
{
    std::vector<FileClock> clocks;
    Statement select(db,
                     "SELECT worker, source_file, offset_ns, is_measured, drift_ppm, drift_from_ns "
                     "FROM file_clock ORDER BY worker, source_file");
    while (select.step()) {
        FileClock &clock = clocks.emplace_back();
        clock.worker = checkedId<WorkerId>(db, select, 0, workerCount);
        clock.file = checkedId<FileId>(db, select, 1, MostFileIds);
        clock.offsetNs = select.integer(2);
        clock.isMeasured = select.integer(3) != 0;
        clock.driftPpm = select.optional<double>(4);
        clock.driftFromNs = checkedTime(db, select, 5);
        if (clock.offsetNs < -MaxDurationNs || clock.offsetNs > MaxDurationNs
            || !(std::abs(clock.driftPpm.value_or(0)) <= MaxDriftPpm))
            db.failDamaged("an impossible clock of a file");
    }
    return clocks;
}

const FileClock &clockOf(std::span<const FileClock> clocks, WorkerId worker, FileId file)
{
    static const FileClock rankClock;
    const auto found = std::lower_bound(clocks.begin(), clocks.end(), std::pair(worker, file),
                                        [](const FileClock &clock, const auto &wanted) {
                                            return std::pair(clock.worker, clock.file) < wanted;
                                        });
    return found != clocks.end() && found->worker == worker && found->file == file ? *found
                                                                                   : rankClock;
}

std::int64_t rankTime(Database &db, const FileClock &clock, std::int64_t storedNs)
{
    return addsNothing(clock) ? storedNs : rankTimeUpTo(MaxTimeNs, db, clock, storedNs);
}

std::int64_t rankEnd(Database &db, const FileClock &clock, std::int64_t storedNs)
{
    return addsNothing(clock) ? storedNs
                              : rankTimeUpTo(MaxTimeNs + MaxDurationNs, db, clock, storedNs);
}

TimeRange rankRange(Database &db, const FileClock &clock, TimeRange stored)
{
    return { rankTime(db, clock, stored.startNs), rankEnd(db, clock, stored.endNs) };
}

void toRankTimes(Database &db, const FileClock &clock, SliceColumns &slices)
{
    if (addsNothing(clock))
        return;
    for (std::size_t row = 0; row < slices.size(); ++row) {
        const TimeRange range = rankRange(db, clock, { slices.startNs[row], slices.endNs(row) });
        slices.startNs[row] = range.startNs;
        slices.durationNs[row] = range.durationNs();
    }
}

} // namespace core
