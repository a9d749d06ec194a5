#pragma once

#include "core/measure/trust_level.h"
#include "core/model/trace.h"

#include <string>
#include <vector>

namespace core {

/// What the ranks' clocks say for and against comparing them: recorded at other times, tied to the
/// others by nothing, known to agree roughly only.
std::vector<TrustReason> clockReasons(const Trace &trace);

} // namespace core
