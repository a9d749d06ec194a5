#pragma once

#include "core/model/trace.h"
#include "core/project/codec/compression.h"
#include "core/project/write/spill_file.h"

#include <optional>
#include <span>
#include <vector>

// Records that come by the million and belong to no slice are stored as compressed chunks of
// columns; see schema.sql.

namespace core {

constexpr std::size_t RecordChunkRows = 65536; ///< most records of a chunk

/// Some records of one worker, encoded.
struct RecordChunk
{
    std::size_t rows = 0;
    TimeRange range; ///< first and last time (raw clock), both included; empty for dependencies
    std::uint64_t rawBytes = 0; ///< uncompressed
    ByteBuffer data; ///< empty where it is spilled
    std::optional<SpillExtent> spilled;
};

/// Encoded chunks of one worker, in memory or in the temporary file.
class RecordChunkList
{
public:
    void add(RecordChunk chunk);
    void spill(SpillFile &file);
    std::size_t heldBytes() const { return m_heldBytes; } ///< of data in memory
    std::size_t size() const { return m_chunks.size(); }
    std::vector<RecordChunk> take();

private:
    std::vector<RecordChunk> m_chunks;
    std::size_t m_heldBytes = 0;
    std::size_t m_firstHeld = 0; ///< of m_chunks; those before are spilled
};

/// Collects the memory events of one worker, in any order. Holds one chunk uncompressed.
class MemoryChunks
{
public:
    void add(const MemoryEvent &event, Compressor &compressor);
    /// All chunks; each is sorted by time, together they are not.
    std::vector<RecordChunk> take(Compressor &compressor);
    /// Writes all that is in memory to a file, but for what fixedBytes() counts.
    void spill(Compressor &compressor, SpillFile &file);
    std::size_t heldBytes() const; ///< in memory, of what can be spilled
    std::size_t fixedBytes() const; ///< of the rest

private:
    void flush(Compressor &compressor);

    std::vector<MemoryEvent> m_pending;
    RecordChunkList m_chunks;
};

/// Collects the dependencies of one worker. Edges between nodes are held compressed; edges between
/// names, of which a graph has few, stay as they are until `take`.
class DependencyChunks
{
public:
    void add(const DependencyEdge &edge, Compressor &compressor);
    std::vector<RecordChunk> take(Compressor &compressor);
    std::vector<DependencyEdge> &nameEdges() { return m_nameEdges; }
    /// As those of MemoryChunks.
    void spill(Compressor &compressor, SpillFile &file);
    std::size_t heldBytes() const;
    std::size_t fixedBytes() const;

private:
    void flush(std::vector<DependencyEdge> &edges, Compressor &compressor);

    std::vector<DependencyEdge> m_pending, m_nameEdges;
    RecordChunkList m_chunks;
};

/// `raw` is uncompressed. Throws Error for what no writer writes.
std::vector<MemoryEvent> decodeMemory(ByteSpan raw, std::size_t rows);
/// The same; NameIds must be below nameCount.
std::vector<DependencyEdge> decodeDependencies(ByteSpan raw, std::size_t rows,
                                               std::size_t nameCount);

} // namespace core
