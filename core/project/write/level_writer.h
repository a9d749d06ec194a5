#pragma once

#include "core/project/codec/compression.h"
#include "core/project/codec/running_set.h"
#include "core/project/read/chunk_index.h"
#include "core/project/write/pyramid.h"
#include "core/sqlite/database.h"

#include <vector>

namespace core {

/// The statements that write tracks. Lives within one transaction.
struct TrackStatements
{
    explicit TrackStatements(Database &db);
    Statement chunk, hot, links, level, levelChunk;
    ChunkIndexWriter index;
    Compressor compressor;
};

/// Writes one level of a track in chunks of bins.
class LevelWriter
{
public:
    LevelWriter(TrackStatements &statements, TrackId track, int level, std::int64_t widthNs);
    LevelWriter(const LevelWriter &) = delete;
    LevelWriter &operator=(const LevelWriter &) = delete;

    void add(const LevelSlice &slice);
    void finish();

private:
    struct RunningBin
    {
        LevelBin bin;
        std::int64_t endNs() const { return bin.endNs; }
    };
    void take(const LevelBin &bin);
    void writeChunk();

    TrackStatements &m_statements;
    TrackId m_track;
    int m_level;
    LevelBuilder m_builder;
    LevelBuilder::Take m_take;
    RunningSet<RunningBin> m_running;
    std::vector<LevelBin> m_own;
    std::uint64_t m_binCount = 0;
    ByteBuffer m_buffer;
};

} // namespace core
