#include "collectors/format/crc32c.h"

#include <array>
#include <cstring>

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

namespace collectors {

namespace {

    constexpr std::uint32_t Polynomial = 0x82F63B78; // reflected

    using Tables = std::array<std::array<std::uint32_t, 256>, 8>;

    /// Eight bytes a step: table n holds what a byte does that n zero bytes follow.
    constexpr Tables makeTables()
    {
        Tables tables {};
        for (std::uint32_t byte = 0; byte < 256; ++byte) {
            std::uint32_t crc = byte;
            for (int bit = 0; bit < 8; ++bit)
                crc = (crc >> 1U) ^ ((crc & 1U) != 0 ? Polynomial : 0U);
            tables[0][byte] = crc;
        }
        for (std::size_t n = 1; n < tables.size(); ++n) {
            for (std::size_t byte = 0; byte < 256; ++byte) {
                const std::uint32_t crc = tables[n - 1][byte];
                tables[n][byte] = (crc >> 8U) ^ tables[0][crc & 0xFFU];
            }
        }
        return tables;
    }

    constexpr Tables CrcTables = makeTables();

    std::uint32_t inSoftware(const unsigned char *p, std::size_t size) noexcept
    {
        std::uint32_t crc = ~0U;
        for (; size >= 8; size -= 8, p += 8) {
            crc ^= static_cast<std::uint32_t>(p[0]) | static_cast<std::uint32_t>(p[1]) << 8U
                | static_cast<std::uint32_t>(p[2]) << 16U | static_cast<std::uint32_t>(p[3]) << 24U;
            crc = CrcTables[7][crc & 0xFFU] ^ CrcTables[6][(crc >> 8U) & 0xFFU]
                ^ CrcTables[5][(crc >> 16U) & 0xFFU] ^ CrcTables[4][crc >> 24U] ^ CrcTables[3][p[4]]
                ^ CrcTables[2][p[5]] ^ CrcTables[1][p[6]] ^ CrcTables[0][p[7]];
        }
        for (; size > 0; --size, ++p)
            crc = (crc >> 8U) ^ CrcTables[0][(crc ^ *p) & 0xFFU];
        return ~crc;
    }

#if defined(__x86_64__)
    __attribute__((target("sse4.2"))) std::uint32_t inHardware(const unsigned char *p,
                                                               std::size_t size) noexcept
    {
        std::uint64_t crc = ~0U;
        for (; size >= 8; size -= 8, p += 8) {
            std::uint64_t word = 0;
            std::memcpy(&word, p, sizeof(word));
            crc = _mm_crc32_u64(crc, word);
        }
        auto narrow = static_cast<std::uint32_t>(crc);
        for (; size > 0; --size, ++p)
            narrow = _mm_crc32_u8(narrow, *p);
        return ~narrow;
    }
#endif

} // namespace

std::uint32_t crc32c(const void *data, std::size_t size) noexcept
{
    const auto *bytes = static_cast<const unsigned char *>(data);
#if defined(__x86_64__)
    static const bool hasInstruction = __builtin_cpu_supports("sse4.2") != 0;
    if (hasInstruction)
        return inHardware(bytes, size);
#endif
    return inSoftware(bytes, size);
}

} // namespace collectors
