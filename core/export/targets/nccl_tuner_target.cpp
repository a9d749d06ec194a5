#include "core/export/targets/nccl_tuner_target.h"

#include "core/change/gradients/rebucket.h"
#include "core/export/config_values.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace core {

namespace {

    constexpr std::string_view AllReduceRule = "allreduce,0,4294967295,",
                               AnyJob = ",simple,-1,-1,-1,-1,-1";
    constexpr std::array<std::string_view, 2> TunedAlgorithms { "ring", "tree" };

    /// The plugin takes a line to be a rule where it does not begin with '#', and reads 255
    /// characters at a time.
    std::vector<std::string> shortLines(const std::vector<std::string> &lines)
    {
        constexpr std::size_t Longest = 200;
        std::vector<std::string> cut;
        for (std::string line : lines) {
            while (line.size() > Longest) {
                std::size_t end = line.rfind(' ', Longest);
                end = end == std::string::npos || end == 0 ? Longest : end;
                cut.push_back(line.substr(0, end));
                line = line.substr(line[end] == ' ' ? end + 1 : end);
            }
            cut.push_back(line);
        }
        return cut;
    }

    /// NCCL, ext-tuner/example, later plugins/tuner/example (README.md, plugin.c, interface v5): a
    /// rule a line, in the order of collective type, least and most bytes, algorithm, protocol,
    /// channels, nodes, ranks, pipelined operations, registered buffers; -1 is any, or NCCL's own.
    /// The first rule that fits a collective has no cost. Without one the plugin takes the ring and
    /// the simple protocol.
    class NcclTunerTarget : public ConfigTarget
    {
    public:
        std::string_view name() const override { return "nccl-tuner"; }
        std::string_view meaning() const override
        {
            return "rules of NCCL's example tuner plugin: name the file in "
                   "NCCL_TUNER_CONFIG_FILE, and the plugin in NCCL_TUNER_PLUGIN";
        }
        std::string_view fileName() const override { return "nccl_tuner.conf"; }
        BucketForm bucketForm() const override { return BucketForm::None; }

        ConfigFile write(const ConfigRequest &request) const override
        {
            ConfigValues values(request);
            ConfigFile file;
            file.text = commentLines(shortLines(request.comments), "#");
            const std::string wanted = values.lookText("collective").value_or("");
            if (std::find(TunedAlgorithms.begin(), TunedAlgorithms.end(), wanted)
                == TunedAlgorithms.end()) {
                values.leaveOut("collective", "NCCL has rings and trees.");
            } else {
                values.takeText("collective");
                file.text += std::string(AllReduceRule) + wanted + std::string(AnyJob) + "\n";
                file.notes.push_back(
                    "A rule names a protocol: simple, which suits large messages. "
                    "Other collectives than all-reduces take the plugin's default, "
                    "the ring with the simple protocol.");
                if (!reducesOnAccelerators(request.job.graph))
                    file.notes.push_back("The recorded job does not reduce on accelerators, so it "
                                         "does not use NCCL.");
            }
            values.close(file);
            return file;
        }

        Strategy read(const std::string &text, const MeasuredJob &) const override
        {
            Strategy strategy;
            for (const std::string_view algorithm : TunedAlgorithms)
                if (text.find(std::string(AllReduceRule) + std::string(algorithm) + ",")
                    != std::string::npos)
                    strategy.set({ "collective", std::string(algorithm) });
            return strategy;
        }
    };

} // namespace

std::unique_ptr<const ConfigTarget> ncclTunerTarget()
{
    return std::make_unique<NcclTunerTarget>();
}

} // namespace core
