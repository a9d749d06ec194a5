#include "core/analyze/bottlenecks/bottlenecks.h"

#include "core/analyze/bottlenecks/bottleneck_searches.h"
#include "core/analyze/bottlenecks/bottleneck_words.h"
#include "core/analyze/bottlenecks/path_evidence.h"
#include "core/analyze/iteration_words.h"
#include "core/analyze/ranks/late_cause.h"
#include "core/analyze/ranks/late_ranks.h"
#include "core/base/duration_text.h"
#include "core/base/sentence.h"

#include <algorithm>
#include <array>

namespace core {

namespace {

    constexpr double ClearCause = 0.1; ///< gain from which one slow rank or link is the verdict

    using Search = std::optional<Bottleneck> (*)(const BottleneckSearch &);
    /// The host's search leaves to the straggler what it explains, and so comes behind.
    constexpr auto Searches = std::to_array<Search>({
        &findStraggler,
        &findBucketSize,
        &findPartitionSize,
        &findSlowLink,
        &findStatedRate,
        &findSlowGroup,
        &findPipelineBubble,
        &findBandwidth,
        &findExposedCommunication,
        &findCopies,
        &findHostGap,
        &findInput,
        &findSlowIterations,
    });

    /// It makes other things look long: all ranks wait for the late one, and in their collectives
    /// for the slow link.
    bool isCauseOfOthers(const Bottleneck &bottleneck)
    {
        return (bottleneck.kind == "straggler" || bottleneck.kind == "slow-link"
                || bottleneck.kind == "stated-rate" || bottleneck.kind == "slow-group")
            && bottleneck.gainFraction >= ClearCause;
    }

    /// Of the rank that others wait for most, where no bottleneck tells of it: what it costs cannot
    /// be predicted, why it comes is known nevertheless.
    std::string lateRankText(const BottleneckInput &input,
                             const std::vector<Bottleneck> &bottlenecks,
                             const IterationWords &words)
    {
        const std::vector<Lateness> ranks = lateRanks(input.trace, input.diagnosis);
        if (ranks.empty()
            || std::any_of(bottlenecks.begin(), bottlenecks.end(),
                           [](const Bottleneck &found) { return found.kind == "straggler"; }))
            return {};
        const std::int64_t baseNs = input.diagnosis.selfReplay.predictedNs;
        const std::vector<LateCause> causes = lateCauses(input.diagnosis, ranks.front());
        if (causes.empty() || !causes.front().isMost
            || static_cast<double>(causes.front().lateNs)
                < ClearCause * static_cast<double>(baseNs))
            return {};
        const std::string equal = equalRanksText(input.diagnosis, ranks.front().rank);
        return waitersText(input.trace, ranks.front().rank) + " for "
            + durationText(causes.front().lateNs) + words.per() + ", as "
            + shortText(causes.front()) + "." + (equal.empty() ? "" : " " + equal);
    }

    /// Where another cause is the verdict, the largest gain behind it.
    std::string elsewhereText(const Bottleneck &cause, const Bottleneck &largest)
    {
        // Counted from the job as it is, unless it is counted from that without the straggler.
        const bool isBeyond = cause.kind == "straggler" && largest.strategy.has("ideal_peers");
        return largest.cost + (isBeyond ? " on top of that." : "; together both may gain less.");
    }

    /// Without rare slow iterations; `late` is lateRankText().
    Verdict usualVerdict(const BottleneckInput &input, const std::vector<Bottleneck> &bottlenecks,
                         const IterationWords &words, const std::string &late)
    {
        Verdict verdict;
        if (bottlenecks.empty()) {
            // If only transfers are recorded, nothing else is known to cost little.
            const bool isKnown = hasComputation(input.diagnosis.ranks);
            verdict.sentence = "No single " + std::string(isKnown ? "cause" : "recorded part")
                + " costs more than 1 % of " + words.one() + ".";
            if (!isKnown)
                verdict.remarks.emplace_back("The rest of the time is not recorded.");
        } else {
            const auto cause
                = std::find_if(bottlenecks.begin(), bottlenecks.end(), isCauseOfOthers);
            const Bottleneck &largest = bottlenecks.front();
            const Bottleneck &first = cause == bottlenecks.end() ? largest : *cause;
            verdict.sentence = first.cost + ".";
            verdict.kind = first.kind;
            if (!first.reason.empty())
                verdict.remarks.push_back(first.reason);
            if (&first != &largest)
                verdict.remarks.push_back(elsewhereText(first, largest));
        }
        if (!late.empty())
            verdict.remarks.push_back(late);
        return verdict;
    }

} // namespace

std::vector<Bottleneck> findBottlenecks(const BottleneckInput &input, const JobControl &control)
{
    std::vector<Bottleneck> found;
    const BottleneckSearch search(input, found, control);
    const IterationWords words(input.trace, input.graph->iterationCount);
    for (std::size_t i = 0; i < Searches.size(); ++i) {
        throwIfCancelled(control);
        control.report(static_cast<double>(i) / Searches.size(), "what-if replays");
        if (auto bottleneck = Searches[i](search))
            found.push_back(std::move(*bottleneck));
    }
    for (Bottleneck &one : found)
        if (one.cost.empty())
            one.cost = costText(one, words);
    std::stable_sort(found.begin(), found.end(),
                     [](const Bottleneck &a, const Bottleneck &b) { return a.gainNs > b.gainNs; });
    return found;
}

Verdict verdictOf(const BottleneckInput &input, const std::vector<Bottleneck> &bottlenecks)
{
    const IterationWords words(input.trace, input.graph->iterationCount);
    std::vector<Bottleneck> usual = bottlenecks;
    std::erase_if(usual, [](const Bottleneck &found) { return found.kind == SlowIterationsKind; });
    const std::string late = lateRankText(input, usual, words);
    const auto slow
        = std::find_if(bottlenecks.begin(), bottlenecks.end(),
                       [](const Bottleneck &found) { return found.kind == SlowIterationsKind; });
    if (slow == bottlenecks.end() || (!usual.empty() && slow->gainNs <= usual.front().gainNs))
        return usualVerdict(input, usual, words, late);
    // The reason names the rank that others wait for.
    const auto &cause = input.diagnosis.slowIterationsCause;
    const bool isLateTold = cause && cause->lateNs > 0;
    Verdict others = usualVerdict(input, usual, words, isLateTold ? std::string() : late);
    others.remarks.insert(others.remarks.begin(),
                          "In the others: " + withoutCapital(others.sentence));
    if (!slow->reason.empty())
        others.remarks.insert(others.remarks.begin(), slow->reason);
    return { slow->cost + ".", std::move(others.remarks), slow->kind };
}

} // namespace core
