#pragma once

#include "core/base/diagnostics.h"
#include "core/model/trace.h"
#include "core/pipeline/merged_collectives.h"
#include "core/project/project_reader.h"

#include <vector>

namespace core {

inline constexpr const char *FileClockCode = "file-clock";

/// "file-clock": a file of NCCL's own records counts its times from another moment than the other
/// files of its rank: by how much, where the collectives that both hold tell, else that it is not
/// known. One a file and rank.
std::vector<Diagnostic> checkFileClocks(const Trace &trace, const MergedCollectives &merged,
                                        const ProjectInfo &info);

} // namespace core
