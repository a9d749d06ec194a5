#pragma once

#include "core/model/trace.h"

#include <optional>
#include <span>
#include <string>

namespace core {

/// Nothing in the trace ties this clock to the reference's, and its times are moved all the same,
/// to be shown beside the others: the offset is no measured one.
inline bool isPlaced(const Alignment &clock)
{
    return !clock.isKnown && !clock.isReference && clock.offsetNs != 0;
}

/// The rank whose clock the others are brought to; absent where clocks are not solved.
std::optional<int> referenceRank(std::span<const Worker> workers, const AlignmentReport &clocks);

/// "not aligned: no common clock with rank 0", of a clock that isPlaced(); else empty.
std::string placedClockText(std::span<const Worker> workers, const AlignmentReport &clocks,
                            WorkerId worker);

/// Moves ranks whose clocks nothing ties to the reference's to where those of the known ones begin,
/// if they lie further from these than clocks are ever off that somebody sets (one counts from a
/// boot, another from 1970; a job ran a day later): else a time axis over all would be empty but
/// for its ends. Ranks that ran at one time by their clocks, and those that `clocks` already
/// relates to each other, move together. What lies close by stays as recorded, so that nothing
/// changes the second time. `tracks` have raw times.
void placeUnrelatedClocks(std::span<const Track> tracks, AlignmentReport &clocks);

/// Adds to the status which ranks are placed so, unless it says that already.
void tellPlacedClocks(std::span<const Worker> workers, AlignmentReport &clocks);

} // namespace core
