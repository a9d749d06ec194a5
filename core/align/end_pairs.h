#pragma once

#include "core/align/joint_ends.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace core {

/// How far apart two workers left one collective.
struct EndPair
{
    std::uint32_t a = 0, b = 0; ///< workers
    std::uint32_t batch = 0; ///< of JointEnd
    double gapNs = 0; ///< end of a - end of b
    double timeNs = 0; ///< of the collective
    double spread = 1; ///< how far such ends lie apart, against those of a median collective
    double weight = 1; ///< n ends hold n - 1 independent distances, however many pairs they make
};

/// Pairs of all collectives, and which of them a worker has.
class EndPairs
{
public:
    EndPairs(const std::vector<JointEnd> &ends, std::size_t workerCount);

    const std::vector<EndPair> &all() const { return m_pairs; }

    /// Calls visit(pair, sign) for a worker's pairs: sign * gapNs is its own end less the other's.
    template <class Visit>
    void visit(std::size_t worker, Visit visit) const
    {
        for (std::size_t at = m_first[worker]; at < m_first[worker + 1]; ++at) {
            const EndPair &pair = m_pairs[m_of[at]];
            visit(pair, pair.a == worker ? 1.0 : -1.0);
        }
    }
    std::size_t countOf(std::size_t worker) const { return m_first[worker + 1] - m_first[worker]; }

private:
    void index(std::size_t workerCount);

    std::vector<EndPair> m_pairs;
    std::vector<std::size_t> m_of; ///< indices of the workers' pairs, one worker after another
    std::vector<std::size_t> m_first; ///< by worker, into m_of
};

} // namespace core
