#include "core/pipeline/file_clocks.h"

#include "core/base/duration_text.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace core {

namespace {

    using FileOfWorker = std::pair<WorkerId, FileId>;

    std::string nameOf(const ProjectInfo &info, FileId id)
    {
        const auto found = std::find_if(info.files.begin(), info.files.end(),
                                        [id](const SourceFile &file) { return file.id == id; });
        return found == info.files.end() ? std::string() : found->name;
    }

    /// First start to last end of what each file has of each worker; raw clock.
    std::map<FileOfWorker, TimeRange> recordedTimes(const Trace &trace)
    {
        std::map<FileOfWorker, TimeRange> times;
        for (const Track &track : trace.tracks) {
            if (track.sliceCount == 0)
                continue;
            const auto [it, isNew]
                = times.emplace(FileOfWorker(track.worker, track.file), track.range);
            it->second.startNs = std::min(it->second.startNs, track.range.startNs);
            it->second.endNs = std::max(it->second.endNs, track.range.endNs);
        }
        return times;
    }

    Diagnostic fileClock(const Trace &trace, const ProjectInfo &info, const FileOfWorker &file,
                         const std::string &what)
    {
        return { FileClockCode,
                 Severity::Warning,
                 1,
                 nameOf(info, file.second),
                 {},
                 "Of rank " + std::to_string(trace.workers[file.first.value].rank)
                     + " it has times of another clock than the rank's other files: " + what };
    }

    /// Files of NCCL that recorded at no time at which another one of the rank did.
    std::set<FileOfWorker> filesApart(const Trace &trace, const ProjectInfo &info)
    {
        const std::set<FileId> ofNccl = filesOfNccl(info);
        const std::map<FileOfWorker, TimeRange> times = recordedTimes(trace);
        std::set<FileOfWorker> apart;
        for (const auto &[file, range] : times) {
            bool hasOther = false, overlaps = false;
            for (auto other = times.lower_bound({ file.first, FileId() });
                 other != times.end() && other->first.first == file.first; ++other) {
                if (ofNccl.contains(other->first.second))
                    continue;
                hasOther = true;
                overlaps |= range.overlaps(other->second);
            }
            if (ofNccl.contains(file.second) && hasOther && !overlaps)
                apart.insert(file);
        }
        return apart;
    }

} // namespace

std::vector<Diagnostic> checkFileClocks(const Trace &trace, const MergedCollectives &merged,
                                        const ProjectInfo &info)
{
    std::vector<Diagnostic> found;
    std::set<FileOfWorker> apart = filesApart(trace, info);
    for (const MergedCollectives::OtherClock &clock : merged.otherClocks) {
        apart.erase({ clock.worker, clock.file });
        found.push_back(fileClock(
            trace, info, { clock.worker, clock.file },
            "by the collectives that both recorded they are "
                + durationText(std::abs(clock.offsetNs))
                + (clock.offsetNs > 0 ? " later" : " earlier")
                + ". The collectives count once, when their kernels ran; the file's other rows are "
                  "shown as recorded and cannot be compared with the rank's."));
    }
    for (const FileOfWorker &file : apart)
        found.push_back(fileClock(trace, info, file,
                                  "they do not overlap, and no collectives that both recorded tell "
                                  "how far they are apart. They cannot be compared; record them "
                                  "together, the device with torch.profiler or CUPTI."));
    return found;
}

} // namespace core
