#include "core/compare/comparison_words.h"

#include "core/base/duration_text.h"
#include "core/base/sentence.h"
#include "core/change/gradients/cuts_change.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

namespace core {

namespace {

    constexpr std::size_t MostShownBuckets = 12; ///< sizes that a sentence lists

    std::string timesText(const RunComparison &comparison)
    {
        std::string text = durationText(comparison.later.iteration.ns) + " instead of "
            + durationText(comparison.earlier.iteration.ns);
        if (!comparison.isGainJudged())
            return text;
        const PromisedTime promised = comparison.promisedIteration();
        text += ", promised " + durationText(promised.ns);
        if (!comparison.promise->unknownInterval)
            text += " (" + durationText(promised.lowNs) + " to " + durationText(promised.highNs)
                + ")";
        return text;
    }

    std::string noiseText(const RunComparison &comparison)
    {
        return "\u00b1" + durationText(comparison.gain.noiseNs(), 3);
    }

    /// Says so where the gain is below the promised interval, and only the noise reaches into it.
    std::string keptText(const RunComparison &comparison)
    {
        return comparison.gain.ns < comparison.promise->gain().lowNs
            ? "Kept within the noise (" + noiseText(comparison) + ")"
            : "Kept";
    }

    /// "18 %" of the earlier iteration.
    std::string shareText(const RunComparison &comparison)
    {
        return percentText(
            static_cast<double>(std::abs(comparison.gain.ns))
            / static_cast<double>(std::max<std::int64_t>(1, comparison.earlier.iteration.ns)));
    }

    /// "3 buckets of 4, 2 and 12 tensors"
    std::string bucketsText(const std::vector<std::size_t> &counts)
    {
        std::string text = countText(counts.size(), "bucket");
        if (counts.size() > MostShownBuckets)
            return text;
        return text + " of " + bucketCountsText(counts) + " tensors";
    }

    std::string gradientsText(const std::vector<std::uint64_t> &bytes)
    {
        return countText(bytes.size(), "gradient") + " of "
            + bytesText(std::accumulate(bytes.begin(), bytes.end(), std::uint64_t { 0 }));
    }

    std::string iterationsText(const RunComparison &comparison)
    {
        const std::size_t earlier = comparison.earlier.iterationCount;
        const std::size_t later = comparison.later.iterationCount;
        const bool isLater = later <= earlier;
        return std::string("the ") + (isLater ? "later" : "earlier") + " run has "
            + countText(isLater ? later : earlier, "iteration") + " on every rank; record at least "
            + std::to_string(FewestComparedIterations);
    }

    bool saysBuckets(const Strategy &strategy)
    {
        return strategy.has("bucket_cap_mb") || strategy.has("first_bucket_mb")
            || strategy.has(CutsKey);
    }

    std::string otherBucketsText(const RunComparison &comparison)
    {
        const bool isAsBefore = comparison.buckets == BucketUse::AsBefore;
        return std::string("the later run ") + (isAsBefore ? "still has " : "has ")
            + bucketsText(comparison.later.buckets)
            + (saysBuckets(comparison.promise->strategy) ? ", but the strategy makes "
                                                         : ", but the strategy leaves ")
            + bucketsText(comparison.promise->buckets)
            + (isAsBefore ? ": the config was not used" : ": another config was used")
            + (comparison.promise->strategy.has(CutsKey)
                   ? ". If 'longpole export' wrote sizes of buckets instead, give these with --set"
                   : "");
    }

    std::string otherBytesText(const RunComparison &comparison)
    {
        return "the later run sends " + percentText(comparison.later.sentShare)
            + " of the gradients' bytes, but the strategy "
            + percentText(promisedShare(comparison.earlier, *comparison.promise))
            + ": the config was not used";
    }

    std::string remedyOfNoise(const RunComparison &comparison)
    {
        if (comparison.neededIterations)
            return ". Record at least " + std::to_string(*comparison.neededIterations)
                + " iterations of each run";
        return ". More iterations do not help while they differ so: keep other work off the "
               "machines";
    }

    std::string noiseDoubtText(const RunComparison &comparison)
    {
        const std::string noise = noiseText(comparison);
        const RunGain &gain = comparison.gain;
        std::string text = "the noise of both runs, " + noise + ", ";
        if (!comparison.isGainJudged())
            text += "hides what changed";
        else if (gain.noiseNs() >= comparison.promise->gain().ns)
            text += "is larger than the promised gain of "
                + durationText(comparison.promise->gain().ns);
        else
            text += "hides whether there is a gain (measured: " + durationText(gain.ns) + ")";
        return text + remedyOfNoise(comparison);
    }

    std::string loosePromiseText(const RunComparison &comparison)
    {
        const RunGain promised = comparison.promise->gain();
        return "there is no gain beyond the noise of " + noiseText(comparison)
            + ", and the promise allows that: " + durationText(promised.lowNs) + " to "
            + durationText(promised.highNs);
    }

