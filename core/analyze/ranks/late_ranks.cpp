#include "core/analyze/ranks/late_ranks.h"

#include "core/analyze/bottlenecks/bottleneck_search.h"
#include "core/analyze/own_work_words.h"
#include "core/analyze/ranks/late_cause.h"
#include "core/analyze/report/slow_iterations.h"
#include "core/base/duration_text.h"
#include "core/base/sentence.h"
#include "core/base/shortened_name.h"
#include "core/model/clock_share.h"

#include <algorithm>
#include <map>
#include <optional>

namespace core {

namespace {

    constexpr std::size_t MostLateRanks = 4; ///< named
    constexpr int ClockDigits = 2;

    std::int64_t iterationsOf(const Diagnosis &diagnosis)
    {
        return std::max(1, diagnosis.selfReplay.graph->iterationCount);
    }

    bool hasStraggler(const Diagnosis &diagnosis)
    {
        return std::any_of(
            diagnosis.bottlenecks.begin(), diagnosis.bottlenecks.end(),
            [](const Bottleneck &bottleneck) { return bottleneck.kind == "straggler"; });
    }

    /// Of a job of two ranks.
    std::optional<int> onlyOther(const Trace &trace, int rank)
    {
        if (trace.workers.size() != 2)
            return std::nullopt;
        return trace.workers[trace.workers[0].rank == rank ? 1 : 0].rank;
    }

    /// Behind waitersText() in the same sentence.
    std::string nextWaitersText(const Trace &trace, int lateRank)
    {
        const std::optional<int> other = onlyOther(trace, lateRank);
        return (other ? ", rank " + std::to_string(*other) + " for" : std::string(",")) + " rank "
            + std::to_string(lateRank);
    }

    /// " Rank 2 is faster elsewhere: its cudaMalloc takes 47.98 ms (the median of the others: 58.23
    /// ms)."; empty where that is less than 1 % of an iteration.
    std::string fasterElsewhereText(const Diagnosis &diagnosis, int rank)
    {
        const StragglerReport &report = diagnosis.stragglers;
        const auto own
            = std::find_if(report.ranks.begin(), report.ranks.end(),
                           [rank](const RankSlowdown &slow) { return slow.rank == rank; });
        if (own == report.ranks.end() || !own->fastest)
            return {};
        const OpTypeSlowdown &op = *own->fastest;
        if (static_cast<double>(-op.excessNs())
            < SmallestGain * static_cast<double>(diagnosis.selfReplay.predictedNs))
            return {};
        return " Rank " + std::to_string(rank) + " is faster elsewhere: its "
            + shortenedName(op.name) + " takes " + durationText(op.ns) + " ("
            + othersOf(report, rank) + ": " + durationText(op.othersNs) + ").";
    }

    /// The prediction of ideal_peers.
    std::string peersText(const Diagnosis &diagnosis, const IterationWords &words)
    {
        return "With every rank's work as long as "
            + OwnWorkWords(*diagnosis.selfReplay.graph).reference() + ", " + words.one()
            + " would take " + durationText(*diagnosis.stragglers.idealNs)
            + " (--set ideal_peers=1).";
    }

    /// Every rank may need as long for an iteration as the late ones, whoever waits meanwhile.
    /// Empty where that is not so and it has been told why they come late.
    std::string whyNoBottleneck(const Diagnosis &diagnosis, const IterationWords &words,
                                const std::vector<Lateness> &ranks, bool isExplained)
    {
        const StragglerReport &report = diagnosis.stragglers;
        const int latest = ranks.front().rank;
        if (!report.idealNs)
            return std::string("The gain of coming earlier is not known: ") + report.obstacle;
        const std::int64_t baseNs = diagnosis.selfReplay.predictedNs;
        if (static_cast<double>(baseNs - *report.idealNs)
            >= SmallestGain * static_cast<double>(baseNs))
            return isExplained ? std::string()
                               : "Their recorded work takes no longer than that of the others: "
                                 "the cause is not known.";
        if (std::string slower = equalRanksText(diagnosis, latest); !slower.empty())
            return slower;
        if (!report.isWorkRecorded)
            return "The gain of an earlier rank " + std::to_string(latest) + " is not known. "
                + peersText(diagnosis, words)
                + " Work between transfers is not recorded, and is assumed to stay.";
        const std::optional<SlowIterationsCause> &slow = diagnosis.slowIterationsCause;
        if (slow && slow->rank == latest && slow->lateNs > 0
            && !diagnosis.iterationGroups->areKinds)
            return "Rank " + std::to_string(latest) + " is late in "
                + withoutCapital(slowIterationsText(*diagnosis.iterationGroups))
                + ". In the median one coming earlier gains hardly anything. "
                + peersText(diagnosis, words);
        return "Coming earlier would gain hardly anything. " + peersText(diagnosis, words);
    }

