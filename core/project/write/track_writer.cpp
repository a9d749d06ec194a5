#include "core/project/write/track_writer.h"

#include "core/project/codec/slice_codec.h"
#include "core/project/project_limits.h"

#include <algorithm>

namespace core {

namespace {

    template <class Running>
    CarriedSlices carriedSlices(const std::vector<Running> &running)
    {
        CarriedSlices carried;
        for (const Running &slice : running) {
            carried.ids.push_back(slice.id);
            carried.slices.startNs.push_back(slice.startNs);
            carried.slices.durationNs.push_back(slice.durationNs);
            carried.slices.name.push_back(slice.name);
            carried.slices.category.push_back(slice.category);
            carried.slices.phase.push_back(slice.phase);
            carried.slices.depth.push_back(slice.depth);
        }
        return carried;
    }

    void clearRows(SliceColumns &columns)
    {
        const auto clear = [](auto &...column) { (column.clear(), ...); };
        clear(columns.startNs, columns.durationNs, columns.name, columns.category, columns.phase,
              columns.depth, columns.correlation, columns.externalId, columns.node,
              columns.sequence, columns.forwardThread, columns.bytes);
    }

} // namespace

TrackWriter::TrackWriter(TrackStatements &statements, TrackId track, SliceId first,
                         const std::vector<std::int64_t> &levelWidthsNs)
    : m_statements(statements)
    , m_track(track)
    , m_firstOfTrack(first)
{
    m_chunk.first = first;
    for (std::size_t i = 0; i < levelWidthsNs.size(); ++i)
        m_levels.emplace_back(statements, track, static_cast<int>(i), levelWidthsNs[i]);
}

void TrackWriter::add(const CollectedSlice &slice, std::uint8_t depth, Phase phase)
{
    const std::uint64_t row = m_chunk.first.value + m_chunk.size() - m_firstOfTrack.value;
    m_lastEndNs = m_chunk.size() == 0 ? slice.endNs() : std::max(m_lastEndNs, slice.endNs());
    m_chunk.startNs.push_back(slice.startNs);
    m_chunk.durationNs.push_back(slice.durationNs);
    m_chunk.name.push_back(slice.name);
    m_chunk.category.push_back(slice.category);
    m_chunk.phase.push_back(phase);
    m_chunk.depth.push_back(depth);
    m_chunk.correlation.push_back(slice.correlation);
    m_chunk.externalId.push_back(slice.externalId);
    m_chunk.node.push_back(slice.node);
    m_chunk.sequence.push_back(slice.sequence);
    m_chunk.forwardThread.push_back(slice.forwardThread);
    m_chunk.bytes.push_back(slice.bytes);
    m_argsOrdinals.push_back(slice.argsOrdinal);
    const LevelSlice seen { slice.startNs, slice.endNs(), row, slice.category, phase, depth };
    for (LevelWriter &level : m_levels)
        level.add(seen);
    if (m_chunk.size() == ChunkRows)
        writeChunk();
}

void TrackWriter::finish()
{
    if (m_chunk.size() > 0)
        writeChunk();
    for (LevelWriter &level : m_levels)
        level.finish();
}

void TrackWriter::writeChunk()
{
    writeHot();
    m_statements.chunk
        .bindAll(m_chunk.first.value, std::int64_t(m_track.value),
                 static_cast<std::uint64_t>(m_chunk.size()), m_chunk.startNs.front(),
                 m_chunk.startNs.back(), m_lastEndNs)
        .run();
    writeLinks();
    m_statements.index.write(m_chunk, m_argsOrdinals, 0, m_chunk.size());
    keepRunning();
    m_chunk.first = SliceId(m_chunk.first.value + m_chunk.size());
    clearRows(m_chunk);
    m_argsOrdinals.clear();
}

void TrackWriter::writeHot()
{
    m_buffer.clear();
    encodeHot(m_chunk, 0, m_chunk.size(), m_buffer);
    Statement &hot = m_statements.hot;
    if (const auto *running = m_running.after(m_chunk.startNs.front())) {
        const ByteBuffer carried = encodeCarried(carriedSlices(*running));
        hot.bindAll(m_chunk.first.value, ByteSpan(carried), ByteSpan(m_buffer)).run();
    } else {
        hot.bindAll(m_chunk.first.value, std::nullopt, ByteSpan(m_buffer)).run();
    }
}

void TrackWriter::writeLinks()
{
    const ByteBuffer raw = encodeLinks(m_chunk, m_argsOrdinals, 0, m_chunk.size());
    m_statements.links
        .bindAll(m_chunk.first.value, static_cast<std::uint64_t>(raw.size()),
                 m_statements.compressor.compress(raw))
        .run();
}

/// Keeps what may still run when the next chunk begins.
void TrackWriter::keepRunning()
{
    const std::int64_t lastStartNs = m_chunk.startNs.back();
    for (std::size_t row = 0; row < m_chunk.size(); ++row)
        if (m_chunk.endNs(row) > lastStartNs)
            m_running.add({ SliceId(m_chunk.first.value + row), m_chunk.startNs[row],
                            m_chunk.durationNs[row], m_chunk.name[row], m_chunk.category[row],
                            m_chunk.phase[row], m_chunk.depth[row] },
                          lastStartNs);
}

} // namespace core
