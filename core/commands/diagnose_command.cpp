#include "core/commands/diagnose_command.h"

#include "core/analyze/diagnosis_json.h"
#include "core/analyze/iteration_words.h"
#include "core/base/duration_text.h"
#include "core/commands/text.h"
#include "core/pipeline/pipeline.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <ostream>

namespace core {

namespace {

    void printDevices(const Diagnosis &diagnosis, std::ostream &out)
    {
        TextTable table({ "rank", "device", "window", "compute", "comm", "overlap", "exposed comm",
                          "copies", "idle" });
        for (const RankDiagnosis &rank : diagnosis.ranks)
            for (const DeviceBreakdown &device : rank.devices) {
                const TimeBreakdown &t = device.time;
                table.addRow({ std::to_string(rank.rank), device.device, durationText(t.windowNs),
                               durationText(t.computeNs), durationText(t.commNs),
                               durationText(t.overlapNs), durationText(t.exposedCommNs),
                               durationText(t.memOnlyNs), durationText(t.idleNs) });
            }
        table.print(out);
    }

    void printText(const Diagnosis &diagnosis, const IterationWords &words, std::ostream &out)
    {
        out << diagnosis.verdict << "\n";
        for (const std::string &sentence : diagnosis.blindSpots)
            out << sentence << "\n";
        out << "\n";
        printDevices(diagnosis, out);
        const CriticalPathReport &path = diagnosis.criticalPath;
        out << "\ncritical path of " << words.typical() << ", " << durationText(path.totalNs())
            << ": compute " << durationText(path.computeNs) << ", communication "
            << durationText(path.commNs) << ", host " << durationText(path.hostNs) << ", wait "
            << durationText(path.waitNs) << ", idle " << durationText(path.idleNs) << "\n\n";
        std::size_t number = 0;
        for (const Bottleneck &bottleneck : diagnosis.bottlenecks) {
            out << ++number << ". " << bottleneck.title << "\n   gain "
                << durationText(bottleneck.gainNs) << " (" << percentText(bottleneck.gainFraction)
                << " of " << words.one() << ")\n";
            for (const std::string &line : bottleneck.evidence)
                out << "   - " << line << "\n";
            out << "   " << bottleneck.advice << "\n";
        }
    }

} // namespace

void DiagnoseCommand::declare(CLI::App &app)
{
    app.add_option("project", m_project, "Project file")->required();
    app.add_flag("--json", m_json, "Print JSON");
}

int DiagnoseCommand::run(const CommandIo &io)
{
    const LoadedProject project = loadProject(m_project, io.control.part(0, 0.5));
    const Diagnosis diagnosis = diagnose(*project.trace, project.graph, io.control.part(0.5, 1));
    if (m_json)
        io.out << toJson(diagnosis).dump(2, ' ', false,
                                         nlohmann::ordered_json::error_handler_t::replace)
               << "\n";
    else
        printText(diagnosis, { *project.trace, project.graph->iterationCount }, io.out);
    return Done;
}

} // namespace core
