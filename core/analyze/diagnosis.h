#pragma once

#include "core/analyze/groups/process_groups.h"
#include "core/analyze/report/longest_operations.h"
#include "core/base/job_control.h"
#include "core/graph/graph.h"
#include "core/measure/own_work.h"
#include "core/measure/worker_activity.h"
#include "core/model/iteration_period.h"
#include "core/predict/prediction.h"
#include "core/predict/predictor.h"
#include "core/replay/replay.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace core {

struct DeviceBreakdown
{
    std::string device; ///< "GPU 0", "CPU"
    TimeBreakdown time; ///< of its whole window
    TimeBreakdown iterationMean; ///< over those of RankDiagnosis::iterations that are compared
};

/// Waiting of one rank for another.
struct RankWait
{
    int rank = 0; ///< that is waited for
    std::int64_t ns = 0;
    std::int64_t aloneNs = 0; ///< of it, while it was the only one missing in a collective
};

struct RankDiagnosis
{
    WorkerId worker;
    int rank = 0;
    std::vector<DeviceBreakdown> devices;
    std::vector<IterationBreakdown> iterations; ///< that it recorded whole
    /// What its TimeBreakdown::exposedWaitNs goes to in the mean compared iteration, over all of
    /// its devices together; longest first.
    std::vector<RankWait> waits;
};

/// One op on the critical path, merged with its neighbours of the same name and device.
struct CriticalOp
{
    std::string name;
    int rank = 0;
    std::string device;
    std::int64_t startNs = 0; ///< aligned
    std::int64_t durationNs = 0;
    std::string kind; ///< "compute", "comm", "copy", "host", "launch", "input", "wait", "idle"
    SliceId slice = NoSlice;
    bool isGap = false; ///< time before the op; only iterationPathReport() lists gaps
    /// The rank that came last to the transfer that a gap waits for. Empty: none
    /// is known.
    std::optional<int> waitsFor = {};
};

/// How much of the critical path one stage of communication takes, over all tensors.
struct CriticalStage
{
    std::string stage; ///< "PUSH", "NEGOTIATE_ALLREDUCE"; BetweenStages: none was recorded
    std::int64_t durationNs = 0;
    // Where it takes longest at once.
    std::string tensor;
    int rank = 0;
    std::int64_t longestNs = 0;
};

inline constexpr std::string_view BetweenStages = "between stages";

/// What a critical path goes to; the parts add up to its length.
struct CriticalPathParts
{
    std::int64_t computeNs = 0, commNs = 0;
    std::int64_t copyNs = 0; ///< to, from and on accelerators
    std::int64_t hostNs = 0; ///< framework and own code, without launching and loading input
    std::int64_t launchNs = 0; ///< calls that hand work to a device, and until it begins
    std::int64_t inputNs = 0; ///< loading it
    std::int64_t waitNs = 0, idleNs = 0;
    std::int64_t unrecordedNs = 0; ///< of idleNs: on ranks of whose host nothing is recorded

    std::int64_t totalNs() const
    {
        return computeNs + commNs + copyNs + hostNs + launchNs + inputNs + waitNs + idleNs;
    }

    static const std::array<std::int64_t CriticalPathParts::*, 9> all;
};

inline constexpr std::array<std::int64_t CriticalPathParts::*, 9> CriticalPathParts::all = {
    &CriticalPathParts::computeNs, &CriticalPathParts::commNs,   &CriticalPathParts::copyNs,
    &CriticalPathParts::hostNs,    &CriticalPathParts::launchNs, &CriticalPathParts::inputNs,
    &CriticalPathParts::waitNs,    &CriticalPathParts::idleNs,   &CriticalPathParts::unrecordedNs
};

/// One replayed iteration's.
struct CriticalPathIteration
{
    std::int64_t index = 0; ///< as the trace numbers it
    bool isCounted = true; ///< by the prediction, and so by the mean
    CriticalPathParts parts;
};

