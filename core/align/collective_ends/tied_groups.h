#pragma once

#include "core/align/collective_ends/end_collectives.h"

#include <cstddef>
#include <vector>

namespace core {

/// Workers that chains of collectives tie to each other, with these collectives.
class TiedGroups
{
public:
    TiedGroups(const EndCollectives &ends, std::size_t workers);

    /// Those of the worker's group, itself among them; ascending.
    const std::vector<std::size_t> &workersWith(std::size_t worker) const
    {
        return m_workers[m_first[worker]];
    }
    /// In their order.
    const EndCollectives &collectivesOf(std::size_t worker) const
    {
        return m_collectives[m_first[worker]];
    }

private:
    std::size_t firstOf(std::size_t worker);
    void join(std::size_t a, std::size_t b);

    std::vector<std::size_t> m_first; ///< by worker: the smallest of its group
    std::vector<std::vector<std::size_t>> m_workers; ///< by the first one of the group
    std::vector<EndCollectives> m_collectives; ///< the same
};

} // namespace core
