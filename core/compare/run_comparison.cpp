#include "core/compare/run_comparison.h"

#include "core/change/gradients/cuts_change.h"
#include "core/change/transfers/link_changes.h"
#include "core/measure/parts.h"
#include "core/measure/student_t.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

namespace core {

namespace {

    constexpr std::string_view CompressionKey = "compression", RanksKey = "world_size";
    constexpr double ByteTolerance = 0.1; ///< headers, padding, gradients that are not sent

    RunGain differenceOf(const RunTime &earlier, const RunTime &later)
    {
        const std::int64_t ns = earlier.ns - later.ns;
        return { ns, ns - std::llround(std::hypot(earlier.downNs, later.upNs)),
                 ns + std::llround(std::hypot(earlier.upNs, later.downNs)) };
    }

    std::multiset<std::uint64_t> inAnyOrder(const std::vector<std::uint64_t> &bytes)
    {
        return { bytes.begin(), bytes.end() };
    }

    /// Fills a comparison whose runs and promise are set.
    class RunComparer
    {
    public:
        explicit RunComparer(RunComparison &comparison)
            : m_comparison(comparison)
            , m_earlier(comparison.earlier)
            , m_later(comparison.later)
        {
        }

        void compare()
        {
            m_comparison.gain = differenceOf(m_earlier.iteration, m_later.iteration);
            setParts();
            doubtIterations();
            doubtJob();
            if (m_comparison.promise)
                lookAtUse(*m_comparison.promise);
            if (m_comparison.doubts.empty())
                judge();
        }

    private:
        void doubt(bool isSo, Doubt doubt)
        {
            if (isSo)
                m_comparison.doubts.push_back(doubt);
        }

        std::size_t fewestIterations() const
        {
            return std::min(m_earlier.iterationCount, m_later.iterationCount);
        }

        void doubtIterations()
        {
            const std::size_t fewest = fewestIterations();
            doubt(fewest == 0, Doubt::NoIterations);
            doubt(fewest > 0 && fewest < FewestComparedIterations, Doubt::FewIterations);
            if (fewest < FewestComparedIterations)
                m_comparison.neededIterations = FewestComparedIterations;
        }

        int expectedRanks() const
        {
            if (m_comparison.promise)
                if (const auto ranks = wantedRanks(m_comparison.promise->strategy))
                    return static_cast<int>(*ranks);
            return m_earlier.ranks;
        }

        void doubtJob()
        {
            doubt(m_earlier.framework != m_later.framework, Doubt::OtherFramework);
            doubt(m_later.ranks != expectedRanks(), Doubt::OtherRanks);
            doubt(!m_earlier.tensorBytes.empty() && !m_later.tensorBytes.empty()
                      && inAnyOrder(m_earlier.tensorBytes) != inAnyOrder(m_later.tensorBytes),
                  Doubt::OtherTensors);
        }

        /// Counts alone are compared where tensors become ready in another order.
        bool hasBuckets(const std::vector<std::size_t> &counts) const
        {
            return m_later.buckets == counts
                || bucketBytes(m_later.tensorBytes, m_later.buckets)
                == bucketBytes(m_earlier.tensorBytes, counts);
        }

        BucketUse bucketUse(const Promise &promise) const
        {
            if (promise.buckets.empty())
                return BucketUse::NotAsked;
            if (m_later.buckets.empty())
                return BucketUse::Unknown;
            if (hasBuckets(promise.buckets))
                return BucketUse::AsPromised;
            return hasBuckets(m_earlier.buckets) ? BucketUse::AsBefore : BucketUse::Other;
        }

        void lookAtUse(const Promise &promise)
        {
            m_comparison.buckets = bucketUse(promise);
            doubt(m_comparison.buckets == BucketUse::AsBefore
                      || m_comparison.buckets == BucketUse::Other,
                  Doubt::OtherBuckets);
            const bool showsBytes = !m_earlier.buckets.empty() && !m_later.buckets.empty();
            const double share = m_later.sentShare / promisedShare(m_earlier, promise);
            const bool isShareAsPromised = std::abs(share - 1) <= ByteTolerance;
            doubt(showsBytes && !isShareAsPromised, Doubt::OtherBytes);
            m_comparison.sendsAsPromised
                = showsBytes && isShareAsPromised && promise.strategy.has(CompressionKey);
            for (const Change &change : promise.strategy.changes)
                if (!isSeen(change, showsBytes))
                    m_comparison.unseen.push_back(change.name());
        }

        bool isSeen(const Change &change, bool showsBytes) const
        {
            if (change.key == CompressionKey)
                return showsBytes;
            if (change.key == RanksKey)
                return true;
            const bool isOfBuckets = change.key == CutsKey || change.key == "bucket_cap_mb"
                || change.key == "first_bucket_mb";
            return isOfBuckets && m_comparison.buckets != BucketUse::Unknown;
        }

