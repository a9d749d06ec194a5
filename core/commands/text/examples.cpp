#include "core/commands/text/examples.h"

#include <array>

namespace core {

namespace {

    struct Example
    {
        std::string_view command, line;
    };

    constexpr std::array Examples {
        Example { "profile", "longpole profile -o traces -- torchrun --nproc-per-node 2 train.py" },
        Example { "import", "longpole import traces/ -o job.longpole" },
        Example { "import", "longpole import rank*.json.gz more.zip -o job.longpole --append" },
        Example { "info", "longpole info job.longpole" },
        Example { "align", "longpole align job.longpole" },
        Example { "align", "longpole align job.longpole --set-offset 1=-12000" },
        Example { "diagnose", "longpole diagnose job.longpole" },
        Example { "diagnose", "longpole diagnose job.longpole --verbose" },
        Example { "ops", "longpole ops job.longpole --kind kernel --limit 10" },
        Example { "ops", "longpole ops job.longpole --by shape --rank 0 --csv > ops.csv" },
        Example { "replay", "longpole replay job.longpole --set bandwidth_scale=2" },
        Example { "replay", "longpole replay job.longpole --strategy best.json" },
        Example { "optimize", "longpole optimize job.longpole -o best.json" },
        Example { "optimize", "longpole optimize job.longpole --passes all --time-budget 60" },
        Example { "export",
                  "longpole export job.longpole --strategy best.json --to pytorch-ddp -o ddp.py" },
        Example { "compare", "longpole compare before.longpole after.longpole" },
        Example { "compare",
                  "longpole compare before.longpole after.longpole --strategy best.json" },
        Example { "query",
                  "longpole query job.longpole \"SELECT name, dur_ns FROM slice LIMIT 5\"" },
        Example { "export-trace", "longpole export-trace job.longpole -o job.json.gz" },
        Example { "export-trace",
                  "longpole export-trace job.longpole --strategy best.json -o best.json.gz" },
        Example { "graph", "longpole graph job.longpole -o graph.svg" },
        Example { "graph", "longpole graph job.longpole --level ops --ranks 0-1 -o graph.dot" },
        Example { "report", "longpole report job.longpole -o report.html" },
        Example { "report", "longpole report job.longpole --set bandwidth_scale=2 -o report.pdf" },
    };

} // namespace

std::vector<std::string_view> commandExamples(std::string_view command)
{
    std::vector<std::string_view> lines;
    for (const Example &example : Examples)
        if (example.command == command)
            lines.push_back(example.line);
    return lines;
}

std::string examplesText(std::string_view command)
{
    const std::vector<std::string_view> lines = commandExamples(command);
    std::string text;
    for (const std::string_view line : lines) {
        text += text.empty() ? (lines.size() == 1 ? "Example:" : "Examples:") : "";
        text += "\n  ";
        text += line;
    }
    return text;
}

} // namespace core
