#include "core/export/targets/horovod_target.h"

#include "core/export/config_values.h"

namespace core {

namespace {

    constexpr std::string_view ThresholdName = "HOROVOD_FUSION_THRESHOLD",
                               CycleName = "HOROVOD_CYCLE_TIME";

    class HorovodTarget : public ConfigTarget
    {
    public:
        std::string_view name() const override { return "horovod"; }
        std::string_view meaning() const override
        {
            return "environment variables: source the file before horovodrun";
        }
        std::string_view fileName() const override { return "horovod.sh"; }
        BucketForm bucketForm() const override { return BucketForm::None; }

        ConfigFile write(const ConfigRequest &request) const override
        {
            ConfigValues values(request);
            ConfigFile file;
            file.text = commentLines(request.comments, "#");
            if (const auto bytes = values.take("fusion_threshold_bytes"))
                file.text
                    += "export " + std::string(ThresholdName) + "=" + configNumber(*bytes) + "\n";
            if (const auto ms = values.take("cycle_time_ms"))
                file.text += "export " + std::string(CycleName) + "=" + configNumber(*ms) + "\n";
            values.close(file);
            return file;
        }

        Strategy read(const std::string &text, const MeasuredJob &) const override
        {
            Strategy strategy;
            if (const auto bytes = assignedNumber(text, ThresholdName))
                strategy.set({ "fusion_threshold_bytes", *bytes });
            if (const auto ms = assignedNumber(text, CycleName))
                strategy.set({ "cycle_time_ms", *ms });
            return strategy;
        }
    };

} // namespace

std::unique_ptr<const ConfigTarget> horovodTarget()
{
    return std::make_unique<HorovodTarget>();
}

} // namespace core
