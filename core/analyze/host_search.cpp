#include "core/analyze/bottleneck_searches.h"
#include "core/analyze/host_gaps.h"
#include "core/analyze/late_cause.h"
#include "core/analyze/path_evidence.h"
#include "core/base/duration_text.h"

#include <algorithm>
#include <vector>

// What the host does, and loading the input.
namespace core {

namespace {

    constexpr std::size_t MostGapsNamed = 3; ///< named

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

    /// Where it is longest, if half of what is gained or more passes there.
    std::string mostlyAt(const std::vector<HostGap> &gaps, std::int64_t gainNs)
    {
        if (gaps.empty() || 2 * gaps.front().meanNs < gainNs)
            return {};
        const HostGap &gap = gaps.front();
        const bool isOnOthers = 2 * gap.othersNs.value_or(0) >= gap.meanNs;
        return ", longest " + (isOnOthers ? "" : "on rank " + std::to_string(gap.rank) + " ")
            + (gap.isInput ? "while input is loaded" : hostGapPlace(gap));
    }

} // namespace

std::optional<Bottleneck> findHostGap(const BottleneckSearch &search)
{
    const bool isAccelerated = std::any_of(search.graph.devices.begin(), search.graph.devices.end(),
                                           [](const Device &device) { return device.isStream; });
    if (search.obstacles.hostOverhead)
        return std::nullopt; // what lies between the recorded operations is not known
    ScenarioSettings settings;
    settings.hostOverheadScale = 0;
    auto found = search.withGainOf("host-gap", settings);
    if (!found)
        return std::nullopt;
    found->title = isAccelerated ? "Accelerators wait for the host: " + durationText(found->gainNs)
            + " " + search.ofEach() + " go to launching and host code"
                                 : "Host code between operations costs "
            + durationText(found->gainNs) + " " + search.ofEach();
    if (!isAccelerated)
        found->title += mostlyAt(search.diagnosis.hostGaps, found->gainNs);
    found->evidence.push_back("On the critical path the host takes "
                              + durationText(search.diagnosis.criticalPath.hostNs) + " of "
                              + search.words.typical() + ".");
    if (const std::string longest = longestOnPath(search.diagnosis.criticalPath, "host");
        !longest.empty())
        found->evidence.push_back("Longest host operations on it: " + longest + ".");
    addLongestGaps(search, *found);
    found->evidence.push_back(
        (isAccelerated ? "Accelerators are idle for " : "No operation runs for ")
        + durationText(search.meanIteration().idleNs) + " of " + search.words.one()
        + search.onAverage() + ".");
    found->evidence.push_back("Upper bound: " + search.commandLine(*found)
                              + (isAccelerated ? " The host takes no time in it."
                                               : " No time passes in it between operations of a "
                                                 "thread that follow each other."));
    found->advice = search.advice.onHost(isAccelerated);
    search.pointAtLongestOp(*found, "host");
    if (!isAccelerated && !search.diagnosis.hostGaps.empty()) {
        found->slice = search.diagnosis.hostGaps.front().slice;
        found->range = search.diagnosis.hostGaps.front().longest;
    }
    return found;
}

std::optional<Bottleneck> findInput(const BottleneckSearch &search)
{
    if (search.obstacles.input)
        return std::nullopt;
    ScenarioSettings settings;
    settings.inputScale = 0;
    auto found = search.withGainOf("input", settings);
    if (!found)
        return std::nullopt;
    found->title = "Loading the input costs " + durationText(found->gainNs) + " " + search.ofEach();
    found->evidence.push_back("Upper bound: " + search.commandLine(*found)
                              + " Input is always there in it.");
    found->advice = search.advice.onInput();
    return found;
}

} // namespace core
