#include "core/export/targets/deepspeed_target.h"

#include "core/base/error.h"
#include "core/change/gradients/cuts_change.h"
#include "core/export/config_values.h"
#include "core/export/targets/bucket_thresholds.h"
#include "core/measure/job_metadata.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace core {

namespace {

    constexpr const char *Zero = "zero_optimization", *BucketSize = "reduce_bucket_size",
                         *DataType = "communication_data_type", *Comments = "longpole";

    using Sizes = std::vector<std::uint64_t>;

    /// Elements of each gradient, in the order in which they become ready.
    Sizes elementsOf(const MeasuredJob &job)
    {
        constexpr int SinglePrecision = 4;
        const auto bytes
            = static_cast<std::uint64_t>(statedElementBytes(job.trace).value_or(SinglePrecision));
        Sizes elements;
        for (const std::uint64_t size : tensorBytesOf(job))
            elements.push_back(std::max<std::uint64_t>(1, size / bytes));
        return elements;
    }

    void addNotes(const MeasuredJob &job, ConfigFile &file)
    {
        file.notes.push_back("Merge the members into your ds_config.json. Bucket sizes are numbers "
                             "of elements, not bytes.");
        file.notes.push_back("Valid for ZeRO stages 1 and 2. Stage 0 reduces everything after the "
                             "backward pass, and stage 3 scatters it.");
        file.notes.push_back("ZeRO gathers the new parameters after each step, which the recorded "
                             "job does not do: that time is not in the prediction. "
                             "allgather_bucket_size is left at DeepSpeed's default.");
        if (!statedElementBytes(job.trace))
            file.notes.push_back(
                "The type of the gradients is not recorded: 4 bytes an element are "
                "assumed.");
    }

    /// DeepSpeed reads the members that it knows of the outermost object and ignores others
    /// (runtime/config.py); inside of zero_optimization it refuses them (DeepSpeedConfigModel).
    class DeepspeedTarget : public ConfigTarget
    {
    public:
        std::string_view name() const override { return "deepspeed"; }
        std::string_view meaning() const override { return "members for ds_config.json"; }
        std::string_view fileName() const override { return "ds_config.json"; }
        BucketForm bucketForm() const override { return BucketForm::Groups; }

        ConfigFile write(const ConfigRequest &request) const override
        {
            ConfigValues values(request);
            ConfigFile file;
            nlohmann::ordered_json json;
            json[Comments] = request.comments;
            if (const auto groups = values.takeGroups()) {
                const Sizes elements = elementsOf(request.job);
                const std::uint64_t size = nearestThreshold(elements, *groups);
                const std::vector<std::size_t> made = bucketsUpTo(elements, size);
                if (made != *groups)
                    file.leftOut.push_back("buckets of " + bucketCountsText(*groups)
                                           + " tensors: no reduce_bucket_size makes them. "
                                           + std::to_string(size) + " elements make "
                                           + bucketCountsText(made) + ".");
                json[Zero] = { { "stage", 1 },
                               { BucketSize, size },
                               { "reduce_scatter", false }, // one all-reduce a bucket
                               { "overlap_comm", true },
                               { "contiguous_gradients", true } };
                addNotes(request.job, file);
            }
            if (halfPrecisionRatio(values) == 2)
                json[DataType] = "fp16";
            values.close(file);
            for (const std::string &note : file.notes)
                json[Comments].push_back(note);
            file.text = json.dump(2) + "\n";
            return file;
        }

        Strategy read(const std::string &text, const MeasuredJob &job) const override
        {
            const auto json = nlohmann::json::parse(text, nullptr, false);
            if (!json.is_object())
                throw Error("The exported members for ds_config.json are no JSON of one object.");
            try {
                return strategyOf(json, elementsOf(job));
            } catch (const nlohmann::json::exception &) {
                throw Error("The exported members for ds_config.json have a wrong type.");
            }
        }

    private:
        static Strategy strategyOf(const nlohmann::json &json, const Sizes &elements)
        {
            Strategy strategy;
            const auto zero = json.value(Zero, nlohmann::json::object());
            if (!zero.empty() && !elements.empty()) {
                const auto most = zero.at(BucketSize).get<std::uint64_t>();
                strategy.set(
                    { std::string(CutsKey), bucketCountsText(bucketsUpTo(elements, most)) });
            }
            if (json.value(DataType, "") == "fp16")
                strategy.set({ "compression", 2.0 });
            return strategy;
        }
    };

} // namespace

std::unique_ptr<const ConfigTarget> deepspeedTarget()
{
    return std::make_unique<DeepspeedTarget>();
}

} // namespace core