/// Attribution of the typical iteration's critical path over all ranks, and of all others'.
struct CriticalPathReport : CriticalPathParts
{
    std::int64_t iteration = 0; ///< as the trace numbers it
    std::int64_t measuredNs = 0; ///< what its slowest rank took as measured; replayed: totalNs()
    std::vector<CriticalOp> ops;
    std::vector<CriticalStage> stages; ///< longest first; where the trace records stages
    std::vector<CriticalPathIteration> iterations; ///< all that are replayed
    CriticalPathParts mean; ///< of those that are counted
};

/// An op that is not on the critical path that is shown, but on a path that would be as long if the
/// op took its slack longer. Where several paths are equally long, one is shown; ops of the others
/// have no slack at all.
struct NearCriticalOp
{
    std::string name;
    int rank = 0;
    std::string device;
    std::int64_t startNs = 0; ///< aligned; of the longest where there are several
    std::int64_t longestNs = 0; ///< duration of the longest
    std::int64_t durationNs = 0; ///< while any of them runs, where there are several
    std::int64_t meanNs = 0; ///< durationNs per iteration in which they are nearly critical
    std::string kind; ///< "compute", "comm", "host"
    std::int64_t slackNs = 0; ///< how much longer it can take; the least of several
    std::size_t times = 1;
    std::size_t iterations = 1; ///< in how many of those that are looked at it is one
    SliceId slice = NoSlice;
};

inline constexpr double NearCriticalShare = 0.01; ///< slack below this part of an iteration

struct NearCriticalIteration
{
    std::int64_t index = 0; ///< as the trace numbers it
    std::size_t count = 0; ///< all of them
    std::vector<NearCriticalOp> ops; ///< the longest, largest first
};

struct NearCriticalReport
{
    std::int64_t limitNs = 0; ///< slack of all that are listed is below
    std::vector<NearCriticalIteration> iterations; ///< as replayed
    /// Those of one name, rank and device together, largest first.
    std::vector<NearCriticalOp> steadyState;
    std::size_t steadyIterations
        = 0; ///< of steadyState: all but the first, where there are several
};

struct CollectiveRankReport
{
    WorkerId worker;
    int rank = 0;
    SliceId slice = NoSlice;
    std::int64_t startNs = 0, endNs = 0; ///< aligned
    std::int64_t waitNs = 0; ///< from its own start until the last rank came
    std::int64_t transferNs = 0; ///< from then to its end
};

/// What the rank that comes last to a collective did before: the op whose end let it come.
struct CollectiveBlame
{
    std::string op;
    std::string device;
    SliceId slice = NoSlice;
    std::int64_t startNs = 0, endNs = 0; ///< aligned
};

/// One instance of a collective matched across ranks.
struct CollectiveReport
{
    std::string name, group;
    std::uint64_t sequence = 0;
    std::uint64_t bytes = 0;
    int lastRank = 0; ///< the rank that came last
    std::int64_t lateNs = 0; ///< how long after the last but one
    std::optional<CollectiveBlame> blame; ///< of lastRank
    std::string unknownBlame; ///< why there is none, for people; empty where there is one
    bool isCompared = true; ///< in the iterations that means are over: see ComparedIterations
    std::vector<CollectiveRankReport> ranks;
};

/// The time of one type of op on a rank, or between two such ops while no operation runs, beside
/// the other ranks'. Per iteration.
struct OpTypeSlowdown
{
    std::string name; ///< "forward", or "no operation between forward and backward"
    std::int64_t ns = 0, medianNs = 0; ///< medianNs: of all ranks
    std::int64_t othersNs = 0; ///< of the other ranks; see OthersMedian
    WorkKind kind = WorkKind::Host;
    /// Of a gap: the ops before it and behind it; `before` is empty where there is none.
    std::string before, behind = {};

    std::int64_t excessNs() const { return ns - othersNs; }
    /// Beside the largest difference, is this one of its size?
    bool isHalfOf(const OpTypeSlowdown &largest) const
    {
        return 2 * excessNs() >= largest.excessNs();
    }
};

