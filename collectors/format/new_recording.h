#pragma once

#include "collectors/format/record_file.h"

#include <memory>
#include <string>
#include <string_view>

namespace collectors {

/// A process's file, or why there is none.
struct NewRecording
{
    std::unique_ptr<RecordFile> file; ///< nullptr: see error
    std::string path; ///< absolute: the program may change its folder
    std::string error;
};

/// Creates `<host>-<rank>-<pid>.<ending>.lp` in `folder`, which is made if it is not there. The
/// rank is left out where no launcher tells it; a number is added where an earlier program of the
/// same process (before exec), or a process of the same number (in another container), has its
/// file. Throws std::bad_alloc.
NewRecording createRecording(const std::string &folder, CollectorKind collector,
                             std::string_view ending);

} // namespace collectors
