#pragma once

#include "core/base/job_control.h"
#include "core/graph/graph.h"
#include "core/replay/replay.h"
#include "core/scenario/collective_cost.h"
#include "core/scenario/interval_source.h"
#include "core/scenario/queued_transfers.h"
#include "core/scenario/schedule.h"
#include "core/scenario/scheduling_efficiency.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace core {

/// The algorithm of all-reduces.
struct CollectiveChoice
{
    CollectiveAlgorithm algorithm = CollectiveAlgorithm::Ring;
    int servers = 1; ///< of ParameterServer
    friend bool operator==(const CollectiveChoice &, const CollectiveChoice &) = default;
};

/// What-if settings (keys of `longpole replay --set`); an absent field leaves things as measured.
struct ScenarioSettings
{
    std::optional<double> bucketCapMb; ///< MiB, as PyTorch DDP's bucket_cap_mb
    std::optional<double> firstBucketMb; ///< MiB; DDP's default is 1
    std::optional<double> fusionThresholdBytes; ///< of Horovod's fusion buffer
    std::optional<double> cycleTimeMs; ///< of Horovod's background thread
    std::optional<Schedule> schedule;
    /// Of a slice, and of slices under way at once: with schedule fifo or p3, or of a job that
    /// sends slices already (see withRecordedSlices()).
    std::optional<double> partitionBytes, creditBytes;
    std::optional<double> bandwidthMbit; ///< nominal rate of every inter-worker link, Mbit/s
    std::optional<double> bandwidthScale; ///< factor on the measured rate; 2 is twice as fast
    std::map<int, double> bandwidthMbitOf; ///< by rank: nominal rate of this rank's link, Mbit/s
    std::optional<double> latencyUs; ///< of one step between two ranks
    std::optional<double> worldSize; ///< ranks
    std::optional<CollectiveChoice> collective;
    std::optional<double> computeScale; ///< factor on the time of compute; 2 is twice as slow
    std::map<int, double> computeScaleOf; ///< by rank, instead of computeScale
    std::optional<double> batchScale; ///< factor on samples of each rank and iteration
    std::optional<double> hostOverheadScale; ///< factor on launching and host code
    std::optional<double> commScale; ///< factor on the time of transfers; 0: they take no time
    /// By ranks, ascending, two or more: of transfers between just these, instead of commScale.
    std::map<std::vector<int>, double> commScaleOf;
    std::optional<double> inputScale; ///< factor on loading the input; 0: it is always there
    std::optional<double> idealPeers; ///< 1: every rank as fast as the median one
    std::optional<double> idealPipeline; ///< 1: no stage waits for another; see withIdealPipeline()
    /// 1: collectives are replayed chunk by chunk on each rank's link; see withChunks().
    std::optional<double> expand;

    bool isEmpty() const { return list().empty(); }
    /// ("bucket_cap_mb", "5"): what was set, for reports.
    std::vector<std::pair<std::string, std::string>> list() const;
    friend bool operator==(const ScenarioSettings &, const ScenarioSettings &) = default;
};

/// The keys with their units, for help texts.
std::string settingKeys();

/// Parses "KEY=VALUE" words; throws UsageError naming the word, the allowed keys and ranges.
ScenarioSettings parseSettings(const std::vector<std::string> &words);

