#pragma once

#include "core/project/codec/args_block.h"
#include "core/project/codec/lru_cache.h"
#include "core/project/codec/slice_codec.h"
#include "core/project/read/chunk_index.h"
#include "core/project/read/file_clocks.h"
#include "core/project/read/project_reader.h"
#include "core/sqlite/blob_reader.h"
#include "core/sqlite/database.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace core {

/// The tables that say where slices are.
struct ProjectTables
{
    std::vector<Worker> workers;
    std::vector<Track> tracks;
    AlignmentReport alignment;
    std::vector<FileClock> fileClocks; ///< by worker and file

    /// What is added to stored times of a track; the tracks' own ranges have it already.
    const FileClock &clock(TrackId track) const
    {
        return clockOf(fileClocks, tracks[track.value].worker, tracks[track.value].file);
    }
    std::uint64_t sliceCount() const
    {
        return tracks.empty() ? 0 : tracks.back().firstSlice.value + tracks.back().sliceCount;
    }
    std::int64_t toAligned(WorkerId worker, std::int64_t rawNs) const
    {
        return alignment.workers.empty() ? rawNs : alignment.workers[worker.value].toAligned(rawNs);
    }
};

ProjectTables readTables(Database &db);

/// Where a chunk of slices is. Raw clock.
struct ChunkInfo
{
    std::uint64_t firstSlice = 0;
    TrackId track;
    std::size_t rows = 0;
    std::int64_t minStartNs = 0, maxStartNs = 0, maxEndNs = 0;
};

/// The times-only columns of a chunk and of the slices that still run when it begins.
struct HotChunk
{
    SliceColumns slices;
    CarriedSlices carried;
    bool isCarriedKnown = false; ///< false: too many; look into earlier chunks
};

/// Where a chunk of bins is. Raw clock.
struct BinChunkInfo
{
    std::int64_t id = 0;
    std::size_t ownCount = 0;
    std::optional<std::size_t> carriedCount; ///< absent: too many; look into earlier chunks
    std::int64_t minStartNs = 0, maxStartNs = 0, maxEndNs = 0;
    TrackId track;
};

struct LevelInfo
{
    std::int64_t widthNs = 0;
    std::vector<BinChunkInfo> chunks; ///< by start
};

/// Reads chunks, links, args and levels, checks them, and keeps those used last.
class SliceStore
{
public:
    explicit SliceStore(Database &db);

    Database &database() { return m_db; }
    const ProjectTables &tables() const { return m_tables; }
    const std::vector<std::string> &names();
    /// All chunks, by first slice.
    const std::vector<ChunkInfo> &chunks();
    /// The chunks of one track.
    std::span<const ChunkInfo> chunksOf(TrackId track);
    /// The chunk that holds a slice; null if there is no such slice.
    const ChunkInfo *chunkOf(SliceId slice);
    /// What chunks() hold; read at first use.
    const ChunkIndex &chunkIndex();
    std::shared_ptr<const HotChunk> hot(const ChunkInfo &chunk);
    /// In place of what is in `kinds`; past the caches.
    void readKinds(const ChunkInfo &chunk, BlobReader &blobs, SliceKinds &kinds);
    /// For readKinds(). While it is open, it keeps others from writing.
    BlobReader hotBlobs() { return { m_db, "slice_hot", "data" }; }
    std::shared_ptr<const LinkColumns> links(const ChunkInfo &chunk);
    /// All columns of a track, past the caches.
    SliceColumns readTrack(TrackId track);
    /// argsOrdinal as in LinkColumns; empty for 0.
    std::string args(std::uint64_t argsOrdinal);
    /// The block that holds a text; ordinals of texts count from 0.
    std::shared_ptr<const ArgsBlock> argsBlock(std::uint64_t ordinal);
    /// The column argsOrdinal of a chunk's links.
    std::shared_ptr<const std::vector<std::uint64_t>> argsOrdinals(const ChunkInfo &chunk);
    /// Levels of detail of a track, finest first.
    const std::vector<LevelInfo> &levels(TrackId track);
    /// Carried bins, then own ones.
    std::shared_ptr<const std::vector<LevelBin>> bins(const BinChunkInfo &chunk);

private:
    HotChunk readHot(const ChunkInfo &chunk);
    LinkColumns readLinks(const ChunkInfo &chunk);
    ArgsBlock readArgsBlock(std::uint64_t firstOrdinal);
    std::vector<LevelInfo> readLevels(TrackId track);
    std::vector<LevelBin> readBins(const BinChunkInfo &chunk);
    void readChunks();
    std::size_t nameCount();

    Database &m_db;
    ProjectTables m_tables;
    std::vector<std::string> m_names; ///< empty: not read yet
    std::uint64_t m_fileBytes = 0; ///< when it was opened: a query may not ask
    std::size_t m_nameCount = 0; ///< 0: not read yet
    std::vector<ChunkInfo> m_chunks;
    std::vector<std::size_t> m_firstChunk; ///< by track, and one more; empty: not read yet
    std::optional<ChunkIndex> m_chunkIndex;
    std::vector<std::unique_ptr<std::vector<LevelInfo>>> m_levels; ///< by track; null: not read yet
    LruCache<HotChunk> m_hot;
    LruCache<LinkColumns> m_links;
    LruCache<ArgsBlock> m_args;
    LruCache<std::vector<std::uint64_t>> m_argsOrdinals;
    LruCache<std::vector<LevelBin>> m_bins;
    Statement m_selectHot, m_selectLinks, m_selectArgs, m_selectBins;
};

} // namespace core
