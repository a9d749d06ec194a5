#include "core/change/plans/plan_list.h"

#include "core/change/plans/dear_plan.h"
#include "core/change/plans/forward_order.h"
#include "core/change/plans/merged_plan.h"
#include "core/change/plans/recv_plan.h"
#include "core/change/plans/us_byte_plan.h"

#include <algorithm>
#include <array>

namespace core {

namespace {

    struct PlanMaker
    {
        Schedule schedule;
        GradientPlan (*make)(const PlanRequest &);
    };

    constexpr std::array PlanMakers {
        PlanMaker { Schedule::Fifo, &readinessPlan },
        PlanMaker { Schedule::P3, &forwardPlan },
        PlanMaker { Schedule::ByteScheduler, &forwardPlan },
        PlanMaker { Schedule::Tic, &ticPlan },
        PlanMaker { Schedule::Tac, &tacPlan },
        PlanMaker { Schedule::Random, &randomPlan },
        PlanMaker { Schedule::UsByte, &usBytePlan },
        PlanMaker { Schedule::Dear, &dearPlan },
        PlanMaker { Schedule::MgWfbp, &mergedPlan },
    };

} // namespace

GradientPlan planOf(Schedule schedule, const PlanRequest &request)
{
    const auto maker
        = std::find_if(PlanMakers.begin(), PlanMakers.end(),
                       [schedule](const PlanMaker &one) { return one.schedule == schedule; });
    return maker->make(request);
}

} // namespace core
