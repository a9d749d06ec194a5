#include "core/project/args_filter.h"

#include <algorithm>

namespace core {

namespace {

    std::uint8_t lower(std::uint8_t c)
    {
        return c >= 'A' && c <= 'Z' ? static_cast<std::uint8_t>(c + ('a' - 'A')) : c;
    }

    /// The filter's bit of the trigram that is in the low 24 bits.
    std::uint32_t bitOf(std::uint32_t trigram)
    {
        constexpr std::uint32_t Multiplier = 2654435761U; // 2^32 over the golden ratio
        constexpr unsigned BitCountLog2 = 13;
        static_assert(ArgsFilterBytes * 8 == std::size_t { 1 } << BitCountLog2);
        return (trigram & 0xffffffU) * Multiplier >> (32 - BitCountLog2);
    }

} // namespace

ByteBuffer makeArgsFilter(ByteSpan texts)
{
    ByteBuffer filter(ArgsFilterBytes);
    std::uint32_t trigram = 0;
    for (std::size_t i = 0; i < texts.size(); ++i) {
        trigram = trigram << 8U | lower(texts[i]);
        if (i < 2)
            continue;
        const std::uint32_t bit = bitOf(trigram);
        filter[bit / 8] = static_cast<std::uint8_t>(filter[bit / 8] | 1U << bit % 8);
    }
    return filter;
}

ArgsPattern::ArgsPattern(std::string_view text)
    : m_lowered(text)
{
    makeLower(m_lowered);
    for (std::size_t i = 2; i < m_lowered.size(); ++i) {
        std::uint32_t trigram = 0;
        for (std::size_t j = i - 2; j <= i; ++j)
            trigram = trigram << 8U | static_cast<std::uint8_t>(m_lowered[j]);
        m_bits.push_back(bitOf(trigram));
    }
}

bool ArgsPattern::mayBeIn(ByteSpan filter) const
{
    return filter.size() != ArgsFilterBytes
        || std::all_of(m_bits.begin(), m_bits.end(), [filter](std::uint32_t bit) {
               return (filter[bit / 8] >> bit % 8 & 1) != 0;
           });
}

void makeLower(std::string &text)
{
    for (char &c : text)
        c = static_cast<char>(lower(static_cast<std::uint8_t>(c)));
}

} // namespace core
