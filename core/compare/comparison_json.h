#pragma once

#include "core/compare/run_comparison.h"

#include <nlohmann/json_fwd.hpp>

namespace core {

/// The object of `longpole compare --json` (resources/help/compare-runs.md).
nlohmann::ordered_json toJson(const RunComparison &comparison);

} // namespace core