    /// Which bottleneck it is that makes the latest rank late; empty where none tells.
    std::string inputBottleneckText(const Diagnosis &diagnosis, const Lateness &latest)
    {
        const std::vector<LateCause> causes = lateCauses(diagnosis, latest);
        if (causes.empty() || !causes.front().isMost || causes.front().work.kind != WorkKind::Input)
            return {};
        const std::vector<Bottleneck> &all = diagnosis.bottlenecks;
        const auto input = std::find_if(all.begin(), all.end(), [](const Bottleneck &bottleneck) {
            return bottleneck.kind == "input";
        });
        return input == all.end()
            ? std::string()
            : "Its cost is in bottleneck " + std::to_string(input - all.begin() + 1) + ": "
                + withoutCapital(input->title) + ".";
    }

    std::string shareText(const LateCause &cause)
    {
        return ". That explains " + durationText(cause.work.excessNs()) + " of the "
            + durationText(cause.lateNs) + " that others wait";
    }

    /// `causes` has one or more, the largest first.
    std::string causeText(const std::vector<LateCause> &causes, int rank,
                          const IterationWords &words)
    {
        const LateCause &first = causes.front();
        std::string text = "Rank " + std::to_string(rank) + " is late "
            + (first.isMost ? "mostly" : "in part") + " because " + longText(first, words);
        if (!first.isMost || causes.size() > 1)
            text += shareText(first);
        for (auto cause = causes.begin() + 1; cause != causes.end(); ++cause)
            text += ". Also, " + longText(*cause, words) + shareText(*cause);
        return text + ".";
    }

    /// "the only one missing for 80.04 ms per iteration, of which 49.55 ms hidden by computation
    /// or transfers".
    std::string aloneText(const Diagnosis &diagnosis, const Lateness &late,
                          const IterationWords &words)
    {
        const std::int64_t aloneNs = late.lastByNs / iterationsOf(diagnosis);
        return "the only one missing for " + durationText(aloneNs) + words.per()
            + hiddenText(diagnosis, late);
    }

    /// More than an even share of all that ranks let others wait: less is chance.
    bool isLaterThanMost(const Diagnosis &diagnosis, const Lateness &late)
    {
        const std::map<int, Lateness> all = latenessByRank(diagnosis.collectives);
        double sumNs = 0;
        for (const auto &[rank, lateness] : all)
            sumNs += static_cast<double>(lateness.lastByNs);
        return static_cast<double>(late.lastByNs) * static_cast<double>(all.size()) > sumNs;
    }

    /// Why the ranks, latest first, come late, as far as their recorded work tells.
    std::vector<std::string> causeLines(const Diagnosis &diagnosis,
                                        const std::vector<Lateness> &ranks,
                                        const IterationWords &words)
    {
        std::vector<std::string> lines;
        for (std::size_t i = 0; i < std::min(MostLateRanks, ranks.size()); ++i) {
            const std::vector<LateCause> causes = lateCauses(diagnosis, ranks[i]);
            if (!causes.empty() && isLaterThanMost(diagnosis, ranks[i]))
                lines.push_back(causeText(causes, ranks[i].rank, words));
        }
        return lines;
    }

