#pragma once

#include "core/change/measured_job.h"
#include "core/optimize/search.h"
#include "core/optimize/strategy_file.h"

#include <nlohmann/json_fwd.hpp>

namespace core {

/// The keys of `longpole optimize --json`.
nlohmann::ordered_json toJson(const SearchResult &result, const MeasuredJob &job,
                              const StrategyOrigin &origin);

} // namespace core
