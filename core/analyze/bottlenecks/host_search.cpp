#include "core/analyze/bottlenecks/bottleneck_searches.h"
#include "core/analyze/bottlenecks/path_evidence.h"
#include "core/analyze/ranks/late_cause.h"
#include "core/analyze/report/host_calls.h"
#include "core/analyze/report/host_gaps.h"
#include "core/base/duration_text.h"
#include "core/base/ranks_text.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

// What the host does, and loading the input.
namespace core {

namespace {

    constexpr std::size_t MostGapsNamed = 3; ///< named
    constexpr std::size_t MostRanksNamed = 4;

    /// What the host costs beyond other causes that explain a part of it.
    struct HostGain
    {
        std::optional<Bottleneck> found;
        /// These are taken out, and counted where they are told of.
        bool isInputApart = false, isStragglerApart = false;
        std::int64_t othersNs = 0; ///< the iteration predicted without what is taken out
    };

    /// What a cause gains where every rank is as fast as the others.
    struct BeyondStraggler
    {
        std::optional<Bottleneck> found; ///< empty where that is too little
        std::int64_t othersNs = 0; ///< the iteration predicted without what is taken out
    };

    /// Where one rank makes all others wait, that is told of it. `others` are the changes of what
    /// is taken out already. Empty where nobody does, or where next to nothing is explained by
    /// both.
    std::optional<BeyondStraggler> beyondStraggler(const BottleneckSearch &search,
                                                   const Bottleneck &found, Strategy others)
    {
        const Bottleneck *straggler = search.findBefore("straggler");
        if (straggler == nullptr)
            return std::nullopt;
        Strategy all = found.strategy;
        for (const Change &change : straggler->strategy.changes) {
            all.set(change);
            others.set(change);
        }
        const std::int64_t othersNs
            = others.has("input_scale") ? search.predictedNs(others) : straggler->predictedNs;
        const std::int64_t predictedNs = search.predictedNs(all);
        const std::int64_t sharedNs = found.gainNs - (othersNs - predictedNs);
        if (!search.isWorthALine(search.baseNs - sharedNs))
            return std::nullopt;
        return BeyondStraggler { search.withGain(found.kind.c_str(), all, predictedNs, othersNs),
                                 othersNs };
    }

    HostGain besideStraggler(const BottleneckSearch &search, HostGain gain, const Strategy &others)
    {
        if (!gain.found)
            return gain;
        if (auto beyond = beyondStraggler(search, *gain.found, others)) {
            gain.isStragglerApart = true;
            gain.othersNs = beyond->othersNs;
            gain.found = std::move(beyond->found);
        }
        return gain;
    }

    /// Time in which the host loads input is between operations, too: it counts there where that is
    /// a bottleneck, and here only what is gained beyond.
    HostGain hostGain(const BottleneckSearch &search)
    {
        HostGain gain;
        gain.isInputApart = search.inputlessNs && search.isWorthALine(*search.inputlessNs);
        gain.othersNs = gain.isInputApart ? *search.inputlessNs : search.baseNs;
        const Strategy others
            = gain.isInputApart ? Strategy { { "input_scale", 0.0 } } : Strategy();
        Strategy strategy { { "host_overhead_scale", 0.0 } };
        for (const Change &other : others.changes)
            strategy.set(other);
        gain.found
            = search.withGain("host-gap", strategy, search.predictedNs(strategy), gain.othersNs);
        return besideStraggler(search, std::move(gain), others);
    }

    /// Without those that a straggler explains, where it is apart: those of one rank.
    std::vector<HostGap> gapsOf(const BottleneckSearch &search, const HostGain &gain)
    {
        std::vector<HostGap> gaps = search.diagnosis.hostGaps;
        if (gain.isStragglerApart)
            std::erase_if(gaps, [](const HostGap &gap) {
                return gap.othersNs && 2 * *gap.othersNs < gap.meanNs;
            });
        return gaps;
    }

    void addLongestGaps(const BottleneckSearch &search, const std::vector<HostGap> &gaps,
                        Bottleneck &found)
    {
        std::string longest;
        for (std::size_t i = 0; i < std::min(MostGapsNamed, gaps.size()); ++i)
            longest += (i == 0 ? "" : "; ")
                + hostGapText(gaps[i], othersOf(search.diagnosis.stragglers, gaps[i].rank));
        if (!longest.empty())
            found.evidence.push_back("Longest between operations" + search.words.per() + ": "
                                     + longest + ".");
    }

