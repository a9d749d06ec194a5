#include "core/project/read/args_filter.h"

#include "core/base/ascii_text.h"

#include <algorithm>
#include <array>

namespace core {

namespace {

    constexpr std::size_t BitCount = ArgsFilterBytes * 8;

    /// The filter's bit of three neighbouring bytes. Letters of either case have the same low five
    /// bits and get the same one, and so do a few other pairs of characters, which costs a little
    /// selectivity. 16-bit arithmetic, so that compilers do eight of them at once.
    std::uint16_t bitOf(std::uint8_t a, std::uint8_t b, std::uint8_t c)
    {
        constexpr std::uint8_t CaseBit = 0x20;
        static_assert(BitCount == 1U << 13U);
        const auto hash = static_cast<std::uint16_t>((a | CaseBit) * 40503U + (b | CaseBit) * 30011U
                                                     + (c | CaseBit) * 9973U);
        return static_cast<std::uint16_t>(hash >> 3U);
    }

} // namespace

ByteBuffer makeArgsFilter(ByteSpan texts)
{
    constexpr std::size_t BlockSize = 4096;
    std::array<std::uint16_t, BlockSize> bits;
    std::array<std::uint8_t, BitCount> isSet {};
    const std::size_t count = texts.size() < 3 ? 0 : texts.size() - 2;
    for (std::size_t from = 0; from < count; from += BlockSize) {
        const std::size_t size = std::min(BlockSize, count - from);
        const std::uint8_t *bytes = texts.data() + from;
        for (std::size_t i = 0; i < size; ++i)
            bits[i] = bitOf(bytes[i], bytes[i + 1], bytes[i + 2]);
        for (std::size_t i = 0; i < size; ++i)
            isSet[bits[i]] = 1;
    }
    ByteBuffer filter(ArgsFilterBytes);
    for (std::size_t bit = 0; bit < BitCount; ++bit)
        filter[bit / 8] = static_cast<std::uint8_t>(filter[bit / 8] | isSet[bit] << bit % 8);
    return filter;
}

ArgsPattern::ArgsPattern(std::string_view text)
    : m_lowered(core::lowered(text))
{
    for (std::size_t i = 2; i < text.size(); ++i) {
        const auto byte = [text](std::size_t at) { return static_cast<std::uint8_t>(text[at]); };
        m_bits.push_back(bitOf(byte(i - 2), byte(i - 1), byte(i)));
    }
}

bool ArgsPattern::mayBeIn(ByteSpan filter) const
{
    return filter.size() != ArgsFilterBytes
        || std::all_of(m_bits.begin(), m_bits.end(), [filter](std::uint32_t bit) {
               return (filter[bit / 8] >> bit % 8 & 1) != 0;
           });
}

} // namespace core
