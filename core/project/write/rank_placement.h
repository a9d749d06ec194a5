#pragma once

#include "core/project/write/collected_file.h"
#include "core/project/write/known_ranks.h"

#include <functional>
#include <optional>
#include <vector>

namespace core {

/// Where the workers of a file go in a project.
struct RankPlacement
{
    std::optional<Diagnostic> refusal; ///< why the file cannot be taken
    /// Whose place a refused file of one rank should have; absent: no file's.
    std::optional<DisplacedFile> displaced;
    std::vector<RankPart> parts; ///< one a worker of the file; fewer if a rank is not known
};

/// Gives each worker of the file its rank and its place: a rank in `ranks` is continued, others
/// get ids from `next` on. `fallbackRank` answers with the rank of a file of one worker that does
/// not state it.
RankPlacement placeWorkers(CollectedFile &file, KnownRanks &ranks, WorkerId next,
                           const std::function<std::optional<int>()> &fallbackRank);

} // namespace core
