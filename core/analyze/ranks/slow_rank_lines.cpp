#include "core/analyze/ranks/slow_rank_lines.h"

#include "core/analyze/bottlenecks/path_evidence.h"
#include "core/analyze/ranks/late_cause.h"
#include "core/base/duration_text.h"
#include "core/base/shortened_name.h"

#include <algorithm>
#include <array>
#include <cstdio>

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

    /// "+77 %", "3.1 times as long".
    std::string slowdownText(double slowdown)
    {
        if (slowdown <= 1)
            return "+" + percentText(slowdown);
        std::array<char, 32> text {};
        std::snprintf(text.data(), text.size(), "%.*f times as long", slowdown < 9 ? 1 : 0,
                      1 + slowdown);
        return text.data();
    }

    /// One, or both of two that are alike. `ops` has one or more.
    std::string largestText(const std::vector<OpTypeSlowdown> &ops, const std::string &others)
    {
        const auto text = [&others](const OpTypeSlowdown &op) {
            return opTypeText(op) + ": " + durationText(op.ns) + " (" + others + ": "
                + durationText(op.othersNs) + ")";
        };
        if (ops.size() < 2 || !ops[1].isHalfOf(ops[0]))
            return ". The largest difference: " + text(ops[0]);
        return ". The largest differences: " + text(ops[0]) + " and " + text(ops[1]);
    }

    std::vector<RankSlowdown> slowestRanks(const StragglerReport &report)
    {
        std::vector<RankSlowdown> slow;
        for (const RankSlowdown &rank : report.ranks)
            if (rank.beyondOthers() > SmallestSlowdown)
                slow.push_back(rank);
        std::stable_sort(slow.begin(), slow.end(), [](const auto &a, const auto &b) {
            return a.beyondOthers() > b.beyondOthers();
        });
        slow.resize(std::min(slow.size(), MostSlowRanks));
        return slow;
    }

} // namespace

std::vector<std::string> slowRankLines(const StragglerReport &report, const IterationWords &words,
                                       const OwnWorkWords &workWords,
                                       const std::set<int> &explained)
{
    std::vector<std::string> lines;
    for (const RankSlowdown &rank : slowestRanks(report)) {
        const std::string others = othersOf(report, rank.rank);
        std::string line = "Rank " + std::to_string(rank.rank) + "'s " + workWords.subject()
            + " takes " + durationText(rank.ownWorkNs) + words.per() + " (" + others + ": "
            + durationText(rank.othersNs) + "; " + slowdownText(rank.beyondOthers()) + ")";
        if (!rank.ops.empty() && !explained.contains(rank.rank))
            line += largestText(rank.ops, others);
        lines.push_back(line + ".");
    }
    return lines;
}

} // namespace core
