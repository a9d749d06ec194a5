#pragma once

#include "core/base/diagnostics.h"
#include "core/base/time_range.h"
#include "core/model/category.h"
#include "core/model/columns/compact_column.h"
#include "core/model/ids.h"
#include "core/model/op_shapes.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace core {

/// One rank of the job.
struct Worker
{
    WorkerId id;
    int rank = 0;
    std::string host; ///< empty where the trace does not say
    std::optional<int> worldSize; ///< as the trace states it
    std::vector<std::string> files; ///< bundle entries this rank was read from
    std::map<std::string, std::uint64_t>
        eventsByCategory; ///< every record of the source, by its own category name
};

/// Stored in one byte in the project: append only.
enum class TrackKind : std::uint8_t {
    HostThread,
    Stream, ///< device stream
    StreamSync, ///< synchronisation records of a stream
    Communication, ///< threads or rows that only communicate (gloo threads, bucket rows, PUSH/PULL)
    Annotation, ///< device-side annotations, profiler spans
    Other,
};

std::string_view trackKindName(TrackKind kind);

/// One row group of the timeline. Its slices have the ids firstSlice .. firstSlice + sliceCount -
/// 1, by start time.
struct Track
{
    TrackId id;
    WorkerId worker;
    FileId file; ///< a worker may have been read from several
    TrackKind kind = TrackKind::Other;
    std::string pid, tid; ///< as in the source
    std::string name; ///< "stream 7", "thread 25258 (python3)"
    std::optional<int> device; ///< accelerator index of a stream
    SliceId firstSlice;
    std::uint64_t sliceCount = 0;
    std::uint32_t depthCount = 0; ///< rows needed: largest depth + 1
    TimeRange range; ///< raw clock of the worker
};

/// Whether its times are a device's, by the device's clock.
bool isOfDevice(const Track &track);

/// The slices of one track or of a window of it, one entry a slice in every column, sorted by
/// (start, longest first). Times are raw (the worker's own clock); add the worker's Alignment to
/// compare workers.
struct SliceColumns
{
    SliceId first; ///< id of row 0; rows are consecutive
    std::vector<std::int64_t> startNs;
    std::vector<std::int64_t> durationNs;
    std::vector<NameId> name;
    std::vector<Category> category;
    std::vector<Phase> phase;
    std::vector<std::uint8_t>
        depth; ///< nesting level, 0 outermost; slices that do not nest go to the next free level
    // Links; 0 means none. Empty columns where a reader was asked for times only.
    CompactColumn correlation; ///< ties a runtime call to its device activities (same worker and
                               ///< file)
    CompactColumn
        externalId; ///< ties a framework op to runtime calls and kernels (same worker and file)
    CompactColumn node; ///< of the framework's own graph: Kineto's record function id,
                        ///< a node of an execution trace; unique within the worker
    CompactColumn sequence; ///< autograd sequence number + 1
    CompactColumn forwardThread; ///< autograd "Fwd thread id"
    CompactColumn
        bytes; ///< payload of a copy or a communication op; input tensors of a framework op

    std::size_t size() const { return startNs.size(); }
    std::int64_t endNs(std::size_t row) const { return startNs[row] + durationNs[row]; }
};

/// What one rank's part of a collective says about itself.
struct CollectiveCall
{
    SliceId slice;
    WorkerId worker;
    std::string kind; ///< "all_reduce", "all_to_all", "broadcast", ...
    std::string group; ///< process group; "" is the default group
    std::optional<std::uint64_t> sequence; ///< number on that group, where the trace has it
    std::uint64_t bytes = 0; ///< payload of this rank; 0 unknown
    std::optional<int> groupSize;
    std::optional<std::int64_t> readyNs; ///< raw clock: this rank's data was ready, where stated
    /// By NCCL's name ("RING", "NVLS"); empty where it is not stated. loadProject() sets it.
    std::string algorithm = {};
};

/// A recorded wait: `slice` waits for a stream, or for the event recorded by the call with that
/// correlation id.
struct SyncCall
{
    SliceId slice;
    WorkerId worker;
    std::optional<std::int64_t> waitOnStream;
    std::optional<std::uint64_t> waitOnCorrelation;
    std::optional<std::int64_t> stream; ///< the stream that is made to wait; absent: the host
};