/// What a rank's own work of one kind takes, and what it takes the other ranks (see OthersMedian).
/// Per iteration.
struct WorkBesideOthers
{
    WorkKind kind = WorkKind::Host;
    std::int64_t ns = 0, othersNs = 0; ///< sums over the rank's rows
    std::size_t rows = 1; ///< threads, or streams, of the rank that have such work

    std::int64_t excessNs() const { return ns - othersNs; }
};

/// A rank's own work (not communication) beside the median rank's, per iteration; see
/// atWorkNs().
struct RankSlowdown
{
    int rank = 0;
    std::int64_t ownWorkNs = 0, medianNs = 0;
    std::int64_t othersNs = 0; ///< of the other ranks; see OthersMedian
    std::vector<WorkBesideOthers> kinds; ///< one of each kind
    /// Where it takes longer than the other ranks, by how much longer: the first most.
    std::vector<OpTypeSlowdown> ops;
    /// Operations of its host that take it less time than the other ranks, by the most. Empty:
    /// there are none.
    std::optional<OpTypeSlowdown> fastest = {};

    /// 0.5: it takes half as long again as the median rank.
    double slowdown() const
    {
        return medianNs > 0 ? static_cast<double>(ownWorkNs) / static_cast<double>(medianNs) - 1
                            : 0;
    }
    /// 0.5: it takes half as long again as the others.
    double beyondOthers() const
    {
        return othersNs > 0 ? static_cast<double>(ownWorkNs) / static_cast<double>(othersNs) - 1
                            : 0;
    }
};

/// Ranks that are slower than others, and what it would gain if none were.
struct StragglerReport
{
    std::vector<RankSlowdown> ranks; ///< by rank; of those whose own work is recorded
    bool isWorkRecorded = false; ///< of two ranks or more; else it is the time between transfers
    bool isWithoutOverlap = false; ///< operations without what overlapping communication adds
    std::optional<std::int64_t> idealNs; ///< the iteration predicted with ideal_peers = 1
    std::string obstacle; ///< why idealNs is not known
};

/// Time of a rank's threads between two operations, in which none runs; all iterations' together.
struct HostGap
{
    int rank = 0;
    std::string before, behind; ///< the operations; `before` is empty where there is none
    std::int64_t meanNs = 0; ///< per iteration, over the replayed ones
    double share = 0; ///< of all such time of the rank
    std::optional<std::int64_t> othersNs; ///< the median of the other ranks; empty: there are none
    std::size_t times = 0; ///< in all iterations
    SliceId slice = NoSlice; ///< of the op behind the longest one
    TimeRange longest; ///< aligned
};

/// Iterations that fall into two groups by how long they take.
struct IterationGroups
{
    std::vector<std::int64_t> slower; ///< as the trace numbers them, ascending
    std::size_t count = 0; ///< of both groups
    std::int64_t slowerNs = 0, othersNs = 0; ///< the groups' medians, of the slowest rank
    /// Length of the period that figures are the mean over; 1: they are of the median iteration.
    std::size_t periodLength = 1;
    bool areKinds = false; ///< the slower ones are kinds of that period, see PeriodReport
};

struct KindReport
{
    IterationKind kind;
    std::vector<std::int64_t> iterations; ///< as the trace numbers them, ascending
    std::int64_t medianNs = 0; ///< measured, of the slowest rank
};

/// Iterations of several kinds that repeat; see IterationPeriod.
struct PeriodReport
{
    std::uint32_t length = 0;
    std::vector<KindReport> kinds; ///< the usual one first
    std::int64_t meanNs = 0; ///< measured mean iteration of a period, of the slowest rank
};

/// Why the slower of IterationGroups are slow: of one rank, or of work that most have.
struct SlowIterationsCause
{
    int rank = 0; ///< with the largest part where it is not of one rank
    /// False: the others' own work takes about as much longer, so that no rank is to blame.
    bool isOfOneRank = true;
    /// For how much longer it is the only one missing in collectives, in each of them, at most what
    /// these take longer (beyond that, it is hidden); 0 where others do not wait for it.
    std::int64_t lateNs = 0;
    std::string why; ///< "its aten::save takes 400.1 ms (...)"; empty where it is not known
    std::string op; ///< the name of what takes so much longer; empty: not known, or a gap
};

