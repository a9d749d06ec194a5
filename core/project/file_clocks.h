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

/// By TrackId, what is added to stored times.
std::vector<std::int64_t> trackShifts(std::span<const FileClock> clocks,
                                      std::span<const Track> tracks);

/// A stored time in the rank's raw clock; fails as damaged where it is none that may be.
std::int64_t shiftedTime(Database &db, std::int64_t storedNs, std::int64_t shiftNs);
/// The same of an end: it may be a duration later.
std::int64_t shiftedEnd(Database &db, std::int64_t storedNs, std::int64_t shiftNs);
TimeRange shiftedRange(Database &db, TimeRange stored, std::int64_t shiftNs);
void shiftTimes(Database &db, std::vector<std::int64_t> &timesNs, std::int64_t shiftNs);

} // namespace core
