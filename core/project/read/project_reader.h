#pragma once

#include "core/base/diagnostics.h"
#include "core/base/job_control.h"
#include "core/model/broken_off_iterations.h"
#include "core/model/clocks.h"
#include "core/model/op_shapes.h"
#include "core/model/trace.h"
#include "core/project/read/found_slice.h"
#include "core/project/read/outline_limit.h"
#include "core/project/read/search_terms.h"
#include "core/project/sql/collective_times.h"
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

/// Neighbouring slices of one track and depth, merged at a coarser level of detail. Raw clock, ns.
struct LevelBin
{
    std::int64_t startNs = 0; ///< first start in the bin
    std::int64_t endNs = 0; ///< last end in the bin
    std::int64_t busyNs = 0; ///< union of the slices' intervals
    std::uint32_t count = 0; ///< slices merged
    std::uint64_t longest = 0; ///< row of the longest slice in the track; it names the bin
    Category category = Category::Other; ///< of the longest slice
    Phase phase = Phase::None; ///< of the longest slice
    std::uint8_t depth = 0;
};

/// Content of one track in a time range, as the timeline draws it. Holds single slices, or merged
/// bins if slices are narrower than the wanted resolution.
struct TrackWindow
{
    SliceColumns slices; ///< times only; filled if `isExact`; rows may skip slices, see `ids`
    std::vector<SliceId> ids; ///< [slices] ascending; slices that began before the window are first
    std::vector<LevelBin> bins; ///< sorted by (depth, start); filled when not `isExact`
    bool isExact = false;
};

enum class FileStatus {
    Read,
    Skipped, ///< no trace, an unknown format, or refused because of its rank or clock
    Failed, ///< damaged or not readable
};
std::string_view fileStatusName(FileStatus status);

/// A file of the bundle, read or not.
struct SourceFile
{
    std::string name;
    std::string format; ///< name of the importer; empty: no importer knows the file
    std::uint64_t storedBytes = 0; ///< on disk or in the archive
    FileStatus status = FileStatus::Read;
    std::string reason = {}; ///< why it was not read, for people; empty if it was
    /// Number of records by the file's own category names, also of a refused file.
    std::map<std::string, std::uint64_t> eventsByCategory = {};
    std::vector<int> ranks = {}; ///< ranks that have data from the file
    std::optional<std::int64_t> modifiedNs = {}; ///< since 1970; absent: not known
    std::string fingerprint = {}; ///< Bundle::fingerprint(); empty: not known
    std::optional<FileId> id = {}; ///< Track::file of its tracks; absent while it is imported
};

/// Summary of a project, as `longpole info` prints it.
struct ProjectInfo
{
    std::vector<Worker> workers;
    std::vector<std::string> accelerators; ///< by WorkerId: acceleratorWord()
    std::vector<Track> tracks;
    std::vector<Iteration> iterations;
    ComparedIterations compared; ///< of them
    AlignmentReport alignment; ///< clocks in use: set by hand, else solved
    AlignmentReport solvedAlignment;
    ClocksByHand byHand; ///< by worker
    std::vector<FileClock> fileClocks; ///< applied already to all times that the reader returns
    std::vector<SourceFile> files; ///< in the order of their import
    std::vector<std::string> formats; ///< of the files that were read
    std::vector<Diagnostic> diagnostics;
    /// Present: a part of the traces is missing. Also the diagnostic "unfinished-import".
    std::optional<UnfinishedImport> unfinishedImport;
    std::uint64_t eventsTotal = 0;
    TimeRange alignedRange; ///< of all tracks, aligned clock
};

/// All columns of a slice, and its place.
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

/// Place of a slice: track, worker, time.
struct SlicePlace
{
    TrackId track;
    WorkerId worker;
    TimeRange range; ///< raw clock
};

/// A row of a SQL query, as text; an empty optional is NULL.
struct QueryRow
{
    std::vector<std::optional<std::string>> values;
    std::vector<char> isNumber; ///< by value, not 0: SQLite has a number
};

/// Takes the result of a SQL query row by row.
class QuerySink
{
public:
    virtual ~QuerySink() = default;
    virtual void begin(const std::vector<std::string> &columns) = 0; ///< once, before all rows
    virtual void add(QueryRow &&row) = 0;
};

