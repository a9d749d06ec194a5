#pragma once

#include "core/fit/links/link_models.h"
#include "core/graph/graph.h"
#include "core/predict/prediction.h"

#include <cstdint>
#include <string>
#include <vector>

namespace core {

/// Where a what-if leaves what the recording shows.
struct Extrapolation
{
    TrustLevel level; ///< the best that the prediction still deserves
    std::string reason; ///< for people
};

/// Of the unchanged job's replay.
struct ReplayedOverlap
{
    std::int64_t ns = 0; ///< PartTimes::overlapNs
    bool isCostKnown = true; ///< OverlapStretch::isKnown()
};

/// Of the settings of `result`, whose links and graph it looks at; `recorded` is the graph of the
/// unchanged trace. Factors count from what was recorded, either way: the job's ranks, its links'
/// rates, the time of its layers, its samples, the sizes of its transfers (of those whose bytes are
/// half of all, against the smallest and the largest recorded). Up to the factors that predictions
/// were checked for against measured jobs (tests/accuracy) nothing is said; from four times as far
/// the level is Poor. An algorithm that no recorded transfer took is Fair at best; equal ranks
/// that come out slower than the recorded ones are Poor, and so is any change where communication
/// goes on into the next iteration and fewer than three are recorded. Where more or less of
/// accelerators' computation overlaps transfers than in the `unchanged` replay, and the trace does
/// not tell what that costs, it is Fair; so it is of settings that rest on latency where what is
/// unsure of that is 2 % of an iteration or more, and less is said. Settings that take something
/// away altogether (comm_scale=0) are bounds, of which only that is said.
std::vector<Extrapolation> extrapolations(const Graph &recorded, const ScenarioResult &result,
                                          const ReplayedOverlap &unchanged = {});

/// The settings moved as near to the recording as predictions were checked for, and with the
/// recorded collective algorithm: what lies beyond is as unsure as the difference is large. Sizes
/// of transfers stay.
ScenarioSettings withinChecked(ScenarioSettings settings, const Graph &recorded,
                               const LinkModels &links);

} // namespace core
