#pragma once

#include "core/project/write/collected_file.h"

namespace core {

/// Sets aside what a device is said to have run long before or after the file's calls and ops of
/// the same worker: profilers give single activities a time of 0, or one before the program ran
/// (pytorch#188481, ROCm/rocprofiler#84). Counts them in the file's diagnostics. Where most of a
/// worker's device activities lie there, the devices have another clock, and all stay. After the
/// file is read.
void setAsideStrayEvents(CollectedFile &file);

} // namespace core
