#include "ui/timeline/timeline_steps.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

namespace ui {
namespace {

    bool isBeyond(const TimelineBox &box, const TimelineBox &from, int direction)
    {
        if (box.depth != from.depth || box.id == from.id) {
            return false;
        }
        return direction > 0 ? box.startNs >= from.startNs && box.id > from.id
                             : box.startNs <= from.startNs && box.id < from.id;
    }

    /// Index of the step to go to, or the number of steps.
    std::size_t stepAfter(const std::vector<CriticalStep> &steps, const TimelineState &state,
                          int direction)
    {
        const auto &selection = state.selection();
        if (selection) {
            const auto current = std::ranges::find(steps, selection->box.id, &CriticalStep::id);
            if (current != steps.end()) {
                return static_cast<std::size_t>(current - steps.begin() + direction);
            }
        }
        const std::int64_t from = selection ? selection->box.startNs
            : direction > 0                 ? state.visible().startNs
                                            : state.visible().endNs;
        const auto after = std::ranges::partition_point(
            steps, [from](const CriticalStep &step) { return step.startNs < from; });
        const auto index = static_cast<std::size_t>(after - steps.begin());
        return direction > 0 ? index : index - 1;
    }

    /// Slices by the column of time in which they begin, of a source's whole range.
    class ActivityColumns
    {
    public:
        explicit ActivityColumns(core::TimeRange range)
            : m_range(range)
            , m_columnNs(range.durationNs() / Most + 1)
            , m_counts(static_cast<std::size_t>(
                  std::max<std::int64_t>(1, range.durationNs() / m_columnNs)))
        {
        }

        std::int64_t columnNs() const { return m_columnNs; }
        std::size_t size() const { return m_counts.size(); }
        std::size_t count() const { return m_count; }
        bool hasAny() const { return m_count > 0; }

        void add(const TimelineBox &box)
        {
            const std::size_t first = columnOf(box.startNs);
            m_counts[first] += box.count;
            for (std::size_t i = first + 1; i <= columnOf(box.endNs - 1); ++i)
                m_counts[i] = std::max<std::size_t>(m_counts[i], 1);
            m_count += box.count;
        }

        /// First column and number of columns.
        std::pair<std::size_t, std::size_t> widestGap() const
        {
            std::size_t gapStart = 0, gapLength = 0;
            for (std::size_t i = 0, start = 0; i < m_counts.size(); ++i) {
                start = m_counts[i] == 0 ? start : i + 1;
                if (i + 1 - start > gapLength) {
                    gapStart = start;
                    gapLength = i + 1 - start;
                }
            }
            return { gapStart, gapLength };
        }

        std::size_t countBefore(std::size_t column) const
        {
            return std::accumulate(m_counts.begin(),
                                   m_counts.begin() + static_cast<std::ptrdiff_t>(column),
                                   std::size_t { 0 });
        }

        core::TimeRange timeOf(std::size_t column, std::size_t columns) const
        {
            const std::int64_t from
                = m_range.startNs + static_cast<std::int64_t>(column) * m_columnNs;
            return { from, from + static_cast<std::int64_t>(columns) * m_columnNs };
        }

    private:
        static constexpr std::int64_t Most = 250;

        std::size_t columnOf(std::int64_t ns) const
        {
            const auto last = static_cast<std::int64_t>(m_counts.size()) - 1;
            const std::int64_t column = (ns - m_range.startNs) / m_columnNs;
            return static_cast<std::size_t>(std::clamp<std::int64_t>(column, 0, last));
        }

        core::TimeRange m_range;
        std::int64_t m_columnNs;
        std::vector<std::size_t> m_counts;
        std::size_t m_count = 0;
    };

