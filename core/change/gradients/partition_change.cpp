#include "core/change/gradients/partition_change.h"

#include "core/change/gradients/measured_partitions.h"
#include "core/change/gradients/partition_cost.h"
#include "core/change/gradients/partition_schedule.h"
#include "core/change/gradients/rebucket.h"
#include "core/change/infeasible.h"
#include "core/change/rewriting.h"
#include "core/change/transfers/transfer_obstacles.h"

#include <array>

namespace core {

namespace {

    constexpr std::string_view ScheduleKey = "schedule", PartitionKey = "partition_bytes",
                               CreditKey = "credit_bytes";
    constexpr unsigned OfPartitions = effect::Gradients | effect::Latency;

    constexpr double Kib = 1024;

    constexpr std::array<ChangeWord, 3> ScheduleWords { {
        { "p3", "Partitions by priority (P3)" },
        { "fifo", "Partitions in order of readiness" },
        { "wfbp", "Buckets in order of readiness" },
    } };

    constexpr std::array<ChangeTraits, 3> PartitionTraits { {
        { .key = ScheduleKey,
          .unit = "wfbp, fifo or p3",
          .form = ChangeForm::Word,
          .group = ChangeGroup::Gradients,
          .effects = OfPartitions,
          .title = "Schedule",
          .hint
          = "Order in which gradients are sent; with partitions a layer waits for its own only",
          .words = ScheduleWords },
        { .key = PartitionKey,
          .unit = "bytes",
          .least = 1,
          .most = 1e12,
          .isWhole = true,
          .group = ChangeGroup::Gradients,
          .effects = OfPartitions,
          .title = "Partition size",
          .hint = "Bytes of a gradient that are sent at a time; P3 takes 200,000 bytes",
          .slider = { 1, 100'000, DefaultPartitionBytes / Kib, 1, false, " KiB", Kib } },
        { .key = CreditKey,
          .unit = "bytes",
          .least = 1,
          .most = 1e12,
          .isWhole = true,
          .group = ChangeGroup::Gradients,
          .effects = OfPartitions,
          .title = "Credit",
          .hint
          = "Bytes of partitions that may be on their way at once; else no limit (ByteScheduler)",
          .slider = { 1, 1'000'000, 4096, 1, false, " KiB", Kib } },
    } };

    class PartitionChange : public ChangeKind
    {
    public:
        std::span<const ChangeTraits> traits() const override { return PartitionTraits; }
        Stage stage() const override { return Stage::Gradients; }

        std::string contradiction(const Strategy &strategy) const override
        {
            const bool hasOthers = strategy.has("bucket_cap_mb") || strategy.has("first_bucket_mb")
                || strategy.has("fusion_threshold_bytes") || strategy.has("cycle_time_ms");
            const PartitionChanges changes = partitionChanges(strategy);
            if (changes.arePartitioned() && hasOthers)
                return "schedule=" + std::string(scheduleName(*changes.schedule))
                    + " sends partitions: leave bucket_cap_mb, first_bucket_mb, "
                      "fusion_threshold_bytes and cycle_time_ms away.";
            const bool hasSizes = changes.partitionBytes || changes.creditBytes;
            if (!changes.arePartitioned() && hasSizes && (changes.schedule || hasOthers))
                return "partition_bytes and credit_bytes are about partitions: leave them away, or "
                       "give schedule=fifo or schedule=p3 without settings of buckets.";
            return {};
        }

        std::optional<std::string> obstacle(const MeasuredJob &job,
                                            const Change &change) const override
        {
            const bool isOfSchedule = change.key == ScheduleKey && !change.valueText().empty();
            if (isOfSchedule) {
                if (auto obstacle
                    = partitionObstacle(partitionChanges({ change }), job.trace, job.graph))
                    return obstacle;
            } else if (auto obstacle = partitioningObstacle(job.graph)) {
                return obstacle;
            }
            return reductionCostObstacle(job.graph, job.trace, job.links);
        }

        void apply(Rewriting &rewriting) const override
        {
            const PartitionChanges asked = partitionChanges(rewriting.strategy());
            if (const auto obstacle
                = partitionObstacle(asked, rewriting.trace(), rewriting.graph()))
                throw Infeasible(
                    "partition_bytes and credit_bytes cannot be changed on this trace: "
                    + *obstacle);
            rewriting.partitions
                = withRecordedPartitions(asked, rewriting.trace(), rewriting.recorded());
            if (!rewriting.partitions.arePartitioned())
                return;
            const PartitionLimits limits = partitionLimits(rewriting.partitions);
            Graph partitioned
                = withPartitions(rewriting.graph(), rewriting.trace(), rewriting.links(),
                                 *rewriting.partitions.schedule, limits, rewriting.control());
            if (!rewriting.partitions.partitionBytes) // of measured partitions it is set
                partitioned.notes.push_back("Partitions are taken to be of "
                                            + std::to_string(limits.partitionBytes)
                                            + " bytes, P3's default; partition_bytes sets another "
                                              "size.");
            rewriting.set(std::move(partitioned));
        }

        std::vector<Change> asMeasured(const MeasuredJob &job) const override
        {
            std::vector<Change> measured;
            const auto recorded = recordedPartitions(job.trace, job.graph);
            if (!recorded)
                return measured;
            measured.emplace_back(std::string(ScheduleKey),
                                  std::string(scheduleName(*recorded->schedule)));
            measured.emplace_back(std::string(PartitionKey), *recorded->partitionBytes);
            if (recorded->creditBytes)
                measured.emplace_back(std::string(CreditKey), *recorded->creditBytes);
            return measured;
        }

        std::string noChangeReason(const MeasuredJob &, const Strategy &,
                                   const Change &change) const override
        {
            if (change.key == ScheduleKey)
                return "the job already sends its gradients in this order";
            return change.key == PartitionKey
                ? "the job already sends partitions of this size"
                : "as many of its partitions are already under way at once";
        }

        std::vector<TrustReason> doubts(const DoubtEvidence &evidence) const override
        {
            if (!partitionChanges(evidence.strategy).arePartitioned()
                || !reducesOnAccelerators(evidence.job.graph))
                return {};
            return { { TrustLevel::Fair,
                       "Schedules on accelerators were checked on simulated jobs, not on measured "
                       "ones." } };
        }
    };

} // namespace

std::unique_ptr<const ChangeKind> partitionChange()
{
    return std::make_unique<PartitionChange>();
}

} // namespace core
