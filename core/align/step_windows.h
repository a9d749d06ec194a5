#pragma once

#include "core/align/sequence_matching.h"
#include "core/model/step_marks.h"
#include "core/model/trace.h"

#include <optional>
#include <vector>

namespace core {

/// How far two workers' clocks can be apart if steps of one number are the same step.
class StepWindows
{
public:
    explicit StepWindows(const Trace &trace)
        : m_steps(stepMarks(trace))
    {
    }

    /// other - reference. Ranks do not drift apart by half a step, since each waits for the others
    /// in every one. Absent where the workers number no step both.
    std::optional<OffsetWindow> between(WorkerId reference, WorkerId other) const;

private:
    std::vector<StepMarks> m_steps; ///< by WorkerId
};

} // namespace core
