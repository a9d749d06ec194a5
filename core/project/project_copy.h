#pragma once

#include "core/base/job_control.h"

#include <filesystem>

namespace core {

/// Writes a copy of a project to another file, with all that is committed in it. A file that is
/// there is replaced once the copy is whole. Throws Error, naming what is in the way, and
/// Cancelled; both leave the target as it was.
void copyProject(const std::filesystem::path &project, const std::filesystem::path &target,
                 const JobControl &control);

} // namespace core
