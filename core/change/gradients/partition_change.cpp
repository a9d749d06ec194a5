#include "core/change/gradients/partition_change.h"

#include "core/change/gradients/measured_partitions.h"
#include "core/change/gradients/partition_cost.h"
#include "core/change/gradients/partition_schedule.h"
#include "core/change/gradients/rebucket.h"
#include "core/change/infeasible.h"
#include "core/change/plans/other_changes.h"
#include "core/change/rewriting.h"
#include "core/change/transfers/transfer_obstacles.h"

#include <string>
#include <vector>

namespace core {

namespace {

    constexpr std::string_view ScheduleKey = "schedule", PartitionKey = "partition_bytes",
                               CreditKey = "credit_bytes", SeedKey = "schedule_seed";
    constexpr unsigned OfPartitions = effect::Gradients | effect::Schedule | effect::Latency;

    constexpr double Kib = 1024;

    std::vector<ChangeWord> scheduleWords()
    {
        std::vector<ChangeWord> words;
        words.reserve(scheduleTraits().size());
        for (const ScheduleTraits &traits : scheduleTraits())
            words.push_back({ .word = traits.name, .title = traits.title, .hint = traits.hint });
        return words;
    }

    std::vector<ChangeTraits> partitionTraits()
    {
        static const std::vector<ChangeWord> words = scheduleWords();
        static const std::string names = scheduleNames([](const ScheduleTraits &) { return true; });
        return {
            { .key = ScheduleKey,
              .unit = names,
              .form = ChangeForm::Word,
              .group = ChangeGroup::Gradients,
              .effects = OfPartitions,
              .title = "Schedule",
              .hint = "Order in which gradients are sent; sent by themselves, a layer waits for "
                      "its own only",
              .words = words },
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
              .hint = "Bytes of partitions that may be on their way at once; ByteScheduler takes "
                      "16,000,000, others have no limit",
              .slider = { 1, 1'000'000, 4096, 1, false, " KiB", Kib } },
            { .key = SeedKey,
              .unit = "number",
              .least = 0,
              .most = 1e9,
              .isWhole = true,
              .group = ChangeGroup::Gradients,
              .effects = OfPartitions,
              .title = "Seed of the order",
              .hint = "Another order by chance for each number; 0 where it is not given",
              .slider = { 0, 99, 0, 0, true } },
        };
    }

    class PartitionChange : public ChangeKind
    {
    public:
        std::span<const ChangeTraits> traits() const override
        {
            static const std::vector<ChangeTraits> all = partitionTraits();
            return all;
        }
        Stage stage() const override { return Stage::Gradients; }

        std::string contradiction(const Strategy &strategy) const override
        {
            const bool hasOthers = strategy.has("bucket_cap_mb") || strategy.has("first_bucket_mb")
                || strategy.has("fusion_threshold_bytes") || strategy.has("cycle_time_ms");
            const PartitionChanges changes = partitionChanges(strategy);
            if (changes.isAnySchedule() && hasOthers)
                return "schedule=" + std::string(scheduleName(*changes.schedule))
                    + " says what is sent together: leave bucket_cap_mb, first_bucket_mb, "
                      "fusion_threshold_bytes and cycle_time_ms away.";
            if (strategy.has(SeedKey) && changes.schedule != Schedule::Random)
                return "schedule_seed chooses an order by chance: give schedule=random, too, or "
                       "leave it away.";
            if (changes.schedule == Schedule::Dear && strategy.has("collective"))
                return "schedule=dear sends the halves of a ring: leave collective away.";
            const bool hasSizes = changes.partitionBytes || changes.creditBytes;
            if (!changes.arePartitioned() && hasSizes && (changes.schedule || hasOthers))
                return "partition_bytes and credit_bytes are about partitions: leave them away, or "
                       "give schedule="
                    + scheduleNames(&hasPartitionSize) + " without settings of buckets.";
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
            if (!rewriting.partitions.isAnySchedule())
                return;
            const PartitionLimits limits = partitionLimits(rewriting.partitions);
            const OtherChanges others = otherChanges(rewriting);
            const Schedule schedule = *rewriting.partitions.schedule;
            Graph sent = withSchedule({ rewriting.shared(), rewriting.trace(), rewriting.links(),
                                        limits, rewriting.partitions.seed, others,
                                        rewriting.control(), rewriting.models().bucketBase.get(),
                                        rewriting.models().tensorBase.get() },
                                      schedule);
            if (rewriting.partitions.arePartitioned() && !rewriting.partitions.partitionBytes
                && limits.partitionBytes != WholeTensors)
                sent.notes.push_back((traitsOf(schedule).joinsTensors
                                          ? "Tensors are taken to be joined up to "
                                          : "Partitions are taken to be of ")
                                     + std::to_string(limits.partitionBytes) + " bytes, "
                                     + std::string(traitsOf(schedule).system)
                                     + "'s default; partition_bytes sets another size.");
            const double buffersBytes = 2 * static_cast<double>(limits.partitionBytes);
            if (traitsOf(schedule).joinsTensors
                && rewriting.partitions.creditBytes.value_or(buffersBytes) < buffersBytes)
                sent.notes.push_back(
                    "credit_bytes is less than two buffers of partition_bytes: full ones are sent "
                    "one at a time, as without it.");
            rewriting.set(std::move(sent));
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
            if (change.key == SeedKey)
                return "there is nothing to send in another order";
            return change.key == PartitionKey
                ? "the job already sends partitions of this size"
                : "as many of its partitions are already under way at once";
        }

        std::vector<TrustReason> doubts(const DoubtEvidence &evidence) const override
        {
            const PartitionChanges changes = partitionChanges(evidence.strategy);
            if (!changes.arePartitioned())
                return {};
            if (reducesOnAccelerators(evidence.job.graph))
                return { { TrustLevel::Fair,
                           "Schedules on accelerators were checked on simulated jobs, not on "
                           "measured ones." } };
            if (traitsOf(*changes.schedule).isChecked)
                return {};
            return { { TrustLevel::Fair,
                       "schedule=" + std::string(scheduleName(*changes.schedule))
                           + " was not checked against a measured job." } };
        }
    };

} // namespace

std::unique_ptr<const ChangeKind> partitionChange()
{
    return std::make_unique<PartitionChange>();
}

} // namespace core
