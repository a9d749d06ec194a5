#include "core/project/codec/record_chunks.h"

#include "core/base/zigzag.h"
#include "core/project/codec/blob_bytes.h"
#include "core/project/codec/column_codec.h"
#include "core/project/project_limits.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace core {

namespace {

    template <class Record>
    std::size_t bytesOf(const std::vector<Record> &records)
    {
        return records.capacity() * sizeof(Record);
    }

    template <class Record, class Value>
    void encodeField(std::span<const Record> records, Value value, ByteBuffer &out)
    {
        std::vector<std::uint64_t> column(records.size());
        std::transform(records.begin(), records.end(), column.begin(), value);
        encodeColumn(column, out);
    }

    RecordChunk compressed(const ByteBuffer &raw, std::size_t rows, Compressor &compressor)
    {
        RecordChunk chunk;
        chunk.rows = rows;
        chunk.rawBytes = raw.size();
        const ByteSpan data = compressor.compress(raw);
        chunk.data.assign(data.begin(), data.end());
        return chunk;
    }

    /// 0 is the host.
    std::uint64_t deviceCode(const MemoryEvent &event)
    {
        return event.device ? zigzag(*event.device) + 1 : 0;
    }

    std::optional<int> deviceOf(std::uint64_t code)
    {
        if (code == 0)
            return std::nullopt;
        const std::int64_t device = unzigzag(code - 1);
        if (device < std::numeric_limits<int>::min() || device > std::numeric_limits<int>::max())
            failDamagedBlob("a memory event has an impossible device");
        return static_cast<int>(device);
    }

    RecordChunk encodeMemory(std::span<const MemoryEvent> events, Compressor &compressor)
    {
        using Event = MemoryEvent;
        ByteBuffer raw;
        encodeField(
            events, [](const Event &e) { return static_cast<std::uint64_t>(e.timeNs); }, raw);
        encodeField(events, deviceCode, raw);
        encodeField(
            events, [](const Event &e) { return e.address; }, raw);
        encodeField(
            events, [](const Event &e) { return zigzag(e.deltaBytes); }, raw);
        encodeField(
            events, [](const Event &e) { return e.allocatedBytes; }, raw);
        encodeField(
            events, [](const Event &e) { return e.reservedBytes; }, raw);
        RecordChunk chunk = compressed(raw, events.size(), compressor);
        chunk.range = { events.front().timeNs, events.back().timeNs };
        return chunk;
    }

    RecordChunk encodeDependencies(std::span<const DependencyEdge> edges, Compressor &compressor)
    {
        using Edge = DependencyEdge;
        ByteBuffer raw;
        encodeField(
            edges, [](const Edge &e) { return static_cast<std::uint64_t>(e.kind); }, raw);
        encodeField(
            edges, [](const Edge &e) { return static_cast<std::uint64_t>(e.key); }, raw);
        encodeField(
            edges, [](const Edge &e) { return e.from; }, raw);
        encodeField(
            edges, [](const Edge &e) { return e.to; }, raw);
        return compressed(raw, edges.size(), compressor);
    }

} // namespace

void RecordChunkList::add(RecordChunk chunk)
{
    m_heldBytes += chunk.data.size();
    m_chunks.push_back(std::move(chunk));
}

void RecordChunkList::spill(SpillFile &file)
{
    for (; m_firstHeld < m_chunks.size(); ++m_firstHeld) {
        RecordChunk &chunk = m_chunks[m_firstHeld];
        chunk.spilled = file.append(chunk.data);
        chunk.data = ByteBuffer(); // `= {}` would keep its memory
    }
    m_heldBytes = 0;
}

std::vector<RecordChunk> RecordChunkList::take()
{
    m_heldBytes = 0;
    m_firstHeld = 0;
    return std::exchange(m_chunks, {});
}

void MemoryChunks::add(const MemoryEvent &event, Compressor &compressor)
{
    m_pending.push_back(event);
    if (m_pending.size() == RecordChunkRows)
        flush(compressor);
}

