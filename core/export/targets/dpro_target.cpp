#include "core/export/targets/dpro_target.h"

#include "core/base/error.h"
#include "core/change/gradients/cuts_change.h"
#include "core/export/config_values.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <string>

namespace core {

namespace {

    constexpr const char *Mapping = "mapping";

    [[noreturn]] void refuseGroups(const std::string &what)
    {
        throw Error("The exported tensor groups " + what + ".");
    }

    /// "0+1+2" -> 3, where it goes on from `next`.
    std::size_t countOf(const std::string &group, std::size_t next)
    {
        std::size_t count = 0;
        const char *at = group.data();
        const char *const end = at + group.size();
        while (true) {
            std::size_t index = 0;
            const auto read = std::from_chars(at, end, index);
            if (read.ec != std::errc() || index != next + count)
                refuseGroups("do not list every tensor in order: '" + group + "'");
            ++count;
            if (read.ptr == end)
                return count;
            if (*read.ptr != '+')
                refuseGroups("are no numbers: '" + group + "'");
            at = read.ptr + 1;
        }
    }

    /// dPRO numbers tensors as the program lists its variables; gradients become ready the other
    /// way round. Each group has consecutive numbers, in ascending order (its Horovod appends the
    /// reduced gradients group by group and pairs them with the variables).
    class DproTarget : public ConfigTarget
    {
    public:
        std::string_view name() const override { return "dpro"; }
        std::string_view meaning() const override
        {
            return "tensor groups of dPRO's Horovod and BytePS: name the file in "
                   "HOROVOD_TENSOR_GROUP_FILE or BYTEPS_TENSOR_GROUP_FILE";
        }
        std::string_view fileName() const override { return "tensor_grp.json"; }
        BucketForm bucketForm() const override { return BucketForm::Groups; }

        ConfigFile write(const ConfigRequest &request) const override
        {
            ConfigValues values(request);
            ConfigFile file;
            nlohmann::ordered_json mapping = nlohmann::ordered_json::array();
            if (auto groups = values.takeGroups()) {
                std::reverse(groups->begin(), groups->end());
                std::size_t next = 0;
                for (const std::size_t count : *groups) {
                    std::string group;
                    for (std::size_t i = 0; i < count; ++i)
                        group += (group.empty() ? "" : "+") + std::to_string(next++);
                    mapping.push_back(group);
                }
                file.notes.push_back("Tensor 0 is the gradient that is ready last, as the first "
                                     "variable's is. Compare with gradient_name_list.json.");
            }
            values.close(file);
            file.text = nlohmann::ordered_json { { Mapping, mapping } }.dump(2) + "\n";
            return file;
        }

        Strategy read(const std::string &text, const MeasuredJob &) const override
        {
            const auto json = nlohmann::json::parse(text, nullptr, false);
            if (!json.is_object() || !json.contains(Mapping) || !json[Mapping].is_array())
                refuseGroups("have no list \"mapping\"");
            std::vector<std::size_t> counts;
            std::size_t next = 0;
            for (const auto &group : json[Mapping]) {
                if (!group.is_string())
                    refuseGroups("are no texts");
                counts.push_back(countOf(group.get<std::string>(), next));
                next += counts.back();
            }
            std::reverse(counts.begin(), counts.end());
            Strategy strategy;
            if (!counts.empty())
                strategy.set({ std::string(CutsKey), bucketCountsText(counts) });
            return strategy;
        }
    };

} // namespace

std::unique_ptr<const ConfigTarget> dproTarget()
{
    return std::make_unique<DproTarget>();
}

} // namespace core
