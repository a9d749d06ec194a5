#include "core/change/fusion/op_fusion_change.h"

#include "core/base/duration_text.h"
#include "core/base/error.h"
#include "core/change/gradients/cuts_change.h"
#include "core/change/gradients/whole_iterations.h"
#include "core/change/infeasible.h"
#include "core/change/rewriting.h"

#include <array>
#include <numeric>

namespace core {

namespace {

    constexpr std::array<ChangeTraits, 3> FusionTraits { {
        { .key = OpFusionKey,
          .unit = "off, xla, auto, or tensors of each compiled part, as 4,10,7",
          .form = ChangeForm::Text,
          .group = ChangeGroup::Computation,
          .effects = effect::Compiled,
          .title = "Compiled parts",
          .hint = "xla: one part; auto: as buckets; or tensors of each part, as 4,10,7" },
        { .key = FusionSavingKey,
          .unit = "part of its time",
          .least = 0,
          .most = 1,
          .group = ChangeGroup::Computation,
          .effects = effect::Compiled,
          .title = "Saved by joining",
          .hint = "Of an operation that only passes over memory, behind another such",
          .slider = { 0, 1, FusedReadShare, 2, true } },
        { .key = FusionTimesKey,
          .unit = "rows of a CSV file: first,second,microseconds",
          .form = ChangeForm::Text,
          .group = ChangeGroup::Computation,
          .effects = effect::Compiled,
          .title = "Joined times",
          .hint = "Measured times of two joined operations: first,second,microseconds;..." },
    } };

    bool isWord(const std::string &text)
    {
        return text == FuseAll || text == FuseBuckets || text == FuseNone;
    }

    std::vector<std::size_t> partsOf(const std::string &text, const GradientStep &step)
    {
        const std::size_t tensors = step.parameterBytes.size();
        if (text == FuseAll)
            return { tensors };
        if (text != FuseBuckets)
            return bucketCounts(text).value_or(std::vector<std::size_t> {});
        return step.buckets.empty() ? std::vector<std::size_t>(tensors, 1) : bucketCountsOf(step);
    }

    std::string fusionTimesFault(const Strategy &strategy)
    {
        try {
            static_cast<void>(FusionTimes(strategy.text(FusionTimesKey).value_or("")));
            return {};
        } catch (const Error &error) {
            return error.what();
        }
    }

    class OpFusionChange : public ChangeKind
    {
    public:
        std::span<const ChangeTraits> traits() const override { return FusionTraits; }
        Stage stage() const override { return Stage::Work; }

        bool isAsked(const Strategy &strategy) const override
        {
            return strategy.text(OpFusionKey).value_or(std::string(FuseNone)) != FuseNone;
        }

        std::string contradiction(const Strategy &strategy) const override
        {
            const auto text = strategy.text(OpFusionKey);
            if (!text && (strategy.has(FusionTimesKey) || strategy.has(FusionSavingKey)))
                return "op_fusion_times and op_fusion_saving say what op_fusion saves: give "
                       "op_fusion, too.";
            if (text && !isWord(*text) && !bucketCounts(*text))
                return "op_fusion is off, xla or auto, or lists the number of tensors in each "
                       "compiled part, as 4,10,7.";
            return fusionTimesFault(strategy);
        }

        std::optional<std::string> obstacle(const MeasuredJob &job,
                                            const Change &change) const override
        {
            const GradientStep *const step = usualStep(job.graph);
            if (step == nullptr)
                return "the recording does not tell which operation computes which gradient. It "
                       "needs PyTorch DDP's iterations as a whole.";
            if (change.key != OpFusionKey || isWord(change.valueText()))
                return std::nullopt;
            const auto counts = bucketCounts(change.valueText());
            if (!counts)
                return std::nullopt; // not given yet
            const std::size_t all = std::accumulate(counts->begin(), counts->end(), std::size_t {});
            const std::size_t tensors = step->parameterBytes.size();
            if (all == tensors)
                return std::nullopt;
            return "the compiled parts hold " + std::to_string(all)
                + " tensors, but the job reduces " + std::to_string(tensors)
                + ". Give numbers that add up to that.";
        }

        void apply(Rewriting &rewriting) const override
        {
            const Graph &graph = rewriting.graph();
            if (graph.gradientSteps.empty())
                throw Infeasible("op_fusion cannot be changed beside these changes: they leave no "
                                 "gradients in the graph.");
            // A schedule's steps have no buckets, and are not whole.
            const GradientStep *const usual = usualStep(graph);
            const GradientStep &step = usual != nullptr ? *usual : graph.gradientSteps.front();
            rewriting.set(
                withFusedOps(graph, opFusionOf(rewriting.strategy(), step), rewriting.control()));
        }

        std::string noChangeReason(const MeasuredJob &, const Strategy &strategy,
                                   const Change &) const override
        {
            if (!isAsked(strategy))
                return "op_fusion=off is the job as recorded";
            return "no operations of the layers can be joined";
        }

        std::vector<TrustReason> doubts(const DoubtEvidence &) const override
        {
            return { { TrustLevel::Fair,
                       "What a compiler saves is a model's: such predictions were compared with "
                       "no measured job." } };
        }

        std::vector<OtherReading> otherReadings(const DoubtEvidence &evidence) const override
        {
            std::vector<OtherReading> readings;
            if (evidence.strategy.has(FusionSavingKey))
                return readings;
            for (const double saving : { 0.0, MostFusedReadShare }) {
                Strategy other = evidence.strategy;
                other.set({ std::string(FusionSavingKey), saving });
                readings.push_back(
                    { .source = IntervalSource::Compute, .strategy = std::move(other) });
            }
            return readings;
        }
    };

} // namespace

OpFusion opFusionOf(const Strategy &strategy, const GradientStep &step)
{
    OpFusion fusion;
    fusion.counts = partsOf(strategy.text(OpFusionKey).value_or(std::string(FuseAll)), step);
    fusion.readShare = strategy.number(FusionSavingKey).value_or(FusedReadShare);
    fusion.times = FusionTimes(strategy.text(FusionTimesKey).value_or(""));
    return fusion;
}

std::unique_ptr<const ChangeKind> opFusionChange()
{
    return std::make_unique<OpFusionChange>();
}

} // namespace core
