#pragma once

#include "core/change/change.h"
#include "core/change/interval_source.h"
#include "core/fit/links/link_model.h"
#include "core/graph/graph.h"
#include "core/measure/part_times.h"
#include "core/measure/replayed_iterations.h"
#include "core/measure/scheduling_efficiency.h"
#include "core/measure/trust_level.h"
#include "core/replay/replay.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace core {

struct RankPrediction
{
    int rank = 0;
    std::int64_t measuredNs = 0;
    std::int64_t predictedNs = 0;
};

/// A job replayed with a strategy, beside the measurement; with an empty one the self-replay.
struct Prediction : ReplayedJob
{
    Strategy strategy;
    /// Why the trace does not support the strategy; then nothing else is set.
    std::optional<std::string> obstacle;
    bool hasIterations = true; ///< false: the whole recording stands for one
    /// Why the strategy changes nothing, see noChangeText(); empty where it does.
    std::optional<std::string> noChange;
    /// Why the iteration hardly moves although they change something (see noEffectText()); empty
    /// where it moves.
    std::optional<std::string> noEffect;
    std::int64_t unchangedNs = 0; ///< that of the self-replay, without the strategy
    /// False: of the following, the interval (both are predictedNs), daydreamNs, the trust and the
    /// efficiencies are yet to be found; see Predictor::judge().
    bool isJudged = true;
    std::int64_t ciLowNs = 0, ciHighNs = 0; ///< 95 % interval of the prediction
    IntervalSource widest = IntervalSource::Iterations; ///< what that reaches farthest for
    std::optional<std::string> unknownInterval; ///< why there is none; then both are predictedNs
    /// What the naive baseline predicts (daydream.h); empty where no transfer's size is recorded.
    std::optional<std::int64_t> daydreamNs;
    double replayErrorFraction = 0; ///< of the self-replay: how far to trust the what-if
    TrustLevel trust = TrustLevel::Good;
    std::vector<std::string> trustReasons;
    std::string trustReason; ///< the one of them that the level rests on
    std::vector<RankPrediction> ranks; ///< by rank
    PartTimes measuredParts, predictedParts; ///< mean over ranks that are no servers
    std::vector<int> serverRanks; ///< parameter servers, by rank
    std::vector<LinkModel> links;
    SchedulingEfficiency scheduling; ///< of the whole replay
    std::vector<RankEfficiency> rankScheduling; ///< by rank
    std::shared_ptr<const Graph> graph; ///< the rewritten graph
    std::shared_ptr<const ReplayResult> replay; ///< of that graph
    /// Which of the replayed iterations the result speaks of, and what shows one of them shows,
    /// from 0: see shownIteration().
    std::size_t typicalIteration = 0;

    std::vector<OpId> criticalPath; ///< of that iteration, on the rank that takes longest in it
    std::int64_t timeOriginNs = 0; ///< aligned time of replay time 0, for drawing both on one axis
};

/// The causes of the end of the i-th replayed iteration, on the rank that takes longest in it, as
/// far back as that iteration reaches; in order of time.
std::vector<OpId> iterationPath(const Prediction &result, std::size_t i);

} // namespace core
