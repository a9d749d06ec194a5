#include "core/project/read/slice_store.h"

#include "core/project/codec/compression.h"
#include "core/project/codec/level_codec.h"
#include "core/project/project_limits.h"
#include "core/project/schema/timing_tables.h"
#include "core/project/schema/worker_tables.h"

#include <algorithm>

namespace core {

namespace {

    constexpr std::size_t LeastHotChunks = 64; // 12 MiB
    constexpr std::size_t MostHotChunks = 512; // 96 MiB where all are full
    constexpr std::size_t LinksCacheChunks = 16;
    constexpr std::size_t ArgsCacheBlocks = 16; // 4 MiB
    constexpr std::size_t ArgsOrdinalsCacheChunks = 256; // 16 MiB
    constexpr std::size_t LeastBinChunks = 256; // 20 MiB
    constexpr std::size_t MostBinChunks = 768; // 60 MiB where all are full
    constexpr std::size_t MaxCarriedRead = 1 << 16;

    /// A screen may show all tracks, each with the end of a chunk and the begin of another: a cache
    /// that holds fewer would have lost each of them when the next frame asks for it.
    std::size_t chunksOnScreen(const ProjectTables &tables, std::size_t least, std::size_t most)
    {
        return std::clamp(2 * tables.tracks.size(), least, most);
    }

    void reserveRows(std::size_t rows, SliceColumns &slices)
    {
        const auto reserve = [rows](auto &...column) { (column.reserve(rows), ...); };
        reserve(slices.startNs, slices.durationNs, slices.name, slices.category, slices.phase,
                slices.depth, slices.correlation, slices.externalId, slices.node, slices.sequence,
                slices.forwardThread, slices.bytes);
    }

    template <class Chunk>
    void toRankBounds(Database &db, const FileClock &clock, Chunk &chunk)
    {
        chunk.minStartNs = rankTime(db, clock, chunk.minStartNs);
        chunk.maxStartNs = rankTime(db, clock, chunk.maxStartNs);
        chunk.maxEndNs = rankEnd(db, clock, chunk.maxEndNs);
    }

