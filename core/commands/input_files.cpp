#include "core/commands/input_files.h"

#include "core/base/ranks_text.h"
#include "core/project/skipped_records.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace core {

namespace {

    using Json = nlohmann::ordered_json;

    Json skippedJson(const SkippedRecords &skipped)
    {
        Json json { { "code", skipped.code },
                    { "reason", skipped.reason },
                    { "count", skipped.count },
                    { "first_offset", nullptr } };
        if (skipped.firstOffset)
            json["first_offset"] = *skipped.firstOffset;
        return json;
    }

} // namespace

Json fileJson(const ProjectInfo &info, const SourceFile &file)
{
    Json json { { "name", file.name },
                { "format", file.format },
                { "status", fileStatusName(file.status) },
                { "status_text", fileStatusText(info, file) },
                { "reason", file.reason },
                { "ranks", file.ranks },
                { "events", eventsOf(file) },
                { "events_by_category", file.eventsByCategory },
                { "skipped", skippedOf(info, file) },
                { "rest_is_missing", isCut(info, file) },
                { "skipped_by_reason", Json::array() } };
    for (const SkippedRecords &skipped : skippedRecords(info, file))
        json["skipped_by_reason"].push_back(skippedJson(skipped));
    return json;
}

std::uint64_t skippedOf(const ProjectInfo &info, const SourceFile &file)
{
    std::uint64_t count = 0;
    for (const SkippedRecords &skipped : skippedRecords(info, file))
        count += skipped.count;
    return count;
}

std::set<WorkerId> workersWithTimes(const ProjectInfo &info)
{
    std::set<WorkerId> workers;
    for (const Track &track : info.tracks)
        if (track.sliceCount > 0)
            workers.insert(track.worker);
    return workers;
}

std::string timelessText(const ProjectInfo &info)
{
    const std::set<WorkerId> withTimes = workersWithTimes(info);
    std::vector<int> ranks;
    for (const Worker &worker : info.workers)
        if (!worker.eventsByCategory.empty() && !withTimes.contains(worker.id))
            ranks.push_back(worker.rank);
    if (ranks.empty())
        return {};
    std::sort(ranks.begin(), ranks.end());
    return "Without times: " + ranksText(ranks) + ". What is recorded of "
        + (ranks.size() == 1 ? "it" : "them")
        + " tells what ran, but not when, so that there is nothing to show, diagnose or replay. "
          "Add "
          "traces of the same run that do (for an execution trace, the Kineto trace) with longpole "
          "import --append.";
}

std::string headline(const ProjectInfo &info)
{
    const auto files
        = std::count_if(info.files.begin(), info.files.end(),
                        [](const SourceFile &file) { return file.status == FileStatus::Read; });
    std::uint64_t leftOut = 0;
    for (const LostRecords &lost : lostRecords(info))
        leftOut += lost.count;
    return std::to_string(info.eventsTotal) + " events from " + std::to_string(files)
        + (files == 1 ? " file" : " files")
        + (leftOut == 0
               ? ""
               : " (" + std::to_string(leftOut) + (leftOut == 1 ? " was" : " were") + " left out)");
}

} // namespace core
