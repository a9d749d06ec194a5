#pragma once

#include "core/base/job_control.h"
#include "core/model/clocks.h"
#include "core/model/trace.h"

namespace core {

/// Finds each worker's clock (offset, drift, how sure) from matched collectives and messages: ranks
/// leave a synchronising collective nearly together, no rank can leave before the last has entered,
/// and no message arrives before it was sent (dPRO §4.2; see solveOffsets()). trace.alignment is
/// ignored. A worker whose slices come from the reference's file, or who ran on its host, shares
/// its clock, see isOneClock(), unless the records disprove it. One that nothing ties to the
/// reference has isKnown = false, and an offset that is none that was measured: see
/// relateUnknownClocks() and placeUnrelatedClocks().
AlignmentReport align(const Trace &trace, const JobControl &control);

/// `solved` with the clocks of `byHand` (worker, offset, drift) instead: residuals, violations and
/// status say how they fit. That of the reference stays: all others are relative to it.
AlignmentReport withClocksByHand(const Trace &trace, AlignmentReport solved,
                                 const ClocksByHand &byHand, const JobControl &control);

/// Collective calls of one instance, matched across workers by (group, sequence) or by order on the
/// group.
struct MatchedCollective
{
    std::vector<std::size_t> calls; ///< indices into trace.collectives, one a worker, by WorkerId
    std::uint64_t sequence = 0; ///< number of the instance on its group
    /// Number of the group among those that are matched: several of one name have one each where
    /// their ranks tell them apart.
    std::uint32_t group = 0;
};

/// Matches the collectives of all workers; what does not match goes into `notes` by name. Calls
/// outside of the window that all ranks of the group share (a rank started recording later) are
/// left out with a note.
std::vector<MatchedCollective> matchCollectives(const Trace &trace, std::vector<std::string> &notes,
                                                const JobControl &control = {});

} // namespace core