void MemoryChunks::flush(Compressor &compressor)
{
    if (m_pending.empty())
        return;
    std::stable_sort(
        m_pending.begin(), m_pending.end(),
        [](const MemoryEvent &a, const MemoryEvent &b) { return a.timeNs < b.timeNs; });
    m_chunks.add(encodeMemory(m_pending, compressor));
    m_pending.clear();
}

std::vector<RecordChunk> MemoryChunks::take(Compressor &compressor)
{
    flush(compressor);
    return m_chunks.take();
}

void MemoryChunks::spill(Compressor &compressor, SpillFile &file)
{
    flush(compressor);
    m_pending = std::vector<MemoryEvent>();
    m_chunks.spill(file);
}

std::size_t MemoryChunks::heldBytes() const
{
    return bytesOf(m_pending) + m_chunks.heldBytes();
}

std::size_t MemoryChunks::fixedBytes() const
{
    return m_chunks.size() * sizeof(RecordChunk);
}

void DependencyChunks::add(const DependencyEdge &edge, Compressor &compressor)
{
    if (edge.key == DependencyKey::Name) {
        m_nameEdges.push_back(edge);
        return;
    }
    m_pending.push_back(edge);
    if (m_pending.size() == RecordChunkRows)
        flush(m_pending, compressor);
}

void DependencyChunks::flush(std::vector<DependencyEdge> &edges, Compressor &compressor)
{
    for (std::size_t from = 0; from < edges.size(); from += RecordChunkRows) {
        const std::size_t rows = std::min(RecordChunkRows, edges.size() - from);
        m_chunks.add(encodeDependencies(std::span(edges).subspan(from, rows), compressor));
    }
    edges.clear();
}

std::vector<RecordChunk> DependencyChunks::take(Compressor &compressor)
{
    flush(m_pending, compressor);
    flush(m_nameEdges, compressor);
    return m_chunks.take();
}

void DependencyChunks::spill(Compressor &compressor, SpillFile &file)
{
    flush(m_pending, compressor);
    m_pending = std::vector<DependencyEdge>();
    m_chunks.spill(file);
}

std::size_t DependencyChunks::heldBytes() const
{
    return bytesOf(m_pending) + m_chunks.heldBytes();
}

std::size_t DependencyChunks::fixedBytes() const
{
    return bytesOf(m_nameEdges) + m_chunks.size() * sizeof(RecordChunk);
}

std::vector<MemoryEvent> decodeMemory(ByteSpan raw, std::size_t rows)
{
    std::vector<std::uint64_t> fields[6];
    for (auto &field : fields)
        field = decodeColumn(raw, rows);
    std::vector<MemoryEvent> events(rows);
    for (std::size_t i = 0; i < rows; ++i) {
        MemoryEvent &event = events[i];
        event.timeNs = static_cast<std::int64_t>(fields[0][i]);
        if (event.timeNs < -MaxTimeNs || event.timeNs > MaxTimeNs)
            failDamagedBlob("a memory event has an impossible time");
        event.device = deviceOf(fields[1][i]);
        event.address = fields[2][i];
        event.deltaBytes = unzigzag(fields[3][i]);
        event.allocatedBytes = fields[4][i];
        event.reservedBytes = fields[5][i];
    }
    return events;
}

std::vector<DependencyEdge> decodeDependencies(ByteSpan raw, std::size_t rows,
                                               std::size_t nameCount)
{
    std::vector<std::uint64_t> fields[4];
    for (auto &field : fields)
        field = decodeColumn(raw, rows);
    std::vector<DependencyEdge> edges(rows);
    for (std::size_t i = 0; i < rows; ++i) {
        DependencyEdge &edge = edges[i];
        edge.kind = static_cast<DependencyKind>(fields[0][i]);
        edge.key = static_cast<DependencyKey>(fields[1][i]);
        edge.from = fields[2][i];
        edge.to = fields[3][i];
        if (fields[0][i] > static_cast<std::uint64_t>(DependencyKind::Sync)
            || fields[1][i] > static_cast<std::uint64_t>(DependencyKey::Name))
            failDamagedBlob("a dependency of an unknown kind");
        if (edge.key == DependencyKey::Name && (edge.from >= nameCount || edge.to >= nameCount))
            failDamagedBlob("a dependency of an unknown name");
    }
    return edges;
}

} // namespace core
