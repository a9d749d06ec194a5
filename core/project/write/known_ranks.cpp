#include "core/project/write/known_ranks.h"

#include "core/base/ascii_text.h"
#include "core/base/duration_text.h"
#include "core/base/name_beside.h"
#include "core/base/saturated_time.h"
#include "core/model/recording_times.h"
#include "core/project/schema/import_tables.h"
#include "core/project/schema/worker_tables.h"
#include "core/project/write/skipped_records.h"

#include <algorithm>
#include <string_view>

namespace core {

namespace {

    TimeRange around(TimeRange a, TimeRange b)
    {
        return { std::min(a.startNs, b.startNs), std::max(a.endNs, b.endNs) };
    }

    /// "it can be read to its end, that one cannot", of the file that has more.
    std::string whyMore(bool isMoreDamaged, std::uint64_t moreEvents, std::uint64_t lessEvents)
    {
        if (!isMoreDamaged)
            return "it was read whole, this file is damaged";
        return "both files are damaged; it holds " + std::to_string(moreEvents)
            + " events, this one " + std::to_string(lessEvents);
    }

    constexpr std::string_view OfCapture
        = "it is of the run, this file of the capture of CUDA graphs, or without work of devices";

    /// Why `part` is not taken where the project has its rank, and what to do.
    std::string duplicateAdvice(const KnownFile &known, const RankPart &part)
    {
        if (known.name == part.file)
            return " is in the project already, from this file as it was then; it has changed "
                   "since. Import it into a new project.";
        const std::string from
            = " is in the project already, from " + nameBeside(known.name, part.file);
        if (known.isOfRun && !known.isEarlier && !part.isOfRun)
            return from + ": " + std::string(OfCapture) + ". It was left out.";
        if (part.hasMoreThan(known))
            return from + ", which is damaged"
                + (part.isDamaged ? " more than this file" : "; this file was read whole")
                + ". What a project has of a rank is not replaced: import all files into a new "
                  "project, to have this one.";
        if (part.isDamaged)
            return from + ": " + whyMore(known.isDamaged, known.events, part.events)
                + ". It was left out.";
        return from
            + (known.isEarlier ? ", which an earlier import has read"
                               : ", which comes first in the order of names")
            + "; both were read whole. If this file is of another rank than it states, say which: "
              "longpole import --rank FILE=N. Else import one trace a rank and format, or this one "
              "into a new project.";
    }

    /// Some tools record a host's name without its domain.
    bool mayBeOneHost(std::string_view a, std::string_view b)
    {
        const std::string_view longer = a.size() < b.size() ? b : a;
        const std::string_view shorter = a.size() < b.size() ? a : b;
        return longer.starts_with(shorter)
            && (longer.size() == shorter.size() || shorter.empty()
                || longer[shorter.size()] == '.');
    }

