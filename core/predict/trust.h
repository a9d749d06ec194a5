#pragma once

#include "core/change/change_kind.h"
#include "core/change/models.h"
#include "core/graph/graph.h"
#include "core/model/trace.h"
#include "core/predict/clock_reasons.h"
#include "core/predict/prediction.h"

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace core {

/// Of the replayed iteration's time; predictions of a replay that is further off are poor.
inline constexpr double FairReplayError = 0.05;

/// A time of the unchanged job beside the same of its replay, other than the slowest rank's median.
struct ReplayedTotal
{
    std::int64_t measuredNs = 0, replayedNs = 0;
    std::string of; ///< "rank 3", "the mean of all iterations"

    /// A fraction, 0 or more; 0 of what took no time.
    double error() const
    {
        const auto offNs = static_cast<double>(replayedNs - measuredNs);
        return measuredNs > 0 ? std::abs(offNs) / static_cast<double>(measuredNs) : 0;
    }
};

/// What the judgement looks at, beside the result's own replayErrorFraction and links.
struct TrustEvidence
{
    const Trace &trace;
    const Graph &graph; ///< the replayed one; its notes say what could not be matched
    PartTimes measured, replayed; ///< of the unchanged trace
    const Graph &recorded; ///< of the unchanged trace
    const LinkModels &links;
    const Models &models;
    const Strategy &strategy; ///< that is judged: without changes where they change nothing
    bool isOverlapCostKnown = true; ///< see OverlapStretch
    std::vector<TrustReason> clocks = {}; ///< clockReasons() of the trace
    std::vector<ReplayedTotal> totals = {}; ///< each rank's median, and the mean
    std::optional<TrustReason> direction = {}; ///< slowerWithoutCause()
};

/// Sets result.trust and result.trustReasons: what speaks for and against relying on the
/// prediction. Of an unchanged job, on any that is made from its trace: what changes links, buckets
/// and schedules rests on the links' fits.
void judgeTrust(const TrustEvidence &evidence, Prediction &result);

/// "0.3 %", "<0.1 %": how far the self-replay is off, either way. Everywhere in these digits.
std::string replayErrorText(double errorFraction);

} // namespace core
