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

/// The durations of two workers' steps, by each one's own clock: no offset between clocks matters.
/// Within one run every rank's step is as long as the others', whatever made it so; steps of two
/// runs, however alike, vary each for itself.
struct SharedSteps
{
    std::size_t count = 0;
    std::int64_t jitterNs = 0; ///< how much durations vary (median deviation), the steadier worker
    std::int64_t apartNs = 0; ///< how much the differences between both workers' do

    /// Whether something that is known to this error is small beside the steps' own variation; not
    /// where there are too few of them, or they are too regular, to tell.
    bool isBelowJitter(std::int64_t errorNs) const;
};

/// Compares the steps of the workers of an aligned trace, which must outlive it. A step lasts from
/// the last collective of one that both workers took part in to that of the next; without such
/// collectives (a parameter server's) from its end to that of the next.
class StepComparison
{
public:
    explicit StepComparison(const Trace &trace);

    SharedSteps steps(WorkerId a, WorkerId b) const;
    /// Of workers whose steps vary together, and whose clocks are aligned to well below that: then
    /// they are of one run, and comparable, whatever their clocks say. Else absent.
    std::optional<SharedSteps> ofOneRun(WorkerId a, WorkerId b) const;

private:
    using Ends = std::vector<std::pair<std::int64_t, std::int64_t>>; ///< by the clocks of both

    const CollectiveCall *callOf(const MatchedCollective &matched, WorkerId worker) const;
    Ends collectiveEnds(WorkerId a, WorkerId b) const;
    Ends iterationEnds(WorkerId a, WorkerId b) const;

    const Trace &m_trace;
    const SliceIndex m_slices;
    std::vector<MatchedCollective> m_matched;
};

} // namespace core
