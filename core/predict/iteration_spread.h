#pragma once

#include "core/base/job_control.h"
#include "core/measure/replayed_iterations.h"

#include <cstdint>
#include <vector>

namespace core {

/// How far iterations, and what is taken for their typical one, may lie from the prediction.
struct IterationSpread
{
    /// How far the 95 % interval of one more iteration reaches, ns: Student's t times the standard
    /// deviation of the replayed iterations, of the rank where they differ most. An iteration that
    /// took far longer than the others tells nothing of how much shorter one may be, nor the other
    /// way round: either way counts it as at the edge of the others (Winsorized).
    double ofOneDownNs = 0, ofOneUpNs = 0;
    /// Of the slowest rank's median, ns: the bootstrap over iterations (Efron 1979), 2.5 % to
    /// 97.5 %. Iterations are drawn for all ranks together, since ranks wait for each other. Where
    /// kinds of them repeat, they are drawn at each position of the period, and both figures are of
    /// a period's mean iteration.
    double medianDownNs = 0, medianUpNs = 0;
};

/// Of the iterations that count; all 0 where no two are of one position. Of many ranks the
/// bootstrap looks at the slowest 64 only, which any median is of. Deterministic. Throws Cancelled.
IterationSpread iterationSpread(const std::vector<ReplayedIterations> &iterations,
                                const JobControl &control);

/// Where ranks take part that are not recorded, the slowest one may be one of them: the spread with
/// how far the same iteration of another rank may be from the recorded ranks' mean (95 % prediction
/// interval), as far as theirs are from each other in each iteration, all pooled. As it is of fewer
/// than two ranks.
IterationSpread withUnseenRank(IterationSpread spread,
                               const std::vector<ReplayedIterations> &iterations);

} // namespace core
