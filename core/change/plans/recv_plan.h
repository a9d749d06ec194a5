#pragma once

#include "core/change/gradients/gradient_plan.h"
#include "core/change/plans/plan_request.h"
#include "core/change/schedules/recv_order.h"

#include <cstdint>

namespace core {

/// Which time of an op stands for those in all iterations. TicTac takes the least (section 5).
enum class TimeOracle : std::uint8_t { Least, Mean };

/// A rank's forward pass: recvs are its tensors in the order of readiness, ops what reads them.
/// An op needs what all those before it need, as the recording has it: programs that run in order
/// make a chain. A tensor of which no use is known is needed by the first op. On accelerators ops
/// are kernels. Times, ns, are with the request's other changes. Throws Cancelled.
RecvModel forwardRecvs(const PlanRequest &request, TimeOracle oracle);

/// Whole tensors as urgent as ticPriorities() says, none set back.
GradientPlan ticPlan(const PlanRequest &request);

/// Whole tensors in tacOrder(), none set back.
GradientPlan tacPlan(const PlanRequest &request);

} // namespace core
