#pragma once

#include <atomic>
#include <cstdint>

namespace collectors {

/// Gives out the ids of the recording's texts, to any thread.
class TextIds
{
public:
    static constexpr std::uint32_t Most = 500'000; ///< importers hold a million
    /// 0: there have been too many.
    std::uint32_t next()
    {
        const std::uint32_t id = m_next.load(std::memory_order_relaxed) >= Most
            ? Most
            : m_next.fetch_add(1, std::memory_order_relaxed);
        return id < Most ? id : 0;
    }

private:
    std::atomic<std::uint32_t> m_next { 1 };
};

} // namespace collectors
