#include "core/project/write/level_writer.h"

#include "core/project/codec/level_codec.h"

#include <algorithm>

namespace core {

namespace {

    constexpr std::size_t LevelChunkBins = 2048;

} // namespace

TrackStatements::TrackStatements(Database &db)
    : chunk(db, "INSERT INTO slice_chunk VALUES (?, ?, ?, ?, ?, ?)")
    , hot(db, "INSERT INTO slice_hot VALUES (?, ?, ?)")
    , links(db, "INSERT INTO slice_links VALUES (?, ?, ?)")
    , level(db, "INSERT INTO level VALUES (?, ?, ?, ?)")
    , levelChunk(db, "INSERT INTO level_chunk VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?)")
    , index(db)
{
}

LevelWriter::LevelWriter(TrackStatements &statements, TrackId track, int level,
                         std::int64_t widthNs)
    : m_statements(statements)
    , m_track(track)
    , m_level(level)
    , m_builder(widthNs)
    , m_take([this](const LevelBin &bin) { take(bin); })
{
}

void LevelWriter::add(const LevelSlice &slice)
{
    m_builder.add(slice, m_take);
}

void LevelWriter::finish()
{
    m_builder.finish(m_take);
    if (!m_own.empty())
        writeChunk();
    m_statements.level
        .bindAll(std::int64_t(m_track.value), m_level, m_builder.widthNs(), m_binCount)
        .run();
}

void LevelWriter::take(const LevelBin &bin)
{
    m_own.push_back(bin);
    if (m_own.size() == LevelChunkBins)
        writeChunk();
}

void LevelWriter::writeChunk()
{
    const auto *running = m_running.after(m_own.front().startNs);
    std::vector<LevelBin> stored;
    std::optional<std::int64_t> carriedCount;
    if (running) {
        for (const RunningBin &carried : *running)
            stored.push_back(carried.bin);
        carriedCount = static_cast<std::int64_t>(stored.size());
    }
    stored.insert(stored.end(), m_own.begin(), m_own.end());
    m_buffer.clear();
    encodeBins(stored, m_buffer);
    const auto last
        = std::max_element(m_own.begin(), m_own.end(),
                           [](const LevelBin &a, const LevelBin &b) { return a.endNs < b.endNs; });
    m_statements.levelChunk
        .bindAll(std::int64_t(m_track.value), m_level, m_own.front().startNs, m_own.back().startNs,
                 last->endNs, carriedCount, static_cast<std::uint64_t>(m_own.size()),
                 ByteSpan(m_buffer))
        .run();
    for (const LevelBin &bin : m_own)
        if (bin.endNs > m_own.back().startNs)
            m_running.add({ bin }, m_own.back().startNs);
    m_binCount += m_own.size();
    m_own.clear();
}

} // namespace core