    std::string othersText(const HostGain &gain)
    {
        if (!gain.isInputApart && !gain.isStragglerApart)
            return {};
        const std::string others = std::string(gain.isInputApart ? "input_scale=0" : "")
            + (gain.isInputApart && gain.isStragglerApart ? " and " : "")
            + (gain.isStragglerApart ? "ideal_peers=1" : "");
        return " With " + others + " alone: " + durationText(gain.othersNs)
            + ". The gain is the difference.";
    }

    /// Of whose host most of the critical path is.
    std::optional<int> criticalHost(const CriticalPathReport &path)
    {
        std::map<int, std::int64_t> hostNs; // by rank
        for (const CriticalOp &op : path.ops)
            if (isHostsOp(op))
                hostNs[op.rank] += op.durationNs;
        const auto most
            = std::max_element(hostNs.begin(), hostNs.end(),
                               [](const auto &a, const auto &b) { return a.second < b.second; });
        return most == hostNs.end() ? std::nullopt : std::optional(most->first);
    }

    /// The slower of two kinds of iterations where they are fewer and the gain is of the others: it
    /// is of all over a period.
    std::vector<std::int64_t> rareIterations(const Diagnosis &diagnosis)
    {
        const std::optional<IterationGroups> &groups = diagnosis.iterationGroups;
        return groups && !groups->areKinds && 2 * groups->slower.size() < groups->count
            ? groups->slower
            : std::vector<std::int64_t>();
    }

    /// Which calls the accelerator waits for, and what to do about them.
    void addCalls(const BottleneckSearch &search, Bottleneck &found)
    {
        found.advice = search.advice.onHost(true);
        const std::optional<int> rank = criticalHost(search.diagnosis.criticalPath);
        if (!rank)
            return;
        const HostCalls calls = hostCalls(search.trace, *rank, rareIterations(search.diagnosis));
        if (const std::string text = calls.text(search.words.per()); !text.empty())
            found.evidence.push_back("The host of rank " + std::to_string(*rank)
                                     + " while its accelerator is idle: " + text + ".");
        if (!calls.cause)
            return;
        found.reason = "Most of it is because of " + calls.causeName + ".";
        found.advice = search.advice.onHostCalls(*calls.cause);
    }

    /// Sentence on what hides it in the figures: a rank whose host is behind makes the others wait.
    std::string shownAsWaiting(const PartTimes &mean, std::int64_t gainNs)
    {
        const std::int64_t waitNs = mean.exposedWaitNs.value_or(0);
        if (waitNs <= mean.idleNs || gainNs < 2 * mean.idleNs)
            return {};
        return "Most of it shows as waiting for other ranks (" + durationText(waitNs)
            + "), less as idle time (" + durationText(mean.idleNs) + ").";
    }

    /// Where it is longest, if half of what is gained or more passes there.
    std::string mostlyAt(const std::vector<HostGap> &gaps, std::int64_t gainNs)
    {
        if (gaps.empty() || 2 * gaps.front().meanNs < gainNs)
            return {};
        const HostGap &gap = gaps.front();
        const bool isOnOthers = 2 * gap.othersNs.value_or(0) >= gap.meanNs;
        return "The longest pause is "
            + (isOnOthers ? "" : "on rank " + std::to_string(gap.rank) + " ") + hostGapPlace(gap)
            + ".";
    }

    /// Beside communication: a recording of that alone does not tell what accelerators do, nor
    /// what the host does, in between.
    bool isWorkRecorded(const Graph &graph)
    {
        return std::any_of(graph.kind.begin(), graph.kind.end(), [](OpKind kind) {
            return kind == OpKind::Compute || kind == OpKind::Memory;
        });
    }

    bool isWorkHidden(const Trace &trace)
    {
        return std::any_of(trace.faults.begin(), trace.faults.end(),
                           [](const RecordingFault &fault) { return fault.hidesDeviceWork; });
    }

    bool isInputSlow(const BottleneckSearch &search, const RankSlowdown &rank)
    {
        return std::any_of(rank.kinds.begin(), rank.kinds.end(),
                           [&search](const WorkBesideOthers &work) {
                               return work.kind == WorkKind::Input && work.ns > 2 * work.othersNs
                                   && search.isWorthALine(search.baseNs - work.excessNs());
                           });
    }

