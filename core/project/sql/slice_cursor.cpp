#include "core/project/sql/slice_cursor.h"

#include <algorithm>
#include <numeric>

namespace core {

namespace {

    bool overlap(IntegerRange range, std::int64_t from, std::int64_t to)
    {
        return range.from <= to && range.to >= from;
    }

    /// For each text the place of its first equal in sorted order.
    template <class Text>
    std::vector<std::uint32_t> sortedPlaces(const std::vector<Text> &texts)
    {
        std::vector<std::uint32_t> order(texts.size()), places(texts.size());
        std::iota(order.begin(), order.end(), 0U);
        std::sort(order.begin(), order.end(),
                  [&](std::uint32_t a, std::uint32_t b) { return texts[a] < texts[b]; });
        std::uint32_t place = 0;
        for (std::uint32_t i = 0; i < order.size(); ++i) {
            if (i > 0 && texts[order[i]] != texts[order[i - 1]])
                place = i;
            places[order[i]] = place;
        }
        return places;
    }

    template <class Enum>
    std::vector<std::string_view> namesUpTo(Enum last, std::string_view (*nameOf)(Enum))
    {
        std::vector<std::string_view> names;
        for (int i = 0; i <= static_cast<int>(last); ++i)
            names.push_back(nameOf(static_cast<Enum>(i)));
        return names;
    }

    /// Says where a slice belongs in the order of one column.
    class OrderKey
    {
    public:
        OrderKey(SliceStore &store, SliceColumn column)
            : m_column(column)
        {
            const ProjectTables &tables = store.tables();
            if (column == SliceColumn::Name)
                m_places = sortedPlaces(store.names());
            else if (column == SliceColumn::Category)
                m_places = sortedPlaces(namesUpTo(Category::Span, categoryName));
            else if (column == SliceColumn::Phase)
                m_places = sortedPlaces(namesUpTo(Phase::Input, phaseName));
            else if (column == SliceColumn::Role)
                m_places = sortedPlaces(namesUpTo(Role::Unknown, roleName));
            else if (column == SliceColumn::TrackName)
                m_places = placesOfTracks(tables, [](const Track &track) { return track.name; });
            else if (column == SliceColumn::Track)
                m_places = placesOfTracks(tables, [](const Track &track) { return track.id; });
            else
                m_places = placesOfTracks(tables, [&tables](const Track &track) {
                    return tables.workers[track.worker.value].rank;
                });
        }

        std::size_t count() const { return m_places.size(); }
        std::uint32_t operator()(const ChunkInfo &chunk, const SliceColumns &slices,
                                 std::size_t row) const
        {
            switch (m_column) {
            case SliceColumn::Name:
                return m_places[slices.name[row].value];
            case SliceColumn::Category:
                return m_places[static_cast<std::size_t>(slices.category[row])];
            case SliceColumn::Phase:
                return m_places[static_cast<std::size_t>(slices.phase[row])];
            case SliceColumn::Role:
                return m_places[static_cast<std::size_t>(
                    roleOf(slices.category[row], slices.phase[row]))];
            default:
                return m_places[chunk.track.value];
            }
        }

    private:
        template <class Value>
        static std::vector<std::uint32_t> placesOfTracks(const ProjectTables &tables, Value value)
        {
            std::vector<std::decay_t<decltype(value(tables.tracks.front()))>> values;
            for (const Track &track : tables.tracks)
                values.push_back(value(track));
            return sortedPlaces(values);
        }

        SliceColumn m_column;
        std::vector<std::uint32_t> m_places;
    };

