#pragma once

#include "core/base/diagnostics.h"
#include "core/base/job_control.h"
#include "core/model/broken_off_iterations.h"
#include "core/model/clocks.h"
#include "core/model/op_shapes.h"
#include "core/model/trace.h"
#include "core/project/write/unfinished_import.h"

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace core {

/// A merged run of neighbouring slices of one (track, depth) at a coarser level of detail. Raw
/// clock.
struct LevelBin
{
    std::int64_t startNs = 0; ///< first start in the bin
    std::int64_t endNs = 0; ///< last end in the bin
    std::int64_t busyNs = 0; ///< union of the slices' intervals
    std::uint32_t count = 0; ///< slices merged
    std::uint64_t longest
        = 0; ///< row in the track of the longest slice: its name and id stand for the bin
    Category category = Category::Other; ///< of the longest slice
    Phase phase = Phase::None; ///< of the longest slice
    std::uint8_t depth = 0;
};

/// What the timeline draws of one track in one time range: single slices, or merged bins where
/// slices are narrower than the asked resolution.
struct TrackWindow
{
    SliceColumns slices; ///< times only; filled when `isExact`; here rows may skip slices: see ids
    std::vector<SliceId> ids; ///< of each row of `slices`, ascending: enclosing slices that began
                              ///< long before the window come first
    std::vector<LevelBin> bins; ///< sorted by (depth, start); filled when not `isExact`
    bool isExact = false;
};

enum class FileStatus {
    Read,
    Skipped, ///< no trace, of a format that is not read, or refused (its rank, its clock)
    Failed, ///< cannot be read, or not as the trace that it seems to be
};
std::string_view fileStatusName(FileStatus status);

/// A file of the bundle, read or not.
struct SourceFile
{
    std::string name;
    std::string format; ///< an importer's name; empty where none took it
    std::uint64_t storedBytes = 0; ///< on disk or in the archive
    FileStatus status = FileStatus::Read;
    std::string reason = {}; ///< why it was not read, for people; empty if it was
    std::map<std::string, std::uint64_t> eventsByCategory
        = {}; ///< its records by its own category names, also of a refused file
    std::vector<int> ranks = {}; ///< that it gave something to
    std::optional<std::int64_t> modifiedNs = {}; ///< since 1970; absent: not known
    std::string fingerprint = {}; ///< Bundle::fingerprint(); empty: not known
    std::optional<FileId> id = {}; ///< Track::file of its tracks; absent while it is imported
};

/// What `longpole info` prints.
struct ProjectInfo
{
    std::vector<Worker> workers;
    std::vector<Track> tracks;
    std::vector<Iteration> iterations;
    AlignmentReport alignment; ///< that times are aligned with: set by hand, else solved
    AlignmentReport solvedAlignment;
    ClocksByHand byHand; ///< by worker
    std::vector<FileClock> fileClocks; ///< in what is read they are applied already
    std::vector<SourceFile> files; ///< in the order of their import
    std::vector<std::string> formats; ///< of the files that were read
    std::vector<Diagnostic> diagnostics;
    /// Not all that was to be read is here; also one of the diagnostics ("unfinished-import").
    std::optional<UnfinishedImport> unfinishedImport;
    std::uint64_t eventsTotal = 0;
    TimeRange alignedRange; ///< of all tracks, aligned clock
};

/// Where a slice is, and what it is.
struct SliceInfo
{
    SliceId id;
    TrackId track;
    WorkerId worker;
    std::string name;
    Category category = Category::Other;
    Phase phase = Phase::None;
    std::uint8_t depth = 0;
    std::int64_t startNs = 0; ///< raw clock
    std::int64_t durationNs = 0;
    std::uint64_t correlation = 0, externalId = 0, sequence = 0, forwardThread = 0, bytes = 0,
                  node = 0;
    std::string args; ///< JSON object text
};

/// Where a slice is.
struct SlicePlace
{
    TrackId track;
    WorkerId worker;
    TimeRange range; ///< raw clock
};

/// Result of a SQL query, as text; empty optional is NULL.
struct QueryResult
{
    std::vector<std::string> columns;
    std::vector<std::vector<std::optional<std::string>>> rows;
    std::vector<std::vector<char>>
        isNumber; ///< [rows x columns]: an integer or a real, by SQLite's type
    bool isTruncated = false; ///< more rows than the limit
};

/// Reads a project; one connection, used from one thread. Opening reads only the small tables.
/// The file may come from a stranger: SQLite runs defensively, damage throws Error.
class ProjectReader
{
public:
    explicit ProjectReader(const std::filesystem::path &path);
    ~ProjectReader();
    ProjectReader(const ProjectReader &) = delete;
    ProjectReader &operator=(const ProjectReader &) = delete;

    const std::filesystem::path &path() const;
    const ProjectInfo &info() const;
    /// Interned text; loaded at first use, all at once.
    const std::string &nameOf(NameId id) const;

    /// Slices that overlap `range` (raw clock of the track's worker). `resolutionNs` is the width
    /// of a pixel: a level of detail with bins no wider than that is chosen; 0 asks for single
    /// slices.
    TrackWindow readWindow(TrackId track, TimeRange range, std::int64_t resolutionNs) const;
    /// All columns of a track.
    SliceColumns readTrack(TrackId track) const;
    /// Empty if there is no such slice.
    std::optional<SliceInfo> slice(SliceId id) const;
    /// The same without links and arguments, which cost a decompression each.
    std::optional<SlicePlace> placeOf(SliceId id) const;
    /// Ids of slices whose name contains `text` (ASCII case-insensitive), by start, at most
    /// `limit`.
    std::vector<SliceId> findByName(std::string_view text, std::size_t limit) const;
    /// Ids of slices whose arguments' text contains `text` (ASCII case-insensitive), at most
    /// `limit`, in the order in which the trace files have them. `onFound`, if any, gets them while
    /// the search runs, each once. Throws Cancelled.
    std::vector<SliceId>
    findByArgs(std::string_view text, std::size_t limit, const JobControl &control,
               const std::function<void(std::span<const SliceId>)> &onFound = {}) const;
    /// When the last slice of a track begins in a range (raw clock, without its end); absent where
    /// none does. See markBrokenOff().
    std::optional<std::int64_t> lastStartIn(TrackId track, const TimeRange &range) const;
    /// The work that begins in a range, chunk by chunk. See markBrokenOff().
    WorkIn workIn(TrackId track, const TimeRange &range) const;
    /// Read at first use, all at once.
    const std::vector<CollectiveCall> &collectives() const;
    /// All recorded waits; read every time.
    std::vector<SyncCall> syncs() const;
    Trace readTrace(const JobControl &control) const;
    /// The shapes of the arguments of framework ops on host threads. `trace` is readTrace()'s.
    /// Reads the arguments of all those ops: for what needs them alone.
    OpShapes readShapes(const Trace &trace, const JobControl &control) const;
    /// A small Trace for what looks at a job as a whole: the slices of collectives, those whose
    /// name is kept, and of every track the first one and one that ends last. Its slice ids are its
    /// own, its slices have no links; tensors have the uses by collectives only. Memory does not
    /// grow with the other slices.
    Trace readOutline(const std::function<bool(std::string_view)> &keepName,
                      const JobControl &control) const;
    /// Allocations and releases of one rank, by time. Not part of the Trace: there may be millions.
    std::vector<MemoryEvent> memory(WorkerId worker) const;

    /// Runs one read-only statement over the tables of schema.sql. Throws Error with SQLite's
    /// message.
    QueryResult query(const std::string &sql, std::size_t maxRows, const JobControl &control) const;

private:
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace core
