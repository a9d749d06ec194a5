#pragma once

#include <cstddef>
#include <vector>

namespace core {

/// Calls visit(a, b) for the pairs of a collective's participants: all of up to 16; of more, each
/// with the first and with its neighbour, which bind them together as well.
template <class Part, class Visit>
void visitPairs(const std::vector<Part> &parts, Visit visit)
{
    constexpr std::size_t AllPairsUpTo = 16;
    for (std::size_t a = 0; a < parts.size(); ++a) {
        const std::size_t end = parts.size() <= AllPairsUpTo || a == 0 ? parts.size() : a + 2;
        for (std::size_t b = a + 1; b < end && b < parts.size(); ++b)
            visit(parts[a], parts[b]);
    }
}

} // namespace core
