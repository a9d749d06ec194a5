#include "core/change/plans/us_byte_plan.h"

#include "core/change/plans/forward_order.h"
#include "core/change/plans/layer_times.h"
#include "core/change/plans/reduction_line.h"

#include <cmath>

namespace core {

GradientPlan usBytePlan(const PlanRequest &request)
{
    const ReductionLine line = reductionLine(request);
    LayerChain chain = layerTimes(request);
    chain.alphaNs = line.latencyNs;
    chain.nsPerByte = line.nsPerByte;
    chain.blockBytes = static_cast<double>(request.limits.partitionBytes);
    const std::size_t tensors = chain.bytes.size();
    std::vector<std::vector<GradientPiece>> pieces(tensors);
    std::int32_t place = 0;
    for (const BlockMessage &message : usByte(chain, request.control).messages)
        pieces[tensors - 1 - message.layer].push_back(
            { static_cast<std::uint64_t>(std::llround(message.bytes)), place++ });
    GradientPlan plan = tensorsAlone(request, [](const GradientStep &step) {
        return std::vector<std::int32_t>(step.parameterBytes.size(), 0);
    });
    plan.isByPriority = true;
    for (auto &[iteration, groups] : plan.iterations)
        for (GradientGroup &group : groups)
            group.pieces = pieces[group.firstTensor];
    return plan;
}

} // namespace core
