#pragma once

#include "core/align/recorder_clock.h"
#include "core/model/trace.h"
#include "core/project/read/project_reader.h"

#include <functional>
#include <set>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace core {

/// What was found when one rank's files were put together.
struct MergedCollectives
{
    /// A kernel's slice -> NCCL's own record of the same collective, which trace.collectives no
    /// longer has.
    std::unordered_map<SliceId, SliceId> recordOf;

    /// Files of NCCL's own records whose clock is not that of the rank's kernels.
    struct OtherClock
    {
        WorkerId worker;
        FileId file;
        RecorderClock clock; ///< what brings its times to the kernels'
    };
    std::vector<OtherClock> otherClocks;
};

/// Where a profiler of the device recorded a rank's NCCL kernels and NCCL (a file of `ofNccl`) the
/// collectives that they ran, each is there twice. Makes it one: the kernel's slice stays, since it
/// has its launch, its stream and the clock of the others; what it does not say of itself (size,
/// group) NCCL's record adds. The record's slice is Category::Other then, no device's activity.
/// They are matched by kind and by time; where all of a file are off by the same time, or by one
/// that grows evenly, its clock is another one, and what is left of its collectives, at times that
/// are not the rank's, goes, too. Sends and receives are not merged: one kernel runs several.
/// Throws Cancelled.
MergedCollectives mergeCollectives(Trace &trace, const std::set<FileId> &ofNccl,
                                   const JobControl &control);

/// mergeCollectives() of a project's trace. A file with a clock of its own that is none of NCCL's
/// (a Horovod timeline, say) has the rank's collectives once more, too: where the rank's other
/// files have any, its own do not count.
/// Throws Cancelled.
MergedCollectives mergeFiles(Trace &trace, const ProjectInfo &info, const JobControl &control);

/// The project's files of NCCL's own records.
std::set<FileId> filesOfNccl(const ProjectInfo &info);

/// Sets CollectiveCall::algorithm from NCCL's own records, which the reader's project has as
/// arguments of slices. `merged` is of mergeFiles(). Throws Cancelled.
void addStatedAlgorithms(const ProjectReader &reader, Trace &trace, const MergedCollectives &merged,
                         const JobControl &control);

/// ProjectReader::readOutline() with merged collectives.
Trace readMergedOutline(const ProjectReader &reader,
                        const std::function<bool(std::string_view)> &keepName,
                        const JobControl &control);

} // namespace core
