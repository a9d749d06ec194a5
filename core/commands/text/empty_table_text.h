#pragma once

#include "core/base/job_control.h"
#include "core/project/read/project_reader.h"

#include <string>

namespace core {

/// Of a query without rows: which of the tables that it names have none at all, as nothing was
/// recorded for them, and what records it; a sentence a line. Empty where that is not why. Throws
/// as ProjectReader::query().
std::string emptyTableText(const ProjectReader &project, const std::string &sql,
                           const JobControl &control);

} // namespace core