/// One end of a point-to-point transfer: `slice` sends to or receives from a peer. Both ends of one
/// transfer have the same transaction and channel; transfers of one transaction, channel and
/// direction between two ranks repeat each other (a tensor's, one an iteration).
struct TransferCall
{
    SliceId slice;
    WorkerId worker;
    bool isSend = false;
    std::optional<int> peer; ///< rank of the other end
    std::optional<int> channel; ///< NCCL channel, BytePS partition
    std::string
        transaction; ///< what is transferred: "3+4+5/loop 0/chunk 1/slice 0", "comm 3/seq 4/step 5"
};

/// What collectives carry: a gradient, a bucket.
struct Tensor
{
    TensorId id;
    WorkerId worker;
    std::string name;
    std::uint64_t bytes = 0; ///< 0: unknown
    std::string dtype, shape; ///< as the source writes them
};

struct TensorUse
{
    SliceId slice; ///< of a collective or of one of its stages
    TensorId tensor;
};

/// An allocation or a release.
struct MemoryEvent
{
    std::int64_t timeNs = 0; ///< raw clock of the worker
    std::optional<int> device; ///< absent: the host's memory
    std::uint64_t address = 0;
    std::int64_t deltaBytes = 0; ///< negative: released
    std::uint64_t allocatedBytes = 0; ///< in all, after the event; 0: unknown
    std::uint64_t reservedBytes = 0; ///< by the framework's allocator, after the event; 0: unknown
};

/// Stored as numbers in the project: append only.
enum class DependencyKind : std::uint8_t {
    Data, ///< the later op reads what the earlier one wrote
    Control, ///< the framework orders them, or the earlier one contains the later one
    Sync, ///< the later one waits for the earlier one
};
enum class DependencyKey : std::uint8_t {
    Node, ///< from and to are SliceColumns::node values: two ops, once
    Name, ///< from and to are NameIds: two ops of every iteration
};

/// The later op (to) depends on the earlier one (from) by the framework's own graph (an execution
/// trace, TensorFlow's partition graphs, dPRO's dag.gml). Either may be absent from the timeline.
struct DependencyEdge
{
    DependencyKind kind = DependencyKind::Data;
    DependencyKey key = DependencyKey::Node;
    std::uint64_t from = 0, to = 0;
};

struct Dependency
{
    WorkerId worker;
    DependencyEdge edge;
};

/// One step of one worker, in its raw clock.
struct Iteration
{
    WorkerId worker;
    std::int64_t index = 0; ///< number that the trace gives it
    TimeRange range;
    bool isStated = false; ///< the source marks its steps itself; else found among the slices
    bool isWhole = true; ///< recorded to its end; see markBrokenOff()
    /// Launches of which no device work is recorded, where it is not whole for that; see
    /// unrecorded_work.h.
    std::size_t unrecordedLaunches = 0;
    /// Wait for ranks that began to record later, where it is not whole for that; see
    /// recording_start.h.
    std::int64_t waitedForRecordingNs = 0;
};

/// In ppm; bounds of what is true.
struct DriftRange
{
    double leastPpm = 0, mostPpm = 0;

    bool holds(double ppm) const { return ppm >= leastPpm && ppm <= mostPpm; }
    bool operator==(const DriftRange &) const = default;
};

/// How a worker's raw clock is brought to the reference worker's: T = raw + offsetNs + driftPpm *
/// 1e-6 * (raw - driftFromNs). Source: dPRO, section 4.2; drift is ours.
struct Alignment
{
    WorkerId worker;
    std::int64_t offsetNs = 0;
    double driftPpm = 0;
    std::int64_t driftFromNs = 0;
    std::int64_t residualNs = 0; ///< median distance of matched collective ends after alignment
    std::int64_t uncertaintyNs = 0; ///< half width of the offset's 95 % interval
    bool isAsRecorded = false; ///< within the uncertainty the clock agrees with the reference's
    bool isReference = false;
    /// False: nothing in the trace ties this worker to the reference; offsetNs is not measured
    /// then, see unrelated_clocks.h.
    bool isKnown = false;
    /// Where the ranks' messages bound the drift, or their collectives prove it; driftPpm lies in
    /// it.
    std::optional<DriftRange> driftRange = std::nullopt;

    std::int64_t toAligned(std::int64_t rawNs) const
    {
        return rawNs + offsetNs
            + static_cast<std::int64_t>(driftPpm * 1e-6 * static_cast<double>(rawNs - driftFromNs));
    }
};

/// Two workers whose records contradict each other, whatever their clocks: `entering` comes by
/// byNs too late to what `leaving` has left by then.
struct ClockContradiction
{
    WorkerId entering, leaving;
    std::int64_t byNs = 0;

