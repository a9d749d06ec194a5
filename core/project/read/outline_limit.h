#pragma once

#include <cstddef>
#include <limits>

namespace core {

/// What an outline may take, with what is found from it (matched collectives, clocks, iterations),
/// in bytes.
class OutlineLimit
{
public:
    OutlineLimit() = default;
    explicit OutlineLimit(std::size_t bytes)
        : m_bytes(bytes)
    {
    }

    /// Slices that may be kept, `calls` collectives among them; fewer than these: they exceed it.
    std::size_t mostRows(std::size_t calls) const;
    /// Throws Error where they exceed it.
    void check(std::size_t calls, std::size_t rows) const;

private:
    std::size_t m_bytes = std::numeric_limits<std::size_t>::max();
};

} // namespace core
