#include "core/analyze/bottlenecks/bottleneck_searches.h"
#include "core/analyze/bottlenecks/path_evidence.h"
#include "core/analyze/ranks/slow_links.h"
#include "core/analyze/summary_data.h"
#include "core/base/duration_text.h"
#include "core/base/sentence.h"
#include "core/change/gradients/measured_buckets.h"
#include "core/change/transfers/link_changes.h"
#include "core/change/transfers/transfers.h"
#include "core/fit/contention/interference.h"
#include "core/measure/gradient_collectives.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

// Gradient buckets and the network.
namespace core {

namespace {

    constexpr std::array BucketCandidatesMb = { 1.0, 2.0, 5.0, 10.0, 25.0, 50.0, 100.0 };

    constexpr double DefaultCapMb = 25; ///< DDP's

    constexpr double SmallestSlowdown = 0.01; ///< of overlapped computation, that is told

    Strategy withBucketCap(double capMb)
    {
        return { { "bucket_cap_mb", capMb } };
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

    std::string alikeText(const SizeChoice &choice, std::optional<double> recordedMb)
    {
        std::string sizes;
        for (std::size_t i = 0; i < choice.alike.size(); ++i)
            sizes += (i == 0                            ? ""
                          : i + 1 < choice.alike.size() ? ", "
                                                        : " and ")
                + numberText(choice.alike[i]);
        return "Buckets of " + sizes
            + " MiB are equally good: each prediction lies within the other's interval. "
            + numberText(choice.chosen.size) + " MiB is nearest to "
            + (recordedMb ? "the present size." : "DDP's default of 25 MiB.");
    }

    /// The gain and the exposed time differ by 1 % of an iteration or more.
    bool isUnlike(std::int64_t gainNs, std::int64_t exposedNs, std::int64_t wholeNs)
    {
        constexpr double LeastTold = 0.01;
        return std::abs(static_cast<double>(gainNs - exposedNs))
            >= LeastTold * static_cast<double>(wholeNs);
    }

    /// The parts of exposed communication, behind its length.
    std::string waitingText(const PartTimes &mean)
    {
        if (!mean.exposedWaitNs)
            return " (waiting for other ranks included)";
        return ": " + durationText(mean.exposedCommNs - *mean.exposedWaitNs) + " of transfer and "
            + durationText(*mean.exposedWaitNs) + " of waiting for other ranks";
    }

    std::string rolesLine(const std::vector<RoleShare> &roles)
    {
        std::string text;
        for (const RoleShare &share : roles)
            text += (text.empty() ? "" : ", ") + percentText(share.share) + " "
                + (share.role == GroupRole::Unknown ? "between other ranks" : roleText(share));
        return "Communication on the critical path: " + text + ".";
    }

    /// "11 % of an iteration is exposed; transfers also slow the computation beside them, by 45
    /// %.": why the gain is not the exposed share that the Summary shows. Empty where both are
    /// alike.
    std::string exposedReason(const BottleneckSearch &search, const Bottleneck &found,
                              double slowdown)
    {
        constexpr double Alike = 0.02;
        const PartTimes parts = summarize(search.diagnosis).parts;
        const std::int64_t allNs = wholeNs(parts);
        if (allNs <= 0 || parts.computeNs <= 0)
            return {};
        const double share = static_cast<double>(parts.exposedCommNs) / static_cast<double>(allNs);
        if (std::abs(found.gainFraction - share) < Alike)
            return {};
        const std::string exposed
            = percentText(share) + " of " + search.words.one() + " is exposed";
        const double waitShare
            = static_cast<double>(parts.exposedWaitNs.value_or(0)) / static_cast<double>(allNs);
        if (found.gainFraction < share && 2 * waitShare >= share - found.gainFraction)
            return exposed + ": " + percentText(share - waitShare) + " transfers, "
                + percentText(waitShare) + " waiting for other ranks.";
        if (found.gainFraction > share && slowdown >= SmallestSlowdown)
            return exposed + "; transfers also slow the computation beside them, by "
                + percentText(slowdown) + ".";
        return exposed + " on the mean rank.";
    }

    /// Why other gradient buckets are not advised; empty where they are, or the job has none.
    std::string bucketNote(const BottleneckSearch &search)
    {
        if (!search.advice.isOnBuckets() || search.findBefore("bucket-size") != nullptr)
            return {};
        const std::string *obstacle = search.obstacle("bucket_cap_mb");
        if (obstacle == nullptr)
            return "None of the bucket sizes that were tried gains 1 % of " + search.words.one()
                + ".";
        if (lacksGradientSizes(search.graph))
            return "Bucket sizes cannot be tried: the trace lacks the gradients' sizes. Give them "
                   "in Compare, under \"Not recorded, given by you\", or as gradient_sizes.";
        return "Bucket sizes cannot be tried: " + std::string(firstSentence(*obstacle));
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
    if (search.obstacle("bucket_cap_mb"))
        return std::nullopt;
    const std::optional<double> recorded = recordedCapMb(search.graph, search.trace);
    std::vector<SizeCandidate> predictions;
    for (const double cap : BucketCandidatesMb) {
        if (recorded && *recorded == cap)
            continue;
        predictions.push_back({ search.predictedNs(withBucketCap(cap)), cap });
    }
    const auto best = *std::min_element(predictions.begin(), predictions.end());
    if (!search.isWorthALine(best.ns))
        return std::nullopt;
    const SizeChoice choice
        = chooseSize(search, predictions, recorded.value_or(DefaultCapMb), withBucketCap);
    auto found
        = search.withGain("bucket-size", withBucketCap(choice.chosen.size), choice.chosen.ns);
    if (!found)
        return std::nullopt;
    const std::string cap = numberText(choice.chosen.size);
    found->title = "Gradient buckets of " + cap + " MiB instead of "
        + (recorded ? numberText(*recorded) + " MiB" : "the present ones");
    found->effect = " would save ";
    std::string tried;
    for (const auto &[ns, mb] : predictions)
        tried += (tried.empty() ? "" : ", ") + (numberText(mb) + " MiB ") + durationText(ns);
    found->evidence.push_back("Replayed iteration by bucket size: " + tried + ".");
    if (!choice.alike.empty())
        found->evidence.push_back(alikeText(choice, recorded));
    found->evidence.push_back(presentBuckets(search));
    found->advice = "Set DistributedDataParallel(model, bucket_cap_mb=" + cap + ").";
    search.pointAtLongestTransfer(*found);
    return found;
}

std::optional<Bottleneck> findBandwidth(const BottleneckSearch &search)
{
    if (search.obstacle("bandwidth_scale"))
        return std::nullopt;
    const Strategy strategy { { "bandwidth_scale", 2 } };
    auto found = search.withGainOf("bandwidth", strategy);
    if (!found)
        return std::nullopt;
    found->title = "Twice the network bandwidth";
    found->effect = " would save ";
    search.addLinkEvidence(*found);
    found->evidence.push_back("Bytes that a rank reduces or exchanges" + search.words.per() + ": "
                              + bytesText(bytesPerIteration(search)) + ".");
    const SlowLinks slow = slowLinks(search.trace);
    if (!slow.ranks.empty())
        found->evidence.push_back(slow.subject() + (slow.ranks.size() == 1 ? " is" : " are")
                                  + " slower than " + slow.others() + " (" + slow.rates()
                                  + "). Collectives are as fast as the slowest link.");
    // Why the links may not reach that rate: the cores that drive them, or the rest of the network.
    const std::vector<std::string> notes
        = rewriteTransfers(search.replayed, search.trace, search.predictor.base().links,
                           linkChanges(strategy))
              .notes;
    found->evidence.insert(found->evidence.end(), notes.begin() + std::ssize(search.replayed.notes),
                           notes.end());
    found->evidence.push_back(predictedText(*found));
    found->advice = (slow.ranks.empty() ? "" : "Begin with the slowest links. ")
        + search.advice.onBandwidth(search.roles);
    search.pointAtLongestTransfer(*found);
    return found;
}

std::optional<Bottleneck> findExposedCommunication(const BottleneckSearch &search)
{
    if (search.obstacle("comm_scale"))
        return std::nullopt;
    auto found = search.withGainOf("exposed-communication", { { "comm_scale", 0 } });
    if (!found)
        return std::nullopt;
    const double slowdown = overlapSlowdown(search.graph, search.replayed);
    const bool slowsCompute = slowdown >= SmallestSlowdown;
    const PartTimes &mean = search.meanIteration();
    const bool hasComputation = mean.computeNs > 0;
    found->reason = exposedReason(search, *found, slowdown);
    found->title = slowsCompute || !hasComputation ? "Communication" : "Exposed communication";
    std::string underWay = "Communication takes "
        + durationText(mean.exposedCommNs + mean.overlapNs) + " of " + search.words.one()
        + search.onAverage() + ".";
    if (hasComputation)
        underWay += " Computation hides " + durationText(mean.overlapNs) + ", and "
            + durationText(mean.exposedCommNs) + " is exposed" + waitingText(mean) + ".";
    found->evidence.push_back(underWay);
    if (hasComputation && isUnlike(found->gainNs, mean.exposedCommNs, search.baseNs))
        found->evidence.push_back("The gain is replayed, on the slowest rank. Exposed time is "
                                  "measured, as the mean of the ranks.");
    for (std::string &line : communicationOnPath(search.diagnosis.criticalPath))
        found->evidence.push_back(std::move(line));
    if (search.roles.size() > 1)
        found->evidence.push_back(rolesLine(search.roles));
    if (slowsCompute)
        found->evidence.push_back(
            std::string(interferingHostLink(search.replayed)
                            ? "Transfers share the workers' cores"
                            : "Transfers take multiprocessors and memory bandwidth")
            + ": computation that overlaps them takes " + percentText(slowdown) + " longer.");
    search.addLinkEvidence(*found);
    found->isBound = true;
    found->evidence.push_back("Upper bound: transfers take no time. " + predictedText(*found));
    found->advice = search.advice.onExposedCommunication(search.roles, bucketNote(search));
    search.pointAtLongestTransfer(*found);
    return found;
}

} // namespace core