    std::string plainDoubtText(const RunComparison &comparison, Doubt doubt)
    {
        const MeasuredRun &earlier = comparison.earlier, &later = comparison.later;
        switch (doubt) {
        case Doubt::NoIterations:
            return std::string("nothing in the recording tells the iterations of the ")
                + (later.iterationCount == 0 ? "later" : "earlier") + " run apart";
        case Doubt::FewIterations:
            return iterationsText(comparison);
        case Doubt::OtherFramework:
            return "the runs are of different jobs: the framework of the later one is "
                + std::string(frameworkName(later.framework)) + ", that of the earlier one "
                + std::string(frameworkName(earlier.framework));
        case Doubt::OtherRanks:
            return "the later run has " + countText(static_cast<std::size_t>(later.ranks), "rank")
                + ", the earlier one " + std::to_string(earlier.ranks)
                + (comparison.promise && comparison.promise->strategy.has("world_size")
                       ? ", and the strategy is for "
                           + comparison.promise->strategy.find("world_size")->valueText()
                       : "");
        case Doubt::OtherTensors:
            return "the runs are of different jobs: the later one reduces "
                + gradientsText(later.tensorBytes) + ", the earlier one "
                + gradientsText(earlier.tensorBytes);
        case Doubt::OtherBuckets:
            return otherBucketsText(comparison);
        case Doubt::OtherBytes:
            return otherBytesText(comparison);
        case Doubt::Noise:
            return noiseDoubtText(comparison);
        case Doubt::LoosePromise:
            break;
        }
        return loosePromiseText(comparison);
    }

    std::string bucketNote(const RunComparison &comparison)
    {
        if (comparison.buckets == BucketUse::AsPromised
            && !saysBuckets(comparison.promise->strategy))
            return "Both runs have " + bucketsText(comparison.later.buckets) + ".";
        if (comparison.buckets == BucketUse::AsPromised)
            return "The later run has the strategy's " + bucketsText(comparison.later.buckets)
                + ".";
        const bool isOther = !comparison.promise && !comparison.earlier.buckets.empty()
            && !comparison.later.buckets.empty()
            && comparison.earlier.buckets != comparison.later.buckets;
        if (isOther)
            return "The later run has " + bucketsText(comparison.later.buckets)
                + ", the earlier one " + bucketsText(comparison.earlier.buckets) + ".";
        return {};
    }

    std::string bytesNote(const RunComparison &comparison)
    {
        if (!comparison.sendsAsPromised)
            return {};
        return "The later run sends " + percentText(comparison.later.sentShare)
            + " of the gradients' bytes, as the strategy says.";
    }

    std::string brokenPartNote(const RunComparison &comparison)
    {
        if (!comparison.brokenPart)
            return {};
        const ComparedPart &part = comparison.parts[*comparison.brokenPart];
        return "Most of what is missing: " + std::string(part.part.title) + " takes "
            + durationText(part.laterNs) + ", predicted " + durationText(*part.promisedNs) + ".";
    }

    std::string noPartsNote(const RunComparison &comparison)
    {
        return comparison.parts.empty()
            ? "Not both recordings show on what the ranks spend their time."
            : std::string();
    }

    std::string unseenNote(const RunComparison &comparison)
    {
        std::string keys;
        for (const std::string &key : comparison.unseen)
            keys += (keys.empty() ? "" : ", ") + key;
        return keys.empty() ? keys
                            : "The recording does not show whether the later run had " + keys + ".";
    }

} // namespace

std::string doubtText(const RunComparison &comparison, Doubt doubt)
{
    return withCapital(plainDoubtText(comparison, doubt)) + ".";
}

std::string comparisonHeadline(const RunComparison &comparison)
{
    const std::string times = timesText(comparison);
    switch (comparison.verdict) {
    case RunVerdict::Kept:
        return keptText(comparison) + ": " + times + ".";
    case RunVerdict::NotKept:
        return "Not kept: " + times + ".";
    case RunVerdict::Faster:
        return "Faster: " + times + ", " + shareText(comparison) + " less.";
    case RunVerdict::Slower:
        return "Slower: " + times + ", " + shareText(comparison) + " more.";
    case RunVerdict::NoDifference:
        return "No difference: " + times + ", within the noise of " + noiseText(comparison) + ".";
    case RunVerdict::Inconclusive:
        break;
    }
    return "Inconclusive: " + plainDoubtText(comparison, comparison.doubts.front()) + ".";
}

std::vector<std::string> comparisonNotes(const RunComparison &comparison)
{
    std::vector<std::string> notes;
    for (std::size_t i = 1; i < comparison.doubts.size(); ++i)
        notes.push_back(doubtText(comparison, comparison.doubts[i]));
    if (comparison.promise && comparison.promise->noChange)
        notes.push_back(*comparison.promise->noChange);
    for (std::string note :
         { brokenPartNote(comparison), bucketNote(comparison), bytesNote(comparison),
           unseenNote(comparison), noPartsNote(comparison) })
        if (!note.empty())
            notes.push_back(std::move(note));
    return notes;
}

} // namespace core
