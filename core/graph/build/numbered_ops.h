#pragma once

#include "core/graph/graph.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace core {

/// Ops by what their file numbers them with. A hash table in one array: a trace has a number for
/// every call of the runtime, and each is asked for.
class NumberedOps
{
public:
    /// Instead of an op that had the number before. `number` is not 0.
    void set(std::uint64_t number, OpId op);
    std::optional<OpId> find(std::uint64_t number) const;

private:
    struct Entry
    {
        std::uint64_t number = 0; ///< 0: free
        OpId op;
    };

    std::size_t placeOf(std::uint64_t number) const;
    void grow();

    std::vector<Entry> m_entries; ///< empty, or a power of two, of which half or more are free
    std::size_t m_used = 0;
};

} // namespace core
