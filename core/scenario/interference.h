#pragma once

#include "core/graph/graph.h"
#include "core/model/trace.h"
#include "core/scenario/link_model.h"

namespace core {

/// What a CPU backend's communication costs the computation that it overlaps: both share the
/// worker's cores. A framework op that takes t alone takes t * exp(c * r) while r bytes a
/// nanosecond go over the worker's link.
struct Interference
{
    double costNsPerByte = 0; ///< c, the estimate joined with the prior
    double standardError = 0; ///< of c
    std::size_t samples = 0; ///< ops that costOfAlikeOps() compares
};

/// The largest slowdown that the model is used for: of c * r = 1, which leaves 1 / e of a core to
/// computation.
inline constexpr double LargestSlowdown = 2.718281828459045;

/// Estimates c from the trace, by costOfAlikeOps() and costOfProducts(): the one compares an op
/// with its like, the other those with each other. Both, and a prior, are joined by the inverse
/// squares of their errors (the estimator of random effects: Maddala, Econometrica 39(2), 1971).
/// Prior: 0.2 of a core for each Gbit/s and direction (TCP with segmentation offload on one core;
/// the rule of thumb of Foong et al., ISPASS 2003, 1 Hz of a core a bit, gives 0.3 to 0.4), with an
/// error as large as itself.
Interference estimateInterference(const Graph &graph, const Trace &trace, DeviceId link,
                                  const LinkModel &model);

/// The graph with its framework ops un-stretched where they overlapped communication, and told how
/// much the replay is to stretch them where they will (Graph::stretchShare, interferingLink,
/// slowdown). Unchanged without a CPU backend's link. c is taken `sigmas` standard errors above its
/// estimate, and at least 0.
Graph withInterference(const Graph &graph, const Trace &trace, const LinkModels &links,
                       double sigmas = 0);

/// How much longer the computation that overlapped the interfering link's transfers took for them:
/// 0.1 where all of it together took 10 % longer than it takes alone. Much of it may be such as
/// does not slow down (Graph::stretchShare). `modelled` is withInterference() of `measured`; 0
/// where that stretches nothing.
double overlapSlowdown(const Graph &measured, const Graph &modelled);

} // namespace core
