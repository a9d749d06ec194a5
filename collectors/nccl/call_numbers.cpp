#include "collectors/nccl/call_numbers.h"

namespace collectors {

namespace {

    constexpr std::size_t MostTries = 256;

    /// The last steps of MurmurHash3's 64-bit finaliser: every bit of the input changes all.
    std::uint64_t mixed(std::uint64_t bits) noexcept
    {
        bits = (bits ^ bits >> 33U) * 0xFF51AFD7ED558CCDULL;
        bits = (bits ^ bits >> 33U) * 0xC4CEB9FE1A85EC53ULL;
        return bits ^ bits >> 33U;
    }

} // namespace

CallNumbers::CallNumbers()
    : m_entries(new Entry[MostKeys])
{
}

std::optional<std::uint64_t> CallNumbers::next(const Key &key) noexcept
{
    const std::uint64_t ranks = std::uint64_t { key.rank } << 32U | key.peer;
    // Two keys in 65536 share their 64 bits with a probability of 1 in 10^10.
    const std::uint64_t hash
        = mixed(key.communicator ^ mixed(ranks ^ mixed(std::uint64_t { key.kind } + 1))) | 1U;
    for (std::size_t i = 0; i < MostTries; ++i) {
        Entry &entry = m_entries[(hash / 2 + i) % MostKeys];
        std::uint64_t found = entry.key.load(std::memory_order_relaxed);
        if (found == 0 && entry.key.compare_exchange_strong(found, hash, std::memory_order_relaxed))
            found = hash;
        if (found == hash)
            return entry.count.fetch_add(1, std::memory_order_relaxed);
    }
    return std::nullopt;
}

} // namespace collectors