/// Of a gain, in ns.
struct GainInterval
{
    std::int64_t lowNs = 0, highNs = 0;

    bool mayBeNothing() const { return lowNs <= 0; }
};

/// A finding with its gain; the gain is what the replayer predicts when the cause is removed.
struct Bottleneck
{
    std::string title; ///< the cause or the remedy in a few words, without the gain
    /// Between title and gain in a sentence: " costs ", " would save ", ", which costs ".
    std::string effect = " costs ";
    std::string cost; ///< "Communication costs 44 % of an iteration": how it heads a page
    std::string reason; ///< a sentence: why it is so; empty where that is not known
    /// Stable id: "straggler", "exposed-communication", "bucket-size", "partition-size",
    /// "bandwidth", "slow-link", "slow-group", "stated-rate", "pipeline-bubble", "host-gap",
    /// "copies", "slow-iterations", ...
    std::string kind;
    std::vector<std::string> evidence; ///< sentences
    bool isBound = false; ///< the gain if it took no time at all, which no change reaches
    Strategy strategy; ///< what removes the cause, for `longpole replay --set`
    std::int64_t predictedNs = 0; ///< the iteration that the replay predicts with `strategy`
    /// Of one iteration: the self-replay's less predictedNs; of a host gap beside the input or a
    /// straggler, and of the input beside a straggler, less what removing these gains alone.
    std::int64_t gainNs = 0;
    /// 95 % interval of gainNs, by setGainIntervals(); empty before that, and of what no what-if
    /// predicts or nothing tells the interval of.
    std::optional<GainInterval> gainInterval;
    std::string unknownInterval; ///< why a predicted gain has none, once that is known
    double gainFraction = 0;
    std::string advice; ///< its first sentence says what to do
    SliceId slice = NoSlice; ///< where to look in the timeline
    TimeRange range; ///< aligned; what to zoom to
};

struct Diagnosis
{
    std::string verdict; ///< a sentence: what holds everything else up
    std::string verdictKind; ///< Bottleneck::kind that it tells of; empty: of none
    std::vector<std::string> verdictRemarks; ///< sentences: why, and what else costs much
    std::vector<std::string> blindSpots; ///< sentences: what the trace cannot tell
    bool isOfOneJob = true; ///< false: all of several jobs that concerns ranks together is empty
    bool hasIterations = true; ///< false: "iteration" is the whole recording of each rank
    std::vector<RankDiagnosis> ranks; ///< by rank
    LongestOperations operations; ///< by name
    CriticalPathReport criticalPath;
    NearCriticalReport nearCritical;
    std::vector<CollectiveReport> collectives; ///< by time
    SliceTransfers transfers; ///< of collectives and messages
    std::vector<ProcessGroup> groups; ///< that these are on
    StragglerReport stragglers;
    std::vector<HostGap> hostGaps; ///< the longest, of each rank and two ops; longest first
    std::optional<PeriodReport> period; ///< empty: no kinds of iterations repeat
    std::optional<IterationGroups> iterationGroups; ///< empty: no iterations are clearly slower
    std::optional<SlowIterationsCause> slowIterationsCause; ///< empty: not known
    std::vector<Bottleneck> bottlenecks; ///< largest gain first
    /// Sentences: whom others wait for and why, and whose own work takes longer.
    std::vector<std::string> rankRemarks;
    Prediction selfReplay;
    /// For what-ifs on the same trace; null of several jobs.
    std::shared_ptr<const Predictor> predictor;
};

/// Runs the whole diagnosis: breakdowns, collectives, self-replay, critical path, ranked
/// bottlenecks. Of traces of several jobs, see separateJobs(), it has the ranks' own breakdowns and
/// a verdict that says so, but no replay: a figure over the mixture is one of neither job.
Diagnosis diagnose(const Trace &trace, std::shared_ptr<const Graph> graph,
                   const JobControl &control);

} // namespace core
