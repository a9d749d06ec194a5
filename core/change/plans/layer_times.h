#pragma once

#include "core/change/gradients/whole_iterations.h"
#include "core/change/plans/plan_request.h"
#include "core/change/schedules/us_byte.h"
#include "core/replay/replay.h"

#include <vector>

namespace core {

/// [tensors], ascending, from the first one: when each gradient is ready on the latest rank, ns;
/// the mean of the iterations.
std::vector<double> readyTimes(const StepsByIteration &steps, const ReplayResult &replayed);

/// The tensors as layers, which US-Byte plans: the last tensor to become ready is the first layer.
/// A replay with the request's other changes tells the times. A tensor's backward pass is the time
/// from the gradient before until its own, its forward pass that from its first use until the next
/// tensor's, and the last one's until the backward pass begins; the mean of the iterations, of the
/// first rank. `alphaNs`, `nsPerByte` and `blockBytes` are left open. Throws Cancelled.
LayerChain layerTimes(const PlanRequest &request);

} // namespace core