    /// Where the clocks are so unsure that a late rank may be missed; trust tells how unsure.
    std::vector<std::string> unseenLines(const Trace &trace, const Diagnosis &diagnosis)
    {
        const auto clocks = clockUncertainty(trace.alignment, trace.tracks, trace.iterations);
        if (!clocks || !clocks->isTold() || comparedCount(diagnosis.collectives) == 0)
            return {};
        return { "No rank is seen late. Lateness below " + durationText(clocks->ns, ClockDigits)
                 + " cannot be seen." };
    }

} // namespace

bool isSeenLate(const Trace &trace, const Lateness &late, std::int64_t iterations,
                std::int64_t iterationNs)
{
    std::int64_t residualNs = 0;
    for (const Alignment &alignment : trace.alignment.workers)
        residualNs = std::max(residualNs, alignment.residualNs);
    const auto smallestNs
        = static_cast<std::int64_t>(SmallestGain * static_cast<double>(iterationNs));
    return late.timesLast > 0 && late.lastByNs / iterations >= smallestNs
        && late.lastByNs / static_cast<std::int64_t>(late.timesLast) > residualNs;
}

std::vector<Lateness> lateRanks(const Trace &trace, const Diagnosis &diagnosis)
{
    std::vector<Lateness> ranks;
    for (const auto &[rank, late] : latenessByRank(diagnosis.collectives))
        if (isSeenLate(trace, late, iterationsOf(diagnosis), diagnosis.selfReplay.predictedNs))
            ranks.push_back(late);
    std::stable_sort(ranks.begin(), ranks.end(),
                     [](const Lateness &a, const Lateness &b) { return a.lastByNs > b.lastByNs; });
    return ranks;
}

std::string waitersText(const Trace &trace, int lateRank)
{
    const std::optional<int> other = onlyOther(trace, lateRank);
    return (other ? "Rank " + std::to_string(*other) + " waits" : std::string("Others wait"))
        + " for rank " + std::to_string(lateRank);
}

std::string equalRanksText(const Diagnosis &diagnosis, int lateRank)
{
    const StragglerReport &report = diagnosis.stragglers;
    const std::int64_t baseNs = diagnosis.selfReplay.predictedNs;
    if (!report.idealNs || !report.isWorkRecorded
        || static_cast<double>(*report.idealNs - baseNs)
            < SmallestGain * static_cast<double>(baseNs))
        return {};
    return "Equal ranks would not help: the replay predicts " + durationText(*report.idealNs)
        + " instead of " + durationText(baseNs) + "." + fasterElsewhereText(diagnosis, lateRank);
}

std::string hiddenText(const Diagnosis &diagnosis, const Lateness &late)
{
    const auto exposed = exposedLateness(diagnosis.ranks, late.rank);
    if (!exposed)
        return {};
    const std::int64_t hiddenNs = late.lastByNs / iterationsOf(diagnosis) - exposed->ns;
    if (static_cast<double>(hiddenNs)
        < SmallestGain * static_cast<double>(diagnosis.selfReplay.predictedNs))
        return {};
    return std::string(", ") + (diagnosis.ranks.size() > 2 ? "at least " : "")
        + durationText(hiddenNs) + " of it hidden by computation or transfers";
}

std::vector<std::string> lateRankLines(const Trace &trace, const Diagnosis &diagnosis,
                                       const IterationWords &words)
{
    const std::vector<Lateness> ranks = lateRanks(trace, diagnosis);
    if (ranks.empty())
        return unseenLines(trace, diagnosis);
    std::string line;
    for (std::size_t i = 0; i < std::min(MostLateRanks, ranks.size()); ++i)
        line += (i == 0 ? waitersText(trace, ranks[i].rank) : nextWaitersText(trace, ranks[i].rank))
            + " (last to " + std::to_string(ranks[i].timesLast) + " of "
            + countText(comparedCount(diagnosis.collectives), "collective") + ", "
            + aloneText(diagnosis, ranks[i], words) + ")";
    if (ranks.size() > MostLateRanks)
        line += " and " + std::to_string(ranks.size() - MostLateRanks) + " more";
    std::vector<std::string> lines { line + "." };
    const std::vector<std::string> causes = causeLines(diagnosis, ranks, words);
    lines.insert(lines.end(), causes.begin(), causes.end());
    if (hasStraggler(diagnosis))
        return lines;
    std::string why = inputBottleneckText(diagnosis, ranks.front());
    if (why.empty())
        why = whyNoBottleneck(diagnosis, words, ranks, !causes.empty());
    if (!why.empty())
        lines.push_back(why);
    return lines;
}

} // namespace core