    /// A bin is idle for as long as before, by a millionth or so.
    void toRankBin(Database &db, const FileClock &clock, LevelBin &bin)
    {
        const std::int64_t idleNs = bin.endNs - bin.startNs - bin.busyNs;
        bin.startNs = rankTime(db, clock, bin.startNs);
        bin.endNs = rankEnd(db, clock, bin.endNs);
        bin.busyNs = std::max<std::int64_t>(0, bin.endNs - bin.startNs - idleNs);
    }

} // namespace

ProjectTables readTables(Database &db)
{
    ProjectTables tables;
    tables.workers = readWorkers(db);
    tables.tracks = readTracks(db, tables.workers.size());
    tables.fileClocks = readFileClocks(db, tables.workers.size());
    for (Track &track : tables.tracks)
        track.range = rankRange(db, tables.clock(track.id), track.range);
    tables.alignment = readAlignment(db, tables.workers, tables.tracks);
    return tables;
}

SliceStore::SliceStore(Database &db)
    : m_db(db)
    , m_tables(readTables(db))
    , m_hot(chunksOnScreen(m_tables, LeastHotChunks, MostHotChunks))
    , m_links(LinksCacheChunks)
    , m_args(ArgsCacheBlocks)
    , m_argsOrdinals(ArgsOrdinalsCacheChunks)
    , m_bins(chunksOnScreen(m_tables, LeastBinChunks, MostBinChunks))
    , m_selectHot(db, "SELECT carried, data FROM slice_hot WHERE first_slice = ?")
    , m_selectLinks(db, "SELECT raw_bytes, data FROM slice_links WHERE first_slice = ?")
    , m_selectArgs(db,
                   "SELECT first_ordinal, count, raw_bytes, data FROM args_block "
                   "WHERE first_ordinal <= ? ORDER BY first_ordinal DESC LIMIT 1")
    , m_selectBins(db, "SELECT data FROM level_chunk WHERE id = ?")
{
    m_levels.resize(m_tables.tracks.size());
    m_fileBytes = db.fileBytes();
}

const std::vector<std::string> &SliceStore::names()
{
    if (m_names.empty())
        m_names = readNames(m_db);
    return m_names;
}

std::size_t SliceStore::nameCount()
{
    if (m_nameCount == 0)
        m_nameCount = static_cast<std::size_t>(
            std::max<std::int64_t>(1, m_db.integer("SELECT max(id) + 1 FROM name")));
    return m_nameCount;
}

const std::vector<ChunkInfo> &SliceStore::chunks()
{
    if (m_firstChunk.empty())
        readChunks();
    return m_chunks;
}

std::span<const ChunkInfo> SliceStore::chunksOf(TrackId track)
{
    chunks();
    const std::size_t from = m_firstChunk[track.value], to = m_firstChunk[track.value + 1];
    return std::span(m_chunks).subspan(from, to - from);
}

void SliceStore::readChunks()
{
    Statement select(m_db,
                     "SELECT first_slice, track, row_count, raw_min_start_ns, raw_max_start_ns, "
                     "raw_max_end_ns FROM slice_chunk ORDER BY first_slice");
    std::uint64_t nextSlice = 0;
    while (select.step()) {
        ChunkInfo chunk = { select.natural(0),
                            TrackId(static_cast<std::uint32_t>(select.natural(1))),
                            static_cast<std::size_t>(select.natural(2)),
                            select.integer(3),
                            select.integer(4),
                            select.integer(5) };
        if (chunk.firstSlice != nextSlice || chunk.track.value >= m_tables.tracks.size()
            || chunk.rows == 0 || chunk.rows > MaxChunkRows)
            m_db.failDamaged("a chunk of slices is missing");
        toRankBounds(m_db, m_tables.clock(chunk.track), chunk);
        nextSlice += chunk.rows;
        m_chunks.push_back(chunk);
    }
    if (nextSlice > m_fileBytes / HotRowBytes) // which are not compressed
        m_db.failDamaged("it claims more slices than it can hold");
    if (nextSlice != m_tables.sliceCount())
        m_db.failDamaged("a chunk of slices is missing");
    std::vector<std::size_t> firstChunk;
    auto chunk = m_chunks.begin();
    for (const Track &track : m_tables.tracks) {
        firstChunk.push_back(static_cast<std::size_t>(chunk - m_chunks.begin()));
        const std::uint64_t end = track.firstSlice.value + track.sliceCount;
        std::uint64_t next = track.firstSlice.value;
        for (; chunk != m_chunks.end() && chunk->firstSlice < end; ++chunk) {
            if (chunk->track != track.id)
                m_db.failDamaged("a chunk of slices belongs to another track");
            next = chunk->firstSlice + chunk->rows;
        }
        if (next != end)
            m_db.failDamaged("a chunk of slices belongs to another track");
    }
    firstChunk.push_back(m_chunks.size());
    m_firstChunk = std::move(firstChunk);
}

const ChunkInfo *SliceStore::chunkOf(SliceId slice)
{
    if (slice.value >= m_tables.sliceCount())
        return nullptr;
    const auto &all = chunks();
    const auto next = std::upper_bound(
        all.begin(), all.end(), slice.value,
        [](std::uint64_t wanted, const ChunkInfo &chunk) { return wanted < chunk.firstSlice; });
    return &*(next - 1);
}

const ChunkIndex &SliceStore::chunkIndex()
{
    if (!m_chunkIndex)
        m_chunkIndex.emplace(m_db, chunks(), nameCount());
    return *m_chunkIndex;
}

std::shared_ptr<const HotChunk> SliceStore::hot(const ChunkInfo &chunk)
{
    return m_hot.get(chunk.firstSlice, [&] { return readHot(chunk); });
}

HotChunk SliceStore::readHot(const ChunkInfo &chunk)
{
    HotChunk hot;
    m_selectHot.bindAll(chunk.firstSlice);
    if (!m_selectHot.step())
        m_db.failDamaged("a chunk of slices is missing");
    hot.isCarriedKnown = !m_selectHot.isNull(0);
    if (hot.isCarriedKnown)
        hot.carried = decodeCarried(m_selectHot.bytes(0), nameCount());
    hot.slices.first = SliceId(chunk.firstSlice);
    decodeHot(m_selectHot.bytes(1), chunk.rows, nameCount(), hot.slices);
    m_selectHot.reset();
    const FileClock &clock = m_tables.clock(chunk.track);
    toRankTimes(m_db, clock, hot.carried.slices);
    toRankTimes(m_db, clock, hot.slices);
    for (const SliceId id : hot.carried.ids)
        if (id.value >= chunk.firstSlice)
            m_db.failDamaged("a slice is carried over from the future");
    return hot;
}

void SliceStore::readKinds(const ChunkInfo &chunk, BlobReader &blobs, SliceKinds &kinds)
{
    if (m_tables.clock(chunk.track).hasDrift()) { // durations are not those that are stored
        const auto slices = hot(chunk);
        kinds.durationNs = slices->slices.durationNs;
        kinds.name = slices->slices.name;
        kinds.category = slices->slices.category;
        kinds.phase = slices->slices.phase;
        return;
    }
    if (blobs.open(static_cast<std::int64_t>(chunk.firstSlice)) != chunk.rows * HotRowBytes)
        m_db.failDamaged("a chunk of slices has a wrong size");
    core::readKinds(
        [&blobs](std::size_t offset, std::span<std::uint8_t> bytes) { blobs.read(offset, bytes); },
        chunk.rows, nameCount(), kinds);
}

std::shared_ptr<const LinkColumns> SliceStore::links(const ChunkInfo &chunk)
{
    return m_links.get(chunk.firstSlice, [&] { return readLinks(chunk); });
}

LinkColumns SliceStore::readLinks(const ChunkInfo &chunk)
{
    m_selectLinks.bindAll(chunk.firstSlice);
    if (!m_selectLinks.step())
        m_db.failDamaged("the links of a chunk are missing");
    const ByteBuffer raw = decompress(m_selectLinks.bytes(1), m_selectLinks.natural(0));
    m_selectLinks.reset();
    return decodeLinks(raw, chunk.rows);
}

SliceColumns SliceStore::readTrack(TrackId id)
{
    SliceColumns all;
    all.first = m_tables.tracks[id.value].firstSlice;
    std::size_t rows = 0;
    for (const ChunkInfo &chunk : chunksOf(id))
        rows += chunk.rows;
    reserveRows(rows, all);
    const auto append
        = [](auto &to, const auto &from) { to.insert(to.end(), from.begin(), from.end()); };
    for (const ChunkInfo &chunk : chunksOf(id)) {
        const HotChunk hot = readHot(chunk);
        const LinkColumns links = readLinks(chunk);
        append(all.startNs, hot.slices.startNs);
        append(all.durationNs, hot.slices.durationNs);
        append(all.name, hot.slices.name);
        append(all.category, hot.slices.category);
        append(all.phase, hot.slices.phase);
        append(all.depth, hot.slices.depth);
        all.correlation.append(links.correlation);
        all.externalId.append(links.externalId);
        all.node.append(links.node);
        all.sequence.append(links.sequence);
        all.forwardThread.append(links.forwardThread);
        all.bytes.append(links.bytes);
    }
    return all;
}

std::string SliceStore::args(std::uint64_t argsOrdinal)
{
    if (argsOrdinal == 0)
        return {};
    const std::uint64_t ordinal = argsOrdinal - 1;
    return std::string(argsBlock(ordinal)->text(ordinal));
}

std::shared_ptr<const ArgsBlock> SliceStore::argsBlock(std::uint64_t ordinal)
{
    m_selectArgs.bindAll(ordinal);
    if (!m_selectArgs.step())
        m_db.failDamaged("a block of arguments is missing");
    const std::uint64_t firstOrdinal = m_selectArgs.natural(0);
    auto block = m_args.get(firstOrdinal, [&] { return readArgsBlock(firstOrdinal); });
    m_selectArgs.reset();
    if (!block->holds(ordinal))
        m_db.failDamaged("a block of arguments is missing");
    return block;
}

std::shared_ptr<const std::vector<std::uint64_t>> SliceStore::argsOrdinals(const ChunkInfo &chunk)
{
    return m_argsOrdinals.get(chunk.firstSlice, [&] { return readLinks(chunk).argsOrdinal; });
}

ArgsBlock SliceStore::readArgsBlock(std::uint64_t firstOrdinal)
{
    if (m_selectArgs.natural(2) > MaxArgsBlockBytes)
        m_db.failDamaged("a block of arguments is too large");
    ByteBuffer raw = decompress(m_selectArgs.bytes(3), m_selectArgs.natural(2));
    return ArgsBlock(std::move(raw), firstOrdinal,
                     static_cast<std::size_t>(m_selectArgs.natural(1)));
}

const std::vector<LevelInfo> &SliceStore::levels(TrackId track)
{
    auto &levels = m_levels[track.value];
    if (!levels)
        levels = std::make_unique<std::vector<LevelInfo>>(readLevels(track));
    return *levels;
}

std::vector<LevelInfo> SliceStore::readLevels(TrackId track)
{
    std::vector<LevelInfo> levels;
    std::uint64_t bins = 0; // of all levels; each has at most half of those of the one before
    Statement select(m_db, "SELECT level, width_ns FROM level WHERE track = ? ORDER BY level");
    select.bindAll(std::int64_t(track.value));
    Statement chunks(m_db,
                     "SELECT id, raw_min_start_ns, raw_max_start_ns, raw_max_end_ns, "
                     "carried_count, own_count FROM level_chunk WHERE track = ? AND level = ? "
                     "ORDER BY raw_min_start_ns, id");
    while (select.step()) {
        LevelInfo level;
        level.widthNs = select.integer(1);
        chunks.bindAll(std::int64_t(track.value), select.integer(0));
        while (chunks.step()) {
            BinChunkInfo chunk;
            chunk.id = chunks.integer(0);
            chunk.minStartNs = chunks.integer(1);
            chunk.maxStartNs = chunks.integer(2);
            chunk.maxEndNs = chunks.integer(3);
            chunk.carriedCount = chunks.optional<std::size_t>(4);
            chunk.ownCount = chunks.natural(5);
            bins += chunk.ownCount;
            if (chunk.carriedCount.value_or(0) > MaxCarriedRead || chunk.ownCount == 0
                || chunk.ownCount > MaxChunkRows
                || bins > 2 * m_tables.tracks[track.value].sliceCount)
                m_db.failDamaged("a level of detail has an impossible size");
            chunk.track = track;
            toRankBounds(m_db, m_tables.clock(track), chunk);
            level.chunks.push_back(chunk);
        }
        levels.push_back(std::move(level));
    }
    return levels;
}

std::shared_ptr<const std::vector<LevelBin>> SliceStore::bins(const BinChunkInfo &chunk)
{
    return m_bins.get(static_cast<std::uint64_t>(chunk.id), [&] { return readBins(chunk); });
}

std::vector<LevelBin> SliceStore::readBins(const BinChunkInfo &chunk)
{
    m_selectBins.bindAll(chunk.id);
    if (!m_selectBins.step())
        m_db.failDamaged("a level of detail is missing");
    std::vector<LevelBin> bins;
    decodeBins(m_selectBins.bytes(0), chunk.carriedCount.value_or(0) + chunk.ownCount, bins);
    m_selectBins.reset();
    for (LevelBin &bin : bins)
        toRankBin(m_db, m_tables.clock(chunk.track), bin);
    return bins;
}

} // namespace core
