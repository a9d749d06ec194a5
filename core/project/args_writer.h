#pragma once

#include "core/project/codec.h"
#include "core/sqlite/database.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace core {

/// Streams the args texts of slices, in order of arrival, to compressed blocks. Memory: one block.
class ArgsWriter
{
public:
    /// Texts get the ordinals firstOrdinal, firstOrdinal + 1, ...
    ArgsWriter(Database &db, std::uint64_t firstOrdinal);

    std::uint64_t add(std::string_view text); ///< returns its ordinal
    void flush(); ///< writes the block that is not full yet
    std::uint64_t nextOrdinal() const { return m_firstOrdinal + m_lengths.size(); }

private:
    Database &m_db;
    std::uint64_t m_firstOrdinal;
    std::vector<std::uint32_t> m_lengths;
    ByteBuffer m_texts;
    Compressor m_compressor;
};

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

private:
    ByteBuffer m_bytes;
    std::uint64_t m_firstOrdinal;
    std::vector<std::size_t> m_offsets; ///< count + 1
};

} // namespace core