/// Result of a SQL query, as text; empty optional is NULL.
struct QueryResult
{
    std::vector<std::string> columns;
    std::vector<std::vector<std::optional<std::string>>> rows;
    std::vector<std::vector<char>> isNumber; ///< [rows x columns] not 0: SQLite has a number
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
    /// Text of a name. All names are loaded at first use.
    const std::string &nameOf(NameId id) const;

    /// Slices that overlap `range`, on the raw clock of the track's worker. `resolutionNs`: width
    /// of a pixel, the widest bin that is returned; 0 asks for single slices.
    TrackWindow readWindow(TrackId track, TimeRange range, std::int64_t resolutionNs) const;
    /// All columns of a track.
    SliceColumns readTrack(TrackId track) const;
    /// Empty if there is no such slice.
    std::optional<SliceInfo> slice(SliceId id) const;
    /// Place of a slice; cheaper than slice(), as nothing is decompressed.
    std::optional<SlicePlace> placeOf(SliceId id) const;
    /// Ids of at most `limit` slices whose name contains `text`, by start. ASCII letters match in
    /// either case.
    std::vector<SliceId> findByName(std::string_view text, std::size_t limit) const;
    /// At most `limit` slices that all terms hold for, by aligned start. Throws Cancelled.
    std::vector<FoundSlice> findByName(const SearchTerms &terms, std::size_t limit,
                                       const JobControl &control) const;
    /// How many slices all terms hold for. Throws Cancelled.
    std::uint64_t countByName(const SearchTerms &terms, const JobControl &control) const;
    /// Ids of at most `limit` slices whose arguments contain `text`, in the order of the traces.
    /// ASCII letters match in either case. `onFound`, if any, gets each id once during the search.
    /// Throws Cancelled.
    std::vector<SliceId>
    findByArgs(std::string_view text, std::size_t limit, const JobControl &control,
               const std::function<void(std::span<const SliceId>)> &onFound = {}) const;
    /// At most `limit` slices that all terms hold for, where a text may be in the name or in the
    /// arguments, and one at least is in the arguments. None without texts. Throws Cancelled.
    std::vector<FoundSlice> findByArgs(const SearchTerms &terms, std::size_t limit,
                                       const JobControl &control) const;
    /// Start of the last slice that begins in a range of the raw clock, ns. Absent: no slice
    /// begins there. See markBrokenOff().
    std::optional<std::int64_t> lastStartIn(TrackId track, const TimeRange &range) const;
    /// Sum of the work that begins in a range of the raw clock. See markBrokenOff().
    WorkIn workIn(TrackId track, const TimeRange &range) const;
    /// All collectives, read at first use.
    const std::vector<CollectiveCall> &collectives() const;
    /// All recorded waits, read at every call.
    std::vector<SyncCall> syncs() const;
    Trace readTrace(const JobControl &control) const;
    /// Shapes of the arguments of framework ops on host threads. `trace`: result of readTrace().
    /// Slow: reads the arguments of all these ops.
    OpShapes readShapes(const Trace &trace, const JobControl &control) const;
    /// A small Trace of the whole job. Its slices: all collectives, all whose name is kept, the
    /// first and the last of every track. Slice ids are its own; slices have no links; tensors have
    /// only uses by collectives. Throws Error where it would exceed the limit, before it does.
    Trace readOutline(const std::function<bool(std::string_view)> &keepName,
                      const JobControl &control, const OutlineLimit &limit = {}) const;
    /// Allocations and releases of one rank, by time. No part of the Trace, as there are millions.
    std::vector<MemoryEvent> memory(WorkerId worker) const;

    /// Gives the view `collective` the columns wait_ns, transfer_ns, matched_group,
    /// matched_sequence and last_rank, which are computed when a query first asks for one; null
    /// for what was not matched. Once, before the first query. Throws Error.
    void offerCollectiveTimes(CollectiveTimesSource source);

    /// Runs one read-only statement over the tables of schema.sql. Throws Error with SQLite's
    /// message.
    QueryResult query(const std::string &sql, std::size_t maxRows, const JobControl &control) const;
    /// The same, one row in memory; true: there are more rows than the limit.
    bool query(const std::string &sql, std::size_t maxRows, QuerySink &sink,
               const JobControl &control) const;

private:
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace core
