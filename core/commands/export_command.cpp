#include "core/commands/export_command.h"

#include "core/base/duration_text.h"
#include "core/base/error.h"
#include "core/commands/output_file.h"
#include "core/commands/text/text.h"
#include "core/export/config_target.h"
#include "core/export/exported_config.h"
#include "core/optimize/strategy_file.h"
#include "core/pipeline/pipeline.h"
#include "core/predict/predictor.h"
#include "core/project/read/project_reader.h"

#include <CLI/CLI.hpp>

#include <ostream>

namespace core {

void ExportCommand::declare(CLI::App &app)
{
    std::string targets;
    for (const auto &target : configTargets())
        targets += (targets.empty() ? "" : "; ") + std::string(target->name()) + ": "
            + std::string(target->meaning());
    app.add_option("project", m_project, "Project file")->required();
    app.add_option("--strategy", m_strategy, "Strategy file of 'longpole optimize'")->required();
    app.add_option("--to", m_target, "Who takes the file. " + targets)->required();
    app.add_option("-o,--output", m_output, "File to write")->required();
    app.add_flag("--force", m_mayOverwrite, "Replace the file if it is there already");
}

int ExportCommand::run(const CommandIo &io)
{
    const ConfigTarget *const target = configTargetNamed(m_target);
    if (target == nullptr)
        throw UsageError("There is no target '" + m_target + "'. Targets: " + configTargetNames()
                         + ".");
    refuseFolder(m_output, target->fileName());
    refuseIrreplaceable(m_output, m_project);
    refuseExisting(m_output, m_mayOverwrite);
    const LoadedProject project = loadProject(m_project, io.control.part(0, 0.3));
    const ProjectReader reader(m_project);
    Predictor predictor = predictorOf(project, reader, io.control.part(0.3, 0.4));
    const StrategyFile file = readStrategyFile(m_strategy, predictor.job());
    for (const std::string &note : file.notes)
        io.err << m_strategy.string() << ": " << note << "\n";
    const ExportedConfig exported
        = exportConfig(*target, file.strategy, predictor, io.control.part(0.4, 1));
    for (const std::string &note : exported.notes)
        io.err << note << "\n";
    writeFile(m_output, exported.file.text);
    io.out << m_output.string() << ": predicted iteration "
           << durationText(exported.prediction.predictedNs) << " instead of "
           << durationText(exported.environmentNs) << "\n";
    for (const std::string &line : exported.file.leftOut)
        io.out << "left out   " << line << "\n";
    for (const std::string &line : exported.file.notes)
        io.out << "note       " << line << "\n";
    if (!exported.file.leftOut.empty())
        io.out << "The prediction is of what the file says.\n";
    io.out << "check      longpole compare " << m_project.string() << " LATER" << exported.settings
           << "\n";
    return Done;
}

} // namespace core
