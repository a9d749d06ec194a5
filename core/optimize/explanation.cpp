#include "core/optimize/explanation.h"

#include "core/base/duration_text.h"
#include "core/change/gradients/whole_iterations.h"
#include "core/optimize/bucket_chain.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace core {

namespace {

    constexpr std::size_t MostSizes = 8; ///< of buckets that are written one by one
    constexpr double LeastPart = 0.005; ///< of an iteration, that a part must differ by to be told

    /// Tensors of one bucket.
    struct TensorRange
    {
        std::size_t first = 0, end = 0;
    };

    std::vector<TensorRange> rangesOf(const std::vector<std::size_t> &counts)
    {
        std::vector<TensorRange> ranges;
        std::size_t next = 0;
        for (const std::size_t count : counts) {
            ranges.push_back({ next, next + count });
            next += count;
        }
        return ranges;
    }

    /// Sizes of buckets in the words of a sentence.
    class BucketSizes
    {
    public:
        explicit BucketSizes(const std::vector<std::uint64_t> &bytes)
            : m_bytes(bytes)
        {
        }

        std::string text(const TensorRange &range) const
        {
            return bytesText(std::accumulate(
                m_bytes.begin() + static_cast<std::ptrdiff_t>(range.first),
                m_bytes.begin() + static_cast<std::ptrdiff_t>(range.end), std::uint64_t { 0 }));
        }

        /// "3 buckets of 4 MiB, 22 MiB and 16 MiB".
        std::string text(const std::vector<TensorRange> &ranges) const
        {
            std::string text = countText(ranges.size(), "bucket") + " of ";
            for (std::size_t i = 0; i < ranges.size(); ++i) {
                if (i == MostSizes)
                    return text + ", ...";
                text += (i == 0                       ? ""
                             : i + 1 == ranges.size() ? " and "
                                                      : ", ")
                    + this->text(ranges[i]);
            }
            return text;
        }

    private:
        const std::vector<std::uint64_t> &m_bytes;
    };

    /// "1 and 2", "1 to 4".
    std::string numbersText(std::size_t first, std::size_t last)
    {
        return std::to_string(first + 1) + (last == first + 1 ? " and " : " to ")
            + std::to_string(last + 1);
    }

    /// "exposed communication 120.1 ms instead of 245.0 ms".
    void addPart(std::vector<std::string> &parts, const char *name, std::int64_t beforeNs,
                 std::int64_t afterNs, std::int64_t iterationNs)
    {
        if (std::abs(static_cast<double>(afterNs - beforeNs))
            >= LeastPart * static_cast<double>(iterationNs))
            parts.push_back(std::string(name) + " " + durationText(afterNs) + " instead of "
                            + durationText(beforeNs));
    }

    /// How many tensors each bucket holds; empty where not all of them travel in buckets.
    std::vector<std::size_t> bucketsOf(const Prediction &prediction)
    {
        const GradientStep *const step = usualStep(*prediction.graph);
        if (step == nullptr)
            return {};
        std::vector<std::size_t> counts = bucketCountsOf(*step);
        const std::size_t sum = std::accumulate(counts.begin(), counts.end(), std::size_t { 0 });
        return sum == step->parameterBytes.size() ? counts : std::vector<std::size_t>();
    }

    std::string partsSentence(const Prediction &before, const Prediction &after)
    {
        std::vector<std::string> parts;
        const PartTimes &was = before.predictedParts, &is = after.predictedParts;
        const std::int64_t ns = before.predictedNs;
        addPart(parts, "exposed communication", was.exposedCommNs, is.exposedCommNs, ns);
        addPart(parts, "communication hidden behind compute", was.overlapNs, is.overlapNs, ns);
        addPart(parts, "compute", was.computeNs, is.computeNs, ns);
        addPart(parts, "copies", was.memOnlyNs, is.memOnlyNs, ns);
        addPart(parts, "idle time", was.idleNs, is.idleNs, ns);
        std::string text;
        for (const std::string &part : parts)
            text += (text.empty() ? "Mean of the ranks in an iteration: " : "; ") + part;
        return text.empty() ? text : text + ".";
    }

} // namespace

std::vector<std::string> bucketDifferences(const std::vector<std::uint64_t> &bytes,
                                           const std::vector<double> &readyNs, double latencyNs,
                                           const std::vector<std::size_t> &before,
                                           const std::vector<std::size_t> &after)
{
    const std::vector<TensorRange> was = rangesOf(before), is = rangesOf(after);
    const BucketSizes sizes(bytes);
    // When a bucket whose last tensor is before `end` can be sent.
    const auto readyAt = [&](std::size_t end) { return readyNs.empty() ? 0.0 : readyNs[end - 1]; };
    const auto duration
        = [](double ns) { return durationText(static_cast<std::int64_t>(std::max(0.0, ns))); };
    std::vector<std::string> lines { sizes.text(is) + " instead of " + sizes.text(was) + "." };
    for (std::size_t i = 0; i < was.size(); ++i) {
        std::string line;
        for (const TensorRange &part : is) {
            if (part.end <= was[i].first || part.end >= was[i].end)
                continue;
            const TensorRange early { std::max(part.first, was[i].first), part.end };
            const bool isFirst = line.empty();
            line += isFirst ? "Bucket " + std::to_string(i + 1) + " is split: " : ", ";
            line += sizes.text(early);
            // Tensors that are compiled as one are ready at once.
            const double earlierNs = readyAt(was[i].end) - readyAt(part.end);
            if (earlierNs > 0)
                line += (isFirst ? " of it can be sent " : " ") + duration(earlierNs)
                    + (isFirst ? " earlier" : "");
            else if (isFirst)
                line += " of it can be sent before the rest";
        }
        if (!line.empty())
            lines.push_back(line + ".");
    }
    for (const TensorRange &whole : is) {
        std::size_t first = was.size(), last = 0;
        for (std::size_t i = 0; i < was.size(); ++i)
            if (was[i].first < whole.end && was[i].end > whole.first) {
                first = std::min(first, i);
                last = i;
            }
        if (first >= last)
            continue;
        std::string line = "Buckets " + numbersText(first, last) + " meet in one of "
            + sizes.text(whole) + ": "
            + (latencyNs > 0 ? duration(latencyNs * static_cast<double>(last - first)) + " latency"
                             : countText(last - first, "transfer"))
            + " less";
        const double waitNs = readyAt(whole.end) - readyAt(std::min(was[first].end, whole.end));
        if (!readyNs.empty())
            line += ", but the first waits " + duration(waitNs) + " for the last";
        lines.push_back(line + ".");
    }
    return lines;
}

std::vector<std::string> explanation(const Predictor &predictor, const Prediction &environment,
                                     const Prediction &prediction, const JobControl &control)
{
    std::vector<std::string> lines;
    const std::vector<std::size_t> before = bucketsOf(environment), after = bucketsOf(prediction);
    if (!before.empty() && !after.empty() && before != after) {
        const auto chain = bucketChain(predictor, environment.strategy, control);
        lines = bucketDifferences(usualStep(predictor.job().graph)->parameterBytes,
                                  chain ? chain->readyNs : std::vector<double>(),
                                  chain ? chain->alphaNs : 0, before, after);
    }
    if (std::string parts = partsSentence(environment, prediction); !parts.empty())
        lines.push_back(std::move(parts));
    return lines;
}

} // namespace core
