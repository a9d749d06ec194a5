#pragma once

#include "core/model/clocks.h"
#include "core/model/trace.h"
#include "core/sqlite/database.h"

#include <cstdint>
#include <span>
#include <vector>

// The clocks of files of a rank: the table file_clock, and what it does to stored times.

namespace core {

void replaceFileClocks(Database &db, std::span<const FileClock> clocks);
/// By worker and file; none of a project that is older than the table.
std::vector<FileClock> readFileClocks(Database &db, std::size_t workerCount);

/// The clock of what a worker's file holds: one that adds nothing where `clocks` (by worker and
/// file) have none.
const FileClock &clockOf(std::span<const FileClock> clocks, WorkerId worker, FileId file);

/// A stored time in the rank's raw clock; fails as damaged where it is none that may be.
std::int64_t rankTime(Database &db, const FileClock &clock, std::int64_t storedNs);
/// The same of an end: it may be a duration later.
std::int64_t rankEnd(Database &db, const FileClock &clock, std::int64_t storedNs);
TimeRange rankRange(Database &db, const FileClock &clock, TimeRange stored);
/// Starts and durations: what held another slice goes on to do so.
void toRankTimes(Database &db, const FileClock &clock, SliceColumns &slices);

} // namespace core
