#include "core/analyze/bottlenecks/bottlenecks.h"

#include "core/analyze/bottlenecks/bottleneck_searches.h"
#include "core/analyze/bottlenecks/path_evidence.h"
#include "core/analyze/iteration_words.h"
#include "core/analyze/ranks/late_cause.h"
#include "core/analyze/ranks/late_ranks.h"
#include "core/analyze/report/slow_iterations.h"
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

    /// Without its end: more may be to gain elsewhere.
    std::string sentence(const Bottleneck &bottleneck, const IterationWords &words)
    {
        return bottleneck.title + ". To gain: " + percentText(bottleneck.gainFraction) + " of "
            + words.one();
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
        return " " + waitersText(input.trace, ranks.front().rank) + " for "
            + durationText(causes.front().lateNs) + words.per() + ", as "
            + shortText(causes.front()) + ".";
    }

    /// The title without what of the iteration that is, which the sentence before it tells.
    std::string withoutIteration(std::string title, const BottleneckInput &input,
                                 const IterationWords &words)
    {
        const std::string of = " "
            + words.ofEach(input.diagnosis.selfReplay.predictedNs,
                           input.diagnosis.selfReplay.measuredNs);
        if (const auto at = title.find(of); at != std::string::npos)
            title.erase(at, of.size());
        return title;
    }

    /// Of the median iteration; `late` is lateRankText().
    std::string usualVerdict(const BottleneckInput &input,
                             const std::vector<Bottleneck> &bottlenecks,
                             const IterationWords &words, const std::string &late)
    {
        if (bottlenecks.empty()) {
            const std::string more = " costs more than 1 % "
                + words.ofThe(input.diagnosis.selfReplay.predictedNs,
                              input.diagnosis.selfReplay.measuredNs);
            // Where only transfers are recorded, what else costs time is not known to cost little.
            return hasComputation(input.diagnosis.ranks) ? "No single cause" + more + "." + late
                                                         : "No single part of what is recorded"
                    + more + ": what fills the rest is not recorded." + late;
        }
        const auto cause = std::find_if(bottlenecks.begin(), bottlenecks.end(), isCauseOfOthers);
        const Bottleneck &largest = bottlenecks.front();
        if (cause == bottlenecks.end() || cause == bottlenecks.begin())
            return sentence(largest, words) + "." + late;
        // Counted from the job as it is, unless it is counted from that without the straggler.
        const bool isBeyond = cause->kind == "straggler" && largest.strategy.has("ideal_peers");
        return sentence(*cause, words) + ", elsewhere " + percentText(largest.gainFraction)
            + (isBeyond ? " on top of that: "
                        : " (each counted alone: together they may gain less): ")
            + withoutCapital(withoutIteration(largest.title, input, words)) + "." + late;
    }

} // namespace

std::vector<Bottleneck> findBottlenecks(const BottleneckInput &input, const JobControl &control)
{
    std::vector<Bottleneck> found;
    const BottleneckSearch search(input, found, control);
    for (std::size_t i = 0; i < Searches.size(); ++i) {
        throwIfCancelled(control);
        control.report(static_cast<double>(i) / Searches.size(), "what-if replays");
        if (auto bottleneck = Searches[i](search))
            found.push_back(std::move(*bottleneck));
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const Bottleneck &a, const Bottleneck &b) { return a.gainNs > b.gainNs; });
    return found;
}

std::string verdictOf(const BottleneckInput &input, const std::vector<Bottleneck> &bottlenecks)
{
    const IterationWords words(input.trace, input.graph->iterationCount);
    std::vector<Bottleneck> usual = bottlenecks;
    std::erase_if(usual, [](const Bottleneck &found) { return found.kind == SlowIterationsKind; });
    const std::string late = lateRankText(input, usual, words);
    const std::string slow
        = slowIterationsVerdict(input.diagnosis, usual.empty() ? 0 : usual.front().gainNs);
    if (slow.empty())
        return usualVerdict(input, usual, words, late);
    // It has been told whom others wait for.
    const auto &cause = input.diagnosis.slowIterationsCause;
    const bool isLateTold = cause && cause->lateNs > 0;
    return slow + " In the others: "
        + withoutCapital(usualVerdict(input, usual, words, isLateTold ? std::string() : late));
}

} // namespace core