    Diagnostic refused(std::string code, const RankPart &part, std::string message)
    {
        return { std::move(code), Severity::Error, 1, part.file, {}, std::move(message), false };
    }

} // namespace

bool isNamedCapture(std::string_view path)
{
    std::size_t begin = path.find_last_of("/\\");
    begin = begin == std::string_view::npos || begin == 0 ? begin
                                                          : path.find_last_of("/\\", begin - 1);
    const std::string_view ends = begin == std::string_view::npos ? path : path.substr(begin);
    return lowered(ends).find("capture") != std::string::npos;
}

std::int64_t gapNs(TimeRange a, TimeRange b)
{
    return std::max<std::int64_t>(
        { 0, saturatedDifference(a.startNs, b.endNs), saturatedDifference(b.startNs, a.endNs) });
}

std::string otherRecordingEvidence(const RankPart &part, const RankPart &other)
{
    std::string evidence;
    const auto add = [&evidence](const std::string &what) {
        evidence += (evidence.empty() ? "" : ", and ") + what;
    };
    if (other.worldSize && part.worldSize && other.worldSize != part.worldSize)
        add("it states that its job has " + std::to_string(*part.worldSize) + " ranks, that one "
            + std::to_string(*other.worldSize));
    if (!mayBeOneHost(part.host, other.host))
        add("it was recorded on " + part.host + ", that one on " + other.host);
    if (part.range && isTimeOfDay(*part.range) && other.range && isTimeOfDay(*other.range))
        if (const std::int64_t apartNs = gapNs(*part.range, *other.range); apartNs > 0)
            add("it was recorded " + durationText(apartNs)
                + (part.range->startNs > other.range->endNs ? " after that one had ended"
                                                            : " before that one began"));
    return evidence;
}

KnownRanks::KnownRanks(Database &db)
{
    const std::vector<Worker> workers = readWorkers(db);
    const std::vector<SourceFile> files = readSourceFiles(db, workers);
    for (const Worker &worker : workers) {
        Known &known = m_ranks[worker.rank];
        known.worker = worker.id;
        known.host = worker.host;
        known.worldSize = worker.worldSize;
    }
    std::set<std::string> damaged;
    for (const Diagnostic &diagnostic : readDiagnostics(db))
        if (diagnostic.severity == Severity::Error)
            damaged.insert(diagnostic.file);
    for (const SourceFile &file : files)
        for (const int rank : file.ranks)
            m_ranks.at(rank).fileByFormat.try_emplace(
                file.format,
                KnownFile { file.name, file.id.value_or(FileId()), eventsOf(file),
                            damaged.contains(file.name), /*isEarlier=*/true, /*isOfRun=*/true });
    for (const Track &track : readTracks(db, workers.size())) {
        Known &known = m_ranks.at(workers[track.worker.value].rank);
        if (track.sliceCount == 0 || !isTimeOfDay(track.range))
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
    if (const auto same = known.fileByFormat.find(part.format); same != known.fileByFormat.end()) {
        const std::string evidence = otherRecordingEvidence(part, known.whole());
        if (!evidence.empty() && same->second.name != part.file)
            return refused("duplicate-rank", part,
                           rank + " is in the project already, from "
                               + nameBeside(same->second.name, part.file)
                               + ". This file is of another recording: " + evidence
                               + ". Import each into a project of its own.");
        return refused("duplicate-rank", part, rank + duplicateAdvice(same->second, part));
    }
    // Of clocks that began elsewhere nothing can be said here: see findFileClocks().
    if (part.range && isTimeOfDay(*part.range) && known.range
        && gapNs(*part.range, *known.range) > MaxClockGapNs)
        return refused(
            "other-clock", part,
            rank + " is in the project already, from " + nameBeside(known.timedFile, part.file)
                + ", and that ran more than an hour before or after this file: they are "
                  "not of one run. What is read first is kept, in the order of names; import this "
                  "file into a project of its own.");
    return std::nullopt;
}

RankPart KnownRanks::Known::whole() const
{
    RankPart whole;
    whole.range = range;
    whole.host = host;
    whole.worldSize = worldSize;
    return whole;
}

std::optional<DisplacedFile> KnownRanks::displacedBy(const RankPart &part)
{
    const auto rank = m_ranks.find(part.rank);
    if (rank == m_ranks.end())
        return std::nullopt;
    const auto file = rank->second.fileByFormat.find(part.format);
    if (file == rank->second.fileByFormat.end())
        return std::nullopt;
    KnownFile &known = file->second;
    std::optional<RankPart> &best = known.best;
    if (!otherRecordingEvidence(part, rank->second.whole())
             .empty()) // no better recording of the same
        return std::nullopt;
    if (known.isEarlier || !part.isBetterThan(known) || (best && !part.isBetterThan(*best)))
        return std::nullopt;
    best = part;
    return DisplacedFile { known.name,
                           "Rank " + std::to_string(part.rank) + " is taken from "
                               + nameBeside(part.file, known.name) + ": "
                               + (part.isOfRun != known.isOfRun
                                      ? std::string(OfCapture)
                                      : whyMore(part.isDamaged, part.events, known.events))
                               + ". It was left out." };
}

std::optional<WorkerId> KnownRanks::workerOf(int rank) const
{
    const auto found = m_ranks.find(rank);
    if (found == m_ranks.end())
        return std::nullopt;
    return found->second.worker;
}

const KnownFile *KnownRanks::fileOf(int rank, const std::string &format) const
{
    const auto found = m_ranks.find(rank);
    if (found == m_ranks.end())
        return nullptr;
    const auto file = found->second.fileByFormat.find(format);
    return file == found->second.fileByFormat.end() ? nullptr : &file->second;
}

void KnownRanks::add(const RankPart &part, WorkerId worker, FileId file)
{
    Known &known = m_ranks[part.rank];
    known.worker = worker;
    known.host = known.host.empty() ? part.host : known.host;
    known.worldSize = known.worldSize ? known.worldSize : part.worldSize;
    known.fileByFormat.try_emplace(part.format,
                                   KnownFile { part.file, file, part.events, part.isDamaged,
                                               /*isEarlier=*/false, part.isOfRun });
    if (!part.range || !isTimeOfDay(*part.range))
        return;
    if (known.timedFile.empty())
        known.timedFile = part.file;
    known.range = known.range ? around(*known.range, *part.range) : part.range;
}

} // namespace core
