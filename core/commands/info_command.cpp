#include "core/commands/info_command.h"

#include "core/base/duration_text.h"
#include "core/commands/text.h"
#include "core/project/project_reader.h"
#include "core/scenario/iteration_time.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <numeric>
#include <ostream>

namespace core {

namespace {

    using Json = nlohmann::ordered_json;

    std::uint64_t eventsOf(const Worker &worker)
    {
        return std::accumulate(
            worker.eventsByCategory.begin(), worker.eventsByCategory.end(), std::uint64_t { 0 },
            [](std::uint64_t sum, const auto &entry) { return sum + entry.second; });
    }

    Json rankJson(const ProjectInfo &info, const Worker &worker)
    {
        Json json { { "rank", worker.rank },
                    { "host", worker.host },
                    { "files", worker.files },
                    { "events", eventsOf(worker) },
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

    void printText(const ProjectInfo &info, std::ostream &out)
    {
        TextTable table({ "rank", "host", "events", "iterations", "median iteration", "files" });
        for (const Worker &worker : info.workers) {
            std::vector<std::int64_t> durations;
            for (const Iteration &iteration : info.iterations)
                if (iteration.worker == worker.id)
                    durations.push_back(iteration.range.durationNs());
            table.addRow({ std::to_string(worker.rank), worker.host.empty() ? "-" : worker.host,
                           std::to_string(eventsOf(worker)), std::to_string(durations.size()),
                           durations.empty() ? "-" : durationText(medianNs(durations)),
                           worker.files.empty() ? "" : worker.files.front() });
        }
        table.print(out);
        out << "\n" << info.eventsTotal << " events; " << info.alignment.status << "\n";
        for (const Diagnostic &d : info.diagnostics)
            out << severityName(d.severity) << " " << d.code << " x " << d.count << ": "
                << (d.file.empty() ? "" : d.file + ": ") << d.message << "\n";
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
                { "formats", info.formats },
                { "events_total", info.eventsTotal },
                { "diagnostics", Json::array() } };
    for (const Worker &worker : info.workers)
        json["ranks"].push_back(rankJson(info, worker));
    for (const Diagnostic &diagnostic : info.diagnostics)
        json["diagnostics"].push_back(diagnosticJson(diagnostic));
    io.out << json.dump(2, ' ', false, Json::error_handler_t::replace) << "\n";
    return Done;
}

} // namespace core
