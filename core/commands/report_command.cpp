#include "core/commands/report_command.h"

#include "core/analyze/bottlenecks/gain_intervals.h"
#include "core/base/ascii_text.h"
#include "core/base/error.h"
#include "core/commands/drawn_file.h"
#include "core/commands/output_file.h"
#include "core/pipeline/pipeline.h"
#include "core/project/read/project_reader.h"
#include "core/report/clock_text.h"
#include "core/report/made_report.h"
#include "core/report/report_file.h"

#include <CLI/CLI.hpp>

#include <optional>
#include <ostream>

namespace core {

void ReportCommand::declare(CLI::App &app)
{
    app.add_option("project", m_project, "Project file")->required();
    app.add_option("-o,--output", m_output, "File to write: .html or .pdf")->required();
    app.add_flag("--force", m_mayOverwrite, "Replace the file if it is there already");
    m_strategy.declare(app, "show this what-if beside the job as it is");
}

int ReportCommand::run(const CommandIo &io)
{
    m_strategy.check();
    refuseFolder(m_output, "report.html");
    const std::string suffix = lowered(m_output.extension().string());
    if (suffix != ".html" && suffix != ".pdf")
        throw UsageError("'" + m_output.string()
                         + "': the name's end tells the format: .html or .pdf.");
    refuseIrreplaceable(m_output, m_project);
    refuseExisting(m_output, m_mayOverwrite);
    const LoadedProject project
        = loadProject(m_project, io.control.part(0, 0.4), m_strategy.stated());
    Diagnosis diagnosis = diagnose(*project.trace, project.graph, io.control.part(0.4, 0.7));
    setGainIntervals(gainIntervals(diagnosis, io.control.part(0.7, 0.8)), diagnosis);
    const ProjectReader reader(m_project);
    ReportWords words { m_project.stem().string(), clockSentence(reader.info()), {} };
    std::optional<Prediction> whatIf;
    if (m_strategy.isGiven()) {
        if (diagnosis.predictor == nullptr)
            throw Error(diagnosis.verdict);
        Predictor predictor = *diagnosis.predictor;
        const Strategy strategy = m_strategy.strategy(predictor.job(), io);
        whatIf = predictor.predictJudged(strategy, io.control.part(0.8, 0.95));
        if (whatIf->obstacle)
            throw Error(*whatIf->obstacle);
        words.strategyName = m_strategy.text();
    }
    const auto pages = madeReport(*project.trace, diagnosis, words, whatIf ? &*whatIf : nullptr,
                                  io.control.part(0.95, 1));
    if (suffix == ".pdf")
        writeDrawn(m_output, reportDocuments(pages));
    else
        writeFile(m_output, reportHtml(pages, words.title));
    io.out << m_output.string() << "\n";
    return Done;
}

} // namespace core
