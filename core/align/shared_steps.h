#pragma once

#include "core/model/trace.h"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace core {

/// The durations of two workers' steps, each from the last collective of a step that both took part
/// in to that of the next, by each one's own clock: no offset between clocks matters. Within one
/// run every rank's step is as long as the others', whatever made it so; steps of two runs, however
/// alike, vary each for itself.
struct SharedSteps
{
    std::size_t count = 0;
    std::int64_t jitterNs = 0; ///< how much durations vary (median deviation), the steadier worker
    std::int64_t apartNs = 0; ///< how much the differences between both workers' do

    /// Whether something that is known to this error is small beside the steps' own variation; not
    /// where there are too few of them, or they are too regular, to tell.
    bool isBelowJitter(std::int64_t errorNs) const;
    /// Do both vary together, so that they can only be of one run?
    bool areOfOneRun() const { return isBelowJitter(apartNs); }
};

SharedSteps sharedSteps(const Trace &trace, WorkerId a, WorkerId b);

/// Of workers whose steps vary together, and whose clocks are aligned to well below that: then
/// they are of one run, and comparable, whatever their clocks say. Else absent.
std::optional<SharedSteps> stepsOfOneRun(const Trace &trace, WorkerId a, WorkerId b);

} // namespace core
