#pragma once

#include "core/model/trace.h"
#include "core/scenario/scenario.h"

#include <string>
#include <vector>

namespace core {

struct TrustReason
{
    TrustLevel level; ///< the best that a prediction still deserves
    std::string text; ///< for people
};

/// What the ranks' clocks say for and against comparing them: recorded at other times, tied to the
/// others by nothing, known to agree roughly only.
std::vector<TrustReason> clockReasons(const Trace &trace);

} // namespace core
