#include "core/change/compute_change.h"

#include "core/base/duration_text.h"
#include "core/change/checked_factor.h"
#include "core/change/compute_scale.h"
#include "core/change/named_ranks.h"
#include "core/change/rewriting.h"
#include "core/measure/framework.h"

#include <array>

namespace core {

namespace {

    constexpr double UnknownGrowth = 0.9; ///< of the layers' time

    constexpr std::array<ChangeTraits, 2> ComputeTraits { {
        { .key = ComputeScaleKey,
          .unit = "factor",
          .least = 1e-3,
          .most = 1e3,
          .isOfRank = true,
          .group = ChangeGroup::Computation,
          .effects = effect::Speed,
          .effectsOfRanks = effect::Shares,
          .title = "Compute time",
          .hint = "0.5 is twice as fast",
          .slider = { 0.1, 10, 0.5, 2, false, " \u00d7" },
          .titleOfRanks = "This rank's compute",
          .hintOfRanks = "0.5 is twice as fast",
          .initialOfRanks = 1.5 },
        { .key = BatchScaleKey,
          .unit = "factor",
          .least = 1e-3,
          .most = 1e3,
          .group = ChangeGroup::Computation,
          .effects = effect::Batch,
          .title = "Batch",
          .hint = "Samples of each rank, times the measured; weight-only work is unchanged",
          .slider = { 0.1, 10, 2, 2, false, " \u00d7" } },
    } };

    /// With another batch, how much of the time goes with it.
    TrustReason growthReason(const FixedTime &fixed, const Graph &recorded)
    {
        if (fixed.most >= UnknownGrowth)
            return { TrustLevel::Fair,
                     "The part of the layers' time that grows with the batch is not known. It "
                     "needs the shapes of operations"
                         + torchProfilerHint(recorded, "record_shapes=True")
                         + ", and some operations that only pass over memory. All of it is assumed "
                           "to grow; the interval holds that none does." };
        return { TrustLevel::Good,
                 percentText(fixed.likely) + " (up to " + percentText(fixed.most)
                     + ") of the layers' time is assumed to be spent on weights, whatever the "
                       "batch." };
    }

    class ComputeChange : public ChangeKind
    {
    public:
        std::span<const ChangeTraits> traits() const override { return ComputeTraits; }
        Stage stage() const override { return Stage::Work; }

        std::optional<std::string> obstacle(const MeasuredJob &job,
                                            const Change &change) const override
        {
            if (auto obstacle = rankObstacle(job.trace, change))
                return obstacle;
            if (!change.number())
                return std::nullopt; // what is asked for decides
            return computeObstacle(job.graph, job.trace, computeChanges({ change }));
        }

        void apply(Rewriting &rewriting) const override
        {
            const Models &models = rewriting.models();
            rewriting.set(scaleCompute(rewriting.graph(), rewriting.trace(),
                                       computeChanges(rewriting.strategy()),
                                       { models.batch, models.memory, models.compute }));
        }

        std::optional<Change> nearestChecked(const MeasuredJob &,
                                             const Change &change) const override
        {
            return clampedTo(change, 1 / CheckedTime, CheckedTime);
        }

        std::vector<TrustReason> doubts(const DoubtEvidence &evidence) const override
        {
            const ComputeChanges changes = computeChanges(evidence.strategy);
            std::vector<TrustReason> found;
            double compute = changes.scale.value_or(1);
            for (const auto &[rank, scale] : changes.scaleOf)
                if (factorAway(scale) > factorAway(compute))
                    compute = scale;
            const double batch = changes.batch.value_or(1);
            if (batch != 1)
                found.push_back(growthReason(fixedTimeOf(evidence.job.graph, evidence.models.batch),
                                             evidence.job.graph));
            if (auto doubt
                = beyondChecked(factorAway(compute), CheckedTime,
                                "Computation " + factorText(factorAway(compute)) + " times as "
                                    + (compute > 1 ? "slow" : "fast") + " as recorded"))
                found.push_back(std::move(*doubt));
            if (auto doubt = beyondChecked(factorAway(batch), CheckedTime,
                                           "A batch " + factorText(factorAway(batch)) + " times as "
                                               + (batch > 1 ? "large" : "small") + " as recorded"))
                found.push_back(std::move(*doubt));
            return found;
        }

        /// How the layers' time goes with the batch, and what else of a rank's work goes with its
        /// processor's speed, or less of it.
        std::vector<OtherReading> otherReadings(const DoubtEvidence &evidence) const override
        {
            std::vector<OtherReading> readings;
            const auto add = [&](IntervalSource source, Models models) {
                readings.push_back({ source, std::move(models), nullptr });
            };
            if (evidence.strategy.number(BatchScaleKey).value_or(1) != 1)
                for (const BatchReading reading :
                     { BatchReading::LeastGrows, BatchReading::AllGrows }) {
                    if (reading == BatchReading::AllGrows && !evidence.models.batch.growth)
                        continue; // all is taken to grow already
                    Models models = evidence.models;
                    models.batch = models.batch.read(reading);
                    add(IntervalSource::Batch, std::move(models));
                }
            if (evidence.strategy.has(ComputeScaleKey)) {
                Models models = evidence.models;
                models.compute = ComputeReading::Other;
                add(IntervalSource::Compute, std::move(models));
            }
            return readings;
        }

        std::optional<std::string> memoryObstacle(const Change &change,
                                                  const Graph &) const override
        {
            if (change.key != BatchScaleKey || change.number() == 1.0)
                return std::nullopt;
            return "which allocations grow with the batch is not recorded (activations do, "
                   "gradients do not). Record a run with that batch.";
        }
    };

} // namespace

std::unique_ptr<const ChangeKind> computeChange()
{
    return std::make_unique<ComputeChange>();
}

} // namespace core
