#include "core/project/track_writer.h"

#include "core/project/pyramid.h"

#include <algorithm>
#include <limits>

namespace core {

namespace {

    constexpr std::size_t LevelChunkBins = 2048;

    /// Follows which rows still run, while rows are visited by start.
    template <class EndOf>
    class RunningRows
    {
    public:
        explicit RunningRows(EndOf endOf)
            : m_endOf(endOf)
        {
        }
        void add(std::size_t from, std::size_t to)
        {
            for (std::size_t row = from; row < to; ++row)
                m_rows.push_back(row);
        }
        /// Rows that end after `ns`, in order of start; forgets the others.
        const std::vector<std::size_t> &after(std::int64_t ns)
        {
            std::erase_if(m_rows, [&](std::size_t row) { return m_endOf(row) <= ns; });
            return m_rows;
        }

    private:
        EndOf m_endOf;
        std::vector<std::size_t> m_rows;
    };

    void appendRow(const SliceColumns &from, std::size_t row, SliceColumns &to)
    {
        to.startNs.push_back(from.startNs[row]);
        to.durationNs.push_back(from.durationNs[row]);
        to.name.push_back(from.name[row]);
        to.category.push_back(from.category[row]);
        to.phase.push_back(from.phase[row]);
        to.depth.push_back(from.depth[row]);
    }

    CarriedSlices carriedSlices(const SliceColumns &slices, const std::vector<std::size_t> &rows)
    {
        CarriedSlices carried;
        for (const std::size_t row : rows) {
            carried.ids.push_back(SliceId(slices.first.value + row));
            appendRow(slices, row, carried.slices);
        }
        return carried;
    }

    std::int64_t lastEndNs(const SliceColumns &slices, std::size_t from, std::size_t to)
    {
        std::int64_t endNs = slices.endNs(from);
        for (std::size_t row = from + 1; row < to; ++row)
            endNs = std::max(endNs, slices.endNs(row));
        return endNs;
    }

    std::int64_t lastEndNs(std::span<const LevelBin> bins)
    {
        std::int64_t endNs = bins.front().endNs;
        for (const LevelBin &bin : bins)
            endNs = std::max(endNs, bin.endNs);
        return endNs;
    }

} // namespace

TrackWriter::TrackWriter(Database &db)
    : m_chunk(db, "INSERT INTO slice_chunk VALUES (?, ?, ?, ?, ?, ?)")
    , m_hot(db, "INSERT INTO slice_hot VALUES (?, ?, ?)")
    , m_links(db, "INSERT INTO slice_links VALUES (?, ?, ?)")
    , m_level(db, "INSERT INTO level VALUES (?, ?, ?, ?)")
    , m_levelChunk(db, "INSERT INTO level_chunk VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?)")
    , m_index(db)
{
}

void TrackWriter::write(TrackId track, const SliceColumns &slices,
                        std::span<const std::uint64_t> argsOrdinal)
{
    const auto endOf = [&slices](std::size_t row) { return slices.endNs(row); };
    RunningRows running(endOf);
    for (std::size_t from = 0; from < slices.size(); from += ChunkRows) {
        const std::size_t to = std::min(from + ChunkRows, slices.size());
        const auto &rows = running.after(slices.startNs[from]);
        m_buffer.clear();
        encodeHot(slices, from, to, m_buffer);
        if (rows.size() <= MaxCarried) {
            const ByteBuffer carried = encodeCarried(carriedSlices(slices, rows));
            m_hot.bindAll(slices.first.value + from, ByteSpan(carried), ByteSpan(m_buffer)).run();
        } else {
            m_hot.bindAll(slices.first.value + from, std::nullopt, ByteSpan(m_buffer)).run();
        }
        writeChunk(track, slices, from, to);
        writeLinks(slices, argsOrdinal, from, to);
        m_index.write(slices, argsOrdinal, from, to);
        running.add(from, to);
    }
    writeLevels(track, slices);
}

void TrackWriter::writeChunk(TrackId track, const SliceColumns &slices, std::size_t from,
                             std::size_t to)
{
    m_chunk
        .bindAll(slices.first.value + from, std::int64_t(track.value),
                 static_cast<std::uint64_t>(to - from), slices.startNs[from],
                 slices.startNs[to - 1], lastEndNs(slices, from, to))
        .run();
}

void TrackWriter::writeLinks(const SliceColumns &slices, std::span<const std::uint64_t> argsOrdinal,
                             std::size_t from, std::size_t to)
{
    const ByteBuffer raw = encodeLinks(slices, argsOrdinal, from, to);
    m_links
        .bindAll(slices.first.value + from, static_cast<std::uint64_t>(raw.size()),
                 m_compressor.compress(raw))
        .run();
}

void TrackWriter::writeLevels(TrackId track, const SliceColumns &slices)
{
    int number = 0;
    for (const Level &level : buildPyramid(slices)) {
        m_level
            .bindAll(std::int64_t(track.value), number, level.widthNs,
                     static_cast<std::uint64_t>(level.bins.size()))
            .run();
        writeLevelChunks(track, number, level.bins);
        ++number;
    }
}

void TrackWriter::writeLevelChunks(TrackId track, int level, std::span<const LevelBin> bins)
{
    const auto endOf = [bins](std::size_t row) { return bins[row].endNs; };
    RunningRows running(endOf);
    std::vector<LevelBin> stored;
    for (std::size_t from = 0; from < bins.size(); from += LevelChunkBins) {
        const auto own = bins.subspan(from, std::min(LevelChunkBins, bins.size() - from));
        const auto &rows = running.after(own.front().startNs);
        const bool isCarried = rows.size() <= MaxCarried;
        stored.clear();
        for (std::size_t i = 0; isCarried && i < rows.size(); ++i)
            stored.push_back(bins[rows[i]]);
        const auto carriedCount = static_cast<std::int64_t>(stored.size());
        stored.insert(stored.end(), own.begin(), own.end());
        m_buffer.clear();
        encodeBins(stored, m_buffer);
        m_levelChunk
            .bindAll(std::int64_t(track.value), level, own.front().startNs, own.back().startNs,
                     lastEndNs(own),
                     isCarried ? std::optional<std::int64_t>(carriedCount) : std::nullopt,
                     static_cast<std::uint64_t>(own.size()), ByteSpan(m_buffer))
            .run();
        running.add(from, from + own.size());
    }
}

} // namespace core
