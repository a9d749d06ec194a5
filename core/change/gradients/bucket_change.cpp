#include "core/change/gradients/bucket_change.h"

#include "core/change/gradients/measured_buckets.h"
#include "core/change/gradients/rebucket.h"
#include "core/change/rewriting.h"
#include "core/change/transfers/transfer_obstacles.h"

#include <array>

namespace core {

namespace {

    constexpr std::string_view CapKey = "bucket_cap_mb", FirstKey = "first_bucket_mb";
    constexpr unsigned OfBuckets = effect::Gradients | effect::Buckets | effect::Latency;

    constexpr std::array<ChangeTraits, 2> BucketTraits { {
        { .key = CapKey,
          .unit = "MiB",
          .least = 1e-3,
          .most = 1e6,
          .group = ChangeGroup::Gradients,
          .effects = OfBuckets,
          .title = "Bucket size",
          .hint = "PyTorch DDP's default is 25 MiB",
          .slider = { 0.1, 1000, 25, 1, false, " MiB" } },
        { .key = FirstKey,
          .unit = "MiB",
          .least = 1e-3,
          .most = 1e6,
          .group = ChangeGroup::Gradients,
          .effects = OfBuckets,
          .title = "First bucket",
          .hint = "DDP's default is 1 MiB",
          .slider = { 0.1, 100, 1, 1, false, " MiB" } },
    } };

    class BucketChange : public ChangeKind
    {
    public:
        std::span<const ChangeTraits> traits() const override { return BucketTraits; }
        Stage stage() const override { return Stage::Gradients; }
        bool worksOnBlocks() const override { return true; }

        std::optional<std::string> obstacle(const MeasuredJob &job, const Change &) const override
        {
            if (auto obstacle = rebucketObstacle(job.graph))
                return obstacle;
            return reductionCostObstacle(job.graph, job.trace, job.links);
        }

        void apply(Rewriting &rewriting) const override
        {
            const Strategy &strategy = rewriting.strategy();
            const BucketLimits limits
                = bucketLimits(rewriting.graph(), rewriting.trace(),
                               { strategy.number(CapKey), strategy.number(FirstKey) });
            rewriting.set(rebucket(rewriting.graph(), rewriting.trace(), rewriting.links(), limits,
                                   rewriting.control(), rewriting.models().bucketBase.get()));
        }

        std::vector<Change> asMeasured(const MeasuredJob &job) const override
        {
            if (const auto capMb = recordedCapMb(job.graph, job.trace))
                return { { std::string(CapKey), *capMb } };
            return {};
        }

        std::string noChangeReason(const MeasuredJob &, const Strategy &,
                                   const Change &) const override
        {
            return "the job already has these buckets";
        }
    };

} // namespace

std::unique_ptr<const ChangeKind> bucketChange()
{
    return std::make_unique<BucketChange>();
}

} // namespace core
