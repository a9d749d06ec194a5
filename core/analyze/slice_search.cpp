#include "core/analyze/bottleneck_searches.h"
#include "core/base/duration_text.h"
#include "core/scenario/reslice.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

// Slices of gradients.
namespace core {

namespace {

    /// Of the present size. Predictions were checked up to a factor of 5.
    constexpr std::array SizeFactors = { 0.25, 0.5, 2.0, 4.0 };

    struct SliceCandidate
    {
        double bytes;
        std::int64_t ns; ///< predicted iteration
    };

    /// The largest that a program sends; what is left of a tensor is smaller.
    std::uint64_t presentSliceBytes(const Graph &graph)
    {
        std::uint64_t bytes = 0;
        for (const CollectiveNode &node : graph.collectives)
            if (isSliceOfGradient(graph, node))
                bytes = std::max(bytes, node.bytes);
        return bytes;
    }

    /// In the order in which the program sends them.
    ScenarioSettings withSliceSize(const Graph &graph, double bytes)
    {
        ScenarioSettings settings;
        settings.schedule = sendsByPriority(graph) ? Schedule::P3 : Schedule::Fifo;
        settings.partitionBytes = bytes;
        return settings;
    }

    std::string sizeText(double bytes)
    {
        return bytesText(static_cast<std::uint64_t>(bytes));
    }

    /// Of those that gain about as much as the best one that which changes least.
    SliceCandidate chosenSize(const BottleneckSearch &search,
                              std::vector<SliceCandidate> candidates, double presentBytes)
    {
        const auto best = std::min_element(
            candidates.begin(), candidates.end(),
            [](const SliceCandidate &a, const SliceCandidate &b) { return a.ns < b.ns; });
        const double leastGain = search.gainFraction(best->ns) - SmallestGain;
        std::erase_if(candidates, [&](const SliceCandidate &candidate) {
            return !search.isWorthALine(candidate.ns)
                || search.gainFraction(candidate.ns) < leastGain;
        });
        const auto farness = [presentBytes](const SliceCandidate &candidate) {
            return std::abs(std::log(candidate.bytes / presentBytes));
        };
        return *std::min_element(candidates.begin(), candidates.end(),
                                 [&](const SliceCandidate &a, const SliceCandidate &b) {
                                     return farness(a) < farness(b);
                                 });
    }

} // namespace

std::optional<Bottleneck> findSliceSize(const BottleneckSearch &search)
{
    if (search.obstacles.schedule || !isSentInSlices(search.replayed))
        return std::nullopt;
    const auto present = static_cast<double>(presentSliceBytes(search.replayed));
    std::vector<SliceCandidate> candidates;
    bool isAnyWorthALine = false;
    for (const double factor : SizeFactors) {
        const double bytes = std::max(1.0, std::round(factor * present));
        candidates.push_back({ bytes, search.predictedNs(withSliceSize(search.replayed, bytes)) });
        isAnyWorthALine = isAnyWorthALine || search.isWorthALine(candidates.back().ns);
    }
    if (!isAnyWorthALine)
        return std::nullopt;
    const SliceCandidate chosen = chosenSize(search, candidates, present);
    const ScenarioSettings settings = withSliceSize(search.replayed, chosen.bytes);
    auto found = search.withGain("slice-size", settings, chosen.ns);
    if (!found)
        return std::nullopt;
    const std::string size = sizeText(chosen.bytes);
    found->title = "Slices of " + size + " instead of " + sizeText(present) + " would save "
        + durationText(found->gainNs) + " " + search.ofEach();
    std::string tried;
    for (const SliceCandidate &candidate : candidates)
        tried += sizeText(candidate.bytes) + " " + durationText(candidate.ns) + ", ";
    found->evidence.push_back("Replayed iteration by size of slices: " + tried + "now ("
                              + sizeText(present) + ") " + durationText(search.baseNs) + ".");
    const ScenarioResult result = search.result(settings);
    if (!result.unknownInterval)
        found->evidence.push_back("95 % interval: " + durationText(result.ciLowNs) + " to "
                                  + durationText(result.ciHighNs)
                                  + ". How long a slice of another size waits for the other ranks "
                                    "is not recorded.");
    found->evidence.push_back(search.commandLine(*found));
    found->advice = "Set the size into which the program cuts gradients (the partition size of P3, "
                    "ByteScheduler or BytePS) to "
        + size + ".";
    search.pointAtLongestTransfer(*found);
    return found;
}

} // namespace core
