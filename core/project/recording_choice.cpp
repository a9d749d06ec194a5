#include "core/project/recording_choice.h"

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
        std::vector<std::size_t> files;
        std::optional<TimeRange> time; ///< of all of them; absent: their clocks do not tell it
        std::string names; ///< as likeNames() of the first

        bool isComplete() const
        {
            return first->worldSize && static_cast<std::size_t>(*first->worldSize) == parts.size();
        }
    };

    std::optional<TimeRange> timeOf(const SeenFile &file)
    {
        std::optional<TimeRange> time;
        for (const RankPart &part : file.parts)
            if (part.range && isTimeOfDay(*part.range))
                time = time ? TimeRange { std::min(time->startNs, part.range->startNs),
                                          std::max(time->endNs, part.range->endNs) }
                            : *part.range;
        return time;
    }

    /// By the recordings that the files are of.
    class Recordings
    {
    public:
        explicit Recordings(const std::vector<SeenFile> &files)
            : m_files(files)
        {
            for (std::size_t i = 0; i < files.size() && m_all.size() <= MostRecordings; ++i)
                if (!files[i].parts.empty())
                    add(i);
        }

        /// The best first; empty where there are too many to compare.
        std::vector<const Recording *> byRank() const
        {
            std::vector<const Recording *> sorted;
            if (m_all.size() > MostRecordings)
                return sorted;
            for (const Recording &one : m_all)
                sorted.push_back(&one);
            std::stable_sort(sorted.begin(), sorted.end(),
                             [](const Recording *a, const Recording *b) {
                                 return std::tuple(a->parts.size(), a->isComplete())
                                     > std::tuple(b->parts.size(), b->isComplete());
                             });
            return sorted;
        }

    private:
        void add(std::size_t index)
        {
            const SeenFile &file = m_files[index];
            const RankPart &first = file.parts.front();
            const std::optional<TimeRange> time = timeOf(file);
            const std::string names = likeNames(first.file, first.rank);
            Recording *own = nullptr;
            auto nearest = std::tuple(std::numeric_limits<std::int64_t>::max(), true);
            for (Recording &one : m_all) {
                if (!mayHave(one, file, time, names))
                    continue;
                const auto distance
                    = std::tuple(time ? gapNs(*time, *one.time) : 0, one.names != names);
                if (distance < nearest)
                    own = &one;
                nearest = std::min(nearest, distance);
            }
            if (!own) {
                own = &m_all.emplace_back();
                own->first = &first;
                own->names = names;
            }
            own->files.push_back(index);
            for (const RankPart &part : file.parts)
                own->parts.try_emplace(part.rank, &part);
            if (time)
                own->time = own->time ? TimeRange { std::min(time->startNs, own->time->startNs),
                                                    std::max(time->endNs, own->time->endNs) }
                                      : *time;
        }

        static bool mayHave(const Recording &one, const SeenFile &file,
                            const std::optional<TimeRange> &time, const std::string &names)
        {
            const RankPart &first = file.parts.front();
            if (one.first->format != first.format || one.first->worldSize != first.worldSize
                || one.time.has_value() != time.has_value())
                return false;
            if (time ? gapNs(*time, *one.time) > SetClocksErrorNs : one.names != names)
                return false;
            return std::none_of(file.parts.begin(), file.parts.end(), [&one](const RankPart &part) {
                return one.parts.contains(part.rank);
            });
        }

        const std::vector<SeenFile> &m_files;
        std::vector<Recording> m_all;
    };

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
        return "This is of another recording than what was imported ("
            + textOf(taken, one.first->file) + ")" + why + evidence + ". "
            + (one.files.size() == 1 ? "Import it into a project of its own."
                                     : "Import the files of this recording into a project of their "
                                       "own.");
    }

} // namespace

SmallerRecordings smallerRecordings(const std::vector<SeenFile> &files)
{
    const Recordings recordings(files);
    std::vector<const Recording *> taken;
    SmallerRecordings smaller;
    for (const Recording *one : recordings.byRank()) {
        std::string reason;
        for (auto better = taken.begin(); better != taken.end() && reason.empty(); ++better)
            if (const std::string evidence = evidenceAgainst(*one, **better); !evidence.empty())
                reason = reasonOf(*one, **better, evidence);
        if (reason.empty()) {
            taken.push_back(one);
            continue;
        }
        for (const std::size_t index : one->files) {
            SourceFile &left = smaller.files.emplace_back(files[index].source);
            left.status = FileStatus::Skipped;
            left.reason = reason;
            smaller.isTaken = smaller.isTaken || files[index].isTaken;
        }
    }
    return smaller;
}

} // namespace core
