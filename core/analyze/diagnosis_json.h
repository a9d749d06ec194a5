#pragma once

#include "core/analyze/diagnosis.h"
#include "core/model/clocks.h"
#include "core/model/trace.h"

#include <nlohmann/json_fwd.hpp>

#include <span>
#include <vector>

namespace core {

/// The object of `longpole align --json`, keys by the command line contract; `solved` tells what
/// clocks that are set by hand were solved to. drift_ppm is what is applied, 0 where it is not
/// known; then drift_most_ppm bounds it by the length of `iterations`, if that says anything.
nlohmann::ordered_json toJson(const AlignmentReport &report, const ClocksByHand &byHand,
                              const AlignmentReport &solved, const std::vector<Worker> &workers,
                              std::span<const Iteration> iterations);

/// The object of `longpole diagnose --json`, keys by the command line contract.
nlohmann::ordered_json toJson(const Diagnosis &diagnosis);

} // namespace core