    /// "rank 3", "ranks 3, 5": whose input takes more than twice the time of the others', if
    /// that are few. Empty where it is slow on most.
    std::string slowInputRanks(const BottleneckSearch &search)
    {
        const std::vector<RankSlowdown> &all = search.diagnosis.stragglers.ranks;
        std::vector<int> slow;
        for (const RankSlowdown &rank : all)
            if (isInputSlow(search, rank))
                slow.push_back(rank.rank);
        if (all.size() < 2 || slow.empty() || slow.size() > MostRanksNamed
            || 2 * slow.size() > all.size())
            return {};
        return ranksText(slow);
    }

} // namespace

std::optional<Bottleneck> findHostGap(const BottleneckSearch &search)
{
    const bool isAccelerated = std::any_of(search.graph.devices.begin(), search.graph.devices.end(),
                                           [](const Device &device) { return device.isStream; });
    // The time between the recorded operations is not known.
    if (search.obstacle("host_overhead_scale")
        || (isAccelerated && (!isWorkRecorded(search.graph) || isWorkHidden(search.trace))))
        return std::nullopt;
    const HostGain gain = hostGain(search);
    auto found = gain.found;
    if (!found)
        return std::nullopt;
    const std::vector<HostGap> gaps = gapsOf(search, gain);
    found->title
        = isAccelerated ? "Accelerators wait for the host" : "Host code between operations";
    if (isAccelerated)
        found->effect = ", which costs ";
    else
        found->reason = mostlyAt(gaps, found->gainNs);
    const CriticalPathParts &path = search.diagnosis.criticalPath;
    found->evidence.push_back(
        "On the critical path the host takes " + durationText(path.hostNs + path.launchNs) + " of "
        + search.words.typical()
        + (gain.isStragglerApart ? ", with the code that makes a rank late." : "."));
    if (const std::string longest = longestOnPath(search.diagnosis.criticalPath, isHostsOp);
        !longest.empty())
        found->evidence.push_back("Longest host operations on it: " + longest + ".");
    if (isAccelerated)
        addCalls(search, *found);
    else
        found->advice = search.advice.onHost(false);
    if (isAccelerated && found->reason.empty())
        found->reason = shownAsWaiting(search.meanIteration(), found->gainNs);
    addLongestGaps(search, gaps, *found);
    found->evidence.push_back(
        (isAccelerated ? "Accelerators are idle for " : "No operation runs for ")
        + durationText(search.meanIteration().idleNs) + " of " + search.words.one()
        + search.onAverage() + ".");
    found->isBound = true;
    found->evidence.push_back(
        std::string(isAccelerated ? "Upper bound: the host takes no time. "
                                  : "Upper bound: no time passes between operations of a thread. ")
        + predictedText(*found) + othersText(gain));
    search.pointAtLongestOp(*found, isHostsOp);
    if (!isAccelerated && !gaps.empty()) {
        found->slice = gaps.front().slice;
        found->range = gaps.front().longest;
    }
    return found;
}

std::optional<Bottleneck> findInput(const BottleneckSearch &search)
{
    if (!search.inputlessNs)
        return std::nullopt;
    auto found = search.withGain("input", { { "input_scale", 0.0 } }, *search.inputlessNs);
    if (!found)
        return std::nullopt;
    std::string others;
    if (auto beyond = beyondStraggler(search, *found, {})) {
        found = std::move(beyond->found);
        if (!found)
            return std::nullopt;
        others = " With ideal_peers=1 alone: " + durationText(beyond->othersNs)
            + ". The gain is the difference.";
    }
    // Differences between ranks are the straggler's.
    const std::string ranks = others.empty() ? slowInputRanks(search) : std::string();
    found->title = "Loading the input" + (ranks.empty() ? "" : " of " + ranks);
    if (const std::string longest = longestOnPath(search.diagnosis.criticalPath, isInputOp);
        !longest.empty())
        found->evidence.push_back("Longest on the critical path: " + longest + ".");
    found->isBound = true;
    found->evidence.push_back("Upper bound: input is always there. " + predictedText(*found)
                              + others);
    search.pointAtLongestOp(*found, isInputOp);
    found->advice = ranks.empty() ? search.advice.onInput() : search.advice.onInputOf(ranks);
    return found;
}

} // namespace core
