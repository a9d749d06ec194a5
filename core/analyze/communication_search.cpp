#include "core/analyze/bottleneck_searches.h"
#include "core/analyze/path_evidence.h"
#include "core/analyze/slow_links.h"
#include "core/base/duration_text.h"
#include "core/scenario/job_metadata.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

// Gradient buckets and the network.
namespace core {

namespace {

    constexpr std::array BucketCandidatesMb = { 1.0, 2.0, 5.0, 10.0, 25.0, 50.0, 100.0 };

    ScenarioSettings withBucketCap(double capMb)
    {
        ScenarioSettings settings;
        settings.bucketCapMb = capMb;
        return settings;
    }

    std::string presentBuckets(const BottleneckSearch &search)
    {
        std::string sizes;
        for (const GradientStep::Bucket &bucket : search.graph.gradientSteps.front().buckets)
            sizes += (sizes.empty() ? "" : ", ")
                + bytesText(search.graph.collectives[bucket.collective].bytes);
        return "Now " + countText(search.graph.gradientSteps.front().buckets.size(), "bucket")
            + " in each iteration: " + sizes + ".";
    }

    std::uint64_t bytesPerIteration(const BottleneckSearch &search)
    {
        std::uint64_t bytes = 0;
        for (const CollectiveNode &node : search.graph.collectives)
            bytes += node.bytes;
        return bytes / static_cast<std::uint64_t>(search.iterations);
    }

} // namespace

std::optional<Bottleneck> findBucketSize(const BottleneckSearch &search)
{
    if (search.obstacles.buckets)
        return std::nullopt;
    const std::optional<double> recorded = recordedBucketCapMb(search.trace);
    std::vector<std::pair<std::int64_t, double>> predictions; ///< (period, cap)
    for (const double cap : BucketCandidatesMb) {
        if (recorded && *recorded == cap)
            continue;
        predictions.emplace_back(search.predictedNs(withBucketCap(cap)), cap);
    }
    const auto best = *std::min_element(predictions.begin(), predictions.end());
    auto found = search.withGain("bucket-size", withBucketCap(best.second), best.first);
    if (!found)
        return std::nullopt;
    const std::string cap = numberText(best.second);
    found->title = "Gradient buckets of " + cap + " MiB instead of "
        + (recorded ? numberText(*recorded) + " MiB" : "the present ones") + " would save "
        + durationText(found->gainNs) + " " + search.ofEach();
    std::string tried;
    for (const auto &[ns, mb] : predictions)
        tried += (tried.empty() ? "" : ", ") + (numberText(mb) + " MiB ") + durationText(ns);
    found->evidence.push_back("Replayed iteration by bucket size: " + tried
                              + (recorded ? ", now (" + numberText(*recorded) + " MiB) " : ", now ")
                              + durationText(search.baseNs) + ".");
    found->evidence.push_back(presentBuckets(search));
    found->evidence.push_back(search.commandLine(*found));
    found->advice = "Set bucket_cap_mb=" + cap
        + " in DistributedDataParallel(model, bucket_cap_mb=" + cap + ").";
    search.pointAtLongestTransfer(*found);
    return found;
}

std::optional<Bottleneck> findBandwidth(const BottleneckSearch &search)
{
    if (search.obstacles.bandwidth)
        return std::nullopt;
    ScenarioSettings settings;
    settings.bandwidthScale = 2;
    auto found = search.withGainOf("bandwidth", settings);
    if (!found)
        return std::nullopt;
    found->title = "Twice the network bandwidth would save " + durationText(found->gainNs) + " "
        + search.ofEach();
    search.addLinkEvidence(*found);
    found->evidence.push_back("Bytes that a rank reduces or exchanges" + search.words.per() + ": "
                              + bytesText(bytesPerIteration(search)) + ".");
    const SlowLinks slow = slowLinks(search.trace);
    if (!slow.ranks.empty())
        found->evidence.push_back("Twice the rate of every link. " + slow.subject()
                                  + (slow.ranks.size() == 1 ? " is" : " are") + " slower than "
                                  + slow.rates() + ", and collectives are as fast as the slowest.");
    found->evidence.push_back(search.commandLine(*found));
    found->advice = (slow.ranks.empty() ? "" : "Begin with the slowest links. ")
        + search.advice.onBandwidth();
    search.pointAtLongestTransfer(*found);
    return found;
}

std::optional<Bottleneck> findExposedCommunication(const BottleneckSearch &search)
{
    if (search.obstacles.comm)
        return std::nullopt;
    ScenarioSettings settings;
    settings.commScale = 0;
    auto found = search.withGainOf("exposed-communication", settings);
    if (!found)
        return std::nullopt;
    const bool slowsCompute = search.replayed.slowdown > 1;
    const PartTimes &mean = search.meanIteration();
    const bool hasComputation = mean.computeNs > 0;
    found->title = (slowsCompute || !hasComputation ? "Communication costs "
                                                    : "Communication that nothing hides costs ")
        + durationText(found->gainNs) + " " + search.ofEach();
    std::string underWay = "Communication is under way for "
        + durationText(mean.exposedCommNs + mean.overlapNs) + " of " + search.words.one()
        + search.onAverage();
    if (hasComputation)
        underWay += "; computation hides " + durationText(mean.overlapNs) + " of it, "
            + durationText(mean.exposedCommNs) + " is exposed";
    found->evidence.push_back(underWay + " (waiting for other ranks included).");
    for (std::string &line : communicationOnPath(search.diagnosis.criticalPath))
        found->evidence.push_back(std::move(line));
    if (slowsCompute)
        found->evidence.push_back(
            "Transfers share the workers' cores: computation that overlaps them runs "
            + percentText(search.replayed.slowdown - 1) + " slower, which counts here too.");
    search.addLinkEvidence(*found);
    found->evidence.push_back("Upper bound: " + search.commandLine(*found)
                              + " Transfers take no time in it.");
    found->advice = search.advice.onExposedCommunication();
    search.pointAtLongestTransfer(*found);
    return found;
}

} // namespace core
