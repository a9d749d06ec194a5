#pragma once

#include "core/model/trace.h"
#include "core/scenario/scenario.h"

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

/// In the order of the replay's iterations; `common` as comparedIterations() gives them, the n-th
/// of one worker belongs to the n-th of all others.
std::vector<CommonIteration> pairIterations(const std::vector<Iteration> &common,
                                            const Trace &trace);

/// The iteration to look at where the median over iterations is the headline: the one whose slowest
/// rank takes a time nearest to `medianNs`, of equals the last; of those that the prediction counts
/// (ReplayedIterations::counts()), as the critical path that is told is the replayed one: the first
/// of a job whose communication goes on into the next iteration is like no other. Empty if there is
/// none. `replayed`: by WorkerId, as many iterations as measured.
std::optional<std::size_t> typicalIteration(const std::vector<CommonIteration> &measured,
                                            std::int64_t medianNs,
                                            const std::vector<ReplayedIterations> &replayed);
/// The same of a replay; `iterations` are by WorkerId. A schedule that fills up while it runs
/// (P3's) begins with shorter ones.
std::optional<std::size_t> typicalIteration(const std::vector<ReplayedIterations> &iterations,
                                            std::int64_t medianNs);

/// What the slowest rank takes in the i-th iteration of a replay.
std::int64_t slowestNs(const std::vector<ReplayedIterations> &iterations, std::size_t i);

} // namespace core
