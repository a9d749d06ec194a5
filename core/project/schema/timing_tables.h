#pragma once

#include "core/model/clocks.h"
#include "core/model/trace.h"
#include "core/sqlite/database.h"

#include <span>
#include <vector>

// Steps and clocks: iteration, alignment and the properties of both as values; one
// function a table and direction. Readers check what they read and throw Error.

namespace core {

/// Those that a file states, by its clock.
void insertStatedIterations(Database &db, FileId file, std::span<const Iteration> iterations);
/// Those that no file states; what is stated stays as it is.
void replaceFoundIterations(Database &db, std::span<const Iteration> iterations);
bool hasStatedIterations(Database &db, WorkerId worker);
/// By the ranks' raw clocks.
std::vector<Iteration> readIterations(Database &db, std::size_t workerCount,
                                      std::span<const FileClock> clocks);

/// As solved; what is set by hand stays.
void replaceAlignment(Database &db, const AlignmentReport &solved);
/// Clocks that nothing relates are placed, which older projects did not do.
AlignmentReport readSolvedAlignment(Database &db, std::span<const Worker> workers,
                                    std::span<const Track> tracks);
/// Clocks that are set by hand, and what `used` says of all ranks with them.
void replaceClocksByHand(Database &db, const ClocksByHand &byHand, const AlignmentReport &used);
ClocksByHand readClocksByHand(Database &db, std::size_t workerCount);
/// What times are aligned with: clocks set by hand, else the solved ones.
AlignmentReport readAlignment(Database &db, std::span<const Worker> workers,
                              std::span<const Track> tracks);

} // namespace core
