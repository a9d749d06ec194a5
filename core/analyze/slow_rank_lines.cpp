#include "core/analyze/slow_rank_lines.h"

#include "core/analyze/late_cause.h"
#include "core/analyze/path_evidence.h"
#include "core/base/duration_text.h"

#include <algorithm>

namespace core {

namespace {

    constexpr std::size_t MostSlowRanks = 4;
    constexpr double SmallestSlowdown = 0.02; ///< that is worth a line

    std::string opTypeText(const OpTypeSlowdown &op)
    {
        return op.behind.empty()
            ? shortenedName(op.name)
            : "no operation " + gapPlaceText(shortenedName(op.before), shortenedName(op.behind));
    }

    std::vector<RankSlowdown> slowestRanks(const StragglerReport &report)
    {
        std::vector<RankSlowdown> slow;
        for (const RankSlowdown &rank : report.ranks)
            if (rank.slowdown() > SmallestSlowdown)
                slow.push_back(rank);
        std::stable_sort(slow.begin(), slow.end(),
                         [](const auto &a, const auto &b) { return a.slowdown() > b.slowdown(); });
        slow.resize(std::min(slow.size(), MostSlowRanks));
        return slow;
    }

} // namespace

std::vector<std::string> slowRankLines(const StragglerReport &report, const IterationWords &words,
                                       const OwnWorkWords &workWords)
{
    std::vector<std::string> lines;
    for (const RankSlowdown &rank : slowestRanks(report)) {
        std::string line = "Rank " + std::to_string(rank.rank) + "'s " + workWords.subject()
            + " takes " + durationText(rank.ownWorkNs) + words.per() + ", " + workWords.reference()
            + " is " + durationText(rank.medianNs) + " (+" + percentText(rank.slowdown()) + ")";
        if (!rank.ops.empty()) {
            const OpTypeSlowdown &worst = rank.ops.front();
            line += "; the largest difference: " + opTypeText(worst) + ": " + durationText(worst.ns)
                + ", " + othersOf(report, rank.rank) + ": " + durationText(worst.othersNs);
        }
        lines.push_back(line + ".");
    }
    return lines;
}

} // namespace core
