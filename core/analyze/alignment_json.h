#pragma once

#include "core/model/clocks.h"
#include "core/model/trace.h"

#include <nlohmann/json_fwd.hpp>

#include <span>
#include <vector>

namespace core {

/// The object of `longpole align --json`, keys by the command line contract; `solved` tells what
/// clocks that are set by hand were solved to. drift_ppm is what is applied, not the true one where
/// it is not known (drift_known); then drift_most_ppm bounds the true one either way, by the length
/// of `iterations` if that says anything, else how far drift_ppm may be off. drift_range_ppm holds
/// the true one where messages bound it, or collectives prove it. contradictions: pairs of ranks
/// whose records no clocks satisfy, the largest first (eight at most): entering_rank enters by_ns
/// after leaving_rank has left what both take part in, as solved.
nlohmann::ordered_json toJson(const AlignmentReport &report, const ClocksByHand &byHand,
                              const AlignmentReport &solved, const std::vector<Worker> &workers,
                              std::span<const Iteration> iterations);

} // namespace core
