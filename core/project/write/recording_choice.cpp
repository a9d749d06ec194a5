#include "core/project/write/recording_choice.h"

#include "core/base/name_beside.h"
#include "core/base/ranks_text.h"
#include "core/base/saturated_time.h"
#include "core/model/recording_times.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <tuple>

namespace core {

namespace {

    /// Each file is compared with all of them.
    constexpr std::size_t MostRecordings = 1024;

    /// The path with another digit for the rank's number in the file's name: alike for the files of
    /// one recorder. Where the name has no such number, the folder's name may have it.
    std::string likeNames(const std::string &path, int rank)
    {
        const std::size_t slash = path.find_last_of("/\\");
        const std::size_t name = slash == std::string::npos ? 0 : slash + 1;
        const std::string number = std::to_string(rank);
        const auto isDigit = [&path](std::size_t at) {
            return at < path.size() && path[at] >= '0' && path[at] <= '9';
        };
        for (std::size_t at = path.rfind(number); at != std::string::npos && at >= name;
             at = at == 0 ? std::string::npos : path.rfind(number, at - 1))
            if (!isDigit(at + number.size()) && (at == 0 || !isDigit(at - 1)))
                return path.substr(0, at) + '#' + path.substr(at + number.size());
        const std::size_t folder = name < 2 ? 0 : path.find_last_of("/\\", name - 2) + 1;
        std::string alike = path.substr(0, folder);
        for (std::size_t at = folder; at < path.size(); ++at)
            if (!isDigit(at))
                alike += path[at];
        return alike;
    }

    struct Recording
    {
        const RankPart *first = nullptr;
        std::map<int, const RankPart *> parts; ///< by rank
        std::vector<std::size_t> files; ///< the first one first
        std::optional<TimeRange> time; ///< of all of them; absent: their clocks do not tell it
        std::string names; ///< as likeNames() of the first

        bool isComplete() const
        {
            return first->worldSize && static_cast<std::size_t>(*first->worldSize) == parts.size();
        }
        bool isOfRun() const
        {
            return std::any_of(parts.begin(), parts.end(),
                               [](const auto &part) { return part.second->isOfRun; });
        }
        /// Of one format and job, as far as they state it, and of other ranks.
        bool maySupplement(const Recording &other) const
        {
            return first->format == other.first->format
                && first->worldSize == other.first->worldSize
                && time.has_value() == other.time.has_value()
                && std::none_of(parts.begin(), parts.end(), [&other](const auto &part) {
                       return other.parts.contains(part.first);
                   });
        }
        bool isAtTimeOf(const Recording &other) const
        {
            return time && other.time && gapNs(*time, *other.time) <= SetClocksErrorNs;
        }
        void take(const Recording &other)
        {
            parts.insert(other.parts.begin(), other.parts.end());
            const bool isBefore = other.files.front() < files.front();
            files.insert(isBefore ? files.begin() : files.end(), other.files.begin(),
                         other.files.end());
            if (time && other.time)
                time = TimeRange { std::min(time->startNs, other.time->startNs),
                                   std::max(time->endNs, other.time->endNs) };
        }
    };

    /// One file as a recording.
    Recording recordingOf(const std::vector<SeenFile> &files, std::size_t index)
    {
        const std::vector<RankPart> &parts = files[index].parts;
        Recording one;
        one.first = &parts.front();
        one.files = { index };
        one.names = likeNames(one.first->file, one.first->rank);
        for (const RankPart &part : parts) {
            one.parts.try_emplace(part.rank, &part);
            if (part.range && isTimeOfDay(*part.range))
                one.time = one.time ? TimeRange { std::min(one.time->startNs, part.range->startNs),
                                                  std::max(one.time->endNs, part.range->endNs) }
                                    : *part.range;
        }
        return one;
    }

    bool isBetter(const Recording &a, const Recording &b)
    {
        return std::tuple(a.parts.size(), a.isComplete(), a.isOfRun(), b.files.front())
            > std::tuple(b.parts.size(), b.isComplete(), b.isOfRun(), a.files.front());
    }

    /// Files that are named alike and were recorded at the same time; of several that `one` may
    /// supplement the nearest.
    void addToNearest(std::vector<Recording> &all, Recording one)
    {
        Recording *own = nullptr;
        std::int64_t nearestNs = std::numeric_limits<std::int64_t>::max();
        for (Recording &other : all) {
            if (other.names != one.names || !one.maySupplement(other)
                || (one.time && !one.isAtTimeOf(other)))
                continue;
            const std::int64_t distanceNs = one.time ? gapNs(*one.time, *other.time) : 0;
            if (own == nullptr || distanceNs < nearestNs) {
                own = &other;
                nearestNs = distanceNs;
            }
        }
        if (own != nullptr)
            own->take(one);
        else
            all.push_back(std::move(one));
    }

    /// Those that may supplement each other where `isSame`, the larger ones first; so sorted.
    template <class IsSame>
    std::vector<Recording> joined(std::vector<Recording> parts, const IsSame &isSame)
    {
        std::sort(parts.begin(), parts.end(), isBetter);
        std::vector<Recording> all;
        for (Recording &one : parts) {
            const auto own = std::find_if(all.begin(), all.end(), [&](const Recording &other) {
                return isSame(one, other) && one.maySupplement(other);
            });
            if (own != all.end())
                own->take(one);
            else
                all.push_back(std::move(one));
        }
        std::sort(all.begin(), all.end(), isBetter);
        return all;
    }

