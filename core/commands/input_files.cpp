#include "core/commands/input_files.h"

#include "core/base/ranks_text.h"
#include "core/project/write/skipped_records.h"

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

    bool hasAllEvents(const Worker &worker, const SourceFile &file)
    {
        return std::all_of(file.eventsByCategory.begin(), file.eventsByCategory.end(),
                           [&worker](const auto &count) {
                               const auto own = worker.eventsByCategory.find(count.first);
                               return own != worker.eventsByCategory.end()
                                   && own->second >= count.second;
                           });
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
                { "not_shown", notShownOf(info, file) },
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
    return "Without times: " + ranksText(ranks)
        + ". The records tell what ran, but not when: nothing to show, diagnose or replay. Add "
          "traces of the same run with times (for an execution trace, the Kineto trace) with "
          "longpole import --append.";
}

std::map<int, int> ranksCountedFor(const ProjectInfo &info)
{
    std::map<int, const Worker *> workers;
    for (const Worker &worker : info.workers)
        workers.emplace(worker.rank, &worker);
    std::map<int, int> countedFor;
    for (const SourceFile &file : info.files) {
        if (file.status != FileStatus::Read || eventsOf(file) == 0)
            continue;
        const auto holder = std::find_if(file.ranks.begin(), file.ranks.end(), [&](int rank) {
            const auto worker = workers.find(rank);
            return worker != workers.end() && hasAllEvents(*worker->second, file);
        });
        if (holder == file.ranks.end())
            continue;
        for (const int rank : file.ranks)
            if (const auto worker = workers.find(rank);
                worker != workers.end() && worker->second->eventsByCategory.empty())
                countedFor.emplace(rank, *holder);
    }
    return countedFor;
}

std::string headline(const ProjectInfo &info)
{
    const auto files
        = std::count_if(info.files.begin(), info.files.end(),
                        [](const SourceFile &file) { return file.status == FileStatus::Read; });
    std::uint64_t leftOut = 0;
    for (const LostRecords &lost : lostRecords(info))
        leftOut += lost.count;
    std::uint64_t notShown = 0;
    for (const SourceFile &file : info.files)
        notShown += notShownOf(info, file);
    std::string remark;
    if (leftOut > 0)
        remark = std::to_string(leftOut) + (leftOut == 1 ? " was" : " were") + " left out";
    if (notShown > 0)
        remark += (remark.empty() ? "" : ", ") + std::to_string(notShown)
            + (notShown == 1 ? " is" : " are") + " not on the timeline";
    return std::to_string(info.eventsTotal) + " events from " + std::to_string(files)
        + (files == 1 ? " file" : " files") + (remark.empty() ? "" : " (" + remark + ")");
}

} // namespace core
