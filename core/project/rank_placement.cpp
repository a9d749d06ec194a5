#include "core/project/rank_placement.h"

#include <utility>

namespace core {

namespace {

    constexpr const char *UnknownRank
        = "The trace does not say which rank it is, nor does its name; rename it so that its name "
          "begins with rank<N>, put it into a folder rank<N>, or give it with --rank FILE=N on the "
          "command line.";

} // namespace

RankPlacement placeWorkers(CollectedFile &file, const KnownRanks &ranks, WorkerId next,
                           const std::function<std::optional<int>()> &fallbackRank)
{
    RankPlacement placement;
    KnownRanks own; // of this file
    for (CollectedFile::CollectedWorker &collected : file.workers) {
        if (!collected.rank && file.workers.size() == 1)
            collected.rank = fallbackRank();
        if (!collected.rank) {
            placement.refusal
                = { "unknown-rank", Severity::Error, 1, file.source.name, {}, UnknownRank, false };
            return placement;
        }
        collected.worker.rank = *collected.rank;
        const RankPart part = { *collected.rank, file.source.name, file.source.format,
                                file.rangeOf(collected.worker.id) };
        for (const KnownRanks *known : { &ranks, &std::as_const(own) }) {
            placement.refusal = known->refusal(part);
            if (placement.refusal)
                return placement;
        }
        const auto existing = ranks.workerOf(part.rank);
        collected.isNew = !existing;
        collected.projectId = existing.value_or(next);
        next.value += existing ? 0 : 1;
        own.add(part, collected.projectId, {});
        placement.parts.push_back(part);
    }
    return placement;
}

} // namespace core
