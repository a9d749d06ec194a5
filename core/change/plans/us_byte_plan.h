#pragma once

#include "core/change/gradients/gradient_plan.h"
#include "core/change/plans/plan_request.h"

namespace core {

/// US-Byte (usByte(); Gao et al., IEEE TPDS 2023): blocks of unequal size in the order of its
/// search, planned on the recorded layers (layerTimes()) and the link with the request's other
/// changes. The limits' partition size is that of a block. Throws Cancelled.
GradientPlan usBytePlan(const PlanRequest &request);

} // namespace core
