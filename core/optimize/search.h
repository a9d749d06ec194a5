#pragma once

#include "core/base/job_control.h"
#include "core/change/change.h"
#include "core/optimize/ablation.h"
#include "core/optimize/baselines.h"
#include "core/optimize/pass.h"
#include "core/optimize/skeleton.h"
#include "core/predict/predictor.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace core {

/// Ways to make a search fast; each can be switched off to see what it is worth.
struct SearchSpeedUps
{
    bool guessesOnSkeleton = true; ///< Search::guess() replays the skeleton, not the whole graph
    SkeletonSizes sizes = {};
    bool movesRepeatedBlocks = true; ///< walks by chance change repeated blocks together
};

/// Limits of a search.
struct SearchRequest
{
    std::vector<std::string> passes; ///< by name; empty: all but those of another system
    bool allowsReducedNumerics = false; ///< passes of Numerics::Reduced run, too
    double seconds = 30; ///< it ends after so long
    std::uint64_t seed = 0;
    Strategy environment; ///< changes that every strategy has: rates, ranks
    Strategy start = {}; ///< the search goes on from it; empty: it begins with the environment
    /// Strategies whose predicted peak memory on a device exceeds it are dropped.
    std::optional<std::uint64_t> memoryLimitBytes = {};
    /// SearchResult::baselines that take many replays, too: Autotune, orders by chance.
    bool wantsBaselines = false;
    SearchSpeedUps speedUps = {};
};

/// One strategy that was tried.
struct SearchStep
{
    std::string pass; ///< its name
    std::string change; ///< "buckets of 5 MiB"
    std::string reason; ///< why it was proposed, or why it was dropped
    Strategy strategy; ///< with the environment
    std::optional<std::int64_t> predictedNs; ///< empty: the trace does not support it
    bool isAccepted = false; ///< it was the best so far
    bool isTooLarge = false; ///< it was dropped, as it needs more memory than allowed
    double farness = 0; ///< from the present, comparable within a pass
    double wallMs = 0; ///< since the search began
};

/// A strategy that was found.
struct Candidate
{
    std::size_t step = 0; ///< index into SearchResult::steps
    Strategy strategy;
    std::string pass, change;
    std::int64_t predictedNs = 0;
    Numerics numerics = Numerics::Exact;
    /// Saved of each iteration, ns; 95 % interval. Equal where it is not known.
    std::int64_t gainNs = 0, gainLowNs = 0, gainHighNs = 0;
    std::string unknownInterval; ///< why it is not; empty: it is
    std::optional<TrustLevel> trust; ///< of its prediction; empty: the search was stopped before
    std::string trustReason; ///< the one that weighs most
    std::vector<std::string> explanation; ///< sentences; empty where the search was stopped
    std::vector<StrategyPart> parts; ///< what each contributes; empty where it was stopped
    /// Predicted peak memory of the fullest device; empty: not known, or the search was stopped.
    std::optional<std::uint64_t> peakBytes;
};

struct SearchResult
{
    Strategy environment;
    std::int64_t baselineNs = 0; ///< with the environment alone
    std::vector<SearchStep> steps;
    std::map<std::string, std::string> obstacles; ///< by pass: why it did not run
    std::vector<Baseline> baselines; ///< empty where it was stopped
    std::string memoryUnknown; ///< why a memory limit was not kept; empty: it was, or there is none
    /// One of each pass that gains enough to be worth having: the fastest. The advised one comes
    /// first: the nearest to the present of those that are about as fast.
    std::vector<Candidate> candidates;
    /// Others that are about as good as the advised one: within 1 % of an iteration.
    std::vector<std::size_t> alike;
    std::size_t replays = 0; ///< of the whole graph
    std::size_t guesses = 0; ///< replays of its skeleton, or of it, for Search::guess()
    bool isStopped = false; ///< by the user
    bool isOutOfTime = false;
    std::int64_t wallNs = 0;

    /// Null: no gain worth having, or none that is not predicted poorly.
    const Candidate *advised() const
    {
        return candidates.empty() || candidates.front().trust == TrustLevel::Poor
            ? nullptr
            : &candidates.front();
    }
};

/// The shortest iteration that was accepted so far, ns.
std::int64_t bestSoFarNs(std::int64_t baselineNs, const std::vector<SearchStep> &steps);

/// Effect of all changes together on the numbers that the job computes.
Numerics numericsOf(const Strategy &strategy);

/// Gains below this fraction of an iteration are not worth having.
inline constexpr double LeastGain = 0.01;

