#pragma once

#include "core/graph/graph.h"
#include "core/measure/replayed_iterations.h"
#include "core/model/trace.h"
#include "core/replay/replay.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace core {

/// [workers], ns: the median of a worker's recorded iterations, of those that are replayed
/// (Trace::compared), so that it can be compared with the replay; where kinds of them repeat the
/// mean over a period, typicalOfPeriod(). Absent if it has none.
using MeasuredIterations = std::vector<std::optional<std::int64_t>>;
MeasuredIterations measuredIterations(const Trace &trace);

/// The slowest rank's, in ns; 0 if none has any.
std::int64_t slowestMeasuredNs(const MeasuredIterations &measured);

/// The iterations of the unchanged job's replay, by WorkerId: they end where the host ends them, as
/// the recorded ones do.
std::vector<ReplayedIterations> unchangedIterations(const Graph &graph, const ReplayResult &result);

/// Those of a what-if, by WorkerId. A host that does not wait for its accelerators cannot go on
/// leaving them behind: an iteration ends with the host's, or where its accelerators are no further
/// behind it than in the unchanged job. A what-if may replay that several times in a row.
///
/// The typical one is the unchanged job's, and the median change of those that count in both: the
/// same iterations are compared, and those that take long for other reasons do not matter. Median
/// against median does not do that where few are recorded and not all of them count. Where kinds of
/// iterations repeat it is the mean of such changes over a period.
std::vector<ReplayedIterations>
replayedIterations(const Graph &graph, const ReplayResult &result,
                   const std::vector<ReplayedIterations> &unchanged);

/// The slowest rank's typical iteration, in ns; 0 of none.
std::int64_t slowestTypicalNs(const std::vector<ReplayedIterations> &iterations);

/// The same of a replay.
std::int64_t slowestRankNs(const Graph &graph, const ReplayResult &result,
                           const std::vector<ReplayedIterations> &unchanged);

} // namespace core
