#pragma once

#include "core/model/trace.h"

#include <string>
#include <string_view>
#include <vector>

namespace core {

/// The worker that "key:RANK" means. Throws Error naming the trace's ranks if it has none of that
/// number.
const Worker &workerOfSetting(const Trace &trace, std::string_view key, int rank);

/// The ranks of "key:RANKS": "4,5", "0-7".
std::string settingRanksText(const std::vector<int> &ranks);

} // namespace core
