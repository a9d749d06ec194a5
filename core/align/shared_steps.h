#pragma once

#include "core/align/align.h"
#include "core/model/slice_index.h"
#include "core/model/trace.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace core {

/// What tells that two workers are of one run.
struct SharedSteps
{
    std::int64_t jitterNs = 0; ///< how much steps vary (median deviation), of the steadier worker
    std::int64_t errorNs = 0; ///< how far what both recorded is apart, with the clocks aligned
};

/// Compares the steps of the workers of an aligned trace, which must outlive it. Within one run
/// every rank's step is as long as the others', whatever made it so; steps of two runs, however
/// alike, vary each for itself, and no clock brings them together.
class StepComparison
{
public:
    explicit StepComparison(const Trace &trace);

    /// Of workers whose clocks bring what they recorded together to well below their steps' own
    /// variation: then they are of one run, and comparable, whatever their clocks say. Else absent;
    /// also where steps are too few, or too regular, to tell.
    std::optional<SharedSteps> ofOneRun(WorkerId a, WorkerId b) const;

    /// Of workers that messages tie to well below a step, and that steps do not tell apart or
    /// together since they vary by no more than that: to how much. Two runs would have to be as
    /// regular, to the end of the trace. Else absent.
    std::optional<std::int64_t> tiedWithin(WorkerId a, WorkerId b) const;

private:
    struct Steps
    {
        std::int64_t jitterNs = 0; ///< as of SharedSteps
        std::int64_t shortestNs = 0; ///< median step of the worker whose is the shorter
        std::int64_t uncertaintyNs = 0; ///< of both clocks
        std::int64_t residualNs = 0; ///< of both clocks
    };
    using Ends = std::vector<std::pair<std::int64_t, std::int64_t>>; ///< by the clocks of both

    std::optional<Steps> stepsOf(WorkerId a, WorkerId b) const;
    std::vector<std::int64_t> durations(WorkerId worker) const;
    const CollectiveCall *callOf(const MatchedCollective &matched, WorkerId worker) const;
    Ends collectiveEnds(WorkerId a, WorkerId b) const;
    Ends iterationEnds(WorkerId a, WorkerId b) const;

    const Trace &m_trace;
    const SliceIndex m_slices;
    std::vector<MatchedCollective> m_matched;
};

} // namespace core
