#pragma once

#include "core/align/collective_ends/end_pairs.h"
#include "core/align/collective_ends/joint_ends.h"

#include <array>
#include <cstddef>
#include <vector>

namespace core {

/// Stretches that a trace is cut into, to see whether what one says of a clock holds in the
/// others: few long ones, since delays of one iteration are of one cause (method of batch means).
inline constexpr std::size_t MostBatches = 6;

/// Where a worker's clock may be against all others, with 95 % probability. A place is refused
/// where the likelihood ratio of the places that the other batches like best in each batch's turn,
/// against it, exceeds 20 (cross-fitted likelihood ratio: Wasserman, Ramdas, Balakrishnan,
/// Universal inference, 2020), and the batches agree on it: the mean of their logarithms is above 0
/// with 90 % (Student's t of batch means; collectives of a batch may be delayed alike, and one
/// coincidence of microseconds outweighs all others). So a second place where ranks often leave
/// together counts, which no standard error of a mean shows.
class OffsetReach
{
public:
    OffsetReach(const EndPairs &pairs, const JointFit &fit, std::size_t worker);

    /// Distance of the farthest place that is not refused. Infinite with fewer than two batches.
    double farthestNs() const;

private:
    using ByBatch = std::array<double, MostBatches>;
    struct Left
    {
        double ns, spread, weight;
        std::size_t batch;
    };

    void findPlaces(std::size_t most);
    double farthestNs(double sign, const std::vector<bool> &areRefused) const;
    void likeWithoutEach(const std::vector<ByBatch> &byPlace);
    ByBatch likelihood(double shiftNs) const;
    bool isRefused(const ByBatch &here) const;

    std::vector<Left> m_left; ///< what the fit leaves of the worker's pairs
    std::vector<double> m_places; ///< by how much the worker is shifted
    std::vector<std::size_t> m_batches; ///< that the worker has pairs in
    ByBatch m_best {}; ///< likelihood of a batch at the place that the others like best
    double m_farthestNs = 0;
};

/// Standard error of the drift that some workers share: from the curvature of the likelihood or
/// from the scatter between batches (sandwich), whichever is larger. Infinite where time says
/// nothing.
double driftError(const EndPairs &pairs, const JointFit &fit,
                  const std::vector<std::size_t> &workers);

} // namespace core
