#pragma once

#include "core/graph/graph.h"
#include "core/graph/graph_additions.h"

#include <cstddef>
#include <cstdint>

namespace core {

/// The all-reduces of one iteration in two halves: reduce-scatters and, when all of these have
/// ended, all-gathers (DeAR: Zhang et al., ICDCS 2023, section III). Each takes half of the time,
/// as of a ring's 2(n-1) steps each has n-1.
class AllReduceHalves
{
public:
    /// `first`: some all-reduce of the iteration, an index into those that were added.
    AllReduceHalves(std::size_t first, GraphAdditions &additions);

    /// Makes a reduce-scatter of an all-reduce.
    void scatter(std::size_t index) const;
    /// Adds the all-gather of what the reduce-scatter `scattered` left at each rank. Returns its
    /// index.
    std::size_t addGather(std::size_t scattered, std::int32_t priority) const;

private:
    OpId addCopy(OpId op, std::int32_t priority) const;

    GraphAdditions &m_additions;
    OpId m_areScattered; ///< virtual
};

} // namespace core
