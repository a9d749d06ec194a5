#include "core/export/targets/inductor_target.h"

#include "core/base/error.h"
#include "core/change/fusion/op_fusion_change.h"
#include "core/change/gradients/cuts_change.h"
#include "core/change/gradients/whole_iterations.h"
#include "core/export/config_values.h"
#include "core/export/targets/bucket_thresholds.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace core {

namespace {

    constexpr std::string_view LimitsName = "BUCKET_BYTES";

    constexpr std::string_view InductorModule = R"python(
KEYS = [
    "bucket_all_reduces_fx",
    "bucket_all_reduces_fx_bucket_size_determinator",
    "reorder_for_compute_comm_overlap",
    "reorder_for_compute_comm_overlap_passes",
    "_fuse_ddp_communication",
]


def bucket_mib(bucket):
    """Largest size of that bucket, MiB."""
    return BUCKET_BYTES[min(bucket, len(BUCKET_BYTES) - 1)] / 2**20


def wrap(module, **arguments):
    """torch.compile(DistributedDataParallel(module, **arguments)).

    DDP's reducer in Python lets inductor see the all-reduces of the backward
    pass, which compiled autograd traces. Inductor then joins those of a bucket
    and lets them go beside what it computes.
    """
    inductor = torch._inductor.config
    missing = [key for key in KEYS if not hasattr(inductor, key)]
    if missing:
        raise RuntimeError(
            "torch._inductor.config of PyTorch %s has no %s: this file is for "
            "PyTorch 2.10." % (torch.__version__, ", ".join(missing)))
    torch._dynamo.config.optimize_ddp = "python_reducer"
    torch._dynamo.config.compiled_autograd = True
    model = DistributedDataParallel(module, **arguments)
    inductor._fuse_ddp_communication = False  # DDP's own buckets
    inductor.bucket_all_reduces_fx = "all"
    inductor.bucket_all_reduces_fx_bucket_size_determinator = bucket_mib
    inductor.reorder_for_compute_comm_overlap = True
    inductor.reorder_for_compute_comm_overlap_passes = [
        "reorder_communication_preserving_peak_memory",
        "sink_waits_iterative",
        "reorder_communication_preserving_peak_memory",
    ]
    return torch.compile(model)
)python";

    /// Inductor joins all-reduces that follow each other while their bytes do not exceed the limit
    /// of that bucket (torch/_inductor/fx_passes/bucketing.py, since pull request 167634, PyTorch
    /// 2.10), and moves them apart from their waits (torch/_inductor/comms.py).
    class InductorTarget : public ConfigTarget
    {
    public:
        std::string_view name() const override { return "inductor"; }
        std::string_view meaning() const override
        {
            return "a Python module for PyTorch 2.10 whose wrap() takes the place of "
                   "torch.compile(DistributedDataParallel())";
        }
        std::string_view fileName() const override { return "longpole_inductor.py"; }
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
            values.takeFusion({ std::string(FuseBuckets), bucketCountsText(groups) },
                              "inductor compiles the whole backward pass, yet lets each bucket "
                              "leave when it is ready: op_fusion=auto.");
            values.close(file);
            if (file.expressed == 0)
                return file;
            if (!wanted)
                file.notes.push_back("The strategy leaves buckets open: the recorded ones are "
                                     "written.");
            file.notes.push_back("Names are those of torch._inductor.config in PyTorch 2.10; "
                                 "wrap() refuses a version that lacks one.");
            file.notes.push_back("Gradients are taken to become ready in the recorded order, and "
                                 "operations of a bucket to be joined, as op_fusion=auto predicts "
                                 "it.");
            const nlohmann::json limits = bucketSizes(step->parameterBytes, groups);
            file.text = commentLines(request.comments, "#") + commentLines(file.notes, "#");
            file.text += "import torch\nimport torch._dynamo\nimport torch._inductor.config\n"
                         "from torch.nn.parallel import DistributedDataParallel\n\n"
                         "# Of each bucket, in the order in which gradients become ready.\n"
                + std::string(LimitsName) + " = " + limits.dump() + "\n";
            file.text += InductorModule;
            return file;
        }

        Strategy read(const std::string &text, const MeasuredJob &job) const override
        {
            Strategy strategy;
            const std::vector<std::uint64_t> &bytes = tensorBytesOf(job);
            const auto list = assignedText(text, LimitsName);
            if (!list || bytes.empty())
                return strategy;
            const auto json = nlohmann::json::parse(*list, nullptr, false);
            const auto isNumber = [](const auto &one) { return one.is_number_unsigned(); };
            if (!json.is_array() || json.empty()
                || !std::all_of(json.begin(), json.end(), isNumber))
                throw Error("'" + std::string(LimitsName)
                            + "' is no list of numbers in the exported file: " + *list + ".");
            const auto limits = json.get<std::vector<std::uint64_t>>();
            strategy.set({ std::string(CutsKey), bucketCountsText(bucketsUpTo(bytes, limits)) });
            strategy.set({ std::string(OpFusionKey), std::string(FuseBuckets) });
            return strategy;
        }
    };

} // namespace

std::unique_ptr<const ConfigTarget> inductorTarget()
{
    return std::make_unique<InductorTarget>();
}

} // namespace core
