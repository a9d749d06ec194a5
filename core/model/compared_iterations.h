#pragma once

#include "core/model/trace.h"

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace core {

/// Finds Trace::compared. `iterations` are sorted by worker and time, as Trace::iterations are.
ComparedIterations comparedIterations(std::span<const Worker> workers,
                                      std::span<const Iteration> iterations);
ComparedIterations comparedIterations(const Trace &trace);

/// Workers with their iterations' numbers (Iteration::index).
using NumbersOfWorkers = std::set<std::pair<WorkerId, std::int64_t>>;
NumbersOfWorkers comparedNumbers(const Trace &trace);

/// "iteration 3", "iterations 3 to 5", "iterations 0, 2 and 5", "iterations 0, 2, 4 and 7 more", of
/// numbers in ascending order.
std::string iterationNumbersText(const std::vector<std::int64_t> &numbers);

} // namespace core