    std::optional<NameId> findName(const std::vector<std::string> &names, const std::string &text)
    {
        const auto it = std::find(names.begin(), names.end(), text);
        if (it == names.end())
            return std::nullopt;
        return NameId(static_cast<std::uint32_t>(it - names.begin()));
    }

} // namespace

SliceCursor::SliceCursor(SliceStore &store, const SliceFilter &filter)
    : m_store(store)
    , m_filter(filter)
{
    if (filter.name) {
        m_name = findName(store.names(), *filter.name);
        m_isNameUnknown = !m_name;
    }
    if (filter.orderBy) {
        collectInOrder(*filter.orderBy);
        placeInOrder();
    } else {
        skipToMatch();
    }
}

void SliceCursor::next()
{
    if (m_filter.orderBy) {
        ++m_position;
        placeInOrder();
    } else {
        ++m_row;
        skipToMatch();
    }
}

const LinkColumns &SliceCursor::links()
{
    if (!m_links)
        m_links = m_store.links(*m_chunk);
    return *m_links;
}

std::int64_t SliceCursor::startNs() const
{
    return m_store.tables().toAligned(m_track->worker, m_hot->slices.startNs[m_row]);
}

bool SliceCursor::mayMatch(const ChunkInfo &chunk) const
{
    const ProjectTables &tables = m_store.tables();
    const WorkerId worker = tables.tracks[chunk.track.value].worker;
    const auto first = static_cast<std::int64_t>(chunk.firstSlice);
    return overlap(m_filter.id, first, first + static_cast<std::int64_t>(chunk.rows) - 1)
        && m_filter.track.contains(chunk.track.value)
        && m_filter.rank.contains(tables.workers[worker.value].rank)
        && overlap(m_filter.rawStartNs, chunk.minStartNs, chunk.maxStartNs)
        && overlap(m_filter.startNs, tables.toAligned(worker, chunk.minStartNs),
                   tables.toAligned(worker, chunk.maxStartNs));
}

bool SliceCursor::openNextChunk()
{
    const auto &chunks = m_store.chunks();
    while (m_nextChunk < chunks.size()
           && (!mayMatch(chunks[m_nextChunk])
               || (m_name && !m_store.chunkIndex().mayHold(m_nextChunk, *m_name))))
        ++m_nextChunk;
    if (m_nextChunk == chunks.size() || m_isNameUnknown) {
        m_hot = nullptr;
        return false;
    }
    const ChunkInfo &chunk = chunks[m_nextChunk++];
    setChunk(&chunk, m_store.hot(chunk));
    clipRows(chunk);
    return true;
}

void SliceCursor::setChunk(const ChunkInfo *chunk, HotPointer hot)
{
    if (m_chunk != chunk)
        m_links = nullptr;
    m_chunk = chunk;
    m_track = &m_store.tables().tracks[chunk->track.value];
    m_hot = std::move(hot);
}

void SliceCursor::clipRows(const ChunkInfo &chunk)
{
    const auto first = static_cast<std::int64_t>(chunk.firstSlice);
    m_row = 0;
    m_rowEnd = chunk.rows;
    if (m_filter.id.from > first)
        m_row = static_cast<std::size_t>(m_filter.id.from - first);
    if (m_filter.id.to < first + static_cast<std::int64_t>(chunk.rows) - 1)
        m_rowEnd = static_cast<std::size_t>(m_filter.id.to - first + 1);
    clipToRawStart(m_filter.rawStartNs);
}

void SliceCursor::clipToRawStart(IntegerRange rawStartNs)
{
    const auto &starts = m_hot->slices.startNs;
    const auto from = std::lower_bound(starts.begin(), starts.end(), rawStartNs.from);
    const auto to = std::upper_bound(starts.begin(), starts.end(), rawStartNs.to);
    m_row = std::max(m_row, static_cast<std::size_t>(from - starts.begin()));
    m_rowEnd = std::min(m_rowEnd, static_cast<std::size_t>(to - starts.begin()));
}

void SliceCursor::skipToMatch()
{
    while (true) {
        if (m_hot && m_name) {
            const auto &names = m_hot->slices.name;
            while (m_row < m_rowEnd && names[m_row] != *m_name)
                ++m_row;
        }
        if (m_hot && m_row < m_rowEnd)
            return;
        if (!openNextChunk())
            return;
    }
}

/// Counting sort of all slices that match by the key of the column; stable, so by id within one.
void SliceCursor::collectInOrder(SliceColumn column)
{
    const OrderKey keyOf(m_store, column);
    std::vector<std::size_t> counts(keyOf.count() + 1);
    std::vector<std::pair<std::uint32_t, Place>> found;
    skipToMatch();
    for (; m_hot; ++m_row, skipToMatch()) {
        if (m_collected.empty() || m_collected.back().first != m_chunk)
            m_collected.emplace_back(m_chunk, m_hot);
        std::uint32_t key = keyOf(*m_chunk, m_hot->slices, m_row);
        if (m_filter.isDescending)
            key = static_cast<std::uint32_t>(keyOf.count()) - 1 - key;
        found.push_back({ key,
                          { static_cast<std::uint32_t>(m_collected.size() - 1),
                            static_cast<std::uint32_t>(m_row) } });
        ++counts[key + 1];
    }
    std::partial_sum(counts.begin(), counts.end(), counts.begin());
    m_order.resize(found.size());
    for (const auto &[key, place] : found)
        m_order[counts[key]++] = place;
}

void SliceCursor::placeInOrder()
{
    if (m_position == m_order.size()) {
        m_hot = nullptr;
        return;
    }
    const Place place = m_order[m_position];
    const auto &[chunk, hot] = m_collected[place.chunk];
    if (m_chunk != chunk || !m_hot)
        setChunk(chunk, hot);
    m_row = place.row;
    fetchAhead();
}

/// In this order every slice is in another cache line: asks for those that come soon.
void SliceCursor::fetchAhead() const
{
    constexpr std::size_t Ahead = 16;
    if (m_position + Ahead >= m_order.size())
        return;
    const Place place = m_order[m_position + Ahead];
    const SliceColumns &slices = m_collected[place.chunk].second->slices;
    __builtin_prefetch(&slices.durationNs[place.row]);
    __builtin_prefetch(&slices.name[place.row]);
    __builtin_prefetch(&slices.category[place.row]);
}

} // namespace core