    /// At most 16: a key waits for them, up to 3 ms each where all have ten million
    /// slices.
    std::vector<std::size_t> busiestTracks(const std::vector<TimelineTrack> &tracks)
    {
        constexpr std::size_t Most = 16;
        std::vector<std::size_t> busiest;
        busiest.reserve(tracks.size());
        for (std::size_t track = 0; track < tracks.size(); ++track)
            if (tracks[track].kind != core::TrackKind::Annotation)
                busiest.push_back(track);
        std::ranges::stable_sort(busiest, std::greater(),
                                 [&tracks](std::size_t track) { return tracks[track].sliceCount; });
        busiest.resize(std::min(busiest.size(), Most));
        return busiest;
    }

} // namespace

core::TimeRange spanOfSelection(const TimelineState &state)
{
    if (state.area()) {
        return state.area()->range;
    }
    if (const auto &hit = state.selection()) {
        return { hit->box.startNs, std::max(hit->box.endNs, hit->box.startNs + 1) };
    }
    return {};
}

TimelineArea areaWith(const TimelineState &state, const TimelineHit &hit)
{
    const auto areaOf = [](const TimelineHit &one) {
        return TimelineArea { { one.box.startNs, one.box.endNs }, one.track, one.track + 1 };
    };
    const TimelineArea added = areaOf(hit);
    if (!state.area() && !state.selection())
        return added;
    TimelineArea area = state.area() ? *state.area() : areaOf(*state.selection());
    area.range.startNs = std::min(area.range.startNs, added.range.startNs);
    area.range.endNs = std::max(area.range.endNs, added.range.endNs);
    area.firstTrack = std::min(area.firstTrack, added.firstTrack);
    area.endTrack = std::max(area.endTrack, added.endTrack);
    return area;
}

std::optional<TimelineHit> neighbourOnTrack(const TimelineState &state, int direction)
{
    if (!state.selection() || state.source() == nullptr) {
        return std::nullopt;
    }
    const TimelineHit &from = *state.selection();
    const core::TimeRange all = state.source()->range();
    std::int64_t reach = std::max<std::int64_t>(1000, (from.box.endNs - from.box.startNs) * 4);
    for (bool isWhole = false; !isWhole; reach *= 8) {
        core::TimeRange range { from.box.startNs, from.box.startNs + reach };
        if (direction < 0) {
            range = { from.box.startNs - reach, from.box.startNs };
        }
        isWhole = direction > 0 ? range.endNs >= all.endNs : range.startNs <= all.startNs;
        const auto boxes = state.source()->boxes(from.track, range, 1);
        const TimelineBox *nearest = nullptr;
        for (const TimelineBox &box : boxes) {
            if (isBeyond(box, from.box, direction)
                && (nearest == nullptr || (direction > 0) == (box.startNs < nearest->startNs))) {
                nearest = &box;
            }
        }
        if (nearest != nullptr) {
            return TimelineHit { from.track, *nearest };
        }
    }
    return std::nullopt;
}

std::optional<TimelineHit> neighbourOnCriticalPath(const TimelineState &state, int direction)
{
    const std::vector<CriticalStep> &steps = state.criticalPath();
    const std::size_t next = stepAfter(steps, state, direction);
    if (next >= steps.size()) { // before the first one wraps around to a large number
        return std::nullopt;
    }
    const auto found = state.source()->find(steps[next].id);
    return found ? std::optional(TimelineHit { found->first, found->second }) : std::nullopt;
}

core::TimeRange activeRange(const TimelineSource &source)
{
    constexpr std::size_t GapPercent = 60, MostPercent = 90;
    ActivityColumns columns(source.range());
    for (const std::size_t track : busiestTracks(source.tracks())) {
        for (const TimelineBox &box : source.boxes(track, source.range(), columns.columnNs())) {
            columns.add(box);
        }
        // More tracks only make a gap shorter: mostly the first ones tell.
        if (columns.hasAny() && columns.widestGap().second * 100 <= GapPercent * columns.size()) {
            return {};
        }
    }
    const auto [gapStart, gapLength] = columns.widestGap();
    if (gapLength * 100 <= GapPercent * columns.size()) {
        return {};
    }
    const std::size_t before = columns.countBefore(gapStart);
    const core::TimeRange gap = columns.timeOf(gapStart, gapLength);
    if (before * 100 >= MostPercent * columns.count()) {
        return { source.range().startNs, gap.startNs };
    }
    const bool isAfter = before * 100 <= (100 - MostPercent) * columns.count();
    return isAfter ? core::TimeRange { gap.endNs, source.range().endNs } : core::TimeRange {};
}

} // namespace ui
