#pragma once

#include "core/predict/peak_memory.h"

#include <nlohmann/json_fwd.hpp>

namespace core {

/// Adds "peak_memory_bytes", "measured_peak_memory_bytes" (null where not known) and "memory".
void addPeakMemory(nlohmann::ordered_json &json, const PeakMemory &memory);

} // namespace core
