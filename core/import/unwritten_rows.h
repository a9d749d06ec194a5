#pragma once

#include "core/base/diagnostics.h"
#include "core/base/job_control.h"
#include "core/bundle/bundle.h"

#include <filesystem>

namespace core {

/// Counts "unwritten-rows" where a -wal or -journal file beside an SQLite database holds what its
/// program has not yet written into it, or has to undo in it. A -wal file that was written into the
/// database to its end, as one that is open or was copied with it, is none. `database`: the entry's
/// bytes on disk.
void countUnwrittenRows(const BundleEntry &entry, const std::filesystem::path &database,
                        Diagnostics &diagnostics, const JobControl &control);

} // namespace core
