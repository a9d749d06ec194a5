#include "core/bundle/inflater.h"

#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>

#include <algorithm>
#include <limits>

namespace core {

namespace {

    constexpr std::uint64_t TrustedSize = std::uint64_t { 1 } << 30U;
    constexpr std::uint64_t LargestRatio = 500;
    constexpr std::size_t LargestPiece = std::numeric_limits<std::uint32_t>::max() / 2;

    const char *describe(int error)
    {
        switch (error) {
        case ISAL_INVALID_BLOCK:
            return "an invalid block";
        case ISAL_INVALID_SYMBOL:
            return "an invalid code";
        case ISAL_INVALID_LOOKBACK:
            return "a reference to before their beginning";
        case ISAL_INVALID_WRAPPER:
        case ISAL_UNSUPPORTED_METHOD:
            return "an invalid gzip header";
        case ISAL_INCORRECT_CHECKSUM:
            return "a wrong checksum";
        default:
            return "an unknown error";
        }
    }

} // namespace

const char *const InflationBombText
    = "inflates to more than 500 times its stored size, which no trace does: it was made to fill "
      "memory or disk, and reading was stopped. If it is a trace all the same, inflate it with "
      "another program and import the result.";

struct Inflater::State
{
    inflate_state isal;
};

Inflater::Inflater(Format format)
    : m_state(std::make_unique<State>())
    , m_format(format)
{
    isal_inflate_init(&m_state->isal);
    restart();
}

Inflater::~Inflater() = default;

void Inflater::restart()
{
    isal_inflate_reset(&m_state->isal);
    m_state->isal.crc_flag = m_format == Format::Gzip ? ISAL_GZIP : ISAL_DEFLATE;
}

void Inflater::setInput(std::span<const char> input)
{
    inflate_state &z = m_state->isal;
    // The library's interface lacks a const; it does not write to its input.
    z.next_in = reinterpret_cast<std::uint8_t *>(const_cast<char *>(input.data()));
    z.avail_in = static_cast<std::uint32_t>(std::min(input.size(), LargestPiece));
}

std::span<const char> Inflater::input() const
{
    const inflate_state &z = m_state->isal;
    return { reinterpret_cast<const char *>(z.next_in), z.avail_in };
}

void Inflater::skipInput(std::size_t count)
{
    m_state->isal.next_in += count;
    m_state->isal.avail_in -= static_cast<std::uint32_t>(count);
}

std::size_t Inflater::takenAhead() const
{
    constexpr std::int32_t BitsOfByte = 8;
    return static_cast<std::size_t>(std::max(m_state->isal.read_in_length, 0) / BitsOfByte);
}

Inflater::Status Inflater::inflateInto(std::span<char> room, std::size_t &count)
{
    inflate_state &z = m_state->isal;
    const auto size = static_cast<std::uint32_t>(std::min(room.size(), LargestPiece));
    z.next_out = reinterpret_cast<std::uint8_t *>(room.data());
    z.avail_out = size;
    const int error = isal_inflate(&z);
    count = size - z.avail_out;
    if (error != ISAL_DECOMP_OK) {
        m_what = describe(error);
        return Status::Damaged;
    }
    return z.block_state == ISAL_BLOCK_FINISH ? Status::Ended : Status::Going;
}

bool isInflationBomb(std::uint64_t inflatedBytes, std::uint64_t storedBytes)
{
    return inflatedBytes > TrustedSize && inflatedBytes / LargestRatio > storedBytes;
}

std::uint32_t continueCrc32(std::uint32_t crc, std::span<const char> bytes)
{
    return crc32_gzip_refl(crc, reinterpret_cast<const unsigned char *>(bytes.data()),
                           bytes.size());
}

} // namespace core
