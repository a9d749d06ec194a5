#pragma once

#include "core/sqlite/database.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace core {

/// Uncompressed block: u32 length[count], then the texts.
class ArgsBlock
{
public:
    ArgsBlock(ByteBuffer bytes, std::uint64_t firstOrdinal, std::size_t count);
    std::uint64_t firstOrdinal() const { return m_firstOrdinal; }
    bool holds(std::uint64_t ordinal) const
    {
        return ordinal >= m_firstOrdinal && ordinal - m_firstOrdinal + 1 < m_offsets.size();
    }
    std::string_view text(std::uint64_t ordinal) const;

    /// All texts, one after the other.
    std::string_view allTexts() const;
    /// Which text a byte of allTexts() is of, and where in allTexts() that text ends.
    struct Place
    {
        std::uint64_t ordinal = 0;
        std::size_t end = 0;
    };
    Place placeOf(std::size_t offset) const;

private:
    ByteBuffer m_bytes;
    std::uint64_t m_firstOrdinal;
    std::vector<std::size_t> m_offsets; ///< count + 1
};

} // namespace core
