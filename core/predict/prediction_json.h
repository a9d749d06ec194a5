#pragma once

#include "core/predict/prediction.h"

#include <nlohmann/json_fwd.hpp>

namespace core {

/// The object of `longpole replay --json`, keys by the command line contract, without its memory:
/// see addPeakMemory(). What is not known is null.
nlohmann::ordered_json toJson(const Prediction &result);

/// {"grade", "replay_error_fraction", "reasons"}
nlohmann::ordered_json trustJson(const Prediction &result);

/// E and S of all ranks, of each rank, with how many `iterations` they are of (those that the
/// prediction counts), and of each of its devices.
nlohmann::ordered_json schedulingJson(const Prediction &result);

/// {"bucket_cap_mb": 5}: the settings that are set, by their keys of `--set`.
nlohmann::ordered_json strategyJson(const Strategy &strategy);

} // namespace core
