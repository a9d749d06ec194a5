#pragma once

#include "core/analyze/bottlenecks/bottlenecks.h"
#include "core/analyze/diagnosis.h"
#include "core/base/job_control.h"
#include "core/graph/graph.h"
#include "core/model/trace.h"

#include <optional>
#include <string>
#include <vector>

namespace core {

struct JudgedGain
{
    std::optional<GainInterval> interval; ///< empty where no what-if predicts the gain, too
    std::string unknown; ///< why the interval of a predicted gain is empty
};

/// By index into Diagnosis::bottlenecks.
using GainIntervals = std::vector<JudgedGain>;

/// How far the predicted differences of the typical iteration may be off (PredictionInterval), for
/// what the trace tells of links, overlap and waits, the self-replay's error, and few iterations.
/// Takes several replays for each, and so is no part of diagnose(), whose findings need not wait
/// for it. What fails for one gain leaves the others theirs. Throws
/// Cancelled.
GainIntervals gainIntervals(const Diagnosis &diagnosis, const JobControl &control);

/// The diagnosis's verdict, once the gains are judged: where its cause may cost nothing, the
/// largest that surely costs something is told, or that there is none.
Verdict settledVerdict(const Diagnosis &diagnosis, const GainIntervals &intervals);

/// Sets Bottleneck::gainInterval and Bottleneck::unknownInterval of all, and the settled verdict.
void setGainIntervals(const GainIntervals &intervals, Diagnosis &diagnosis);

} // namespace core
