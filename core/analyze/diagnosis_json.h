#pragma once

#include "core/analyze/diagnosis.h"
#include "core/model/clocks.h"
#include "core/model/trace.h"

#include <nlohmann/json_fwd.hpp>

#include <vector>

namespace core {

/// The object of `longpole align --json`, keys by the command line contract; `solved` tells what
/// clocks that are set by hand were solved to.
nlohmann::ordered_json toJson(const AlignmentReport &report, const ClocksByHand &byHand,
                              const AlignmentReport &solved, const std::vector<Worker> &workers);

/// The object of `longpole diagnose --json`, keys by the command line contract.
nlohmann::ordered_json toJson(const Diagnosis &diagnosis);

} // namespace core
