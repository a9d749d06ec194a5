#pragma once

#include "core/compare/measured_run.h"
#include "core/compare/promise.h"
#include "core/compare/verdict.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace core {

/// Why a comparison is inconclusive.
enum class Doubt {
    NoIterations, ///< nothing tells the iterations of a run apart
    FewIterations, ///< see FewestComparedIterations
    OtherFramework, ///< the runs are of different jobs
    OtherRanks,
    OtherTensors,
    OtherBuckets, ///< the later run did not do what the strategy says
    OtherBytes,
    Noise, ///< the runs are too noisy for a gain of this size
    LoosePromise, ///< there is no gain beyond the noise, and the promise allows none
};

/// "other_buckets", as in JSON.
std::string_view doubtName(Doubt doubt);

/// Compared iterations that each run needs: two do not tell how far one may be off.
inline constexpr std::size_t FewestComparedIterations = 3;

/// Without a promise, runs whose noise is a larger part of the earlier iteration tell nothing: the
/// trust's limit of an interval that hides most gains (10 % either way).
inline constexpr double MostNoise = 0.1;

/// Whether the later run has the buckets that a strategy makes.
enum class BucketUse {
    NotAsked, ///< the strategy does not say which gradients travel together
    Unknown, ///< the later run does not show buckets
    AsPromised,
    AsBefore, ///< those of the earlier run, which the strategy replaces
    Other
};

struct ComparedPart
{
    RunPart part;
    std::int64_t earlierNs = 0, laterNs = 0; ///< mean iteration
    /// Differences within it are noise (95 %); empty: too few iterations.
    std::optional<std::int64_t> noiseNs;
    std::optional<std::int64_t> promisedNs; ///< predicted; empty: there is no promise
};

/// Iteration that a promise makes of a measured one, ns, with its 95 % interval.
struct PromisedTime
{
    std::int64_t ns = 0, lowNs = 0, highNs = 0;
};

/// A later run beside an earlier one.
struct RunComparison
{
    MeasuredRun earlier, later;
    std::optional<Promise> promise;
    RunGain gain; ///< measured; its interval is empty where a run has fewer than two iterations
    RunVerdict verdict = RunVerdict::Inconclusive;
    std::vector<Doubt> doubts; ///< why it is inconclusive; the first weighs most
    /// Iterations of each run with which the noise would be small enough, if they are as noisy;
    /// empty: none would, or it is small enough.
    std::optional<std::size_t> neededIterations;
    BucketUse buckets = BucketUse::NotAsked;
    std::vector<std::string> unseen; ///< changes whose use no recording shows: "bandwidth_mbit"
    /// The later run sends as few bytes as a strategy says that compresses.
    bool sendsAsPromised = false;
    /// Parts in the order of RunParts; without copies where there are none. Empty: a recording does
    /// not show on what a rank spends its time.
    std::vector<ComparedPart> parts;
    /// Index into `parts` of a promise that was not kept: the part that is farthest beyond the
    /// prediction, if that is beyond the noise.
    std::optional<std::size_t> brokenPart;

    /// Both runs have the two iterations that a spread needs.
    bool hasNoise() const;
    /// The verdict is on a promised gain: there is a promise, and its strategy changes something.
    bool isGainJudged() const;
    /// The earlier run's measured iteration less the promised gain, as the verdict compares gains:
    /// Promise::iterationNs counts from the replay, which may differ. Needs a promise.
    PromisedTime promisedIteration() const;
};

/// Bytes that all-reduces carry by those of the gradients, as the strategy promises them.
double promisedShare(const MeasuredRun &earlier, const Promise &promise);

/// Compares two runs; with a promise the verdict is on that (verdictOnPromise()), without one, or
/// with a strategy that changes nothing, on the difference (verdictOnGain()). Runs of different
/// jobs, too few iterations, and a later run that did not do what the strategy says are
/// inconclusive. The gain is the difference of the median iterations of the slowest ranks. The
/// noise of a run is that of RunTime; those of both runs add up as squares.
RunComparison compareRuns(MeasuredRun earlier, MeasuredRun later, std::optional<Promise> promise);

} // namespace core
