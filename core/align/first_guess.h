#pragma once

#include "core/align/clock_evidence.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace core {

/// Offsets to start from, by worker, nanoseconds: 0 for the reference, empty for workers that
/// nothing ties to it. Each pair of workers proposes theta_i - theta_j = d_ij, the middle of the
/// densest half of its end_j - end_i or, where it has messages only, the middle between the bounds
/// that they set; the offsets minimise
///     sum over pairs w_ij (theta_i - theta_j - d_ij)^2,    w_ij = how many / how widely they
///     spread
std::vector<std::optional<std::int64_t>> guessOffsets(const ClockEvidence &evidence,
                                                      std::size_t workerCount,
                                                      std::size_t reference,
                                                      const JobControl &control);

} // namespace core
