#pragma once

#include "core/model/trace.h"

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace core {

/// The iterations that all figures, replays and counts are of: those that every worker of the job
/// that has any recorded whole, by their numbers; a rank may have started to record later, or its
/// recording may break off. Of several runs of them, with others between that not every worker has,
/// the longest. Without a common number all are kept and paired in order.
struct ComparedIterations
{
    std::vector<Iteration> iterations; ///< as in the trace, by worker and time
    std::size_t count = 0; ///< of each worker
    std::size_t recordedCount = 0; ///< that any worker of the job recorded, whole or not
    /// Which are left out and why, one sentence: "Iterations 3 to 5 of rank 2 were not recorded
    /// whole, so that the figures are of iterations 0 to 2 (3 of 6), which every rank has."; empty
    /// where none is.
    std::string leftOut;
    /// What is left out no rank recorded whole: the ranks do not differ.
    bool isLeftOutByAll = false;
};

/// iterations: sorted by worker and time, as Trace::iterations are.
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
