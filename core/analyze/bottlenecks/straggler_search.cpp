#include "core/analyze/bottlenecks/bottleneck_searches.h"
#include "core/analyze/bottlenecks/path_evidence.h"
#include "core/analyze/bottlenecks/straggler.h"
#include "core/analyze/own_work_words.h"
#include "core/analyze/ranks/late_cause.h"
#include "core/analyze/ranks/late_ranks.h"
#include "core/analyze/report/collective_report.h"
#include "core/base/duration_text.h"
#include "core/base/sentence.h"

#include <algorithm>
#include <map>

// A rank that keeps the others waiting.
namespace core {

namespace {

    /// The waiting that costs time, where that is not all.
    void addExposedWaits(const BottleneckSearch &search, Bottleneck &found, int lateRank)
    {
        std::map<int, std::int64_t> exposedNs;
        for (const RankDiagnosis &rank : search.diagnosis.ranks)
            for (const DeviceBreakdown &device : rank.devices)
                if (device.iterationMean.exposedWaitNs) {
                    std::int64_t &ns = exposedNs[rank.rank];
                    for (const RankWait &wait : rank.waits)
                        ns += wait.ns;
                    break; // of all its devices
                }
        if (!exposedNs.empty())
            found.evidence.push_back(
                "Exposed waiting, hidden by neither computation nor transfers: "
                + byRankText(exposedNs, lateRank) + ".");
    }

    void addEvidence(const BottleneckSearch &search, Bottleneck &found, const Lateness &late,
                     const std::map<int, Lateness> &byRank, const OwnTime &ownTime)
    {
        found.evidence.push_back(
            "It comes last to " + std::to_string(late.timesLast) + " of "
            + countText(comparedCount(search.diagnosis.collectives), "collective")
            + ". It is the only one missing for " + durationText(search.perIteration(late.lastByNs))
            + search.words.per() + hiddenText(search.diagnosis, late) + ".");
        std::map<int, std::int64_t> waits;
        for (const auto &[rank, lateness] : byRank)
            waits[rank] = search.perIteration(lateness.waitNs);
        found.evidence.push_back("Waiting inside of collectives" + search.words.per() + ": "
                                 + byRankText(waits, late.rank) + ".");
        if (!hiddenText(search.diagnosis, late).empty())
            addExposedWaits(search, found, late.rank);
        for (std::string &line : ownTime.lines(late.rank, search.words))
            found.evidence.push_back(std::move(line));
        found.evidence.push_back("Every rank is as fast as "
                                 + OwnWorkWords(search.replayed).reference() + " in the replay. "
                                 + predictedText(found));
    }

    /// The input's own bound: findInput() tells only of what it costs beyond the straggler.
    void addInputBound(const BottleneckSearch &search, Bottleneck &found)
    {
        if (search.inputlessNs)
            found.evidence.push_back("With input that is always there (input_scale=0), on every "
                                     "rank: "
                                     + durationText(*search.inputlessNs) + ".");
    }

    /// Where the recorded work tells why.
    std::string onCause(const Advice &advice, const std::string &rank, const LateCause &cause)
    {
        if (cause.work.kind == WorkKind::Input)
            return advice.onInputOf("rank " + rank);
        if (cause.work.kind == WorkKind::Gap)
            return "Look at what only rank " + rank
                + " does in that time. Examples: sleeping, locks, files, logging, checkpoints, "
                  "evaluation, code that is no recorded operation.";
        return {};
    }

    std::string onStraggler(const std::string &rank, bool isHeldUpByHost)
    {
        if (isHeldUpByHost)
            return "Compare the host of rank " + rank
                + " with the others': its accelerator waits for work. Look at other programs "
                  "on its cores, their binding and clock, and its input pipeline. Look for work "
                  "of this rank only: logging, checkpoints, evaluation.";
        return "Compare rank " + rank
            + " with the others: its data, its processor's clock and neighbours, its input. "
              "Its share of the data may differ in batch size, sequence lengths or embedding "
              "shards.";
    }

} // namespace

std::optional<Bottleneck> findStraggler(const BottleneckSearch &search)
{
    const std::map<int, Lateness> byRank = latenessByRank(search.diagnosis.collectives);
    const std::optional<std::int64_t> &idealNs = search.diagnosis.stragglers.idealNs;
    if (byRank.size() < 2 || !idealNs)
        return std::nullopt;
    const Lateness &late
        = std::max_element(byRank.begin(), byRank.end(), [](const auto &a, const auto &b) {
              return a.second.lastByNs < b.second.lastByNs;
          })->second;
    const OwnTime ownTime(search.trace, search.graph, search.diagnosis.ranks);
    const std::vector<LateCause> causes = lateCauses(search.diagnosis, late);
    const bool isMostKnown = !causes.empty() && causes.front().isMost;
    if (!isSeenLate(search.trace, late, search.iterations, search.baseNs)
        || !(ownTime.canExplain(late.rank) || isMostKnown))
        return std::nullopt;
    auto found = search.withGain("straggler", { { "ideal_peers", 1 } }, *idealNs);
    if (!found)
        return std::nullopt;
    found->title = "Rank " + std::to_string(late.rank) + " makes the others wait";
    found->effect = ", which costs ";
    if (isMostKnown) {
        found->reason = withCapital(shortText(causes.front())) + ".";
        found->advice = onCause(search.advice, std::to_string(late.rank), causes.front());
    }
    addEvidence(search, *found, late, byRank, ownTime);
    if (isMostKnown && causes.front().work.kind == WorkKind::Input)
        addInputBound(search, *found);
    if (found->advice.empty())
        found->advice = onStraggler(std::to_string(late.rank), ownTime.isHeldUpByHost(late.rank));
    const CollectiveReport &worst = search.diagnosis.collectives[late.worst];
    for (const CollectiveRankReport &part : worst.ranks) {
        if (part.rank == late.rank)
            found->slice = part.slice;
        found->range.endNs = std::max(found->range.endNs, part.endNs);
    }
    found->range.startNs = late.worstRange.startNs;
    return found;
}

} // namespace core
