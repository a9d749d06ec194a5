#pragma once

#include "core/model/trace.h"

#include <string_view>

namespace core {

/// The worker that "key:RANK" means. Throws Error naming the trace's ranks if it has none of that
/// number.
const Worker &workerOfSetting(const Trace &trace, std::string_view key, int rank);

} // namespace core
