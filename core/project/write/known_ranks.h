#pragma once

#include "core/base/diagnostics.h"
#include "core/model/trace.h"
#include "core/sqlite/database.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace core {

/// A file's part of a rank, as it asks for a place in the project.
struct RankPart
{
    int rank = 0;
    std::string file, format;
    std::optional<TimeRange> range; ///< of its slices, raw clock; absent: it has none
    std::uint64_t events = 0; ///< of the file
    bool isDamaged = false; ///< something of the file could not be read
    std::string host = {}; ///< empty where the file does not say
    std::optional<int> worldSize = {}; ///< as it states it
    /// Devices worked, and its name does not say that it is of the capture of CUDA graphs, which is
    /// recorded before the job runs.
    bool isOfRun = false;

    /// Has this more of what was recorded than another of its rank and format? An intact recording
    /// is not the less complete one for being shorter: it may be another.
    template <typename Other>
    bool hasMoreThan(const Other &other) const
    {
        return other.isDamaged && (!isDamaged || events > other.events);
    }
    /// Is the rank to be read from this and not from another of its format? The run comes before a
    /// capture even where some of it is damaged.
    template <typename Other>
    bool isBetterThan(const Other &other) const
    {
        return isOfRun != other.isOfRun ? isOfRun : hasMoreThan(other);
    }
};

/// A file that a rank of the project was read from.
struct KnownFile
{
    std::string name;
    FileId id;
    std::uint64_t events = 0;
    bool isDamaged = false;
    bool isEarlier = false; ///< an earlier import has read it
    bool isOfRun = false; ///< see RankPart
    std::optional<RankPart> best = {}; ///< of the refused ones that have more
};

/// Whether a file's name, or its folder's, says that it is of the capture of CUDA graphs.
bool isNamedCapture(std::string_view path);

/// What tells that a part is of another recording than one of the same rank, as the rest of a
/// sentence about its file; empty: nothing does.
std::string otherRecordingEvidence(const RankPart &part, const RankPart &other);

/// A file that was added before a more complete one of its rank came.
struct DisplacedFile
{
    std::string name;
    std::string reason; ///< for people
};

/// The ranks of a project, and which files they come from. Files of different formats about one
/// rank are parts of one worker: a timeline and the framework's graph of the same run.
class KnownRanks
{
public:
    KnownRanks() = default;
    /// Those of an existing project.
    explicit KnownRanks(Database &db);

    /// Why a part cannot be taken: its rank is there in the same format ("duplicate-rank"), or
    /// ran at another time of day ("other-clock"). Absent: it can.
    std::optional<Diagnostic> refusal(const RankPart &part) const;
    /// Which file of this import has the place of a part that has more of its rank than all before;
    /// absent: none.
    std::optional<DisplacedFile> displacedBy(const RankPart &part);
    /// The worker that a part belongs to; absent: a new one.
    std::optional<WorkerId> workerOf(int rank) const;
    /// The file that a rank has in a format; nullptr: none.
    const KnownFile *fileOf(int rank, const std::string &format) const;
    std::size_t size() const { return m_ranks.size(); }
    void add(const RankPart &part, WorkerId worker, FileId file);

private:
    struct Known
    {
        WorkerId worker;
        std::map<std::string, KnownFile> fileByFormat;
        std::optional<TimeRange> range; ///< of all slices with times of day
        std::string timedFile; ///< the first that has such slices
        std::string host; ///< empty: not known
        std::optional<int> worldSize; ///< as the first file states it that does

        RankPart whole() const; ///< all of the rank as one part
    };
    std::map<int, Known> m_ranks;
};

/// Slices of one rank that lie further apart than this are not of one clock, or not of one run.
constexpr std::int64_t MaxClockGapNs = 3'600'000'000'000;

/// The time between two ranges; 0 if they touch.
std::int64_t gapNs(TimeRange a, TimeRange b);

} // namespace core
