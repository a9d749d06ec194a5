#pragma once

#include "core/graph/collectives/nccl_rule.h"
#include "core/model/category.h"
#include "core/model/ids.h"
#include "core/model/trace.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace core {

struct MatchedCollective;

inline constexpr OpId NoOp { ~std::uint32_t { 0 } };
inline constexpr SliceId NoSlice { ~std::uint64_t { 0 } };

/// What an op does, for attribution along the critical path.
enum class OpKind : std::uint8_t {
    Compute, ///< kernel, or CPU-training work of the compute threads
    Communication, ///< transfer of a collective or point-to-point message, without waiting
    Memory, ///< device copies and sets
    Host, ///< framework, interpreter and launch time on a host thread
    Virtual, ///< joins without duration: all ranks arrived, iteration begins
};

std::string_view opKindName(OpKind kind);

/// Where an edge came from: its provenance, and how far to trust it.
enum class EdgeKind : std::uint8_t {
    HostOrder,
    StreamOrder,
    Launch,
    Sync,
    Collective,
    Data,
    Iteration,
    Inferred, ///< nothing recorded says so, but the one's end explains the other's start
    Framework, ///< by the framework's own graph the one reads what the other wrote
};

std::string_view edgeKindName(EdgeKind kind);

/// How a device picks and serves its ready ops (algorithms: dPRO §4.3).
enum class Discipline : std::uint8_t {
    Fifo, ///< one op at a time, in the order in which they became ready
    Shared, ///< up to `capacity` ops at once in the order of readiness, sharing the device's rate
            ///< equally (a link)
    Priority ///< as Shared, but of the ready ops the one with the lowest Graph::priority is next;
             ///< those of one priority in the order of readiness (P3, ByteScheduler, TicTac)
};

/// What ops occupy: a host thread, a GPU stream, a link.
struct Device
{
    std::string name;
    WorkerId worker; ///< of a link: the first rank of its group
    TrackId track; ///< measured track it stands for
    bool hasTrack = false;
    bool isLink = false;
    bool isHostLink = false; ///< a CPU backend's network, served by the worker's own cores
    bool isBackend = false; ///< a thread or row of a rank on which only a CPU backend's calls are
    bool isStream = false; ///< an accelerator's stream
    Discipline discipline = Discipline::Fifo;
    std::uint32_t capacity = 1; ///< ops served at once (not "slots", which is a macro of Qt)
    /// Shared and Priority: the next op waits until the Graph::bytes of all that are served are
    /// within the credit with its own (ByteScheduler's credit, where partitions divide it). A
    /// larger op is served alone. 0: no limit.
    std::uint64_t creditBytes = 0;
    /// Of one end of a rank's link: the link whose collectives it carries in chunks.
    std::optional<DeviceId> partOf;
    /// Of one end of a link: the parameter server's whose end it is, from 0. A server is no rank;
    /// `worker` is then one that sends to it.
    std::optional<std::uint32_t> server;
    /// While the device transfers something (OpKind::Communication), computation of these ranks
    /// takes longer: see Graph::slowdown. An end of such a link (partOf) slows the rank whose data
    /// it carries instead.
    std::vector<WorkerId> slows;
    /// Priority: an op that becomes ready sets less urgent ones back, which go on later where they
    /// stopped. Schedulers that preempt between partitions (P3, ByteScheduler) do not need it:
    /// their partitions are ops.
    bool preempts = false;
};

struct Edge
{
    OpId op; ///< the other end
    EdgeKind kind;
};

/// CollectiveNode::name of a message, and of a collective that is sends and receives of all its
/// ranks at once, of which nothing tells who sends to whom.
inline constexpr std::string_view MessageKind = "send_recv";

