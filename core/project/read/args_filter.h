#pragma once

#include "core/sqlite/database.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace core {

/// Says which blocks of arguments can hold a text, without decompressing them: a Bloom filter with
/// one bit a trigram (B. H. Bloom, "Space/time trade-offs in hash coding with allowable errors",
/// CACM 13(7), 1970, with one hash function). 8,192 bits; a block of 256 KiB has 1,300 to 4,100
/// different trigrams.
constexpr std::size_t ArgsFilterBytes = 1024;

/// The filter of a block's texts; letters of either case are the same.
ByteBuffer makeArgsFilter(ByteSpan texts);

/// A text that is looked for in arguments; ASCII letters match in either case.
class ArgsPattern
{
public:
    explicit ArgsPattern(std::string_view text);

    const std::string &lowered() const { return m_lowered; }
    /// False: no text of the block contains the pattern. A filter of another size says nothing.
    bool mayBeIn(ByteSpan filter) const;

private:
    std::string m_lowered;
    std::vector<std::uint16_t> m_bits; ///< that the filter must have
};

} // namespace core
