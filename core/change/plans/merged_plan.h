#pragma once

#include "core/change/gradients/gradient_plan.h"
#include "core/change/plans/plan_request.h"

namespace core {

/// Buckets by MG-WFBP's rule (mergedCuts(); Shi, Chu and Li, INFOCOM 2019, section IV), the same in
/// each iteration. Gradients are ready when a replay with the request's other changes says so: on
/// the latest rank, the mean of the iterations. Throws Cancelled.
GradientPlan mergedPlan(const PlanRequest &request);

} // namespace core
