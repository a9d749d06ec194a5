#pragma once

#include "core/change/gradients/schedule.h"
#include "core/change/plans/plan_request.h"
#include "core/change/plans/replayed_plan.h"

namespace core {

/// The plan by which a schedule, other than Wfbp, sends the gradients. To add a schedule: its
/// traits (scheduleTraits()), a file pair that makes its plan, and its line in the list. Throws
/// Cancelled.
PlannedGraph planOf(Schedule schedule, const PlanRequest &request);

} // namespace core
