#pragma once

#include "core/change/plans/plan_request.h"
#include "core/change/plans/replayed_plan.h"

namespace core {

/// Buckets by MG-WFBP's rule (mergedCuts(); Shi, Chu and Li, INFOCOM 2019, section IV), the same in
/// each iteration. Gradients are ready when a replay with the request's other changes says so: on
/// the latest rank, the mean of the iterations. The graph is built. Throws Cancelled.
PlannedGraph mergedPlan(const PlanRequest &request);

} // namespace core
