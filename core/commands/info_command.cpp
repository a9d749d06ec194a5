#include "core/commands/info_command.h"

#include "core/analyze/groups/process_group_text.h"
#include "core/analyze/groups/process_groups.h"
#include "core/base/duration_text.h"
#include "core/base/median_ns.h"
#include "core/base/ranks_text.h"
#include "core/commands/input_files.h"
#include "core/commands/text/diagnostic_lines.h"
#include "core/commands/text/group_text.h"
#include "core/commands/text/text.h"
#include "core/model/by_worker.h"
#include "core/model/separate_jobs.h"
#include "core/model/step_marks.h"
#include "core/pipeline/merged_collectives.h"
#include "core/pipeline/unknown_files.h"
#include "core/project/read/project_reader.h"
#include "core/project/write/skipped_records.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <numeric>
#include <ostream>
#include <set>
#include <string_view>

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

    /// "13012", "13012 with ranks 1-11", "with rank 0"; `countedFor` is of ranksCountedFor().
    std::string eventsText(const std::map<int, int> &countedFor, const Worker &worker)
    {
        if (const auto other = countedFor.find(worker.rank); other != countedFor.end())
            return "with rank " + std::to_string(other->second);
        std::vector<int> others;
        for (const auto &[rank, counted] : countedFor)
            if (counted == worker.rank)
                others.push_back(rank);
        return std::to_string(sumOf(worker.eventsByCategory))
            + (others.empty() ? "" : " with " + ranksText(others));
    }

    Json rankJson(const ProjectInfo &info, const Worker &worker, bool hasTimes)
    {
        Json json { { "rank", worker.rank },
                    { "host", worker.host },
                    { "files", worker.files },
                    { "events", sumOf(worker.eventsByCategory) },
                    { "events_by_category", worker.eventsByCategory },
                    { "has_times", hasTimes },
                    { "iterations", Json::array() } };
        for (const Iteration &iteration : iterationsOf(info.iterations, worker.id))
            json["iterations"].push_back({ { "index", iteration.index },
                                           { "start_ns", iteration.range.startNs },
                                           { "dur_ns", iteration.range.durationNs() },
                                           { "whole", iteration.isWhole } });
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

    /// Names of files in folders that are no traces; the diagnostics tell of those that are alike
    /// in one line.
    std::set<std::string_view> strangers(const ProjectInfo &info)
    {
        std::set<std::string_view> names;
        for (const Diagnostic &diagnostic : info.diagnostics)
            if (diagnostic.code == "not-a-trace" && diagnostic.severity == Severity::Info)
                names.insert(diagnostic.file);
        return names;
    }

    /// "3", "3 and the rest".
    std::string skippedText(const ProjectInfo &info, const SourceFile &file)
    {
        return std::to_string(skippedOf(info, file)) + (isCut(info, file) ? " and the rest" : "");
    }

    void printFiles(const ProjectInfo &info, std::ostream &out)
    {
        const std::set<std::string_view> left = strangers(info);
        const bool areFurther = std::any_of(
            info.diagnostics.begin(), info.diagnostics.end(),
            [](const Diagnostic &diagnostic) { return diagnostic.code == FurtherFilesCode; });
        const auto isLeft = [&left, areFurther](const SourceFile &file) {
            return file.status == FileStatus::Skipped
                && (left.contains(file.name) || (areFurther && file.format.empty()));
        };
        TextTable table(
            { "file", "format", "status", "events", "events skipped", "not shown", "ranks" });
        for (const SourceFile &file : info.files) {
            if (isLeft(file))
                continue;
            const std::string ranks = rankNumbersText(file.ranks);
            table.addRow({ file.name, file.format.empty() ? "-" : file.format,
                           fileStatusText(info, file), std::to_string(eventsOf(file)),
                           skippedText(info, file), std::to_string(notShownOf(info, file)),
                           ranks.empty() ? "-" : ranks });
        }
        table.print(out);
        for (const SourceFile &file : info.files)
            if (const std::string reason = fileReasonText(info, file);
                !reason.empty() && !isLeft(file))
                out << file.name << ": " << fileStatusText(info, file) << ": " << reason << "\n";
        if (!left.empty())
            out << countText(static_cast<std::uint64_t>(
                                 std::count_if(info.files.begin(), info.files.end(), isLeft)),
                             "file")
                << " of the folders that are no traces: see below "
                << "(--json lists each)\n";
    }

    /// Reads slices only where there are groups. None of several jobs: their groups have the same
    /// names, and are not the same.
    std::vector<ProcessGroup> groupsOf(const ProjectReader &reader, const JobControl &control)
    {
        if (reader.collectives().empty())
            return {};
        const Trace trace = readMergedOutline(reader, marksGroupUse, control);
        return separateJobs(trace).areSeveral() ? std::vector<ProcessGroup>()
                                                : processGroups(trace, control);
    }

    Json unfinishedJson(const ProjectInfo &info)
    {
        if (!info.unfinishedImport)
            return nullptr;
        return { { "inputs", info.unfinishedImport->inputs },
                 { "message", info.unfinishedImport->message() } };
    }

    void printText(const ProjectInfo &info, const std::vector<ProcessGroup> &groups,
                   std::ostream &out)
    {
        const bool isKnown = hasKnownIterations(info.tracks, info.iterations);
        TextTable table({ "rank", "host", "events", "iterations",
                          isKnown ? "median iteration" : "recorded", "files" });
        const std::map<int, int> countedFor = ranksCountedFor(info);
        for (const Worker &worker : sortedByRank(info.workers)) {
            std::vector<std::int64_t> durations;
            for (const Iteration &iteration : iterationsOf(info.iterations, worker.id))
                if (iteration.isWhole)
                    durations.push_back(iteration.range.durationNs());
            table.addRow({ std::to_string(worker.rank), worker.host.empty() ? "-" : worker.host,
                           eventsText(countedFor, worker),
                           isKnown ? std::to_string(durations.size()) : "not known",
                           durations.empty() ? "-" : durationText(medianNs(durations)),
                           filesText(worker.files) });
        }
        table.print(out);
        if (const std::string timeless = timelessText(info); !timeless.empty())
            out << timeless << "\n";
        out << "\n";
        printFiles(info, out);
        if (!groups.empty())
            out << "\n";
        printGroups(groups, out);
        const std::string &clocks = info.alignment.status; // none before clocks were solved
        out << "\n" << headline(info) << "\n";
        if (!clocks.empty())
            out << clocks << "\n";
        for (const std::string &line : diagnosticLines(info.diagnostics))
            out << line << "\n";
    }

} // namespace