/// A collective of one iteration, or a message, which has two parts, the sender's and the
/// receiver's, and the ops that stand for the whole.
struct CollectiveNode
{
    std::string name; ///< "all_reduce"
    std::string group;
    /// It has two ends: the first part is what the sender did, the second what the receiver did.
    bool isMessage = false;
    std::string
        tensor; ///< that it is a slice of or, of a message, carries; empty: several, unknown
    /// As NCCL names it, where it says which it took ("RING", "NVLS"); see
    /// collectiveAlgorithmNamed(). Empty: not stated.
    std::string algorithm;
    /// Of one of NCCL's that states none: what NCCL's rule chooses ("RING", "TREE"; ncclChoice()).
    /// Empty: the rule does not apply.
    std::string chosenAlgorithm = {};
    std::uint64_t sequence = 0; ///< order on the group
    std::uint64_t bytes = 0; ///< payload of one rank
    std::int64_t iteration = 0;
    OpId arrival; ///< virtual: every rank has come
    OpId transfer; ///< the transfer on the link; its start is the arrival of the last rank. Where
                   ///< chunks are ops of their own it is virtual, and ends with all of them
    struct Part
    {
        WorkerId worker;
        SliceId slice; ///< the rank's kernel or backend op
        std::int64_t startNs; ///< aligned
        std::int64_t endNs; ///< aligned
        OpId ready; ///< the op whose end hands this rank's part over
        /// Where chunks are ops of their own (withChunks()): what of them this rank sends or
        /// receives, and the virtual op that ends with the last. Else empty and NoOp.
        std::vector<OpId> chunks = {};
        OpId done = NoOp;
    };
    std::vector<Part> parts;
    /// How many ranks take part as the trace states it, of those whose recording is missing, too.
    /// 0: not stated.
    std::uint32_t statedRanks = 0;

    /// What it costs depends on all that take part, recorded or not.
    std::size_t rankCount() const
    {
        return std::max(parts.size(), static_cast<std::size_t>(statedRanks));
    }
    /// Stated, else chosen; empty: neither.
    const std::string &takenAlgorithm() const
    {
        return algorithm.empty() ? chosenAlgorithm : algorithm;
    }
    /// Ranks without a recording take part.
    bool hasUnseenRanks() const { return rankCount() > parts.size(); }

    /// The op whose end completes the rank's part.
    OpId completionOf(const Part &part) const { return part.done == NoOp ? transfer : part.done; }
};

/// Nothing recorded tells whether one op waits for another, and the times allow it.
struct PossibleWait
{
    OpId awaited, waiting;
};

/// PyTorch DDP's reduction on one worker in one iteration; what a change of bucket size rearranges.
struct GradientStep
{
    WorkerId worker;
    std::int32_t iteration = 0;
    std::vector<std::uint64_t>
        parameterBytes; ///< [parameters], in the order in which gradients become ready
    std::vector<OpId> gradients; ///< [parameters]; the gradient is ready at the op's end, or, on
                                 ///< accelerators, all is launched that makes it so
    /// [parameters] on accelerators, else empty; the device op at whose end the gradient is ready:
    /// the last one launched on its stream when a bucket that ends with it is handed over.
    std::vector<OpId> kernels;
    /// [parameters]; the op of this iteration's forward pass that first uses the parameter, on
    /// accelerators a kernel; NoOp where the trace does not tell.
    std::vector<OpId> forwards;
    std::vector<OpId>
        copies; ///< [parameters] or empty; copies the reduced gradient out of its bucket: an op of
                ///< the host, or of the accelerator where there is one
    /// [parameters] or empty; where the wait for a bucket would be that began with this parameter:
    /// the first of the views (aten::as_strided) that the reducer makes of a bucket before it
    /// copies it out, else the copy itself.
    std::vector<OpId> copyStarts;
    struct Bucket
    {
        std::size_t collective; ///< index into Graph::collectives
        std::size_t firstParameter, parameterCount;
    };
    std::vector<Bucket> buckets; ///< in the order in which they are reduced
};

/// The global data-flow graph of all ranks over the measured iterations (dPRO §4.1). Structure of
/// arrays by OpId; ids are numbered in a topological order, so every edge goes from a smaller to a
/// larger id.
struct Graph
{
    std::vector<std::string> names; ///< by NameId; starts with the trace's
    std::vector<Device> devices; ///< by DeviceId

    std::vector<std::int64_t> durationNs;
    /// From the end of the last predecessor until the op is ready: launch latency, interpreter
    /// time, wake-up. It does not occupy the device; in a chain of host ops it is the host's own
    /// time between them.
    std::vector<std::int64_t> delayNs;
    std::vector<DeviceId> device;
    std::vector<OpKind> kind;
    std::vector<Phase> phase;
    std::vector<WorkerId> worker;
    std::vector<NameId> name;
    std::vector<SliceId> slice; ///< the measured slice it stands for; NoSlice for none
    std::vector<std::int64_t> measuredStartNs; ///< aligned
    std::vector<std::int32_t> iteration; ///< index into iterations, -1 before the first