/// Cost of a collective's transfer fitted from the trace's own transfers: t = alphaNs +
/// betaNsPerByte * bytes on the wire.
struct LinkModel
{
    std::string group;
    std::string kind; ///< of the collectives: "all_reduce"
    bool isOfMessages = false; ///< CollectiveNode::isMessage
    double alphaNs = 0;
    /// 95 % interval; where the transfers tell alpha but not its error, 0 to twice alpha.
    double alphaLowNs = 0, alphaHighNs = 0;
    /// How many kinds of busy times the fit tells alpha by: of transfers that overlap, by what they
    /// are together. Two of them any line fits.
    std::size_t alphaKinds = 0;
    double betaNsPerByte = 0; ///< per byte on the wire of one rank, by the algorithm that NCCL
                              ///< states, else a ring (2(n-1)/n of the payload)
    double betaLow = 0, betaHigh = 0; ///< 95 % interval
    /// Of beta what the line takes at its stated rate, with TCP's headers; 0 where that is not
    /// known.
    double lineNsPerByte = 0;
    double pooledBetaNsPerByte = 0; ///< of the same transfers if alpha were 0
    std::size_t transfers = 0; ///< how many transfers the fit rests on
    double meanBytes = 0; ///< on the wire of one rank, of these transfers
    double steps = 0; ///< between two ranks that each of them takes one after another, of which
                      ///< alpha is the sum (a ring's all_reduce 2(n-1)); 0 where they differ
    /// What of a transfer of that size may be waiting for ranks that take part but have no
    /// recording; 0 where all have. The longer of two readings: by how much the last recorded rank
    /// came later than the one before it (median), and what the transfer takes longer than at the
    /// link's stated rate.
    double unseenWaitNs = 0;
    double medianErrorFraction = 0; ///< of the fit on those transfers
    std::string unknownAlgorithm; ///< that NCCL states of some, and statedShape() does not know
    std::string statedAlgorithms; ///< that are stated, by NCCL's names: "RING, TREE"
    /// By NCCL's name: how many transfers that state nothing are taken so by NCCL's rule.
    std::map<std::string, std::size_t> chosenAlgorithms;
    std::string choiceAssumes; ///< see NcclSystem::assumed
    /// Of the transfers those that are taken as rings although a library that chooses by size and
    /// topology carried them: the trace states nothing, and the library's rule is not known.
    std::size_t assumedRings = 0;
    std::string noChoice; ///< why it is not, see NcclSystem::notApplied; empty: nothing tells
    bool hasSizes = false; ///< not all transfers have the same size
    bool areOverlapping = false; ///< some of the transfers do
    bool isAlphaFitted = false; ///< transfers differ enough to tell alpha from beta
    bool isHostLink = false; ///< a CPU backend's network: TCP
    /// Of transfers within one host, where those between hosts have a model of their own: what is
    /// said of the network's rate and latency is not about them.
    bool isWithinHost = false;
    /// Of a CPU backend whose line's rate is known: what its transfers take beyond their bytes'
    /// time on the line, of meanBytes. Slices are told by it, not by alpha and beta: predicted ones
    /// (see costOfSlice()), and recorded ones.
    QueuedTransfers queue;
    bool isQueued = false; ///< recorded are slices, which a program sends from a queue of its own
    /// Of a queue's latency what its slices' bytes do not change: by how much later one rank has a
    /// slice than another, which is for how long a core leaves what has come. 0 where no slices are
    /// recorded.
    double steadyLatencyNs = 0;
    double queuedBytes = 0; ///< that a recorded slice waits behind; see typicalBytes()
    double latencyGrowth = 0.5; ///< with which power of its bytes a slice waits for its peers
    double handOverNs = 0; ///< see handOversNs(); 0 where it is not known, or in the queue's times
    /// While one transfer waits for its first bytes others use the link, where it serves several.
    bool isPipelined = true;
    std::optional<double>
        nominalMbit; ///< the link's nominal rate, where the bundle's metadata states it
    /// A nominal rate that the metadata states and the transfers contradict (contradicts());
    /// nominalMbit is empty then. 0: none.
    double doubtedMbit = 0;
    /// What the setting bandwidth_mbit counts the link as: setting it to this changes nothing. The
    /// nominal rate as stated; else derived from the fitted one (with the headers of TCP on a CPU
    /// backend's network), in the digits that people are shown, and the same for all kinds of
    /// collectives on one network.
    double bandwidthMbit = 0;

    bool operator==(const LinkModel &) const = default;

