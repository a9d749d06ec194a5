#pragma once

#include "core/model/trace.h"
#include "core/sqlite/database.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace core {

struct ChunkInfo;

/// Writes what a chunk of slices holds, so that searches can leave the chunk out.
class ChunkIndexWriter
{
public:
    explicit ChunkIndexWriter(Database &db);
    /// Rows [from, to) of a track are a chunk. argsOrdinal: [rows], see LinkColumns.
    void write(const SliceColumns &slices, std::span<const std::uint64_t> argsOrdinal,
               std::size_t from, std::size_t to);

private:
    Statement m_insert;
    ByteBuffer m_buffer;
};

/// Names and arguments that each chunk holds; in memory, a few bytes a name and chunk. A chunk
/// without a row in the file may hold anything.
class ChunkIndex
{
public:
    /// Throws Error if the file contradicts `chunks`, all chunks by first slice.
    ChunkIndex(Database &db, std::span<const ChunkInfo> chunks, std::size_t nameCount);

    bool mayHold(std::size_t chunk, NameId name) const;
    /// matches: [names], not 0 for a wanted one.
    bool mayHoldAny(std::size_t chunk, std::span<const std::uint8_t> matches) const;
    /// Ordinals in [from, to) of texts of arguments, 0 for the project's first.
    bool mayHoldArgs(std::size_t chunk, std::uint64_t from, std::uint64_t to) const;

private:
    struct Content
    {
        std::size_t namesBegin = 0, namesEnd = 0; ///< in m_names, ascending
        std::uint64_t argsBegin = 0, argsEnd = 0; ///< ordinals lie in [begin, end)
        bool isKnown = false;
    };
    std::span<const std::uint32_t> namesOf(const Content &content) const;

    std::vector<Content> m_contents; ///< [chunks]
    std::vector<std::uint32_t> m_names;
};

} // namespace core
