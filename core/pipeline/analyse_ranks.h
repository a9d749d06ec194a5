#pragma once

#include "core/base/job_control.h"
#include "core/model/trace.h"
#include "core/project/read/project_reader.h"
#include "core/project/write/project_writer.h"

#include <filesystem>

namespace core {

/// Finds what needs all ranks of a project at once, on the finished slices, of which few matter to
/// it, and writes it: the clocks of files and ranks, iterations, what is odd (checkRanks()).
void analyseRanks(const std::filesystem::path &project, ProjectWriter &writer,
                  const JobControl &control);

/// The same of a whole trace, as far as its project does not have it: the import was killed before,
/// or was an older version's. Clocks of files are as in the project.
void completeRanks(const ProjectInfo &info, Trace &trace, const JobControl &control);

} // namespace core
