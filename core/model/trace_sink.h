#pragma once

#include "core/base/diagnostics.h"
#include "core/model/category.h"
#include "core/model/ids.h"
#include "core/model/trace.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

namespace core {

/// The collective part of a SliceRecord; see CollectiveCall for the fields.
struct CollectiveInfo
{
    std::string_view kind;
    std::string_view group;
    std::optional<std::uint64_t> sequence;
    std::optional<int> groupSize;
    std::span<const TensorId> tensors = {}; ///< what it carries, where the source says it
    std::optional<std::int64_t> readyNs = {};
};

/// The wait part of a SliceRecord; see SyncCall for the fields.
struct SyncInfo
{
    std::optional<std::int64_t> waitOnStream;
    std::optional<std::uint64_t> waitOnCorrelation;
    std::optional<std::int64_t> stream;
};

/// The SEND or RECV part of a SliceRecord; see TransferCall for the fields.
struct TransferInfo
{
    bool isSend = false;
    std::optional<int> peer;
    std::optional<int> channel;
    std::string_view transaction;
};

/// One slice as an importer found it. The views need to live for the call only. 0 means "none" in
/// the link fields.
struct SliceRecord
{
    std::int64_t startNs
        = 0; ///< raw clock of the worker, since the Unix epoch where the source knows it
    std::int64_t durationNs = 0; ///< not negative
    NameId name;
    Category category = Category::Other;
    std::uint64_t correlation = 0;
    std::uint64_t externalId = 0;
    std::uint64_t node = 0; ///< see SliceColumns::node
    std::uint64_t sequence = 0; ///< autograd sequence number + 1
    std::uint64_t forwardThread = 0;
    std::uint64_t bytes = 0; ///< see SliceColumns::bytes
    std::string_view args; ///< the record's arguments as JSON object text; empty for none
    const CollectiveInfo *collective = nullptr;
    const SyncInfo *sync = nullptr;
    const TransferInfo *transfer = nullptr;
};

/// See Tensor.
struct TensorRecord
{
    std::string_view name;
    std::uint64_t bytes = 0; ///< 0: unknown
    std::string_view dtype; ///< as the source writes it
    std::string_view shape; ///< as the source writes it
};

/// What identifies a track within a worker. Equal specs give the same track.
struct TrackSpec
{
    TrackKind kind = TrackKind::Other;
    std::string_view pid, tid;
    std::optional<int> device;
};

/// What an importer says about the rank it reads. Every field may come late (on-demand Kineto
/// traces name the rank after the events).
struct WorkerInfo
{
    std::optional<int> rank; ///< absent: the importer found none in the content
    std::optional<int> worldSize;
    std::string host;
};

/// Tracks of one file that a sink keeps at most.
constexpr std::size_t MaximumTracks = 65'536;

/// Where importers put what they read. One file at a time; slices in any order; ids are valid
/// within the file.
class TraceSink
{
public:
    virtual ~TraceSink() = default;

    virtual Diagnostics &diagnostics() = 0;
    /// Bytes that an importer may hold of the file beside what it gave out (ids, open events); what
    /// exceeds them it leaves out and counts.
    virtual std::size_t importerBytes() const { return std::numeric_limits<std::size_t>::max(); }
    virtual NameId intern(std::string_view text) = 0;
    /// A rank found in the current file. Kineto files have one, a merged Horovod timeline many.
    virtual WorkerId addWorker() = 0;
    virtual void describeWorker(WorkerId worker, const WorkerInfo &info) = 0;
    virtual TrackId track(WorkerId worker, const TrackSpec &spec) = 0;
    virtual void nameTrack(TrackId track, std::string_view name) = 0;
    virtual void slice(TrackId track, const SliceRecord &record) = 0;
    /// A tensor that collectives of this worker carry; equal names give the same tensor.
    virtual TensorId tensor(WorkerId worker, const TensorRecord &record) = 0;
    virtual void memory(WorkerId worker, const MemoryEvent &event) = 0;
    /// An edge of the framework's own graph; see Dependency.
    virtual void dependency(WorkerId worker, const DependencyEdge &edge) = 0;
    /// A step that the source itself marks; raw clock.
    virtual void iteration(WorkerId worker, std::int64_t index, TimeRange range) = 0;
    /// What the source tells about the job beyond its events (process groups, ring topology), as
    /// text. Kept under "<entry name>#<name>".
    virtual void metadata(std::string_view name, std::string_view text) = 0;
    /// Counts records of the source, stored or not (flows, metadata, counters), under the source's
    /// own category name.
    virtual void countEvents(WorkerId worker, std::string_view category, std::uint64_t count) = 0;
};

} // namespace core
