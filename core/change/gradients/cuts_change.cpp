#include "core/change/gradients/cuts_change.h"

#include "core/change/gradients/rebucket.h"
#include "core/change/gradients/whole_iterations.h"
#include "core/change/rewriting.h"
#include "core/change/transfers/transfer_obstacles.h"

#include <array>
#include <charconv>
#include <numeric>

namespace core {

namespace {

    constexpr std::size_t MostTensors = 10'000'000; ///< of a bucket; no model has so many

    constexpr std::array<ChangeTraits, 1> CutsTraits { {
        { .key = CutsKey,
          .unit = "tensors of each bucket, as 4,10,7",
          .form = ChangeForm::Text,
          .group = ChangeGroup::Gradients,
          .effects = effect::Gradients | effect::Buckets | effect::Latency,
          .title = "Buckets",
          .hint = "Tensors in each bucket, as they become ready: 4,10,7" },
    } };

    class CutsChange : public ChangeKind
    {
    public:
        std::span<const ChangeTraits> traits() const override { return CutsTraits; }
        Stage stage() const override { return Stage::Gradients; }
        bool worksOnBlocks() const override { return true; }

        std::string contradiction(const Strategy &strategy) const override
        {
            const auto text = strategy.text(CutsKey);
            if (!text)
                return {};
            if (!bucketCounts(*text))
                return "gradients lists the number of tensors in each bucket, as 4,10,7.";
            for (const char *other : { "bucket_cap_mb", "first_bucket_mb", "fusion_threshold_bytes",
                                       "cycle_time_ms", "schedule", "partition_bytes" })
                if (strategy.has(other))
                    return "gradients says what each bucket holds: leave " + std::string(other)
                        + " away.";
            return {};
        }

        std::optional<std::string> obstacle(const MeasuredJob &job,
                                            const Change &change) const override
        {
            if (auto obstacle = rebucketObstacle(job.graph))
                return obstacle;
            if (auto obstacle = reductionCostObstacle(job.graph, job.trace, job.links))
                return obstacle;
            const auto counts = bucketCounts(change.valueText());
            if (!counts)
                return std::nullopt; // not given yet
            const std::size_t all = std::accumulate(counts->begin(), counts->end(), std::size_t {});
            const GradientStep *const step = usualStep(job.graph);
            const std::size_t tensors = step == nullptr ? 0 : step->parameterBytes.size();
            if (all == tensors)
                return std::nullopt;
            return "the buckets hold " + std::to_string(all) + " tensors, but the job reduces "
                + std::to_string(tensors) + ". Give numbers that add up to that.";
        }

        void apply(Rewriting &rewriting) const override
        {
            const auto counts = bucketCounts(rewriting.strategy().text(CutsKey).value_or(""));
            rewriting.set(regroup(rewriting.graph(), rewriting.trace(), rewriting.links(),
                                  counts.value_or(std::vector<std::size_t> {}), rewriting.control(),
                                  rewriting.models().bucketBase.get()));
        }

        std::vector<Change> asMeasured(const MeasuredJob &job) const override
        {
            if (rebucketObstacle(job.graph))
                return {};
            return { { std::string(CutsKey),
                       bucketCountsText(bucketCountsOf(*usualStep(job.graph))) } };
        }

        std::string noChangeReason(const MeasuredJob &, const Strategy &,
                                   const Change &) const override
        {
            return "the job already has these buckets";
        }
    };

} // namespace

std::optional<std::vector<std::size_t>> bucketCounts(std::string_view text)
{
    std::vector<std::size_t> counts;
    const char *next = text.data();
    const char *const end = next + text.size();
    while (next != end) {
        std::size_t count = 0;
        const auto read = std::from_chars(next, end, count);
        if (read.ec != std::errc() || count == 0 || count > MostTensors)
            return std::nullopt;
        counts.push_back(count);
        next = read.ptr;
        if (next == end)
            return counts;
        if (*next++ != ',')
            return std::nullopt;
    }
    return std::nullopt; // empty, or a comma at the end
}

std::string bucketCountsText(const std::vector<std::size_t> &counts)
{
    std::string text;
    for (const std::size_t count : counts)
        text += (text.empty() ? "" : ",") + std::to_string(count);
    return text;
}

std::unique_ptr<const ChangeKind> cutsChange()
{
    return std::make_unique<CutsChange>();
}

} // namespace core
