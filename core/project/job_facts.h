#pragma once

#include "core/model/trace.h"

#include <filesystem>

namespace core {

/// Puts an entry about the job in place of that of its name; one without text is removed. Throws
/// Error where there is no such project or it cannot be written.
void saveJobMetadata(const std::filesystem::path &project, const JobMetadata &entry);

} // namespace core
