#include "core/change/gradients/fusion_change.h"

#include "core/change/gradients/horovod_fusion.h"
#include "core/change/plans/other_changes.h"
#include "core/change/rewriting.h"
#include "core/change/transfers/transfer_obstacles.h"

#include <array>
#include <cmath>

namespace core {

namespace {

    constexpr std::string_view ThresholdKey = "fusion_threshold_bytes", CycleKey = "cycle_time_ms";
    constexpr unsigned OfFusion = effect::Gradients | effect::Latency;
    constexpr double Mib = 1024.0 * 1024;

    constexpr std::array<ChangeTraits, 2> FusionTraits { {
        { .key = ThresholdKey,
          .unit = "bytes",
          .least = 1,
          .most = 1e12,
          .isWhole = true,
          .group = ChangeGroup::Gradients,
          .effects = OfFusion,
          .title = "Fusion buffer",
          .hint = "Horovod instead of DDP; its default is 128 MiB",
          .slider = { 0.1, 1000, 128, 1, false, " MiB", Mib } },
        { .key = CycleKey,
          .unit = "ms",
          .least = 0,
          .most = 1e5,
          .group = ChangeGroup::Gradients,
          .effects = OfFusion,
          .title = "Cycle time",
          .hint = "Horovod instead of DDP; its default is 1 ms",
          .slider = { 0.1, 1000, 1, 1, false, " ms" } },
    } };

    FusionLimits fusionLimits(const Strategy &strategy)
    {
        FusionLimits limits;
        if (const auto bytes = strategy.number(ThresholdKey))
            limits.thresholdBytes = static_cast<std::uint64_t>(*bytes);
        if (const auto ms = strategy.number(CycleKey))
            limits.cycleNs = std::llround(*ms * 1e6);
        return limits;
    }

    class FusionChange : public ChangeKind
    {
    public:
        std::span<const ChangeTraits> traits() const override { return FusionTraits; }
        Stage stage() const override { return Stage::Gradients; }

        std::string contradiction(const Strategy &strategy) const override
        {
            const bool hasBuckets
                = strategy.has("bucket_cap_mb") || strategy.has("first_bucket_mb");
            return isAsked(strategy) && hasBuckets
                ? "fusion_threshold_bytes and cycle_time_ms are about Horovod, which has no "
                  "buckets: leave bucket_cap_mb and first_bucket_mb away."
                : std::string();
        }

        std::optional<std::string> obstacle(const MeasuredJob &job, const Change &) const override
        {
            if (auto obstacle = fusionObstacle(job.graph))
                return obstacle;
            return reductionCostObstacle(job.graph, job.trace, job.links);
        }

        void apply(Rewriting &rewriting) const override
        {
            const OtherChanges others = otherChanges(rewriting);
            rewriting.set(withHorovodFusion({ rewriting.shared(),
                                              rewriting.trace(),
                                              rewriting.links(),
                                              {},
                                              0,
                                              others,
                                              rewriting.control() },
                                            fusionLimits(rewriting.strategy())));
        }

        std::string noChangeReason(const MeasuredJob &, const Strategy &,
                                   const Change &) const override
        {
            return "the job already fuses its tensors so";
        }

        std::optional<std::string> memoryObstacle(const Change &change,
                                                  const Graph &) const override
        {
            if (change.key != ThresholdKey)
                return std::nullopt;
            return "Horovod allocates its fusion buffer before the recording, so its size is not "
                   "known.";
        }
    };

} // namespace

std::unique_ptr<const ChangeKind> fusionChange()
{
    return std::make_unique<FusionChange>();
}

} // namespace core
