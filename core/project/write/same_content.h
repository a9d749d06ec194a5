#pragma once

#include "core/project/write/collected_file.h"
#include "core/sqlite/database.h"

namespace core {

/// Does the project have from its source file `known` what `file` holds? Compared are the ranks,
/// the records by category and the tracks with their number of slices, first start and last end:
/// these differ between two recordings, and are the same of a copy or a compressed file. A file
/// without slices must have the same size and fingerprint, too.
bool hasSameContent(Database &db, const CollectedFile &file, FileId known);

} // namespace core
