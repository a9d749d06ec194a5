#include "core/analyze/bottlenecks/bottleneck_searches.h"
#include "core/base/duration_text.h"
#include "core/change/gradients/partition_cost.h"
#include "core/change/gradients/repartition.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

// Partitions of gradients.
namespace core {

namespace {

    /// Of the present size. Predictions were checked up to a factor of 5.
    constexpr std::array SizeFactors = { 0.25, 0.5, 2.0, 4.0 };

    /// The largest that a program sends; what is left of a tensor is smaller.
    std::uint64_t presentPartitionBytes(const Graph &graph)
    {
        std::uint64_t bytes = 0;
        for (const CollectiveNode &node : graph.collectives)
            if (isPartitionOfGradient(graph, node))
                bytes = std::max(bytes, node.bytes);
        return bytes;
    }

    /// In the order in which the program sends them.
    Strategy withPartitionSize(const Graph &graph, double bytes)
    {
        return { { "schedule", sendsByPriority(graph) ? "p3" : "fifo" },
                 { "partition_bytes", bytes } };
    }

    std::string sizeText(double bytes)
    {
        return bytesText(static_cast<std::uint64_t>(bytes));
    }

    struct PartitionCandidates
    {
        std::vector<SizeCandidate> tried;
        std::vector<double> tooMany; ///< sizes whose partitions are too many to replay
    };

    PartitionCandidates candidatesAround(const BottleneckSearch &search, double presentBytes)
    {
        PartitionCandidates candidates;
        for (const double factor : SizeFactors) {
            const double bytes = std::max(1.0, std::round(factor * presentBytes));
            const Strategy strategy = withPartitionSize(search.replayed, bytes);
            if (const auto ns = search.predictor.iterationNs(strategy, search.control.part(0, 0)))
                candidates.tried.push_back({ *ns, bytes });
            else
                candidates.tooMany.push_back(bytes);
        }
        return candidates;
    }

    std::string sizesText(const std::vector<double> &sizes)
    {
        std::string text;
        for (std::size_t i = 0; i < sizes.size(); ++i)
            text += (i == 0 ? "" : i + 1 < sizes.size() ? ", " : " or ") + sizeText(sizes[i]);
        return text;
    }

    /// Sizes that were replayed, and sizes that were not.
    std::vector<std::string> triedTexts(const PartitionCandidates &candidates)
    {
        std::string tried;
        for (const SizeCandidate &candidate : candidates.tried)
            tried += (tried.empty() ? "" : ", ") + sizeText(candidate.size) + " "
                + durationText(candidate.ns);
        std::vector<std::string> texts;
        if (!tried.empty())
            texts.push_back("Replayed iteration by size of partitions: " + tried + ".");
        if (!candidates.tooMany.empty())
            texts.push_back("Partitions of " + sizesText(candidates.tooMany)
                            + " are too many to replay in a recording so long. Record fewer "
                              "iterations to have them tried.");
        return texts;
    }

} // namespace

std::optional<Bottleneck> findPartitionSize(const BottleneckSearch &search)
{
    if (search.obstacle("partition_bytes") || !isSentInPartitions(search.replayed))
        return std::nullopt;
    const auto present = static_cast<double>(presentPartitionBytes(search.replayed));
    const PartitionCandidates candidates = candidatesAround(search, present);
    if (std::none_of(
            candidates.tried.begin(), candidates.tried.end(),
            [&](const SizeCandidate &candidate) { return search.isWorthALine(candidate.ns); }))
        return std::nullopt;
    const auto strategyOf
        = [&search](double bytes) { return withPartitionSize(search.replayed, bytes); };
    const SizeCandidate chosen = chooseSize(search, candidates.tried, present, strategyOf).chosen;
    const Strategy strategy = strategyOf(chosen.size);
    auto found = search.withGain("partition-size", strategy, chosen.ns);
    if (!found)
        return std::nullopt;
    const std::string size = sizeText(chosen.size);
    found->title = "Partitions of " + size + " instead of " + sizeText(present);
    found->effect = " would save ";
    found->evidence = triedTexts(candidates);
    const Prediction result = search.result(strategy);
    if (!result.unknownInterval)
        found->evidence.push_back(
            "95 % interval: " + durationText(result.ciLowNs) + " to "
            + durationText(result.ciHighNs)
            + ". The wait of other partitions for the other ranks is not recorded.");
    found->evidence.push_back(predictedText(*found));
    found->advice = "Set the partition size of P3, ByteScheduler or BytePS to " + size + ".";
    search.pointAtLongestTransfer(*found);
    return found;
}

} // namespace core
