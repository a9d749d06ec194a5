#include "core/export/targets/horovod_groups_target.h"

#include "core/base/error.h"
#include "core/change/gradients/cuts_change.h"
#include "core/export/config_values.h"
#include "core/export/targets/ddp_settings.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>

namespace core {

namespace {

    constexpr std::string_view GroupsName = "GROUPS", ThresholdLine = "HOROVOD_FUSION_THRESHOLD";

    constexpr std::string_view Module = R"python(

def groups(model, parameters=None):
    """Lists of parameters for DistributedOptimizer(groups=...).

    `parameters`: those with a gradient, in the order in which their gradients
    become ready. Without them the recorded names tell it, or it is the reverse
    of model.parameters().
    """
    if parameters is None and NAMES:
        named = dict(model.named_parameters())
        parameters = [named[name] for name in NAMES]
    if parameters is None:
        parameters = [p for p in model.parameters() if p.requires_grad][::-1]
    parameters = list(parameters)
    sizes = [p.numel() * p.element_size() for p in parameters]
    if sizes != BYTES:
        raise ValueError(
            "The recorded job reduces gradients of %s bytes, in this order; "
            "these parameters have %s. Give parameters=[...] in the order in "
            "which their gradients become ready." % (BYTES, sizes))
    ends = [sum(GROUPS[:i + 1]) for i in range(len(GROUPS))]
    return [parameters[end - count:end] for end, count in zip(ends, GROUPS)]


def wrap(optimizer, model, parameters=None, **arguments):
    """hvd.DistributedOptimizer(optimizer, **arguments) with the groups above."""
    if GROUPS:
        arguments["groups"] = groups(model, parameters)
    if COMPRESSION == 2:
        arguments.setdefault("compression", hvd.Compression.fp16)
    return hvd.DistributedOptimizer(
        optimizer, named_parameters=model.named_parameters(), **arguments)
)python";

    std::uint64_t largestGroup(const std::vector<std::uint64_t> &bytes,
                               const std::vector<std::size_t> &groups)
    {
        std::uint64_t largest = 0;
        std::size_t next = 0;
        for (const std::size_t count : groups) {
            std::uint64_t sum = 0;
            for (std::size_t i = 0; i < count && next < bytes.size(); ++i)
                sum += bytes[next++];
            largest = std::max(largest, sum);
        }
        return largest;
    }

    std::string listText(std::string_view name, const nlohmann::json &list)
    {
        std::string text = std::string(name) + " = [\n";
        for (const auto &one : list)
            text += "    " + one.dump() + ",\n";
        return text + "]\n";
    }

    /// DistributedOptimizer takes lists of parameters as `groups` and all-reduces a group when its
    /// last gradient is ready (horovod/torch/optimizer.py). Groups are not fused with each other
    /// where HOROVOD_DISABLE_GROUP_FUSION is set, and not cut where a fusion buffer holds each
    /// (horovod/common/controller.cc, FuseResponses).
    class HorovodGroupsTarget : public ConfigTarget
    {
    public:
        std::string_view name() const override { return "horovod-groups"; }
        std::string_view meaning() const override
        {
            return "a Python module for PyTorch whose wrap() takes the place of "
                   "hvd.DistributedOptimizer(); import it before hvd.init()";
        }
        std::string_view fileName() const override { return "longpole_horovod.py"; }
        BucketForm bucketForm() const override { return BucketForm::Groups; }

        ConfigFile write(const ConfigRequest &request) const override
        {
            ConfigValues values(request);
            ConfigFile file;
            const std::vector<std::uint64_t> &bytes = tensorBytesOf(request.job);
            const auto groups = values.takeGroups();
            const double ratio = halfPrecisionRatio(values);
            if (groups)
                file.notes.push_back("Horovod looks for ready groups once a cycle "
                                     "(HOROVOD_CYCLE_TIME, 1 ms). That wait is not in the "
                                     "prediction.");
            values.close(file);
            file.text = commentLines(request.comments, "#") + commentLines(file.notes, "#");
            file.text += "import os\n\nimport horovod.torch as hvd\n\n";
            file.text += "# Tensors of each group, in the order in which gradients become ready.\n";
            const nlohmann::json counts = groups.value_or(std::vector<std::size_t>());
            file.text += std::string(GroupsName) + " = " + counts.dump() + "\n";
            file.text += std::string(DdpRatioName) + " = " + configNumber(ratio)
                + "  # 2: gradients are sent in half precision\n";
            file.text += "# Their gradients, in the same order.\n";
            file.text += listText("BYTES", bytes) + listText("NAMES", tensorNamesOf(request.job));
            if (groups)
                file.text += "\n# Horovod reads these in hvd.init().\n"
                             "os.environ[\"HOROVOD_DISABLE_GROUP_FUSION\"] = \"1\"\n"
                             "os.environ[\""
                    + std::string(ThresholdLine) + "\"] = \""
                    + std::to_string(thresholdFor(largestGroup(bytes, *groups))) + "\"\n";
            file.text += Module;
            return file;
        }

        Strategy read(const std::string &text, const MeasuredJob &) const override
        {
            Strategy strategy;
            std::string list = assignedText(text, GroupsName).value_or("[]");
            std::erase_if(list, [](char c) { return c == '[' || c == ']'; });
            if (!list.empty()) {
                if (!bucketCounts(list))
                    throw Error("'" + std::string(GroupsName)
                                + "' is no list of numbers in the exported file: " + list + ".");
                strategy.set({ std::string(CutsKey), list });
            }
            if (const double ratio = assignedNumber(text, DdpRatioName).value_or(1); ratio != 1)
                strategy.set({ "compression", ratio });
            return strategy;
        }

    private:
        /// Room for the padding of each tensor, and never less than Horovod's default.
        static std::uint64_t thresholdFor(std::uint64_t largestBytes)
        {
            constexpr std::uint64_t Default = 128U << 20U;
            return std::max(Default, largestBytes + largestBytes / 4);
        }
    };

} // namespace

std::unique_ptr<const ConfigTarget> horovodGroupsTarget()
{
    return std::make_unique<HorovodGroupsTarget>();
}

} // namespace core
