#include "core/export/targets/ddp_target.h"

#include "core/change/gradients/bucket_layout.h"
#include "core/change/gradients/measured_buckets.h"
#include "core/export/config_values.h"
#include "core/export/targets/ddp_settings.h"

namespace core {

namespace {

    constexpr std::string_view FirstName = "FIRST_BUCKET_MB";

    constexpr std::string_view Wrap = R"python(

def wrap(module, **arguments):
    """DistributedDataParallel(module, **arguments) with the buckets above.

    PyTorch reads the size of the first bucket from torch.distributed while it
    builds its reducer; it is put back afterwards.
    """
    default = torch.distributed._DEFAULT_FIRST_BUCKET_BYTES
    torch.distributed._DEFAULT_FIRST_BUCKET_BYTES = int(FIRST_BUCKET_MB * 2**20)
    try:
        model = DistributedDataParallel(
            module, bucket_cap_mb=BUCKET_CAP_MB, **arguments)
    finally:
        torch.distributed._DEFAULT_FIRST_BUCKET_BYTES = default
    is_first_as_cap = not getattr(model, "bucket_bytes_cap_default", True)
    if is_first_as_cap and FIRST_BUCKET_MB != BUCKET_CAP_MB:
        warnings.warn(
            "This PyTorch makes the first bucket as large as the others where "
            "bucket_cap_mb is given: the first has %g MiB, not %g."
            % (BUCKET_CAP_MB, FIRST_BUCKET_MB))
    if COMPRESSION == 2:
        model.register_comm_hook(None, default_hooks.fp16_compress_hook)
    return model
)python";

    class DdpTarget : public ConfigTarget
    {
    public:
        std::string_view name() const override { return "pytorch-ddp"; }
        std::string_view meaning() const override
        {
            return "a Python module whose wrap() takes the place of DistributedDataParallel()";
        }
        std::string_view fileName() const override { return "longpole_ddp.py"; }
        BucketForm bucketForm() const override { return BucketForm::Sizes; }

        ConfigFile write(const ConfigRequest &request) const override
        {
            ConfigValues values(request);
            const BucketChanges sizes = values.takeSizes();
            const BucketLimits limits = bucketLimits(request.job.graph, request.job.trace, sizes);
            const auto inMb = [](const std::optional<double> &given, std::uint64_t bytes) {
                return given.value_or(static_cast<double>(bytes) / BytesPerMb);
            };
            const double capMb = inMb(sizes.capMb, limits.capBytes);
            const double firstMb = inMb(sizes.firstMb, limits.firstBytes);
            const double madeMb = firstBucketMb(request.job, capMb, firstMb);
            const double ratio = halfPrecisionRatio(values);
            ConfigFile file;
            if (madeMb != firstMb)
                file.leftOut.push_back(
                    "first_bucket_mb=" + configNumber(firstMb)
                    + ": this version of PyTorch makes it as large as the others.");
            file.text = commentLines(request.comments, "#");
            file.text += "import warnings\n\nimport torch\nimport torch.distributed\n"
                         "from torch.distributed.algorithms.ddp_comm_hooks import default_hooks\n"
                         "from torch.nn.parallel import DistributedDataParallel\n\n";
            file.text += std::string(DdpCapName) + " = " + configNumber(capMb) + "\n";
            file.text += std::string(FirstName) + " = " + configNumber(firstMb) + "\n";
            file.text += std::string(DdpRatioName) + " = " + configNumber(ratio)
                + "  # 2: gradients are sent in half precision\n";
            file.text += Wrap;
            values.close(file);
            return file;
        }

        Strategy read(const std::string &text, const MeasuredJob &job) const override
        {
            Strategy strategy = ddpStrategyOf(text, job);
            const auto capMb = strategy.number("bucket_cap_mb");
            const auto firstMb = assignedNumber(text, FirstName);
            if (capMb && firstMb)
                strategy.set({ "first_bucket_mb", firstBucketMb(job, *capMb, *firstMb) });
            return strategy;
        }
    };

} // namespace

std::unique_ptr<const ConfigTarget> ddpTarget()
{
    return std::make_unique<DdpTarget>();
}

} // namespace core
