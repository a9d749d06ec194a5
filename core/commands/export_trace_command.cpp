#include "core/commands/export_trace_command.h"

#include "core/base/error.h"
#include "core/commands/output_file.h"
#include "core/commands/text/prediction_text.h"
#include "core/export/chrome_trace.h"
#include "core/pipeline/pipeline.h"
#include "core/predict/more_ranks.h"
#include "core/predict/predictor.h"
#include "core/project/read/project_reader.h"

#include <CLI/CLI.hpp>

#include <ostream>
#include <string>
#include <vector>

namespace core {

void ExportTraceCommand::declare(CLI::App &app)
{
    app.add_option("project", m_project, "Project file")->required();
    app.add_option("-o,--output", m_output,
                   "File to write; compressed if its name ends in .gz. It has no arrows; what ties "
                   "measured slices stands in their arguments")
        ->required();
    app.add_flag("--force", m_mayOverwrite, "Replace the file if it is there already");
    m_strategy.declare(app, "export the predicted timeline of this what-if instead");
}

int ExportTraceCommand::run(const CommandIo &io)
{
    m_strategy.check();
    refuseFolder(m_output, "trace.json.gz");
    refuseIrreplaceable(m_output, m_project);
    refuseExisting(m_output, m_mayOverwrite);
    const std::filesystem::path file = linkTarget(m_output);
    std::uint64_t slices = 0;
    std::vector<std::string> notes;
    if (!m_strategy.isGiven()) {
        const ProjectReader reader(m_project);
        slices = exportMeasured(reader, file, io.control);
    } else {
        const LoadedProject project
            = loadProject(m_project, io.control.part(0, 0.5), m_strategy.stated());
        const ProjectReader reader(m_project);
        Predictor predictor = predictorOf(project, reader, io.control.part(0.5, 0.6));
        const Strategy strategy = m_strategy.strategy(predictor.job(), io);
        const Prediction result = predictor.predict(strategy, io.control.part(0.6, 0.8));
        if (result.obstacle)
            throw Error(*result.obstacle);
        slices = exportPredicted(*project.trace, result, file, io.control.part(0.8, 1));
        notes = { standInText(strategy, project.trace->workers.size()), warmUpText(result) };
    }
    io.out << m_output.string() << ": " << slices << " slices\n";
    for (const std::string &note : notes)
        if (!note.empty())
            io.out << note << "\n";
    return Done;
}

} // namespace core
