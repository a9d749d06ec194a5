#include "core/export/targets/xla_target.h"

#include "core/change/fusion/op_fusion_change.h"
#include "core/change/gradients/cuts_change.h"
#include "core/change/gradients/rebucket.h"
#include "core/change/gradients/whole_iterations.h"
#include "core/export/config_values.h"
#include "core/export/targets/bucket_thresholds.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <vector>

namespace core {

namespace {

    constexpr std::string_view ThresholdFlag = "--xla_gpu_all_reduce_combine_threshold_bytes=",
                               SchedulerFlag = "--xla_gpu_enable_latency_hiding_scheduler=true";

    std::optional<std::uint64_t> thresholdIn(const std::string &text)
    {
        const std::size_t at = text.find(ThresholdFlag);
        std::uint64_t bytes = 0;
        if (at == std::string::npos
            || std::from_chars(text.data() + at + ThresholdFlag.size(), text.data() + text.size(),
                               bytes)
                    .ec
                != std::errc())
            return std::nullopt;
        return bytes;
    }

    void addNotes(const MeasuredJob &job, std::uint64_t threshold, ConfigFile &file)
    {
        const std::vector<std::uint64_t> &bytes = tensorBytesOf(job);
        file.notes.push_back("Names are those of XLA in jaxlib 0.7.2 (xla/debug_options_flags.cc). "
                             "Another version may end the program at a name that it does not "
                             "know.");
        file.notes.push_back("A step that is compiled as a whole (jax.jit) is taken for granted: a "
                             "bucket leaves when its last gradient is ready, and its operations "
                             "are joined, as op_fusion=auto predicts it.");
        if (!bytes.empty() && *std::max_element(bytes.begin(), bytes.end()) > threshold)
            file.notes.push_back("A gradient larger than the threshold goes alone. XLA may join "
                                 "those before it with those behind it; the prediction does not.");
        if (!reducesOnAccelerators(job.graph))
            file.notes.push_back("The recorded job does not reduce on accelerators, and the flags "
                                 "are for GPUs.");
    }

    /// XLA joins all-reduces of a module while their bytes do not exceed a threshold
    /// (xla/service/collective_combiner_utils.h); its latency-hiding scheduler lets them go while
    /// the module computes.
    class XlaTarget : public ConfigTarget
    {
    public:
        std::string_view name() const override { return "xla"; }
        std::string_view meaning() const override
        {
            return "environment variables for GPU jobs that XLA compiles as a whole, as JAX's: "
                   "source the file before the job starts";
        }
        std::string_view fileName() const override { return "xla.sh"; }
        BucketForm bucketForm() const override { return BucketForm::Groups; }

        ConfigFile write(const ConfigRequest &request) const override
        {
            ConfigValues values(request);
            ConfigFile file;
            const auto wanted = values.takeGroups();
            const GradientStep *const step = usualStep(request.job.graph);
            if (step == nullptr) {
                values.close(file);
                return file;
            }
            const std::vector<std::size_t> groups = wanted.value_or(bucketCountsOf(*step));
            const std::uint64_t threshold = nearestThreshold(step->parameterBytes, groups);
            const auto made = bucketsUpTo(step->parameterBytes, threshold);
            values.takeFusion({ std::string(FuseBuckets), bucketCountsText(made) },
                              "XLA compiles the whole step, yet lets each bucket leave when it is "
                              "ready: op_fusion=auto. Clusters are TensorFlow's: --to "
                              "tensorflow-xla.");
            values.close(file);
            if (file.expressed == 0)
                return file;
            if (!wanted)
                file.notes.push_back("The strategy leaves buckets open: the threshold is that "
                                     "which comes nearest to the recorded ones.");
            if (made != groups)
                file.leftOut.push_back(
                    "buckets of " + bucketCountsText(groups) + " tensors: no threshold makes them. "
                    + std::to_string(threshold) + " bytes make " + bucketCountsText(made) + ".");
            addNotes(request.job, threshold, file);
            file.text = commentLines(request.comments, "#") + commentLines(file.notes, "#")
                + "export XLA_FLAGS=\"${XLA_FLAGS:-} " + std::string(SchedulerFlag) + " "
                + std::string(ThresholdFlag) + std::to_string(threshold) + "\"\n";
            return file;
        }

        Strategy read(const std::string &text, const MeasuredJob &job) const override
        {
            Strategy strategy;
            const auto threshold = thresholdIn(text);
            const std::vector<std::uint64_t> &bytes = tensorBytesOf(job);
            if (!threshold || bytes.empty())
                return strategy;
            strategy.set(
                { std::string(CutsKey), bucketCountsText(bucketsUpTo(bytes, *threshold)) });
            strategy.set({ std::string(OpFusionKey), std::string(FuseBuckets) });
            return strategy;
        }
    };

} // namespace

std::unique_ptr<const ConfigTarget> xlaTarget()
{
    return std::make_unique<XlaTarget>();
}

} // namespace core
