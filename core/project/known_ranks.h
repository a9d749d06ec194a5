#pragma once

#include "core/base/diagnostics.h"
#include "core/model/trace.h"
#include "core/sqlite/database.h"

#include <map>
#include <optional>
#include <set>
#include <string>

namespace core {

/// A file's part of a rank, as it asks for a place in the project.
struct RankPart
{
    int rank = 0;
    std::string file, format;
    std::optional<TimeRange> range; ///< of its slices, raw clock; absent: it has none
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
    /// ran at another time ("other-clock"). Absent: it can.
    std::optional<Diagnostic> refusal(const RankPart &part) const;
    /// The worker that a part belongs to; absent: a new one.
    std::optional<WorkerId> workerOf(int rank) const;
    /// The file that a rank has in a format.
    std::optional<FileId> fileOf(int rank, const std::string &format) const;
    std::size_t size() const { return m_ranks.size(); }
    void add(const RankPart &part, WorkerId worker, FileId file);

private:
    struct KnownFile
    {
        std::string name;
        FileId id;
    };
    struct Known
    {
        WorkerId worker;
        std::map<std::string, KnownFile> fileByFormat;
        std::optional<TimeRange> range; ///< of all slices
        std::string timedFile; ///< the first that has slices
    };
    std::map<int, Known> m_ranks;
};

/// Slices of one rank that lie further apart than this are not of one clock.
constexpr std::int64_t MaxClockGapNs = 3'600'000'000'000;

/// The time between two ranges; 0 if they touch. Ranges are within +-MaxTimeNs.
std::int64_t gapNs(TimeRange a, TimeRange b);

} // namespace core
