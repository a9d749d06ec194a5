#pragma once

#include "core/base/time_range.h"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace core {

/// Finds iterations where nothing marks them: each gradient is reduced, and each op of the graph
/// runs, once an iteration; so the n-th time of each belongs to iteration n.
class Rounds
{
public:
    /// One run of what `key` stands for (a tensor, an op's name); in any order.
    void add(std::uint64_t key, TimeRange range);

    /// Iteration n lasts from the first n-th start to the first (n + 1)-th, the last one to the
    /// last end. Only keys that run as often as most do, or once more or less (recording begins or
    /// ends inside of an iteration), count. Empty where nothing repeats, or the rounds run into
    /// each other.
    std::vector<TimeRange> iterations() const;

private:
    struct Runs
    {
        std::vector<std::int64_t> startsNs;
        std::int64_t lastEndNs = 0;
    };

    std::size_t usualCount() const;

    std::unordered_map<std::uint64_t, Runs> m_runs;
};

} // namespace core
