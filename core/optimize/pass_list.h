#pragma once

#include "core/optimize/pass.h"

#include <memory>
#include <string_view>
#include <vector>

namespace core {

/// All passes, in the order in which they run.
const std::vector<std::unique_ptr<const Pass>> &passes();

/// "bucket_cap, bucket_cuts, ..."
std::string passNamesText();

} // namespace core
