#include "core/graph/build/numbered_ops.h"

#include <bit>
#include <utility>

namespace core {

void NumberedOps::set(std::uint64_t number, OpId op)
{
    if (2 * (m_used + 1) > m_entries.size())
        grow();
    Entry &entry = m_entries[placeOf(number)];
    if (entry.number == 0)
        ++m_used;
    entry = { number, op };
}

std::optional<OpId> NumberedOps::find(std::uint64_t number) const
{
    if (m_entries.empty() || number == 0)
        return std::nullopt;
    const Entry &entry = m_entries[placeOf(number)];
    return entry.number == 0 ? std::nullopt : std::optional(entry.op);
}

/// Its own, or the free one where it would be.
std::size_t NumberedOps::placeOf(std::uint64_t number) const
{
    // Knuth's multiplicative hashing: the product's top bits depend on all of the number's.
    constexpr std::uint64_t GoldenRatio = 0x9E37'79B9'7F4A'7C15;
    const int bits = std::countr_zero(m_entries.size());
    std::size_t place = (number * GoldenRatio) >> (64 - bits);
    while (m_entries[place].number != 0 && m_entries[place].number != number)
        place = (place + 1) & (m_entries.size() - 1);
    return place;
}

void NumberedOps::grow()
{
    constexpr std::size_t Fewest = 64;
    const std::size_t size = m_entries.empty() ? Fewest : 2 * m_entries.size();
    const std::vector<Entry> before = std::exchange(m_entries, std::vector<Entry>(size));
    for (const Entry &entry : before)
        if (entry.number != 0)
            m_entries[placeOf(entry.number)] = entry;
}

} // namespace core