    /// Else alpha is taken as none.
    bool isAlphaKnown() const { return isAlphaFitted || alphaNs > 0; }
    /// It may as well be none.
    bool isAlphaUnsure() const { return isAlphaFitted && alphaLowNs <= 0; }

    /// On the wire of one rank, of all transfers that the fit rests on.
    double allBytes() const { return meanBytes * static_cast<double>(transfers); }

    double rateMbit() const { return betaNsPerByte > 0 ? 8e3 / betaNsPerByte : 0; }

    /// What of the bytes' time the line takes. The rest is the hosts' own (copies, sums), which a
    /// faster line does not shorten: the overhead of LogGP beside its gap per byte (Alexandrov et
    /// al., SPAA 1995). 1 where the line's rate is not known.
    double lineShare() const
    {
        const bool isBelow = lineNsPerByte > 0 && lineNsPerByte < betaNsPerByte;
        return isBelow ? lineNsPerByte / betaNsPerByte : 1;
    }
};

/// One iteration of one rank divided into parts (compute + exposedComm + memOnly + idle =
/// duration), as TimeBreakdown does.
/// Communication is all that a rank spends in collectives, waiting for the others included: it does
/// not go away where transfers take no time.
struct PartTimes
{
    std::int64_t computeNs = 0;
    std::int64_t exposedCommNs = 0;
    std::int64_t overlapNs = 0; ///< communication hidden behind compute; contained in computeNs
    std::int64_t memOnlyNs = 0; ///< copies outside of compute and communication
    std::int64_t idleNs = 0;
    /// Of exposedCommNs: waiting for other ranks while nothing is transferred. Absent where no
    /// collective of several ranks and no message is recorded, or of a rank it is not known (see
    /// TimeBreakdown::exposedWaitNs).
    std::optional<std::int64_t> exposedWaitNs = {};
};

struct RankPrediction
{
    int rank = 0;
    std::int64_t measuredNs = 0;
    std::int64_t predictedNs = 0;
};

/// The iterations of one worker in a replay; times in ns from its start.
struct ReplayedIterations
{
    std::int64_t beginNs = 0; ///< of the first
    std::vector<std::int64_t> endNs; ///< [iterations]
    /// First iterations that are not like the others, since none before them left them
    /// communication; neither typicalNs nor the interval counts them.
    std::size_t warmUp = 0;
    /// Sorted; as Graph::keptIterations: not counted, either.
    std::vector<std::int32_t> kept;
    std::vector<std::int64_t> periodNs; ///< [iterations]; from one's end to the next one's
    std::vector<OpId> lastOp; ///< [iterations]; the op that ends it
    /// [iterations] of the unchanged job; 0 or more: how long after the host its accelerators end
    /// it. Empty without accelerators, and of a what-if.
    std::vector<std::int64_t> leftNs;
    /// What is predicted of this worker: of the unchanged job the median period, of a what-if see
    /// replayedIterations().
    std::int64_t typicalNs = 0;

    /// Whether the i-th one is neither kept nor within the warm-up.
    bool counts(std::size_t i) const;
    /// The periods of those that count.
    std::vector<std::int64_t> countedNs() const;
};

/// How far a prediction on this trace can be relied on.
enum class TrustLevel {
    Good, ///< the self-replay is within 2 % in all and 5 % of an iteration in each part, all ranks
          ///< and the same 3 or more iterations of each are there, and clocks agree within 25 % of
          ///< one
    Fair,
    Poor ///< the self-replay is off by more than 5 %, or a part by more than 15 % of an iteration
};

/// "good", "fair", "poor".
std::string_view trustLevelName(TrustLevel level);