    bool operator==(const ClockContradiction &) const = default;
};

struct AlignmentReport
{
    std::vector<Alignment> workers; ///< one a worker, by WorkerId
    std::vector<ClockContradiction> contradictions; ///< as solved; largest first, not all of many
    std::uint64_t violationsBefore = 0;
    std::uint64_t violationsAfter = 0;
    std::string method; ///< "collective-ends", "messages", "collective-ends+messages", "none"
    std::string status; ///< a sentence for people
};

struct IterationPeriod;

/// The iterations that all figures, replays and counts are of: those that every worker of the job
/// that has any recorded whole, by their numbers; a rank may have started to record later, or its
/// recording may break off. Of several runs of them, with others between that not every worker has,
/// the longest. Without a common number all are kept and paired in order.
struct ComparedIterations
{
    std::vector<Iteration> iterations; ///< as in the trace, by worker and time
    std::size_t count = 0; ///< of each worker
    std::size_t recordedCount = 0; ///< that any worker of the job recorded, whole or not
    /// That they are paired by place, or which are left out and why, one sentence: "Iterations 3 to
    /// 5 of rank 2 were not recorded whole. Figures are of iterations 0 to 2 (3 of 6),
    /// which every rank has."; empty where all are compared by their numbers.
    std::string leftOut;
    /// What is left out no rank recorded whole: the ranks do not differ.
    bool isLeftOutByAll = false;
    /// Repetition of several kinds of iterations; null: there is none. loadProject() sets it.
    std::shared_ptr<const IterationPeriod> period;
};

/// What the bundle's meta.json states of the job.
struct StatedJob
{
    std::vector<double> linkMbit; ///< of each rank's link, by rank; empty: not stated for all
    std::optional<double> bandwidthMbit; ///< of the slowest link between workers
    std::optional<double> bucketCapMb; ///< DDP's
    std::optional<double> partitionBytes; ///< largest partition of a gradient
    std::optional<double> creditBytes; ///< of partitions that may be under way at once
    /// Size of each gradient, in the order in which they become ready; empty: not stated.
    std::vector<std::uint64_t> gradientBytes;
};

/// A small file of the bundle that is not a trace but tells about the job (meta.json), kept as
/// text.
struct JobMetadata
{
    std::string name;
    std::string text;
};

/// Records of one file that could not be read, though the file goes on behind them: when what they
/// tell of was is not known.
struct LostRecords
{
    std::vector<int> ranks; ///< that the file is of
    std::uint64_t count = 0;
};

/// A fault of a rank's recording: it lacks or contradicts something in iterations that count.
struct RecordingFault
{
    WorkerId worker;
    std::string text; ///< a sentence
    bool isMended = false; ///< the figures are right; told, but the trust stays
    bool isGrave = false; ///< no figure that rests on it can be relied on
    bool hidesDeviceWork = false; ///< when the device works and idles is not known
};

/// Everything of a project that the graph is built from: one value, no database behind it.
struct Trace
{
    std::vector<std::string> names; ///< by NameId
    std::vector<Worker> workers; ///< by WorkerId
    std::vector<Track> tracks; ///< by TrackId
    std::vector<SliceColumns> slices; ///< by TrackId
    std::vector<CollectiveCall> collectives;
    std::vector<SyncCall> syncs;
    std::vector<TransferCall> transfers;
    std::vector<Tensor> tensors; ///< by TensorId
    std::vector<TensorUse> tensorUses;
    std::vector<Dependency> dependencies;
    std::vector<Iteration> iterations; ///< sorted by (worker, start)
    ComparedIterations compared; ///< comparedIterations() of them; the project's reader sets it
    AlignmentReport alignment; ///< workers is empty where alignment has not run
    std::vector<JobMetadata> metadata;
    StatedJob stated; ///< statedJob() of the metadata; loadProject() sets it
    /// Shapes of operations' arguments; read where a CPU backend communicates, else null.
    std::shared_ptr<const OpShapes> shapes;
    std::vector<LostRecords> lostRecords; ///< of files that lost any; loadProject() sets it
    std::vector<RecordingFault> faults; ///< loadProject() sets it

    const std::string &nameOf(NameId id) const { return names[id.value]; }
    std::int64_t toAligned(WorkerId worker, std::int64_t rawNs) const
    {
        return alignment.workers.empty() ? rawNs : alignment.workers[worker.value].toAligned(rawNs);
    }
};

} // namespace core
