#pragma once

#include "core/change/change_kind.h"
#include "core/predict/prediction.h"

#include <cstdint>
#include <string>
#include <vector>

namespace core {

/// Of the unchanged job's replay.
struct ReplayedOverlap
{
    std::int64_t ns = 0; ///< PartTimes::overlapNs
    bool isCostKnown = true; ///< OverlapStretch::isKnown()
};

/// Reasons against relying on a prediction because its strategy leaves what the recording
/// shows: the doubts of each kind of change, and what they have in common.
///   - Latency: Fair where what is unsure of it is 2 % of an iteration or more.
///   - Sizes of transfers (of those whose bytes are half of all, against the smallest and the
///     largest measured): see beyondChecked().
///   - Communication that goes on into the next iteration, with fewer than three iterations: Poor.
///   - More or less of accelerators' computation overlaps transfers than in the `unchanged` replay,
///     and the trace does not tell what that costs: Fair.
std::vector<TrustReason> extrapolations(const DoubtEvidence &evidence, const Prediction &result,
                                        const ReplayedOverlap &unchanged = {});

} // namespace core
