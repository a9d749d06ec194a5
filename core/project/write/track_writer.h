#pragma once

#include "core/project/codec/running_set.h"
#include "core/project/write/collected_slice.h"
#include "core/project/write/level_writer.h"

#include <deque>
#include <vector>

namespace core {

/// Writes a track while its slices come in order: chunks of slices, their links and the levels of
/// detail. Holds one chunk.
class TrackWriter
{
public:
    TrackWriter(TrackStatements &statements, TrackId track, SliceId first,
                const std::vector<std::int64_t> &levelWidthsNs);

    /// Names and args ordinals are the project's.
    void add(const CollectedSlice &slice, std::uint8_t depth, Phase phase);
    void finish();

private:
    struct RunningSlice
    {
        SliceId id;
        std::int64_t startNs, durationNs;
        NameId name;
        Category category;
        Phase phase;
        std::uint8_t depth;
        std::int64_t endNs() const { return startNs + durationNs; }
    };
    void writeChunk();
    void writeHot();
    void writeLinks();
    void keepRunning();

    TrackStatements &m_statements;
    TrackId m_track;
    SliceId m_firstOfTrack;
    SliceColumns m_chunk;
    std::vector<std::uint64_t> m_argsOrdinals; ///< of m_chunk
    std::int64_t m_lastEndNs = 0; ///< of m_chunk
    RunningSet<RunningSlice> m_running; ///< of earlier chunks
    std::deque<LevelWriter> m_levels;
    ByteBuffer m_buffer;
};

} // namespace core
