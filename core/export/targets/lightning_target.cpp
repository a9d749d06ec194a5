#include "core/export/targets/lightning_target.h"

#include "core/export/config_values.h"
#include "core/export/targets/ddp_settings.h"

namespace core {

namespace {

    class LightningTarget : public ConfigTarget
    {
    public:
        std::string_view name() const override { return "lightning"; }
        std::string_view meaning() const override
        {
            return "a Python module with `strategy` for Trainer(strategy=...)";
        }
        std::string_view fileName() const override { return "longpole_lightning.py"; }
        BucketForm bucketForm() const override { return BucketForm::Sizes; }

        /// DDPStrategy hands its arguments to DistributedDataParallel; there is none for the first
        /// bucket.
        ConfigFile write(const ConfigRequest &request) const override
        {
            ConfigValues values(request);
            ConfigFile file;
            const auto capMb = takeCapMb(values, request.job, false, file);
            const double ratio = halfPrecisionRatio(values);
            file.text = commentLines(request.comments, "#");
            file.text += "from lightning.pytorch.strategies import DDPStrategy\n";
            if (ratio == 2)
                file.text += "from torch.distributed.algorithms.ddp_comm_hooks import "
                             "default_hooks\n";
            file.text += "\n";
            std::string arguments;
            if (capMb) {
                file.text += std::string(DdpCapName) + " = " + configNumber(*capMb) + "\n";
                arguments += "bucket_cap_mb=" + std::string(DdpCapName);
            }
            file.text += std::string(DdpRatioName) + " = " + configNumber(ratio) + "\n\n";
            if (ratio == 2)
                arguments += std::string(arguments.empty() ? "" : ", ")
                    + "ddp_comm_hook=default_hooks.fp16_compress_hook";
            file.text += "strategy = DDPStrategy(" + arguments + ")\n";
            values.close(file);
            return file;
        }

        Strategy read(const std::string &text, const MeasuredJob &job) const override
        {
            return ddpStrategyOf(text, job);
        }
    };

} // namespace

std::unique_ptr<const ConfigTarget> lightningTarget()
{
    return std::make_unique<LightningTarget>();
}

} // namespace core
