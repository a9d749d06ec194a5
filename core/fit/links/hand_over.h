#pragma once

#include "core/base/job_control.h"
#include "core/base/time_range.h"
#include "core/graph/graph.h"
#include "core/model/trace.h"

#include <map>
#include <string_view>
#include <vector>

namespace core {

/// The call that hands an all-reduce over to the backend.
inline constexpr std::string_view AllReduceCall = "c10d::allreduce_";

/// The calls of each rank, by start; raw times. Throws Cancelled.
std::map<WorkerId, std::vector<TimeRange>> allReduceCalls(const Trace &trace,
                                                          const JobControl &control = {});

/// By link of a CPU backend: how long handing an all-reduce over takes (ns), from the call until
/// both the program is back from it and the backend has begun, on the rank that takes longest; the
/// mean of those that found the backend idle (robustMeanNs(): many partitions add up what a mean
/// one takes; now and then one takes far longer). It is not told by a bucket after whose call a
/// rank's thread copies others out of theirs: the backend's gets the core when that is done, and
/// who sends partitions has none to copy. Links without such calls are left out. Throws Cancelled.
std::map<DeviceId, double> handOversNs(const Graph &graph, const Trace &trace,
                                       const JobControl &control = {});

} // namespace core
