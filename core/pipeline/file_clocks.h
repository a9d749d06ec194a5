#pragma once

#include "core/base/diagnostics.h"
#include "core/model/clocks.h"
#include "core/model/trace.h"
#include "core/pipeline/merged_collectives.h"
#include "core/project/read/project_reader.h"

#include <vector>

namespace core {

inline constexpr const char *FileClockCode = "file-clock";

/// Without one there is no file clock to find.
bool hasRankOfSeveralFiles(const ProjectInfo &info);

/// Files that count their times from another moment than the other files of their rank, and what
/// brings them together; with those that the project knows already, which `trace` has applied. A
/// file has another clock if NCCL's records in it are off from the rank's kernels all by the same
/// time, or one that grows evenly (`merged`); if it is one of NCCL's and recorded at no time at
/// which another one did; or if it lies more than an hour away or counts from 1970 where the other
/// counts from a boot or a start. The offset is that of the calls and marks which both recorded,
/// where enough agree on it; else the starts are put together, or nothing moves where both tell the
/// time of day. They tell a drift, too, or that there is none (recorder_clock.h); else it is not
/// known. Throws Cancelled.
std::vector<FileClock> findFileClocks(const Trace &trace, const MergedCollectives &merged,
                                      const ProjectInfo &info, const JobControl &control);

/// "file-clock": what of that the project has, one a file and rank.
std::vector<Diagnostic> fileClockDiagnostics(const ProjectInfo &info);

} // namespace core
