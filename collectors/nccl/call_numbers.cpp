#include "collectors/nccl/call_numbers.h"

namespace collectors {

namespace {

    constexpr std::size_t MostTries = 256;
    constexpr int MostSearches = 64; ///< as others may take the place that was found

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
    // Two keys in 65536 share their 63 bits with a probability of 1 in 10^9.
    const std::uint64_t hash
        = mixed(key.context ^ mixed(ranks ^ mixed(std::uint64_t { key.kind } + 1))) | FirstHash;
    for (int search = 0; search < MostSearches; ++search) {
        Entry *room = nullptr;
        std::uint64_t was = Unused;
        for (std::size_t i = 0; i < MostTries; ++i) {
            Entry &entry = m_entries[(hash / 4 + i) % MostKeys];
            const std::uint64_t found = entry.key.load(std::memory_order_acquire);
            if (found == hash)
                return entry.count.fetch_add(1, std::memory_order_relaxed);
            if (found < FirstHash && room == nullptr) {
                room = &entry;
                was = found;
            }
            if (found == Unused)
                break;
        }
        if (room == nullptr)
            return std::nullopt;
        if (room->key.compare_exchange_strong(was, hash, std::memory_order_acq_rel)) {
            room->context.store(key.context, std::memory_order_release);
            return room->count.fetch_add(1, std::memory_order_relaxed);
        }
    }
    return std::nullopt;
}

void CallNumbers::forget(const std::function<bool(std::uint64_t context)> &isOver) noexcept
{
    for (std::size_t i = 0; i < MostKeys; ++i) {
        Entry &entry = m_entries[i];
        const std::uint64_t context = entry.context.load(std::memory_order_acquire);
        if (context == 0 || !isOver(context))
            continue;
        entry.count.store(0, std::memory_order_relaxed);
        entry.context.store(0, std::memory_order_relaxed);
        entry.key.store(Forgotten, std::memory_order_release);
    }
}

} // namespace collectors