        /// Overlap is not a part of its own: it lies in the computation.
        void findBrokenPart()
        {
            std::int64_t mostNs = 0;
            for (std::size_t i = 0; i < m_comparison.parts.size(); ++i) {
                const ComparedPart &part = m_comparison.parts[i];
                const std::int64_t beyondNs = part.laterNs - part.promisedNs.value_or(part.laterNs);
                if (part.part.ns == &PartTimes::overlapNs || beyondNs <= part.noiseNs.value_or(0)
                    || beyondNs <= mostNs)
                    continue;
                mostNs = beyondNs;
                m_comparison.brokenPart = i;
            }
        }

        void judge()
        {
            if (m_comparison.isGainJudged())
                judgePromise(m_comparison.promise->gain());
            else
                judgeDifference();
        }

        void judgePromise(const RunGain &promised)
        {
            const RunGain &gain = m_comparison.gain;
            m_comparison.verdict = verdictOnPromise(promised, gain);
            if (m_comparison.verdict == RunVerdict::NotKept)
                findBrokenPart();
            if (m_comparison.verdict != RunVerdict::Inconclusive)
                return;
            const bool isNoisy = gain.noiseNs() >= promised.ns || promised.lowNs > 0;
            m_comparison.doubts.push_back(isNoisy ? Doubt::Noise : Doubt::LoosePromise);
            if (isNoisy)
                setNeeded(gain.ns > 0 ? std::min(gain.ns, promised.ns) : promised.ns);
        }

        void judgeDifference()
        {
            m_comparison.verdict = verdictOnGain(m_comparison.gain);
            const std::int64_t mostNs
                = std::llround(MostNoise * static_cast<double>(m_earlier.iteration.ns));
            if (m_comparison.verdict != RunVerdict::NoDifference
                || m_comparison.gain.noiseNs() <= mostNs)
                return;
            m_comparison.verdict = RunVerdict::Inconclusive;
            m_comparison.doubts.push_back(Doubt::Noise);
            setNeeded(mostNs);
        }

        /// Noise goes with Student's t of the iterations, while these differ as much.
        void setNeeded(std::int64_t mostNs)
        {
            constexpr std::size_t Most = 1000;
            const std::size_t own = fewestIterations();
            const double byOneT
                = static_cast<double>(m_comparison.gain.noiseNs()) / studentT95(own - 1);
            for (std::size_t count = own + 1; count <= Most; ++count)
                if (byOneT * studentT95(count - 1) < static_cast<double>(mostNs)) {
                    m_comparison.neededIterations = count;
                    return;
                }
        }

        void setParts()
        {
            if (wholeNs(m_earlier.parts) == 0 || wholeNs(m_later.parts) == 0)
                return;
            for (std::size_t i = 0; i < RunParts.size(); ++i) {
                const auto ns = RunParts[i].ns;
                ComparedPart part { RunParts[i], m_earlier.parts.*ns, m_later.parts.*ns, {}, {} };
                if (m_comparison.promise)
                    part.promisedNs = m_comparison.promise->parts.*ns;
                if (m_comparison.hasNoise())
                    part.noiseNs
                        = differenceOf(m_earlier.partTimes[i], m_later.partTimes[i]).noiseNs();
                const bool isShown = ns != &PartTimes::memOnlyNs || part.earlierNs > 0
                    || part.laterNs > 0 || part.promisedNs.value_or(0) > 0;
                if (isShown)
                    m_comparison.parts.push_back(part);
            }
        }

        RunComparison &m_comparison;
        const MeasuredRun &m_earlier, &m_later;
    };

} // namespace

std::string_view doubtName(Doubt doubt)
{
    constexpr std::array<std::string_view, 9> Names
        = { "no_iterations", "few_iterations", "other_framework", "other_ranks",  "other_tensors",
            "other_buckets", "other_bytes",    "noise",           "loose_promise" };
    return Names.at(static_cast<std::size_t>(doubt));
}

double promisedShare(const MeasuredRun &earlier, const Promise &promise)
{
    return earlier.sentShare / promise.strategy.number(CompressionKey).value_or(1);
}

bool RunComparison::hasNoise() const
{
    return earlier.iterationCount > 1 && later.iterationCount > 1;
}

bool RunComparison::isGainJudged() const
{
    return promise && !promise->noChange;
}

PromisedTime RunComparison::promisedIteration() const
{
    const RunGain promised = promise->gain();
    const std::int64_t ns = earlier.iteration.ns;
    return { ns - promised.ns, ns - promised.highNs, ns - promised.lowNs };
}

RunComparison compareRuns(MeasuredRun earlier, MeasuredRun later, std::optional<Promise> promise)
{
    RunComparison comparison;
    comparison.earlier = std::move(earlier);
    comparison.later = std::move(later);
    comparison.promise = std::move(promise);
    RunComparer(comparison).compare();
    return comparison;
}

} // namespace core
