#pragma once

#include <string>

namespace collectors {

/// Why CUDA cannot work in this process, in words; "" if nothing speaks against it. CUPTI itself
/// says CUPTI_ERROR_UNKNOWN for all of it. `initialise`: load the driver and call cuInit(), too;
/// not from within InitializeInjection(), where the driver is doing just that.
std::string describeDriverTrouble(bool initialise);

} // namespace collectors
