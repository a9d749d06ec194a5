#include "core/analyze/bottleneck_searches.h"
#include "core/analyze/host_calls.h"
#include "core/analyze/host_gaps.h"
#include "core/analyze/late_cause.h"
#include "core/analyze/path_evidence.h"
#include "core/base/duration_text.h"

#include <algorithm>
#include <map>
#include <vector>

// What the host does, and loading the input.
namespace core {

namespace {

    constexpr std::size_t MostGapsNamed = 3; ///< named

    /// What the host costs. Time in which it loads input is between operations, too: it counts
    /// there where that is a bottleneck, and here only what is gained beyond.
    std::optional<Bottleneck> hostGain(const BottleneckSearch &search, bool isInputApart)
    {
        ScenarioSettings settings = isInputApart ? withoutInput() : ScenarioSettings();
        settings.hostOverheadScale = 0;
        auto found = search.withGainOf("host-gap", settings);
        if (!found || !isInputApart)
            return found;
        const std::int64_t leftNs = search.baseNs - (*search.inputlessNs - found->predictedNs);
        if (!search.isWorthALine(leftNs))
            return std::nullopt;
        found->gainNs = search.baseNs - leftNs;
        found->gainFraction = search.gainFraction(leftNs);
        return found;
    }

    void addLongestGaps(const BottleneckSearch &search, Bottleneck &found)
    {
        const std::vector<HostGap> &gaps = search.diagnosis.hostGaps;
        std::string longest;
        for (std::size_t i = 0; i < std::min(MostGapsNamed, gaps.size()); ++i)
            longest += (i == 0 ? "" : "; ")
                + hostGapText(gaps[i], othersOf(search.diagnosis.stragglers, gaps[i].rank));
        if (!longest.empty())
            found.evidence.push_back("Longest between operations" + search.words.per() + ": "
                                     + longest + ".");
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

    /// Which calls the accelerator waits for, and what to do about them.
    void addCalls(const BottleneckSearch &search, Bottleneck &found)
    {
        found.advice = search.advice.onHost(true);
        const std::optional<int> rank = criticalHost(search.diagnosis.criticalPath);
        if (!rank)
            return;
        const HostCalls calls = hostCalls(search.trace, *rank);
        if (const std::string text = calls.text(search.words.per()); !text.empty())
            found.evidence.push_back("What the host of rank " + std::to_string(*rank)
                                     + " does while its accelerator is idle: " + text + ".");
        if (!calls.cause)
            return;
        found.title += ", most of it because of " + calls.causeName;
        found.advice = search.advice.onHostCalls(*calls.cause);
    }

    /// Where it is longest, if half of what is gained or more passes there.
    std::string mostlyAt(const std::vector<HostGap> &gaps, std::int64_t gainNs)
    {
        if (gaps.empty() || 2 * gaps.front().meanNs < gainNs)
            return {};
        const HostGap &gap = gaps.front();
        const bool isOnOthers = 2 * gap.othersNs.value_or(0) >= gap.meanNs;
        return ", longest " + (isOnOthers ? "" : "on rank " + std::to_string(gap.rank) + " ")
            + hostGapPlace(gap);
    }

} // namespace

std::optional<Bottleneck> findHostGap(const BottleneckSearch &search)
{
    const bool isAccelerated = std::any_of(search.graph.devices.begin(), search.graph.devices.end(),
                                           [](const Device &device) { return device.isStream; });
    if (search.obstacles.hostOverhead)
        return std::nullopt; // what lies between the recorded operations is not known
    const bool isInputApart = search.inputlessNs && search.isWorthALine(*search.inputlessNs);
    auto found = hostGain(search, isInputApart);
    if (!found)
        return std::nullopt;
    const std::vector<HostGap> &gaps = search.diagnosis.hostGaps;
    found->title = isAccelerated ? "Accelerators wait for the host: " + durationText(found->gainNs)
            + " " + search.ofEach() + " go to launching and host code"
                                 : "Host code between operations costs "
            + durationText(found->gainNs) + " " + search.ofEach();
    if (!isAccelerated)
        found->title += mostlyAt(gaps, found->gainNs);
    found->evidence.push_back(
        "On the critical path the host takes " + durationText(search.diagnosis.criticalPath.hostNs)
        + " of " + search.words.typical() + (isInputApart ? ", loading the input included." : "."));
    if (const std::string longest = longestOnPath(search.diagnosis.criticalPath, isHostsOp);
        !longest.empty())
        found->evidence.push_back("Longest host operations on it: " + longest + ".");
    if (isAccelerated)
        addCalls(search, *found);
    else
        found->advice = search.advice.onHost(false);
    addLongestGaps(search, *found);
    found->evidence.push_back(
        (isAccelerated ? "Accelerators are idle for " : "No operation runs for ")
        + durationText(search.meanIteration().idleNs) + " of " + search.words.one()
        + search.onAverage() + ".");
    found->evidence.push_back(
        "Upper bound: " + search.commandLine(*found)
        + (isAccelerated ? " The host takes no time in it."
                         : " No time passes in it between operations of a "
                           "thread that follow each other.")
        + (isInputApart ? " With input_scale=0 alone: " + durationText(*search.inputlessNs) + "."
                        : std::string()));
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
    auto found = search.withGain("input", withoutInput(), *search.inputlessNs);
    if (!found)
        return std::nullopt;
    found->title = "Loading the input costs " + durationText(found->gainNs) + " " + search.ofEach();
    if (const std::string longest = longestOnPath(search.diagnosis.criticalPath, isInputOp);
        !longest.empty())
        found->evidence.push_back("Longest on the critical path: " + longest + ".");
    found->evidence.push_back("Upper bound: " + search.commandLine(*found)
                              + " Input is always there in it.");
    search.pointAtLongestOp(*found, isInputOp);
    found->advice = search.advice.onInput();
    return found;
}

} // namespace core
