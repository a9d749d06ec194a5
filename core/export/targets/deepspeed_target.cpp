#include "core/export/targets/deepspeed_target.h"

#include "core/base/error.h"
#include "core/change/gradients/cuts_change.h"
#include "core/export/config_values.h"
#include "core/measure/job_metadata.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <numeric>

namespace core {

namespace {

    constexpr const char *Zero = "zero_optimization", *BucketSize = "reduce_bucket_size",
                         *DataType = "communication_data_type", *Comments = "longpole";

    using Sizes = std::vector<std::uint64_t>;
    using Groups = std::vector<std::size_t>;

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

    /// Number of gradients in each bucket of at most `most` elements. A gradient that does not fit
    /// into the bucket begins the next one, and a larger one goes alone
    /// (deepspeed/runtime/zero/stage_1_and_2.py, reduce_independent_p_g_buckets_and_remove_grads).
    Groups bucketsOf(const Sizes &elements, std::uint64_t most)
    {
        Groups groups;
        std::uint64_t sum = 0;
        for (const std::uint64_t size : elements) {
            if (groups.empty() || sum + size > most) {
                groups.push_back(0);
                sum = 0;
            }
            ++groups.back();
            sum += size;
        }
        return groups;
    }

    Groups endsOf(const Groups &groups)
    {
        Groups ends;
        std::partial_sum(groups.begin(), groups.end(), std::back_inserter(ends));
        return ends;
    }

    /// Number of bucket ends that only one of both has.
    std::size_t difference(const Groups &a, const Groups &b)
    {
        const Groups endsA = endsOf(a), endsB = endsOf(b);
        Groups differing;
        std::set_symmetric_difference(endsA.begin(), endsA.end(), endsB.begin(), endsB.end(),
                                      std::back_inserter(differing));
        return differing.size();
    }

    /// The bucket size whose buckets come nearest to `wanted`: that of one of them, or just less
    /// than it takes to hold the next gradient, too.
    std::uint64_t nearestSize(const Sizes &elements, const Groups &wanted)
    {
        std::uint64_t best = 1;
        std::size_t least = std::numeric_limits<std::size_t>::max();
        std::size_t next = 0;
        for (const std::size_t count : wanted) {
            std::uint64_t sum = 0;
            for (std::size_t i = 0; i < count && next < elements.size(); ++i)
                sum += elements[next++];
            const std::uint64_t following = next < elements.size() ? elements[next] : 1;
            for (const std::uint64_t size : { sum, sum + following - 1 }) {
                const std::size_t differing = difference(bucketsOf(elements, size), wanted);
                if (differing < least) {
                    least = differing;
                    best = size;
                }
            }
        }
        return best;
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
                const std::uint64_t size = nearestSize(elements, *groups);
                const Groups made = bucketsOf(elements, size);
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
                strategy.set({ std::string(CutsKey), bucketCountsText(bucketsOf(elements, most)) });
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
