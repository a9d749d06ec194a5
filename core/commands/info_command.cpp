#include "core/commands/info_command.h"

#include "core/base/duration_text.h"
#include "core/commands/diagnostic_lines.h"
#include "core/commands/input_files.h"
#include "core/commands/text.h"
#include "core/model/step_marks.h"
#include "core/project/project_reader.h"
#include "core/scenario/iteration_time.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <numeric>
#include <ostream>

namespace core {

namespace {

    using Json = nlohmann::ordered_json;

    std::uint64_t sumOf(const std::map<std::string, std::uint64_t> &counts)
    {
        return std::accumulate(
            counts.begin(), counts.end(), std::uint64_t { 0 },
            [](std::uint64_t sum, const auto &entry) { return sum + entry.second; });
    }

    std::vector<Worker> sortedByRank(std::vector<Worker> workers)
    {
        std::sort(workers.begin(), workers.end(),
                  [](const Worker &a, const Worker &b) { return a.rank < b.rank; });
        return workers;
    }

    Json rankJson(const ProjectInfo &info, const Worker &worker)
    {
        Json json { { "rank", worker.rank },
                    { "host", worker.host },
                    { "files", worker.files },
                    { "events", sumOf(worker.eventsByCategory) },
                    { "events_by_category", worker.eventsByCategory },
                    { "iterations", Json::array() } };
        for (const Iteration &iteration : info.iterations)
            if (iteration.worker == worker.id)
                json["iterations"].push_back({ { "index", iteration.index },
                                               { "start_ns", iteration.range.startNs },
                                               { "dur_ns", iteration.range.durationNs() } });
        return json;
    }

    Json diagnosticJson(const Diagnostic &diagnostic)
    {
        Json json {
            { "code", diagnostic.code },   { "severity", severityName(diagnostic.severity) },
            { "count", diagnostic.count }, { "file", diagnostic.file },
            { "first_offset", nullptr },   { "message", diagnostic.message }
        };
        if (diagnostic.firstOffset)
            json["first_offset"] = *diagnostic.firstOffset;
        return json;
    }

    /// The first, and how many others there are: all are listed below with their ranks.
    std::string filesText(const std::vector<std::string> &files)
    {
        if (files.empty())
            return "-";
        return files.front()
            + (files.size() > 1 ? " and " + std::to_string(files.size() - 1) + " more" : "");
    }

    void printFiles(const ProjectInfo &info, std::ostream &out)
    {
        TextTable table({ "file", "format", "status", "events", "events skipped", "ranks" });
        for (const SourceFile &file : info.files) {
            std::string ranks;
            for (const int rank : file.ranks)
                ranks += (ranks.empty() ? "" : " ") + std::to_string(rank);
            table.addRow({ file.name, file.format.empty() ? "-" : file.format,
                           std::string(fileStatusName(file.status)), std::to_string(eventsOf(file)),
                           std::to_string(skippedOf(info, file)), ranks.empty() ? "-" : ranks });
        }
        table.print(out);
        for (const SourceFile &file : info.files)
            if (!file.reason.empty())
                out << file.name << ": " << fileStatusName(file.status) << ": " << file.reason
                    << "\n";
    }

    Json unfinishedJson(const ProjectInfo &info)
    {
        if (!info.unfinishedImport)
            return nullptr;
        return { { "inputs", info.unfinishedImport->inputs },
                 { "message", info.unfinishedImport->message() } };
    }

    void printText(const ProjectInfo &info, std::ostream &out)
    {
        const bool isKnown = hasKnownIterations(info.tracks, info.iterations);
        TextTable table({ "rank", "host", "events", "iterations",
                          isKnown ? "median iteration" : "recorded", "files" });
        for (const Worker &worker : sortedByRank(info.workers)) {
            std::vector<std::int64_t> durations;
            for (const Iteration &iteration : info.iterations)
                if (iteration.worker == worker.id)
                    durations.push_back(iteration.range.durationNs());
            table.addRow({ std::to_string(worker.rank), worker.host.empty() ? "-" : worker.host,
                           std::to_string(sumOf(worker.eventsByCategory)),
                           isKnown ? std::to_string(durations.size()) : "not known",
                           durations.empty() ? "-" : durationText(medianNs(durations)),
                           filesText(worker.files) });
        }
        table.print(out);
        out << "\n";
        printFiles(info, out);
        out << "\n" << headline(info) << "; " << info.alignment.status << "\n";
        for (const std::string &line : diagnosticLines(info.diagnostics))
            out << line << "\n";
    }

} // namespace

void InfoCommand::declare(CLI::App &app)
{
    app.add_option("project", m_project, "Project file")->required();
    app.add_flag("--json", m_json, "Print JSON");
}

int InfoCommand::run(const CommandIo &io)
{
    const ProjectReader reader(m_project);
    const ProjectInfo &info = reader.info();
    if (!m_json) {
        printText(info, io.out);
        return Done;
    }
    Json json { { "ranks", Json::array() },
                { "files", Json::array() },
                { "formats", info.formats },
                { "events_total", info.eventsTotal },
                { "unfinished_import", unfinishedJson(info) },
                { "diagnostics", Json::array() } };
    for (const Worker &worker : sortedByRank(info.workers))
        json["ranks"].push_back(rankJson(info, worker));
    for (const SourceFile &file : info.files)
        json["files"].push_back(fileJson(info, file));
    for (const Diagnostic &diagnostic : info.diagnostics)
        json["diagnostics"].push_back(diagnosticJson(diagnostic));
    io.out << json.dump(2, ' ', false, Json::error_handler_t::replace) << "\n";
    return Done;
}

} // namespace core
