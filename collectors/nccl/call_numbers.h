#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

namespace collectors {

/// Numbers what NCCL does not: sends and receives between two ranks of a communicator, in their
/// order, which both ends have in common. Any thread, no lock.
class CallNumbers
{
public:
    static constexpr std::size_t MostKeys = 65536;

    struct Key
    {
        std::uint64_t communicator;
        std::uint32_t rank, peer;
        std::uint32_t kind; ///< whatever else tells calls apart, such as the direction
    };

    /// Throws std::bad_alloc.
    CallNumbers();

    /// Counts from 0; absent if there are too many keys.
    std::optional<std::uint64_t> next(const Key &key) noexcept;

private:
    struct Entry
    {
        std::atomic<std::uint64_t> key { 0 }; ///< a hash: 0 is free
        std::atomic<std::uint64_t> count { 0 };
    };

    std::unique_ptr<Entry[]> m_entries;
};

} // namespace collectors
