#include "core/project/write/rank_placement.h"

#include "core/project/write/skipped_records.h"

#include <set>
#include <string>

namespace core {

namespace {

    constexpr const char *UnknownRank
        = "The trace does not say which rank it is, nor does its name (a number counts behind a "
          "word such as rank, or where the names of all traces are numbered from 0 or 1); rename "
          "it so that its name begins with rank<N>, put it into a folder rank<N>, or give it with "
          "longpole import "
          "--rank FILE=N.";

    Diagnostic refusalOf(const char *code, const CollectedFile &file, std::string message)
    {
        return { code, Severity::Error, 1, file.source.name, {}, std::move(message), false };
    }

    std::string twiceInFile(int rank)
    {
        return "Two parts of the file say that they are rank " + std::to_string(rank)
            + ", so it cannot be told which of them is; record or merge the traces again so that "
              "each part has a rank of its own, or import one file a rank.";
    }

} // namespace

RankPlacement placeWorkers(CollectedFile &file, KnownRanks &ranks, WorkerId next,
                           const std::function<std::optional<int>()> &fallbackRank)
{
    RankPlacement placement;
    std::set<int> own; // of this file
    const bool isDamaged = file.diagnostics().hasSkippedInput();
    for (CollectedFile::CollectedWorker &collected : file.workers) {
        if (!collected.rank && file.workers.size() == 1)
            collected.rank = fallbackRank();
        if (!collected.rank) {
            placement.refusal = refusalOf("unknown-rank", file, UnknownRank);
            return placement;
        }
        collected.worker.rank = *collected.rank;
        RankPart part;
        part.rank = *collected.rank;
        part.file = file.source.name;
        part.format = file.source.format;
        part.range = file.rangeOf(collected.worker.id);
        part.events = eventsOf(file.source);
        part.isDamaged = isDamaged;
        part.host = collected.worker.host;
        part.worldSize = collected.worker.worldSize;
        part.isOfRun = file.hasDeviceWork(collected.worker.id) && !isNamedCapture(part.file);
        placement.parts.push_back(part);
        if (placement.refusal)
            continue;
        placement.refusal = ranks.refusal(part);
        if (placement.refusal && file.workers.size() == 1)
            placement.displaced = ranks.displacedBy(part);
        if (!placement.refusal && !own.insert(part.rank).second)
            placement.refusal = refusalOf("duplicate-rank", file, twiceInFile(part.rank));
        const auto existing = ranks.workerOf(part.rank);
        collected.isNew = !existing;
        collected.projectId = existing.value_or(next);
        next.value += existing ? 0 : 1;
    }
    return placement;
}

} // namespace core
