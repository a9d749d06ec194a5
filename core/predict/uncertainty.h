#pragma once

#include "core/base/job_control.h"
#include "core/change/models.h"
#include "core/graph/graph.h"
#include "core/model/trace.h"
#include "core/predict/interval_reach.h"
#include "core/predict/prediction.h"
#include "core/predict/prediction_base.h"
#include "core/replay/graph_change.h"

#include <cstdint>
#include <optional>
#include <string>

namespace core {

/// Why nothing can be said of how far iterations lie apart; empty if it can. The spread of one
/// iteration is not 0 but unknown, and no other job's stands for it.
std::optional<std::string> intervalObstacle(const Prediction &result, const Graph &recorded);

/// What an interval rests on, beside the result.
struct IntervalEvidence
{
    const Trace &trace;
    const Graph &measured;
    const PredictionBase &base;
    const Models &models; ///< that the result was predicted with
    const GraphChange &change; ///< from the base's graph to the result's
};

/// It reaches as far from the prediction as the root of the summed squares of
///   - how far another run's iterations may lie apart (IterationSpread), and how far the
///     predicted one may be from the typical one for having seen so few (medianDownNs, medianUpNs);
///     where ranks take part that are not recorded, with what another rank may add,
///   - the error of the self-replay,
///   - for a what-if, how far the change that is predicted moves when the fitted beta, and the cost
///     of overlap on a CPU backend, are taken at the end of their own 95 % intervals, with each of
///     the otherReadings() of the links, and when collectives wait for as much as the recorded
///     times allow (Graph::possibleWaits),
///   - beyond what predictions were checked for, what that much changes (see nearestChecked()),
///   - for another batch, how far it moves when all of the layers' time grows with it, and when as
///     little does as the trace allows (see BatchReading),
///   - for another speed of compute, how far it moves by the other ComputeReading,
///   - for half precision on processors, how far it moves when converting costs a third and three
///     times as much,
///   - for another number of ranks, how much longer or shorter they wait (see longerWaitNs()),
///   - upwards, for other buckets or partitions of gradients, how far it moves when no other one
///   has
///     the link during one's latency (alpha at the end of its own interval), and when partitions
///     wait as long as the recorded transfers: the trace does not tell how much of it is hidden,
///     nor how it goes with size.
/// For another number of ranks it reaches so far from what is predicted for either way in which
/// they may share cores (see CoreSharing): fewer, with nobody any more or with as many as recorded;
/// more, with the recorded ones. Such reaches know nothing of what cannot be, so the interval is
/// cut to what can:
///   - no iteration is shorter than its computation by every reading of the trace, as far as the
///     self-replay is right (see shortestIterationNs()), nor, at another rate of the links, than
///     what the busiest of them needs (busiestLinkNs()),
///   - for more ranks than predictions were checked for, the interval begins where that of the
///     most that were does, if no op takes less time than with those,
///   - where no op takes less time than as recorded, as with a slower link, the interval begins
///     where that of the unchanged job does at the earliest; where none takes more, as with a
///     faster one, it ends where that does at the latest (see GraphChange).
/// The typical iteration's reaches as far but for how far one iteration may be off it, and is cut
/// to the unchanged typical one where the others are to its interval.
/// `strategy`: that is judged. result has graph, iterations, predictedNs and replayErrorFraction.
PredictionInterval predictionInterval(const IntervalEvidence &evidence, const Prediction &result,
                                      const Strategy &strategy, const JobControl &control);

} // namespace core
