#pragma once

#include "core/analyze/diagnosis.h"
#include "core/measure/worker_activity.h"
#include "core/model/trace.h"

#include <vector>

namespace core {

/// Breakdown of every rank by device over its window and in the mean compared iteration, and by
/// iteration over all of its devices together; without a last iteration in which the recording
/// breaks off (Iteration::isWhole). `transfers` tell waiting from transfer, `activities` are
/// workerActivities() with them, `collectives` tell who is waited for alone.
std::vector<RankDiagnosis> rankDiagnoses(const Trace &trace, const SliceTransfers &transfers,
                                         const std::vector<WorkerActivity> &activities,
                                         const std::vector<CollectiveReport> &collectives);

} // namespace core
