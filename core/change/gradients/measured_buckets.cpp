#include "core/change/gradients/measured_buckets.h"

#include "core/change/gradients/bucket_layout.h"
#include "core/change/gradients/whole_iterations.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

namespace core {

namespace {

    /// The limits by which a bucket is closed where it is: above what it held before its last
    /// parameter, and at most what it holds.
    struct LimitRange
    {
        std::uint64_t above = 0;
        std::uint64_t most = std::numeric_limits<std::uint64_t>::max();

        bool contains(double bytes) const
        {
            return bytes > static_cast<double>(above) && bytes <= static_cast<double>(most);
        }
        bool isEmpty() const { return most <= above; }
        bool hasEnd() const { return most != std::numeric_limits<std::uint64_t>::max(); }

        void narrow(const LimitRange &other)
        {
            above = std::max(above, other.above);
            most = std::min(most, other.most);
        }

        /// Of it the largest whole number of MiB, as people give one; of those without an end the
        /// smallest.
        double likely() const
        {
            const double leastMb = std::floor(static_cast<double>(above) / BytesPerMb) + 1;
            if (!hasEnd())
                return leastMb * BytesPerMb;
            const double mb = std::floor(static_cast<double>(most) / BytesPerMb);
            return contains(mb * BytesPerMb) ? mb * BytesPerMb : static_cast<double>(most);
        }
    };

    /// Range of limits that make a bucket of tensors [first, first + count).
    LimitRange rangeOf(const std::vector<std::uint64_t> &bytes, std::size_t first,
                       std::size_t count)
    {
        LimitRange range;
        std::uint64_t sum = 0;
        for (std::size_t i = first; i < first + count; ++i) {
            range.above = sum;
            sum += bytes[i];
        }
        if (first + count < bytes.size()) // the last one need not be full
            range.most = sum;
        return range;
    }

    constexpr double DefaultFirst = DefaultFirstBucketMb * BytesPerMb;
    constexpr double DefaultCap = DefaultBucketCapMb * BytesPerMb;

    /// The default, where it explains what is recorded.
    double capIn(const LimitRange &range)
    {
        return range.contains(DefaultCap) ? DefaultCap : range.likely();
    }

    /// By which the recorded buckets are laid out.
    struct RecordedLimits
    {
        double first = DefaultFirst, cap = DefaultCap; ///< bytes
        bool isFirstAsCap = false; ///< the cap is the first one's limit, too
        bool isKnown = true; ///< the cap is stated, or full buckets show it
    };

    RecordedLimits limitsIn(const LimitRange &first, const LimitRange &others,
                            const std::optional<double> &statedCap)
    {
        RecordedLimits limits;
        limits.cap = statedCap ? *statedCap : capIn(others);
        // A full first bucket beside the others is how the defaults would have it.
        limits.isKnown
            = statedCap || others.hasEnd() || (first.hasEnd() && others.contains(DefaultCap));
        if (first.contains(DefaultFirst))
            return limits;
        LimitRange both = first;
        both.narrow(others);
        if (!statedCap && !both.isEmpty()) {
            limits.cap = capIn(both);
            limits.isKnown = both.hasEnd();
        }
        limits.isFirstAsCap = first.contains(limits.cap);
        limits.first = limits.isFirstAsCap ? limits.cap : first.likely();
        return limits;
    }

    RecordedLimits recordedLimits(const Graph &graph, const Trace &trace)
    {
        std::optional<double> statedCap = trace.stated.bucketCapMb;
        if (statedCap)
            *statedCap *= BytesPerMb;
        RecordedLimits unexplained;
        unexplained.cap = statedCap.value_or(DefaultCap);
        unexplained.isKnown = statedCap.has_value();
        if (graph.gradientSteps.empty())
            return unexplained;
        LimitRange first, others;
        const WholeIterations iterations = wholeIterations(graph);
        for (const GradientStep &step : graph.gradientSteps)
            for (std::size_t i = 0; iterations.contains(step.iteration) && i < step.buckets.size();
                 ++i)
                (i == 0 ? first : others)
                    .narrow(rangeOf(step.parameterBytes, step.buckets[i].firstParameter,
                                    step.buckets[i].parameterCount));
        if (!iterations.whole.empty() && !first.isEmpty() && !others.isEmpty())
            return limitsIn(first, others, statedCap);
        return unexplained;
    }

} // namespace

BucketLimits bucketLimits(const Graph &graph, const Trace &trace, const BucketChanges &changes)
{
    const RecordedLimits recorded = recordedLimits(graph, trace);
    const double cap = changes.capMb ? *changes.capMb * BytesPerMb : recorded.cap;
    double first = recorded.isFirstAsCap ? cap : recorded.first;
    if (changes.firstMb)
        first = *changes.firstMb * BytesPerMb;
    return { static_cast<std::uint64_t>(first), static_cast<std::uint64_t>(cap) };
}

std::optional<double> recordedCapMb(const Graph &graph, const Trace &trace)
{
    const RecordedLimits recorded = recordedLimits(graph, trace);
    if (!recorded.isKnown)
        return std::nullopt;
    return recorded.cap / BytesPerMb;
}

std::optional<BucketLimits> limitsOfBuckets(const std::vector<std::uint64_t> &parameterBytes,
                                            const std::vector<std::size_t> &counts)
{
    LimitRange first, others;
    std::size_t next = 0;
    for (const std::size_t count : counts) {
        if (count > parameterBytes.size() - next)
            return std::nullopt;
        (next == 0 ? first : others).narrow(rangeOf(parameterBytes, next, count));
        next += count;
    }
    if (next != parameterBytes.size() || first.isEmpty() || others.isEmpty())
        return std::nullopt;
    const RecordedLimits limits = limitsIn(first, others, std::nullopt);
    const BucketLimits found { static_cast<std::uint64_t>(limits.first),
                               static_cast<std::uint64_t>(limits.cap) };
    if (bucketLayout(parameterBytes, found.firstBytes, found.capBytes) != counts)
        return std::nullopt;
    return found;
}

} // namespace core
