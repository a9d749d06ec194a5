#pragma once

#include "core/graph/graph.h"

#include <cstddef>
#include <string>

namespace core {

/// Qualifies times of operations if Graph::slowdown is above 1.
inline constexpr const char *WithoutOverlap = "without the cost of overlap";

/// How sentences name the ranks' own work (ownWork()) and what it is compared with, so that it is
/// not taken for a device's computation in the breakdown: that is a union over threads, as
/// measured.
class OwnWorkWords
{
public:
    /// `graph` is as replayed: un-stretched, with its slowdown.
    explicit OwnWorkWords(const Graph &graph);

    /// "own work (with gaps between operations, on any of its 3 threads, without the cost of
    /// overlap)", or, where no computation is recorded, "time between transfers (on any of its 8
    /// rows)".
    const std::string &subject() const { return m_subject; }
    /// "the median of all ranks", "the mean of both ranks", "the mean of the 2 ranks that work".
    const std::string &reference() const { return m_reference; }

private:
    std::string m_subject, m_reference;
};

} // namespace core
