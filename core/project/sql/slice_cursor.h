#pragma once

#include "core/project/read/slice_store.h"

#include <limits>
#include <optional>

namespace core {

/// The columns of the SQL table `slice`, in their order.
enum class SliceColumn {
    Id,
    Track,
    Rank,
    TrackName,
    Name,
    Category,
    Phase,
    Role,
    Depth,
    StartNs, ///< aligned
    RawStartNs,
    DurationNs,
    Correlation,
    ExternalId,
    Sequence,
    ForwardThread,
    Bytes,
    Args,
    Node,
};

/// Both ends included.
struct IntegerRange
{
    std::int64_t from = std::numeric_limits<std::int64_t>::min();
    std::int64_t to = std::numeric_limits<std::int64_t>::max();
    bool contains(std::int64_t value) const { return value >= from && value <= to; }
};

/// Which slices a scan must visit; it may visit more, but for `name`.
struct SliceFilter
{
    IntegerRange id, track, rank, startNs, rawStartNs;
    std::optional<std::string> name;
    /// Visit the slices ordered by this column (Name, Category, Phase, Role, Rank, TrackName or
    /// Track, as SQL orders it) instead of by id. Holds all of them in memory.
    std::optional<SliceColumn> orderBy;
    bool isDescending = false;
};

/// Scans slices chunk by chunk, leaving out chunks that cannot match.
class SliceCursor
{
public:
    SliceCursor(SliceStore &store, const SliceFilter &filter);

    bool isAtEnd() const { return m_hot == nullptr; }
    void next();

    // The slice that the cursor is at.
    SliceId id() const { return SliceId(m_hot->slices.first.value + m_row); }
    const Track &track() const { return *m_track; }
    const Worker &worker() const { return m_store.tables().workers[m_track->worker.value]; }
    const SliceColumns &columns() const { return m_hot->slices; }
    std::size_t row() const { return m_row; } ///< of columns() and links()
    const LinkColumns &links();
    std::int64_t startNs() const; ///< aligned
    std::string args() { return m_store.args(links().argsOrdinal[m_row]); }

private:
    using HotPointer = std::shared_ptr<const HotChunk>;
    struct Place
    {
        std::uint32_t chunk = 0, row = 0;
    };

    bool mayMatch(const ChunkInfo &chunk) const;
    bool openNextChunk(); ///< false at the end; the chunk may have no rows that match
    void clipRows(const ChunkInfo &chunk);
    void clipToRawStart(IntegerRange rawStartNs);
    void skipToMatch();
    void collectInOrder(SliceColumn column);
    void placeInOrder();
    void fetchAhead() const;
    void setChunk(const ChunkInfo *chunk, HotPointer hot);

    SliceStore &m_store;
    SliceFilter m_filter;
    std::optional<NameId> m_name; ///< of m_filter.name
    bool m_isNameUnknown = false; ///< m_filter.name is no name of the project

    std::size_t m_nextChunk = 0;
    const ChunkInfo *m_chunk = nullptr;
    const Track *m_track = nullptr;
    HotPointer m_hot; ///< null at the end
    std::shared_ptr<const LinkColumns> m_links; ///< of m_chunk; null until asked for
    std::size_t m_row = 0, m_rowEnd = 0;

    // Only with m_filter.orderBy: everything that matches.
    std::vector<std::pair<const ChunkInfo *, HotPointer>> m_collected;
    std::vector<Place> m_order;
    std::size_t m_position = 0;
};

} // namespace core
