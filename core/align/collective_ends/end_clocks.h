#pragma once

#include "core/align/clock_offsets.h"
#include "core/align/collective_ends/end_collectives.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace core {

/// Refines first guesses by the ends of collectives (joint_ends.h). A drift is taken where it makes
/// the ends much more probable and is several times its standard error, with a range. The
/// uncertainty reaches to the farthest place that the stretches of the trace do not refuse
/// (end_reach.h), joined with how far collectives of different payload or length disagree (a rank
/// behind a slow link leaves later the more there is to transfer) and with what a drift that is not
/// proved would move; but never beyond what cause and effect allow. Collectives that contradict
/// every clock near the fitted one widen it, up to all that the collectives say.
/// True, by worker, for those that the ends tie to the reference, by at most LargestOffsetNs; only
/// these have to be in `collectives`.
std::vector<bool> fitEndClocks(const EndCollectives &collectives,
                               const std::vector<std::string> &hosts, std::size_t reference,
                               std::vector<std::optional<ClockOffset>> &clocks,
                               const JobControl &control);

} // namespace core
