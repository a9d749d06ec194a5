#pragma once

#include "core/graph/graph.h"
#include "core/model/trace.h"
#include "core/scenario/clock_reasons.h"
#include "core/scenario/compute_scale.h"
#include "core/scenario/scenario.h"

#include <vector>

namespace core {

/// Of the replayed iteration's time; predictions of a replay that is further off are poor.
inline constexpr double FairReplayError = 0.05;

/// What the judgement looks at, beside the result's own replayErrorFraction and links.
struct TrustEvidence
{
    const Trace &trace;
    const Graph &graph; ///< the replayed one; its notes say what could not be matched
    PartTimes measured, replayed; ///< of the unchanged trace
    const Graph &recorded; ///< of the unchanged trace
    FixedTime fixedTime = {}; ///< of its layers
    std::vector<TrustReason> clocks = {}; ///< clockReasons() of the trace
    bool doGainsRestOnLinks = false; ///< what-ifs of a diagnosis, which shows this result's trust
};

/// Sets result.trust and result.trustReasons: what speaks for and against relying on predictions
/// made from this trace.
void judgeTrust(const TrustEvidence &evidence, ScenarioResult &result);

} // namespace core
