#pragma once

#include "core/graph/graph.h"
#include "core/model/trace.h"
#include "core/scenario/clock_reasons.h"
#include "core/scenario/compute_scale.h"
#include "core/scenario/scenario.h"

#include <string>
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
    bool isOverlapCostKnown = true; ///< see OverlapStretch
    std::vector<TrustReason> clocks = {}; ///< clockReasons() of the trace
};

/// Sets result.trust and result.trustReasons: what speaks for and against relying on the
/// prediction. Of an unchanged job, on any that is made from its trace: what changes links, buckets
/// and schedules rests on the links' fits.
void judgeTrust(const TrustEvidence &evidence, ScenarioResult &result);

/// "0.3 %", "<0.1 %": how far the self-replay is off, either way. Everywhere in these digits.
std::string replayErrorText(double errorFraction);

} // namespace core
