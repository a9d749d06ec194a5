#pragma once

#include "core/base/job_control.h"
#include "core/bundle/bundle.h"
#include "core/pipeline/stated_ranks.h"
#include "core/pipeline/trace_files.h"
#include "core/project/write/project_writer.h"

#include <cstddef>
#include <filesystem>

namespace core {

/// How the files of a bundle are read.
struct FileImport
{
    StatedRanks ranks; ///< win over what files and their names say
    unsigned jobs = 1; ///< files that are read at the same time; at least 1
    std::size_t memoryBytes = 0; ///< for all of them; what exceeds it goes to a temporary file
    std::filesystem::path spillFolder; ///< where that is
};

/// What became of the traces of a bundle.
struct FileCounts
{
    std::size_t added = 0;
    std::size_t alreadyThere = 0; ///< see AddResult
};

/// Reads the traces of a bundle into the project, several at the same time. They are written in
/// the bundle's order, so the project does not depend on `jobs`. Damage costs the damaged file
/// only. Fewer than `jobs` are read at the same time where a file could not have 32 MiB. Throws
/// Cancelled, and Error where the project cannot be written; files written until then stay.
FileCounts importFiles(const Bundle &bundle, const SortedBundle &sorted, const FileImport &how,
                       ProjectWriter &writer, const JobControl &control);

} // namespace core
