#include "core/project/known_ranks.h"

#include "core/project/import_tables.h"
#include "core/project/worker_tables.h"

#include <algorithm>

namespace core {

namespace {

    TimeRange around(TimeRange a, TimeRange b)
    {
        return { std::min(a.startNs, b.startNs), std::max(a.endNs, b.endNs) };
    }

    std::string duplicateAdvice(const std::string &known, const std::string &file)
    {
        if (known == file)
            return " is in the project already, from this file as it was then; it has changed "
                   "since. Import it into a new project.";
        return " is in the project already, from " + known
            + ", which is read first in the order of names; import one trace a rank and format, or "
              "this one into a new project.";
    }

    Diagnostic refused(std::string code, const RankPart &part, std::string message)
    {
        return { std::move(code), Severity::Error, 1, part.file, {}, std::move(message), false };
    }

} // namespace

std::int64_t gapNs(TimeRange a, TimeRange b)
{
    return std::max<std::int64_t>({ 0, a.startNs - b.endNs, b.startNs - a.endNs });
}

KnownRanks::KnownRanks(Database &db)
{
    const std::vector<Worker> workers = readWorkers(db);
    const std::vector<SourceFile> files = readSourceFiles(db, workers);
    for (const Worker &worker : workers)
        m_ranks[worker.rank].worker = worker.id;
    for (const SourceFile &file : files)
        for (const int rank : file.ranks)
            m_ranks.at(rank).fileByFormat.try_emplace(
                file.format, KnownFile { file.name, file.id.value_or(FileId()) });
    for (const Track &track : readTracks(db, workers.size())) {
        Known &known = m_ranks.at(workers[track.worker.value].rank);
        if (track.sliceCount == 0)
            continue;
        if (known.timedFile.empty() && !workers[track.worker.value].files.empty())
            known.timedFile = workers[track.worker.value].files.front();
        known.range = known.range ? around(*known.range, track.range) : track.range;
    }
}

std::optional<Diagnostic> KnownRanks::refusal(const RankPart &part) const
{
    const auto found = m_ranks.find(part.rank);
    if (found == m_ranks.end())
        return std::nullopt;
    const Known &known = found->second;
    const std::string rank = "Rank " + std::to_string(part.rank);
    if (const auto same = known.fileByFormat.find(part.format); same != known.fileByFormat.end())
        return refused("duplicate-rank", part,
                       rank + duplicateAdvice(same->second.name, part.file));
    if (part.range && known.range && gapNs(*part.range, *known.range) > MaxClockGapNs)
        return refused(
            "other-clock", part,
            rank + " is in the project already, from " + known.timedFile
                + ", and that ran more than an hour before or after this file: they are "
                  "not of one run, or one of them does not tell the time of day. What is "
                  "read first is kept, in the order of names; import this file into a "
                  "project of its own.");
    return std::nullopt;
}

std::optional<WorkerId> KnownRanks::workerOf(int rank) const
{
    const auto found = m_ranks.find(rank);
    if (found == m_ranks.end())
        return std::nullopt;
    return found->second.worker;
}

std::optional<FileId> KnownRanks::fileOf(int rank, const std::string &format) const
{
    const auto found = m_ranks.find(rank);
    if (found == m_ranks.end())
        return std::nullopt;
    const auto file = found->second.fileByFormat.find(format);
    if (file == found->second.fileByFormat.end())
        return std::nullopt;
    return file->second.id;
}

void KnownRanks::add(const RankPart &part, WorkerId worker, FileId file)
{
    Known &known = m_ranks[part.rank];
    known.worker = worker;
    known.fileByFormat.try_emplace(part.format, KnownFile { part.file, file });
    if (!part.range)
        return;
    if (known.timedFile.empty())
        known.timedFile = part.file;
    known.range = known.range ? around(*known.range, *part.range) : part.range;
}

} // namespace core
