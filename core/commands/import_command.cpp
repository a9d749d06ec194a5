#include "core/commands/import_command.h"

#include "core/base/error.h"
#include "core/commands/output_file.h"
#include "core/pipeline/pipeline.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <charconv>
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
            options.ranks[word.substr(0, equals)] = rank;
        }
        return options;
    }

} // namespace

void ImportCommand::declare(CLI::App &app)
{
    app.add_option("bundle", m_inputs, "Files, folders, .zip, .gz in any mix")->required();
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
    app.add_flag("--json", m_json, "Print JSON");
}

int ImportCommand::run(const CommandIo &io)
{
    refuseFolder(m_project, "job.longpole");
    ImportOptions options = optionsFrom(m_ranks, m_append);
    options.jobs = m_jobs;
    options.memoryLimitMib = m_memoryLimitMib;
    const ImportReport report = importBundle(m_inputs, m_project, options, io.control);
    for (const Diagnostic &d : report.diagnostics)
        if (d.severity != Severity::Info)
            io.err << severityName(d.severity) << ": " << (d.file.empty() ? "" : d.file + ": ")
                   << d.message << (d.count > 1 ? " (" + std::to_string(d.count) + " times)" : "")
                   << "\n";
    if (m_json) {
        io.out << nlohmann::ordered_json { { "project", m_project.string() },
                                           { "files", report.filesRead },
                                           { "files_known", report.filesKnown },
                                           { "events_total", report.eventsTotal },
                                           { "skipped_input", report.hasSkippedInput } }
                      .dump(2)
               << "\n";
    } else {
        io.out << m_project.string() << ": " << report.eventsTotal << " events from "
               << report.filesRead << (report.filesRead == 1 ? " file" : " files");
        if (report.filesKnown > 0)
            io.out << ", " << report.filesKnown << " read before";
        io.out << "\n";
    }
    return report.hasSkippedInput ? InputSkipped : Done;
}

} // namespace core