    /// Part of the duration, 0..1, that is stretched by `slowdown` while a device transfers
    /// something that slows the op's rank (Device::slows).
    std::vector<float> stretchShare;
    double slowdown = 1;
    /// The ranks' cores drive the interfering link, and not as fast as it was asked to be.
    bool isDriveBound = false;

    /// By OpId, or empty: 0 for all. Lower is more urgent; see Discipline::Priority.
    std::vector<std::int32_t> priority;
    /// By OpId, or empty: 0 for all. What the op takes of its device's credit; see
    /// Device::creditBytes. Of the recorded transfers 0.
    std::vector<std::uint64_t> bytes;
    /// By OpId, or empty: 0 for all, no limit. What part of its device's rate, 0..1, the op uses at
    /// most where several are served at once: the link at its other end is that much slower.
    std::vector<float> rateLimit;

    std::vector<std::uint32_t> predOffset; ///< size ops + 1; predecessors of op i are
                                           ///< preds[predOffset[i] .. predOffset[i+1])
    std::vector<Edge> preds;
    std::vector<CollectiveNode> collectives;
    /// possibleCollectives() of the trace; null in graphs that are made by hand or rewritten.
    std::shared_ptr<const std::vector<MatchedCollective>> matched;
    /// What chosenAlgorithm rests on, or why none is chosen; absent where there is none to choose.
    std::optional<NcclSystem> nccl;
    std::vector<GradientStep>
        gradientSteps; ///< by (worker, iteration); empty where the trace shows no DDP reduction
    /// Why gradients and all-reduces of some iterations do not fit together as DDP's buckets, and
    /// of which first: they have no step. Empty: there are none.
    std::string gradientMisfit;
    /// Of collectives on accelerators of which it is not known what they wait for, or what waits
    /// for them: no edges.
    std::vector<PossibleWait> possibleWaits;
    std::int32_t iterationCount = 0;
    /// Sorted; iterations in which gradients are reduced as measured, where the others are
    /// rewritten: nothing is predicted from them.
    std::vector<std::int32_t> keptIterations;
    /// [iterations] or empty: the place of each in its period, from 0, where iterations of several
    /// kinds repeat; see IterationPeriod. loadProject() sets it.
    std::vector<std::uint32_t> positions;
    std::vector<OpId>
        iterationBegins; ///< [workers]; virtual ops: the first recorded iteration begins
    std::vector<OpId> iterationEnds; ///< [workers x iterations], row-major; virtual ops
    std::size_t workerCount() const { return iterationBegins.size(); }
    /// [workers] or empty: all are themselves. The worker whose ops stand for this one's, too,
    /// which then has none: its iterations begin and end with that one's (foldedGraph()).
    std::vector<WorkerId> standIns;
    bool isStoodInFor(std::size_t workerIndex) const
    {
        return !standIns.empty() && standIns[workerIndex].value != workerIndex;
    }
    /// How many workers have ops of their own.
    std::size_t ownWorkerCount() const;
    std::vector<std::string> notes; ///< what could not be matched or had to be inferred, by name
    std::vector<std::string> faults; ///< what the recording contradicts: the trust is not good

    std::size_t size() const { return durationNs.size(); }
    std::int32_t priorityOf(OpId op) const { return priority.empty() ? 0 : priority[op.value]; }
    std::uint64_t bytesOf(OpId op) const { return bytes.empty() ? 0 : bytes[op.value]; }
    /// Whether the op is a transfer whose time is predicted. Only such transfers have bytes.
    bool isPredicted(OpId op) const { return bytesOf(op) > 0; }
    float rateLimitOf(OpId op) const { return rateLimit.empty() ? 0.F : rateLimit[op.value]; }
    std::span<const Edge> predecessors(OpId op) const
    {
        return { preds.data() + predOffset[op.value], preds.data() + predOffset[op.value + 1] };
    }
};

/// The network of a CPU backend that slows computation down.
std::optional<DeviceId> interferingHostLink(const Graph &graph);

/// By WorkerId: true where the worker has streams, so that its host ops drive accelerators (and are
/// not CPU training).
std::vector<bool> acceleratedWorkers(const Graph &graph);

/// Whether the work of the host is recorded, by WorkerId: that it launches device ops or, without a
/// device, works itself. A recording of devices or of communication alone does not tell what the
/// host did in between.
std::vector<bool> workersWithHost(const Graph &graph);

} // namespace core
