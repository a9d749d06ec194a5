#pragma once

#include "core/base/job_control.h"
#include "core/model/trace.h"
#include "core/project/read/project_reader.h"
#include "core/project/write/project_writer.h"

#include <filesystem>

namespace core {

/// Finds what needs all ranks of a project at once, on the finished slices, of which few matter to
/// it, and writes it: the clocks of files and ranks, iterations, what is odd (checkRanks()). Throws
/// Error where that would take more memory than the limit.
void analyseRanks(const std::filesystem::path &project, ProjectWriter &writer,
                  const OutlineLimit &limit, const JobControl &control);

/// Finds the same in a whole trace if the project's import was killed before analyseRanks().
/// The clocks of files stay as the project has them.
void completeRanks(const ProjectInfo &info, Trace &trace, const JobControl &control);

} // namespace core
