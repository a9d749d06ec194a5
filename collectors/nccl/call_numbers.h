#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

namespace collectors {

/// Numbers what NCCL does not: sends and receives between two ranks of a communicator, in their
/// order, which both ends have in common. Any thread, no lock. Calls with the same key come one
/// after the other, as NCCL's do.
class CallNumbers
{
public:
    static constexpr std::size_t MostKeys = 65536; ///< of communicators that are not forgotten

    struct Key
    {
        std::uint64_t context; ///< the communicator's number here; not 0
        std::uint32_t rank, peer;
        std::uint32_t kind; ///< whatever else tells calls apart, such as the direction
    };

    /// Throws std::bad_alloc.
    CallNumbers();

    /// Counts from 0; absent if there are too many keys.
    std::optional<std::uint64_t> next(const Key &key) noexcept;
    /// Their keys make room for others. For one thread; `isOver(context)`: no call of it comes.
    void forget(const std::function<bool(std::uint64_t context)> &isOver) noexcept;

private:
    /// Of `key`: what no call has had yet, and what was forgotten. A search ends at the first,
    /// and passes over the second, since what it looks for may lie behind.
    enum : std::uint64_t { Unused = 0, Forgotten = 1, FirstHash = 2 };
    struct Entry
    {
        std::atomic<std::uint64_t> key { Unused }; ///< or a hash
        std::atomic<std::uint64_t> context { 0 }; ///< 0: not known yet
        std::atomic<std::uint64_t> count { 0 };
    };

    std::unique_ptr<Entry[]> m_entries;
};

} // namespace collectors
