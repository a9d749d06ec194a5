#pragma once

#include "core/model/trace.h"
#include "core/scenario/scenario.h"
#include "ui/timeline/timeline_state.h"

#include <optional>
#include <vector>

namespace ui {

/// An iteration that every rank recorded, and that is therefore replayed.
struct CommonIteration
{
    std::int64_t index = 0; ///< as the trace numbers it
    std::int64_t slowestNs = 0; ///< measured time of its slowest rank
    core::TimeRange range; ///< aligned; from the first rank that begins it to the last that ends it
};

/// In the order of the replay's iterations; `common` as core::commonIterations() gives them, the
/// n-th of one worker belongs to the n-th of all others.
std::vector<CommonIteration> pairIterations(const std::vector<core::Iteration> &common,
                                            const core::Trace &trace);

/// The iteration whose time is nearest to `medianNs`, of equals the last: the one to look at where
/// the median is the headline. Empty if there is none.
std::optional<std::size_t> typicalIteration(const std::vector<CommonIteration> &iterations,
                                            std::int64_t medianNs);

/// The iterations of a replay at the times at which its timeline draws them: from the first rank
/// that begins one to the last one that ends it, cut where the next begins; called as the measured
/// ones where there are as many.
std::vector<TimelineIteration> replayIterations(const core::ScenarioResult &result,
                                                const std::vector<CommonIteration> &measured);

} // namespace ui
