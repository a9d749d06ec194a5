#pragma once

#include "core/change/gradients/gradient_plan.h"
#include "core/change/plans/plan_request.h"

namespace core {

/// DeAR (Zhang et al., ICDCS 2023, section III): gradients are reduce-scattered as they become
/// ready and, when all of them are, all-gathered in the order in which the next forward pass needs
/// them. The limits' partition size is that of its fusion buffer: tensors are joined until they
/// reach it (bucketLayout()).
GradientPlan dearPlan(const PlanRequest &request);

} // namespace core