/// A replayed what-if (or, with empty settings, the self-replay) beside the measurement.
struct ScenarioResult
{
    ScenarioSettings settings;
    bool hasIterations = true; ///< false: the whole recording stands for one
    /// Why the settings change nothing (see noChangeText()); empty where they do, or there are
    /// none.
    std::optional<std::string> noChange;
    /// Why the iteration hardly moves although they change something (see noEffectText()); empty
    /// where it moves.
    std::optional<std::string> noEffect;
    std::int64_t measuredNs = 0; ///< median iteration of the trace, slowest rank
    std::int64_t predictedNs = 0; ///< steady-state period of the replay
    std::int64_t unchangedNs = 0; ///< that of the self-replay, without the settings
    /// False: of the following, the interval (both are predictedNs), daydreamNs, the trust and the
    /// efficiencies are yet to be found; see judgeScenario().
    bool isJudged = true;
    std::int64_t ciLowNs = 0, ciHighNs = 0; ///< 95 % interval of the prediction
    IntervalSource widest = IntervalSource::Iterations; ///< what that reaches farthest for
    std::optional<std::string> unknownInterval; ///< why there is none; then both are predictedNs
    /// What the naive baseline predicts (daydream.h); empty where no transfer's size is recorded.
    std::optional<std::int64_t> daydreamNs;
    double replayErrorFraction = 0; ///< of the self-replay: how far to trust the what-if
    TrustLevel trust = TrustLevel::Good;
    std::vector<std::string> trustReasons;
    std::vector<RankPrediction> ranks; ///< by rank
    PartTimes measuredParts, predictedParts; ///< mean over ranks that are no servers
    std::vector<int> serverRanks; ///< parameter servers, by rank
    std::vector<LinkModel> links;
    SchedulingEfficiency scheduling; ///< of the whole replay
    std::vector<RankEfficiency> rankScheduling; ///< by rank
    std::shared_ptr<const Graph> graph; ///< the rewritten graph
    std::shared_ptr<const ReplayResult> replay; ///< of that graph
    std::vector<ReplayedIterations> iterations; ///< by WorkerId
    /// Which of the replayed iterations the result speaks of, and what shows one of them shows,
    /// from 0: see shownIteration().
    std::size_t typicalIteration = 0;

    /// How many first iterations of the replay the prediction leaves out, on any rank; see
    /// ReplayedIterations::warmUp.
    std::size_t warmUp() const;
    /// Whether the prediction counts the i-th iteration of the replay.
    bool counts(std::size_t i) const;

    std::vector<OpId> criticalPath; ///< of that iteration, on the rank that takes longest in it
    std::int64_t timeOriginNs = 0; ///< aligned time of replay time 0, for drawing both on one axis
};

/// The causes of the end of the i-th replayed iteration, on the rank that takes longest in it, as
/// far back as that iteration reaches; in order of time.
std::vector<OpId> iterationPath(const ScenarioResult &result, std::size_t i);

/// Why settings cannot be predicted on a trace, for people; empty where they can.
struct SettingObstacles
{
    std::optional<std::string> buckets; ///< of bucketCapMb and firstBucketMb
    std::optional<std::string> fusion; ///< of fusionThresholdBytes and cycleTimeMs
    std::optional<std::string> schedule; ///< of schedule, partitionBytes and creditBytes
    std::optional<std::string>
        bandwidth; ///< of bandwidthMbit, of all and of one, and bandwidthScale
    std::optional<std::string> latency, worldSize, collective; ///< of these three
    std::optional<std::string> hostOverhead, idealPeers, idealPipeline;
    std::optional<std::string> comm, input; ///< of commScale and inputScale
    std::optional<std::string> expand;
};

/// What runScenario() would refuse: `graph` is as measured or replayed unchanged, `links` are those
/// of any of its results.
SettingObstacles settingObstacles(const Graph &graph, const std::vector<LinkModel> &links);

/// Rewrites the graph by the settings and replays it. Throws Error when the trace does not support
/// a setting (no DDP buckets found, no transfer to fit a link from), saying why.
ScenarioResult runScenario(const Trace &trace, std::shared_ptr<const Graph> measured,
                           const ScenarioSettings &settings, const JobControl &control);

} // namespace core
