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
        PlannedGraph (*make)(const PlanRequest &);
    };

    template <GradientPlan (*Make)(const PlanRequest &)>
    PlannedGraph notBuilt(const PlanRequest &request)
    {
        return { Make(request) };
    }

    constexpr std::array PlanMakers {
        PlanMaker { Schedule::Fifo, &notBuilt<&readinessPlan> },
        PlanMaker { Schedule::P3, &notBuilt<&forwardPlan> },
        PlanMaker { Schedule::ByteScheduler, &notBuilt<&forwardPlan> },
        PlanMaker { Schedule::Tic, &notBuilt<&ticPlan> },
        PlanMaker { Schedule::Tac, &notBuilt<&tacPlan> },
        PlanMaker { Schedule::Random, &notBuilt<&randomPlan> },
        PlanMaker { Schedule::UsByte, &notBuilt<&usBytePlan> },
        PlanMaker { Schedule::Dear, &notBuilt<&dearPlan> },
        PlanMaker { Schedule::MgWfbp, &mergedPlan },
    };

} // namespace

PlannedGraph planOf(Schedule schedule, const PlanRequest &request)
{
    const auto maker
        = std::find_if(PlanMakers.begin(), PlanMakers.end(),
                       [schedule](const PlanMaker &one) { return one.schedule == schedule; });
    return maker->make(request);
}

} // namespace core
