#pragma once

#include "core/scenario/scenario.h"

#include <nlohmann/json_fwd.hpp>

namespace core {

/// The object of `longpole replay --json`, keys by the command line contract.
nlohmann::ordered_json toJson(const ScenarioResult &result);

} // namespace core
