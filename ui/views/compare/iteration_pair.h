#pragma once

#include "core/measure/typical_iteration.h"
#include "core/predict/prediction.h"
#include "ui/timeline/timeline_state.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace ui {

/// The iterations of a replay at the times at which its timeline draws them: from the first rank
/// that begins one to the last one that ends it, cut where the next begins; called as the measured
/// ones where there are as many.
std::vector<TimelineIteration> replayIterations(const core::Prediction &result,
                                                const std::vector<core::CommonIteration> &measured);

/// The iteration to show of both, one above the other: Prediction::typicalIteration,
/// which the diagnosis speaks of, too. Empty where nothing tells which belong together.
std::optional<std::size_t> sharedIteration(const core::Prediction &result,
                                           const std::vector<core::CommonIteration> &measured);

} // namespace ui
