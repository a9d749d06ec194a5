#include "core/commands/import_command.h"

#include "core/base/error.h"
#include "core/commands/input_files.h"
#include "core/commands/output_file.h"
#include "core/commands/text/diagnostic_lines.h"
#include "core/commands/text/text.h"
#include "core/pipeline/pipeline.h"
#include "core/project/read/project_reader.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <ostream>

namespace core {

namespace {

    ImportOptions optionsFrom(const std::vector<std::string> &ranks, bool append)
    {
        ImportOptions options;
        options.append = append;
        for (const std::string &word : ranks) {
            const auto equals = word.rfind('=');
            const char *end = word.data() + word.size();
            int rank = -1;
            if (equals == std::string::npos
                || std::from_chars(word.data() + equals + 1, end, rank).ptr != end || rank < 0)
                throw UsageError("'--rank " + word + "' is not of the form FILE=N with N from 0.");
            const std::string file = word.substr(0, equals);
            const auto [known, isNew] = options.ranks.emplace(file, rank);
            if (!isNew && known->second != rank)
                throw UsageError("'--rank " + word + "': '" + file + "' is stated to be rank "
                                 + std::to_string(known->second)
                                 + " as well. Name each file once.");
        }
        return options;
    }

    void printJson(const std::filesystem::path &project, const ProjectInfo &info,
                   const ImportReport &report, std::ostream &out)
    {
        nlohmann::ordered_json json { { "project", project.string() },
                                      { "files", report.filesRead },
                                      { "files_known", report.filesKnown },
                                      { "events_total", report.eventsTotal },
                                      { "skipped_input", report.hasSkippedInput },
                                      { "sources", nlohmann::ordered_json::array() } };
        for (const SourceFile &file : info.files)
            json["sources"].push_back(fileJson(info, file));
        out << json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << "\n";
    }

    void printText(const std::filesystem::path &project, const ProjectInfo &info,
                   const ImportReport &report, std::ostream &out)
    {
        out << project.string() << ": " << headline(info);
        if (report.filesKnown > 0)
            out << "; " << report.filesKnown << (report.filesKnown == 1 ? " file is" : " files are")
                << " in the project already";
        out << "\nNext: longpole diagnose " << shellWord(project.string()) << "\n";
    }

} // namespace

void ImportCommand::declare(CLI::App &app)
{
    CLI::Option *bundle
        = app.add_option("bundle", m_inputs, "Files, folders, .zip, .gz in any mix");
    app.add_option("-o,--output", m_project, "Project file to write")->required();
    app.add_option(
        "--rank", m_ranks,
        "FILE=N: take FILE (a path, its end or a pattern) as rank N, whatever it says itself");
    app.add_option("--jobs", m_jobs,
                   "Files read at the same time (1 to 256; default: as many as cores)")
        ->check(CLI::Range(1U, 256U));
    app.add_option("--memory-limit", m_memoryLimitMib,
                   "MiB of memory that an import may take (128 to 1048576; default: 1024); "
                   "what exceeds it goes to a temporary file beside the project")
        ->check(CLI::Range(SmallestMemoryLimitMib, std::size_t(1) << 20));
    app.add_flag("--append", m_append, "Add to an existing project");
    app.add_flag("--discard-rest", m_discardRest,
                 "After an interrupted import: do without the files that were not read")
        ->excludes(bundle);
    app.add_flag("--json", m_json, "Print JSON");
}

int ImportCommand::discardRest(const CommandIo &io)
{
    discardImportRest(m_project, io.control);
    const ProjectReader reader(m_project);
    if (m_json)
        printJson(m_project, reader.info(), {}, io.out);
    else
        printText(m_project, reader.info(), {}, io.out);
    return Done;
}

int ImportCommand::run(const CommandIo &io)
{
    refuseFolder(m_project, "job.longpole");
    if (m_discardRest)
        return discardRest(io);
    if (m_inputs.empty())
        throw UsageError("Give files or folders to import.");
    ImportOptions options = optionsFrom(m_ranks, m_append);
    options.jobs = m_jobs;
    options.memoryLimitMib = m_memoryLimitMib;
    const ImportReport report = importBundle(m_inputs, m_project, options, io.control);
    std::vector<Diagnostic> remarks;
    std::copy_if(report.diagnostics.begin(), report.diagnostics.end(), std::back_inserter(remarks),
                 [](const Diagnostic &d) { return d.severity != Severity::Info; });
    for (const std::string &line : diagnosticLines(remarks))
        io.err << line << "\n";
    const ProjectReader reader(m_project);
    if (const std::string timeless = timelessText(reader.info()); !timeless.empty())
        io.err << "warning: " << timeless << "\n";
    if (m_json)
        printJson(m_project, reader.info(), report, io.out);
    else
        printText(m_project, reader.info(), report, io.out);
    return report.hasSkippedInput ? InputSkipped : Done;
}

} // namespace core
