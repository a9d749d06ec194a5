#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace core {

/// One collective as the clocks of its participants saw it. Raw times, nanoseconds.
struct ObservedCollective
{
    struct Part
    {
        std::size_t worker = 0;
        std::int64_t startNs = 0, endNs = 0;
    };
    std::vector<Part> parts;
};

/// What is added to each worker's clock to bring it to the reference's; empty for workers that no
/// chain of collectives ties to the reference.
struct ClockOffsets
{
    std::vector<std::optional<std::int64_t>> offsetNs; ///< by worker; 0 for the reference
    std::int64_t slackNs = 0; ///< by how much the order of cause and effect had to be relaxed
};

/// dPRO §4.2 in its collective form. Ranks leave a synchronising collective nearly together, so
/// each pair of workers proposes theta_i - theta_j = d_ij, the middle of the densest half of its
/// end_j - end_i; the offsets minimise
///     sum over pairs w_ij (theta_i - theta_j - d_ij)^2,    w_ij = number of ends / width of that
///     half
/// and then move as little as needed to satisfy the difference constraints
///     theta_i - theta_j <= end_j - start_i                 nobody leaves before the last has come
/// (Bellman-Ford), relaxed by the smallest slack that makes them feasible.
ClockOffsets solveOffsets(const std::vector<ObservedCollective> &collectives,
                          std::size_t workerCount, std::size_t reference);

/// How many (collective, i, j) have i entering after j has left, with these offsets (unknown: 0).
std::uint64_t countViolations(const std::vector<ObservedCollective> &collectives,
                              const std::vector<std::optional<std::int64_t>> &offsetNs);

} // namespace core
