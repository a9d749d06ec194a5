#pragma once

#include "core/model/clocks.h"
#include "core/model/trace.h"
#include "core/sqlite/database.h"

#include <span>
#include <vector>

// Steps and clocks: iteration, alignment and the properties of both as values; one
// function a table and direction. Readers check what they read and throw Error.

namespace core {

/// Adds the iterations that a file states, on the file's clock.
void insertStatedIterations(Database &db, FileId file, std::span<const Iteration> iterations);
/// Replaces all iterations that no file states.
void replaceFoundIterations(Database &db, std::span<const Iteration> iterations);
bool hasStatedIterations(Database &db, WorkerId worker);
/// All iterations, on the raw clocks of their ranks.
std::vector<Iteration> readIterations(Database &db, std::size_t workerCount,
                                      std::span<const FileClock> clocks);

/// Replaces the solved clocks; clocks set by hand stay.
void replaceAlignment(Database &db, const AlignmentReport &solved);
/// The clocks as solved. Ranks added since then are placed, see placeUnrelatedClocks().
AlignmentReport readSolvedAlignment(Database &db, std::span<const Worker> workers,
                                    std::span<const Track> tracks);
/// Replaces the clocks set by hand. `used`: residuals and status of all ranks with these clocks.
void replaceClocksByHand(Database &db, const ClocksByHand &byHand, const AlignmentReport &used);
ClocksByHand readClocksByHand(Database &db, std::size_t workerCount);
/// The clocks in use: set by hand, else solved.
AlignmentReport readAlignment(Database &db, std::span<const Worker> workers,
                              std::span<const Track> tracks);

} // namespace core