void InfoCommand::declare(CLI::App &app)
{
    app.add_option("project", m_project, "Project file")->required();
    app.add_flag("--json", m_json, "Print JSON");
    app.footer("iterations are those that the rank recorded to their end; a warning says which of "
               "them not every\nrank has.\nstatus of a file: read; cut off, where its end is "
               "missing; not imported, where something is wrong with\nit; left out, where it is no "
               "trace.");
}

int InfoCommand::run(const CommandIo &io)
{
    const ProjectReader reader(m_project);
    const ProjectInfo &info = reader.info();
    const std::vector<ProcessGroup> groups = groupsOf(reader, io.control);
    if (!m_json) {
        printText(info, groups, io.out);
        return Done;
    }
    Json json { { "ranks", Json::array() },           { "files", Json::array() },
                { "formats", info.formats },          { "events_total", info.eventsTotal },
                { "process_groups", toJson(groups) }, { "unfinished_import", unfinishedJson(info) },
                { "diagnostics", Json::array() } };
    const std::set<WorkerId> withTimes = workersWithTimes(info);
    const std::map<int, int> countedFor = ranksCountedFor(info);
    for (const Worker &worker : sortedByRank(info.workers)) {
        json["ranks"].push_back(rankJson(info, worker, withTimes.contains(worker.id)));
        const auto other = countedFor.find(worker.rank);
        json["ranks"].back()["counted_with"]
            = other == countedFor.end() ? Json() : Json(other->second);
    }
    for (const SourceFile &file : info.files)
        json["files"].push_back(fileJson(info, file));
    for (const Diagnostic &diagnostic : info.diagnostics)
        json["diagnostics"].push_back(diagnosticJson(diagnostic));
    io.out << json.dump(2, ' ', false, Json::error_handler_t::replace) << "\n";
    return Done;
}

} // namespace core
