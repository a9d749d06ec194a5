#include "core/commands/replay_command.h"

#include "core/base/duration_text.h"
#include "core/commands/scenario_text.h"
#include "core/commands/text.h"
#include "core/pipeline/pipeline.h"
#include "core/scenario/daydream.h"
#include "core/scenario/scenario.h"
#include "core/scenario/scenario_json.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <ostream>

namespace core {

namespace {

    void printParts(const ScenarioResult &result, std::ostream &out)
    {
        TextTable table({ result.hasIterations ? "mean iteration" : "mean over ranks", "measured",
                          "predicted" });
        const PartTimes &m = result.measuredParts;
        const PartTimes &p = result.predictedParts;
        table.addRow({ "compute", durationText(m.computeNs), durationText(p.computeNs) });
        table.addRow({ "exposed communication", durationText(m.exposedCommNs),
                       durationText(p.exposedCommNs) });
        table.addRow({ "overlap", durationText(m.overlapNs), durationText(p.overlapNs) });
        table.addRow({ "idle", durationText(m.idleNs), durationText(p.idleNs) });
        table.print(out);
    }

    std::string intervalText(const ScenarioResult &result)
    {
        if (result.unknownInterval)
            return "interval not known: " + *result.unknownInterval;
        return "95 % interval " + durationText(result.ciLowNs) + " to "
            + durationText(result.ciHighNs);
    }

    void printText(const ScenarioResult &result, std::ostream &out)
    {
        const double change = static_cast<double>(result.predictedNs - result.measuredNs)
            / static_cast<double>(std::max<std::int64_t>(1, result.measuredNs));
        out << "measured   " << durationText(result.measuredNs)
            << (result.hasIterations ? " (median iteration, slowest rank)\n"
                                     : " (the whole recording, slowest rank)\n");
        out << "predicted  " << durationText(result.predictedNs) << " (" << (change >= 0 ? "+" : "")
            << percentText(change) << "; " << intervalText(result) << ")\n";
        for (const auto &[key, value] : result.settings.list())
            out << "           with " << key << " = " << value << "\n";
        if (result.daydreamNs)
            out << "naive      " << durationText(*result.daydreamNs) << " by Daydream's model ("
                << DaydreamFormula << ")\n";
        out << "\n";
        printParts(result, out);
        out << "\n";
        for (const LinkModel &link : result.links)
            out << "link '" << link.group
                << "': " << durationText(static_cast<std::int64_t>(link.alphaNs)) << " + bytes at "
                << static_cast<std::int64_t>(link.rateMbit()) << " Mbit/s (" << link.transfers
                << " transfers, median error " << percentText(link.medianErrorFraction) << ")\n";
        printScheduling(result, out);
        printTrust(result, out);
    }

} // namespace

void ReplayCommand::declare(CLI::App &app)
{
    app.add_option("project", m_project, "Project file")->required();
    app.add_option("--set", m_settings, "KEY=VALUE: " + settingKeys())->allow_extra_args(false);
    app.add_flag("--json", m_json, "Print JSON");
}

int ReplayCommand::run(const CommandIo &io)
{
    const ScenarioSettings settings = parseSettings(m_settings);
    const LoadedProject project = loadProject(m_project, io.control.part(0, 0.7));
    const ScenarioResult result
        = runScenario(*project.trace, project.graph, settings, io.control.part(0.7, 1));
    if (m_json)
        io.out << toJson(result).dump(2) << "\n";
    else
        printText(result, io.out);
    return Done;
}

} // namespace core
