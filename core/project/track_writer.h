#pragma once

#include "core/project/chunk_index.h"
#include "core/project/codec.h"
#include "core/sqlite/database.h"

namespace core {

/// Writes finished tracks: chunks of slices, their links and the levels of detail. Lives within
/// one transaction.
class TrackWriter
{
public:
    explicit TrackWriter(Database &db);

    /// slices: sorted, with depths, phases and all links. argsOrdinal: [rows], see LinkColumns.
    void write(TrackId track, const SliceColumns &slices,
               std::span<const std::uint64_t> argsOrdinal);

private:
    void writeChunk(TrackId track, const SliceColumns &slices, std::size_t from, std::size_t to);
    void writeLinks(const SliceColumns &slices, std::span<const std::uint64_t> argsOrdinal,
                    std::size_t from, std::size_t to);
    void writeLevels(TrackId track, const SliceColumns &slices);
    void writeLevelChunks(TrackId track, int level, std::span<const LevelBin> bins);

    Statement m_chunk, m_hot, m_links, m_level, m_levelChunk;
    ChunkIndexWriter m_index;
    Compressor m_compressor;
    ByteBuffer m_buffer;
};

} // namespace core
