#include "core/export/targets/huggingface_target.h"

#include "core/base/error.h"
#include "core/export/config_values.h"
#include "core/export/targets/ddp_settings.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>

namespace core {

namespace {

    constexpr const char *CapArgument = "ddp_bucket_cap_mb";

    class HuggingfaceTarget : public ConfigTarget
    {
    public:
        std::string_view name() const override { return "huggingface"; }
        std::string_view meaning() const override
        {
            return "arguments of transformers.TrainingArguments as JSON (HfArgumentParser reads "
                   "them)";
        }
        std::string_view fileName() const override { return "training_arguments.json"; }
        BucketForm bucketForm() const override { return BucketForm::Sizes; }

        /// `ddp_bucket_cap_mb` is a whole number; the first bucket is PyTorch's own.
        ConfigFile write(const ConfigRequest &request) const override
        {
            ConfigValues values(request);
            ConfigFile file;
            nlohmann::ordered_json json;
            if (const auto capMb = takeCapMb(values, request.job, true, file))
                json[CapArgument] = static_cast<std::int64_t>(*capMb);
            values.close(file);
            file.text = (json.is_null() ? "{}" : json.dump(2)) + "\n";
            return file;
        }

        Strategy read(const std::string &text, const MeasuredJob &job) const override
        {
            const auto json = nlohmann::json::parse(text, nullptr, false);
            if (!json.is_object())
                throw Error("The exported arguments are no JSON of one object.");
            std::optional<double> capMb;
            if (json.contains(CapArgument))
                capMb = json[CapArgument].get<double>();
            return ddpStrategy(job, capMb, 1);
        }
    };

} // namespace

std::unique_ptr<const ConfigTarget> huggingfaceTarget()
{
    return std::make_unique<HuggingfaceTarget>();
}

} // namespace core
