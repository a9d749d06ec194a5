#pragma once

#include "core/analyze/bottlenecks/advice.h"
#include "core/analyze/bottlenecks/bottlenecks.h"
#include "core/analyze/bottlenecks/path_evidence.h"
#include "core/analyze/iteration_words.h"
#include "core/measure/parts.h"

#include <compare>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace core {

constexpr double SmallestGain = 0.01; ///< of an iteration; less is noise

/// What the searches for the causes share: the job, its self-replay, and how a gain over it is
/// taken, said and pointed at. The references must outlive it; `foundBefore` grows as causes are
/// found.
struct BottleneckSearch
{
    BottleneckSearch(const BottleneckInput &input, const std::vector<Bottleneck> &foundBefore,
                     const JobControl &jobControl);

    /// The iteration that the what-if predicts, as `longpole replay` does.
    /// The trace supports the strategy.
    std::int64_t predictedNs(const Strategy &strategy) const;
    /// With its interval; takes several replays.
    Prediction result(const Strategy &strategy) const;
    /// Why such a change cannot be predicted here; null: it can.
    const std::string *obstacle(std::string_view key) const { return obstacleOf(obstacles, key); }
    /// Whether an iteration so long would be a gain that is worth a line.
    bool isWorthALine(std::int64_t predictedNs) const;
    /// The gain of removing the cause by `strategy`; empty where that is too small to be worth a
    /// line.
    std::optional<Bottleneck> withGainOf(const char *kind, const Strategy &strategy) const;
    std::optional<Bottleneck> withGain(const char *kind, const Strategy &strategy,
                                       std::int64_t predictedNs) const;
    /// The gain of `strategy` beyond those of them that remove other causes, with which the
    /// iteration is predicted to take `othersNs`: what several causes explain counts once.
    std::optional<Bottleneck> withGain(const char *kind, const Strategy &strategy,
                                       std::int64_t predictedNs, std::int64_t othersNs) const;
    /// The cause of that kind, if it has been found before this search.
    const Bottleneck *findBefore(const char *kind) const;

    double gainFraction(std::int64_t predictedNs) const; ///< of the unchanged iteration
    std::int64_t perIteration(std::int64_t ns) const { return ns / iterations; }
    /// As measured, over ranks and iterations: what `longpole replay` and the window show.
    const PartTimes &meanIteration() const { return diagnosis.selfReplay.measuredParts; }
    /// Words for meanIteration(); empty where there is but one.
    std::string onAverage() const;
    /// As fittedLinkTexts().
    void addLinkEvidence(Bottleneck &found) const;
    /// The collective whose transfer took longest: the place to look at. Without collectives of
    /// several ranks, the longest communication on the critical path.
    void pointAtLongestTransfer(Bottleneck &bottleneck) const;
    /// On the critical path.
    void pointAtLongestOp(Bottleneck &bottleneck, CriticalOpTest isMeant) const;

    const Trace &trace;
    const std::shared_ptr<const Graph> measured;
    const Graph &graph; ///< the same
    const Graph &replayed; ///< with un-stretched ops and their slowdown
    const Diagnosis &diagnosis;
    const std::vector<Bottleneck> &before; ///< causes found so far
    const JobControl &control;
    const Advice advice;
    const std::vector<RoleShare> roles; ///< of the communication on the critical path
    Predictor &predictor;
    const ChangeObstacles obstacles;
    const std::int64_t baseNs; ///< the self-replay's prediction
    const std::int64_t iterations; ///< at least 1
    const IterationWords words;
    /// Where input is always there; absent where nothing that loads it is recorded.
    const std::optional<std::int64_t> inputlessNs;
};

/// "Predicted: 490.9 ms."
std::string predictedText(const Bottleneck &found);

/// A size that was tried: of buckets, of partitions.
struct SizeCandidate
{
    std::int64_t ns; ///< predicted iteration
    double size;
    friend auto operator<=>(const SizeCandidate &, const SizeCandidate &) = default;
};

/// The size to advise, and those that predictions cannot tell from the best one.
struct SizeChoice
{
    SizeCandidate chosen;
    std::vector<double> alike; ///< ascending, of two or more; empty: the best is alone
};

/// Chooses, of sizes within each other's intervals, the one nearest to the present size: it changes
/// least. Other sizes than the best have to be worth a line, too.
SizeChoice chooseSize(const BottleneckSearch &search, std::vector<SizeCandidate> candidates,
                      double present, const std::function<Strategy(double size)> &strategyOf);

/// "2.5", "25".
std::string numberText(double value);

} // namespace core
