#pragma once

#include "core/measure/replayed_iterations.h"
#include "core/model/trace.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace core {

/// An iteration that every rank recorded, and that is therefore replayed.
struct CommonIteration
{
    std::int64_t index = 0; ///< as the trace numbers it
    std::int64_t slowestNs = 0; ///< measured time of its slowest rank
    TimeRange range; ///< aligned; from the first rank that begins it to the last that ends it
};

/// Trace::compared in the order of the replay's iterations; the n-th of one worker belongs to the
/// n-th of all others.
std::vector<CommonIteration> commonIterations(const Trace &trace);

/// The iteration to look at where medians are the headline, measured and predicted: that one of all
/// that the prediction counts whose slowest rank's times, measured and replayed, are nearest to
/// `result.measuredNs` and `result.predictedNs`, the farther one of the two as a part of its
/// median (where kinds of iterations repeat, of the mean over their period); of equals the last.
/// Where the measured ones are not as many as the replayed ones, nothing tells which belong
/// together, and the replayed times alone decide. Empty if there is none.
std::optional<std::size_t> typicalIteration(const ReplayedJob &result,
                                            const std::vector<CommonIteration> &measured);

/// The one that a what-if shows: the typical one of the unchanged replay, so that all speak of the
/// same; where the what-if does not count that one, replays another number of them, or takes it for
/// so far off its median that what is seen would contradict the headline, its own typical one. 0
/// without any.
std::size_t shownIteration(const ReplayedJob &whatIf, const ReplayedJob &unchanged,
                           const std::vector<CommonIteration> &measured);

/// The iteration to draw alone: `typical`; where kinds of iterations repeat the last counted one of
/// the kind that takes longest, as it has what the others have not (an optimizer's step).
std::size_t longestKind(const ReplayedJob &result, std::size_t typical);

/// What the slowest rank takes in the i-th iteration of a replay.
std::int64_t slowestNs(const std::vector<ReplayedIterations> &iterations, std::size_t i);

} // namespace core