/// Pass of the step that a search goes on from.
inline constexpr std::string_view StartStep = "start";
/// Pass of the steps that try baselines which other passes did not reach.
inline constexpr std::string_view BaselineSteps = "baselines";

/// The best strategy so far, and what passes may ask.
class Search
{
public:
    using OnStep = std::function<void(const SearchStep &)>;
    using Duration = std::chrono::steady_clock::duration;

    /// Time in which the control's check waits, as one of a paused search does, does not count.
    /// Throws Error where the environment cannot be predicted; Cancelled.
    Search(Predictor predictor, SearchRequest request, const JobControl &control, OnStep onStep);

    const Predictor &predictor() const { return m_predictor; }
    const SearchRequest &request() const { return m_request; }
    const JobControl &control() const { return m_control; }
    std::int64_t baselineNs() const { return m_result.baselineNs; }
    const Strategy &best() const { return m_best; } ///< with the environment
    std::int64_t bestNs() const { return m_bestNs; }
    const std::string &bestText() const { return m_bestText; } ///< its change; empty: none
    std::mt19937_64 &random() { return m_random; }
    /// Why a change with that key cannot be predicted on this trace; empty: it can.
    std::optional<std::string> obstacle(const std::string &key) const;

    /// A strategy with changes of `changes` in place of what contradicts them.
    static Strategy with(Strategy strategy, const Strategy &changes);

    /// Predicts a strategy, and keeps it as the best so far where it is. The predicted iteration,
    /// ns; empty where the trace does not support it. Throws Cancelled, and OutOfTime.
    std::optional<std::int64_t> propose(Strategy strategy, std::string change, std::string reason,
                                        double farness = 0);

    /// Iterations, ns, of strategies that may be proposed: replayed side by side on the job's
    /// skeleton, where it answers. No steps of the search. Throws Cancelled, and OutOfTime.
    std::vector<std::optional<std::int64_t>> guess(const std::vector<Strategy> &strategies);
    /// The replay that such a guess rests on; empty where the trace does not support it. Throws
    /// Cancelled.
    std::optional<Skeleton::Replayed> replayed(const Strategy &strategy);
    /// Whether the skeleton answers it, so that a guess takes a fraction of a replay's time.
    bool isGuessedFast(const Strategy &strategy);

    /// The passes alone: best() is what they found, or the best so far where the user stops them.
    void find();
    /// The same, then baselines on the job's system or a named one, where they are faster; trust
    /// and intervals of what was found.
    SearchResult run();

private:
    struct OutOfTime
    {
    };

    void runPasses();
    bool isWanted(const Pass &pass, std::string &reason) const;
    void predict(SearchStep &step);
    bool exceedsMemory(const Prediction &prediction, SearchStep &step);
    std::int64_t worthNs() const;
    const SearchStep *bestStep(const std::string &pass, std::int64_t mostNs, bool isNearest) const;
    Candidate candidate(const SearchStep &step) const;
    void chooseCandidates();
    void judgeCandidates();
    void untilStopped(const std::function<void()> &work);
    bool isNamed(std::string_view pass) const;
    bool isOnWantedSystem(const Baseline &baseline) const;
    void tryStart();
    void tryBaselines();
    void addSampledBaselines();
    void judge(Candidate &candidate);
    void findAlike();
    double elapsedMs() const;
    double secondsLeft() const;

    Skeleton &skeleton();
    void findModels(const Strategy &strategy);
    bool isOfSkeleton(const Strategy &strategy) const;
    std::optional<std::int64_t> guessOne(const Strategy &strategy, const JobControl &control) const;

    Predictor m_predictor;
    std::optional<Skeleton> m_skeleton; ///< once something is guessed
    SearchRequest m_request;
    std::shared_ptr<Duration> m_waited = std::make_shared<Duration>();
    JobControl m_control;
    OnStep m_onStep;
    std::mt19937_64 m_random;
    std::chrono::steady_clock::time_point m_begin;
    std::string_view m_pass; ///< that runs
    std::optional<Prediction> m_environment; ///< predicted, once a candidate is judged
    using Memo
        = std::map<std::vector<std::pair<std::string, std::string>>, std::optional<std::int64_t>>;
    Memo m_memo, m_guessed;
    Strategy m_best;
    std::string m_bestText;
    std::int64_t m_bestNs = 0;
    SearchResult m_result;
};

/// Reasons by pass why the trace does not support it. Throws Error, Cancelled.
std::map<std::string, std::string> passObstacles(const Predictor &predictor,
                                                 const JobControl &control);

} // namespace core