    /// The best first; empty where there are too many to compare.
    std::vector<Recording> recordingsOf(const std::vector<SeenFile> &files)
    {
        std::vector<Recording> alike;
        for (std::size_t i = 0; i < files.size(); ++i) {
            if (!files[i].parts.empty())
                addToNearest(alike, recordingOf(files, i));
            if (alike.size() > MostRecordings)
                return {};
        }
        // A host's clock may be off, and each host may name its files otherwise.
        const auto isNamedAs
            = [](const Recording &one, const Recording &other) { return one.names == other.names; };
        const auto isAtTimeOf
            = [](const Recording &one, const Recording &other) { return one.isAtTimeOf(other); };
        return joined(joined(std::move(alike), isNamedAs), isAtTimeOf);
    }

    /// What tells that two recordings are not of one run, of a rank that both have; empty: nothing.
    std::string evidenceAgainst(const Recording &one, const Recording &taken)
    {
        for (const auto &[rank, part] : one.parts) {
            const auto same = taken.parts.find(rank);
            if (one.first->format != taken.first->format || same == taken.parts.end())
                continue;
            if (std::string evidence = otherRecordingEvidence(*part, *same->second);
                !evidence.empty())
                return evidence;
            // Of a copy that is named otherwise nothing is lost, of a cut one there is.
            if (!one.time && !taken.time && one.names != taken.names && one.parts.size() > 1
                && taken.parts.size() > 1 && !part->isDamaged && !same->second->isDamaged)
                return "it lies in another folder, or is named otherwise, together with other "
                       "ranks";
        }
        return {};
    }

    /// "ranks 0-3 of rank0.json and 3 more files".
    std::string textOf(const Recording &recording, const std::string &besideFile)
    {
        std::vector<int> ranks;
        for (const auto &[rank, part] : recording.parts)
            ranks.push_back(rank);
        const std::size_t more = recording.files.size() - 1;
        return ranksText(ranks) + " of " + nameBeside(recording.first->file, besideFile)
            + (more == 0
                   ? std::string()
                   : " and " + std::to_string(more) + (more == 1 ? " more file" : " more files"));
    }

    std::string reasonOf(const Recording &one, const Recording &taken, const std::string &evidence)
    {
        const std::size_t ranks = one.parts.size();
        const char *why = ", which comes first in the order of names: ";
        if (taken.parts.size() > ranks)
            why = ", which has more ranks: ";
        else if (taken.isComplete() && !one.isComplete())
            why = ", which has all ranks of its job: ";
        else if (taken.isOfRun() && !one.isOfRun())
            why = ", which is of the run, and not of the capture of CUDA graphs or without work of "
                  "devices: ";
        return "This is of another recording than what was imported ("
            + textOf(taken, one.first->file) + ")" + why + evidence + ". "
            + (one.files.size() == 1 ? "Import it into a project of its own."
                                     : "Import the files of this recording into a project of their "
                                       "own.");
    }

    /// Whether `taken` has all ranks of an intact file, intact. Which of two is damaged is decided
    /// elsewhere, and so is which of two single files is taken.
    bool hasPlaceOf(const Recording &taken, const Recording &one,
                    const std::vector<RankPart> &parts)
    {
        return one.first->format == taken.first->format && taken.parts.size() > 1
            && std::all_of(parts.begin(), parts.end(), [&taken](const RankPart &part) {
                   const auto same = taken.parts.find(part.rank);
                   return same != taken.parts.end() && !part.isDamaged && !same->second->isDamaged;
               });
    }

    /// Files of a recording that nothing tells to be another than one that has their ranks; whether
    /// there are any.
    bool leaveOutDoubles(const Recording &one, const Recording &taken,
                         const std::vector<SeenFile> &files, SmallerRecordings &smaller)
    {
        std::vector<std::size_t> doubles;
        for (const std::size_t index : one.files)
            if (hasPlaceOf(taken, one, files[index].parts))
                doubles.push_back(index);
        if (doubles.empty())
            return false;
        const bool isOne = doubles.size() == 1;
        const std::string reason = std::string("The project already has the ")
            + (isOne ? "rank of this file" : "ranks of these files") + ", from "
            + textOf(taken, one.first->file) + ". That recording "
            + (taken.parts.size() > one.parts.size() ? "has more ranks"
                   : taken.isOfRun() && !one.isOfRun()
                   ? "is of the run, this one of the capture of CUDA graphs"
                   : "comes first in the order of names")
            + "; all were read whole. If "
            + (isOne ? "it is of another rank than it states, say which"
                     : "one is of another rank than it states, say which")
            + ": longpole import --rank FILE=N. Else import " + (isOne ? "it" : "them")
            + " into a new project.";
        for (const std::size_t index : doubles)
            smaller.add(files[index], reason);
        return true;
    }

} // namespace

void SmallerRecordings::add(const SeenFile &file, const std::string &reason)
{
    SourceFile &left = files.emplace_back(file.source);
    left.status = FileStatus::Skipped;
    left.reason = reason;
    isTaken = isTaken || file.isTaken;
}

SmallerRecordings smallerRecordings(const std::vector<SeenFile> &files)
{
    const std::vector<Recording> recordings = recordingsOf(files);
    std::vector<const Recording *> taken;
    SmallerRecordings smaller;
    for (const Recording &one : recordings) {
        std::string reason;
        for (auto better = taken.begin(); better != taken.end() && reason.empty(); ++better)
            if (const std::string evidence = evidenceAgainst(one, **better); !evidence.empty())
                reason = reasonOf(one, **better, evidence);
        if (reason.empty()) {
            for (const Recording *better : taken)
                if (leaveOutDoubles(one, *better, files, smaller))
                    break; // what shares its ranks with several is rare: the best of them tells
            taken.push_back(&one);
            continue;
        }
        for (const std::size_t index : one.files)
            smaller.add(files[index], reason);
    }
    return smaller;
}

} // namespace core
