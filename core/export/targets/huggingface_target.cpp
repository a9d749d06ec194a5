#include "core/export/targets/huggingface_target.h"

#include "core/base/error.h"
#include "core/export/config_values.h"

#include <nlohmann/json.hpp>

#include <cmath>

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

        /// `ddp_bucket_cap_mb` is a whole number; the first bucket is PyTorch's own.
        ConfigFile write(const ConfigRequest &request) const override
        {
            ConfigValues values(request);
            nlohmann::ordered_json json;
            ConfigFile file;
            if (const auto capMb = values.take("bucket_cap_mb")) {
                const double whole = std::max(1.0, std::round(*capMb));
                json[CapArgument] = static_cast<std::int64_t>(whole);
                if (whole != *capMb)
                    file.leftOut.push_back("bucket_cap_mb=" + configNumber(*capMb)
                                           + ": only whole numbers of MiB can be given. "
                                           + configNumber(whole) + " stands for it.");
            }
            values.close(file);
            file.text = (json.is_null() ? "{}" : json.dump(2)) + "\n";
            return file;
        }

        Strategy read(const std::string &text, const MeasuredJob &) const override
        {
            const auto json = nlohmann::json::parse(text, nullptr, false);
            if (!json.is_object())
                throw Error("The exported arguments are no JSON of one object.");
            Strategy strategy;
            if (json.contains(CapArgument))
                strategy.set({ "bucket_cap_mb", json[CapArgument].get<double>() });
            return strategy;
        }
    };

} // namespace

std::unique_ptr<const ConfigTarget> huggingfaceTarget()
{
    return std::make_unique<HuggingfaceTarget>();
}

} // namespace core
