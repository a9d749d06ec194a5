#include "ui/timeline/timeline_layout.h"

#include <algorithm>
#include <array>

namespace ui {
namespace {

    const QString Separator = QStringLiteral(" \u00b7 ");

    /// End of the run of tracks from `first` on that agree in `key`.
    template <class Key>
    std::size_t endOfRun(const std::vector<TimelineTrack> &tracks, std::size_t first,
                         std::size_t end, Key key)
    {
        std::size_t i = first + 1;
        while (i < end && key(tracks[i]) == key(tracks[first])) {
            ++i;
        }
        return i;
    }

    /// Parts of the timeline, top down.
    enum class Part : std::uint8_t { Pinned, Counters, Others };

    Part partOf(const TimelineTrack &track)
    {
        return track.isPinned ? Part::Pinned : track.counter ? Part::Counters : Part::Others;
    }

    bool isSameGroup(const TimelineTrack &x, const TimelineTrack &y)
    {
        return !x.isAlone && !y.isAlone && x.group == y.group && x.isPinned == y.isPinned;
    }

    /// End of the group of the track `first`, or of that track where it is alone.
    std::size_t endOfGroup(const std::vector<TimelineTrack> &tracks, std::size_t first,
                           std::size_t end)
    {
        std::size_t i = first + 1;
        while (i < end && isSameGroup(tracks[i - 1], tracks[i])) {
            ++i;
        }
        return i;
    }

    const QString &sectionOf(const TimelineTrack &track)
    {
        return track.section;
    }

    const QString &subgroupOf(const TimelineTrack &track)
    {
        return track.subgroup;
    }

    /// Builds the rows top down.
    class Builder
    {
    public:
        Builder(const std::vector<TimelineTrack> &tracks, const FoldState &folds,
                const RowMetrics &metrics)
            : m_tracks(tracks)
            , m_folds(folds)
        {
            m_layout.metrics = metrics;
            m_layout.rowOfTrack.resize(tracks.size());
        }

        TimelineLayout build()
        {
            for (const Part part : { Part::Pinned, Part::Counters, Part::Others }) {
                for (std::size_t first = 0; first < m_tracks.size();) {
                    const std::size_t end = endOfRun(m_tracks, first, m_tracks.size(), sectionOf);
                    addSection(first, end, part);
                    first = end;
                }
                if (part == Part::Pinned) {
                    m_layout.pinnedHeight = m_layout.height;
                }
            }
            return std::move(m_layout);
        }

    private:
        /// Neither curves nor pinned tracks have a heading.
        void addSection(std::size_t first, std::size_t end, Part part)
        {
            if (part == Part::Others && !m_tracks[first].section.isEmpty())
                add({ .kind = RowKind::Section,
                      .height = m_layout.metrics.subgroupHeight,
                      .firstTrack = first,
                      .endTrack = end,
                      .indent = 0,
                      .label = m_tracks[first].section });
            for (std::size_t i = first; i < end;) {
                const std::size_t next = endOfGroup(m_tracks, i, end);
                if (partOf(m_tracks[i]) == part && m_tracks[i].isAlone)
                    addTrack(i, 0, m_tracks[i].group + Separator + joined(m_tracks[i]));
                else if (partOf(m_tracks[i]) == part)
                    addGroup(i, next);
                i = next;
            }
        }

        void addGroup(std::size_t first, std::size_t end)
        {
            const bool isFolded = m_folds.foldedGroups.contains(first);
            add({ .kind = RowKind::Group,
                  .height = m_layout.metrics.groupHeight,
                  .firstTrack = first,
                  .endTrack = end,
                  .isFoldable = true,
                  .isFolded = isFolded,
                  .isCounter = m_tracks[first].counter.has_value(),
                  .indent = 0,
                  .label = m_tracks[first].group });
            for (std::size_t i = first; !isFolded && i < end;) {
                const std::size_t next = endOfRun(m_tracks, i, end, subgroupOf);
                addSubgroup(i, next);
                i = next;
            }
        }

        void addSubgroup(std::size_t first, std::size_t end)
        {
            const bool isAlone = end - first == 1 && !m_tracks[first].isMinor;
            if (isAlone || m_tracks[first].subgroup.isEmpty()) {
                for (std::size_t i = first; i < end; ++i) {
                    addTrack(i, 1, joined(m_tracks[i]));
                }
                return;
            }
            const bool isFolded = m_folds.foldedSubgroups.contains(first);
            const bool hasHeader = m_layout.metrics.hasSubgroupRows || isFolded;
            if (hasHeader)
                addHeader(first, end, isFolded);
            for (std::size_t i = first; !isFolded && i < end; ++i) {
                addTrack(i, hasHeader ? 2 : 1, hasHeader ? m_tracks[i].name : joined(m_tracks[i]));
            }
        }

        void addHeader(std::size_t first, std::size_t end, bool isFolded)
        {
            add({ .kind = RowKind::Subgroup,
                  .height = m_layout.metrics.subgroupHeight,
                  .firstTrack = first,
                  .endTrack = end,
                  .isFoldable = true,
                  .isFolded = isFolded,
                  .indent = 1,
                  .label = m_tracks[first].subgroup });
        }

        void addTrack(std::size_t track, int indent, const QString &label)
        {
            const RowMetrics &metrics = m_layout.metrics;
            if (m_tracks[track].counter) {
                add({ .kind = RowKind::Track,
                      .height = counterHeight(metrics) + metrics.trackGap,
                      .firstTrack = track,
                      .endTrack = track + 1,
                      .depths = 1,
                      .isCounter = true,
                      .indent = indent,
                      .label = label });
                return;
            }
            const std::uint32_t all = std::max(1U, m_tracks[track].depthCount);
            const std::uint32_t most = m_tracks[track].kind == core::TrackKind::HostThread
                ? metrics.foldedHostDepths
                : metrics.foldedDepths;
            const bool isDeep = all > most;
            const bool isFolded = isDeep && !m_folds.unfoldedTracks.contains(track);
            const std::uint32_t depths = isFolded ? most : all;
            add({ .kind = RowKind::Track,
                  .height = static_cast<int>(depths) * metrics.lineHeight + metrics.trackGap,
                  .firstTrack = track,
                  .endTrack = track + 1,
                  .depths = depths,
                  .isFoldable = isDeep,
                  .isFolded = isFolded,
                  .isFlat = isFolded && depths == 1,
                  .indent = indent,
                  .label = label });
        }

        static QString joined(const TimelineTrack &track)
        {
            if (track.subgroup.isEmpty() || track.subgroup == track.name) {
                return track.name;
            }
            return track.subgroup + Separator + track.name;
        }

        void add(TimelineRow row)
        {
            row.y = m_layout.height;
            m_layout.height += row.height;
            if (row.kind == RowKind::Track || row.isFolded) {
                std::fill(m_layout.rowOfTrack.begin() + static_cast<std::ptrdiff_t>(row.firstTrack),
                          m_layout.rowOfTrack.begin() + static_cast<std::ptrdiff_t>(row.endTrack),
                          m_layout.rows.size());
            }
            m_layout.rows.push_back(std::move(row));
        }

        const std::vector<TimelineTrack> &m_tracks;
        const FoldState &m_folds;
        TimelineLayout m_layout;
    };

    /// First track of each group.
    std::vector<std::size_t> firstsOfGroups(const std::vector<TimelineTrack> &tracks)
    {
        std::vector<std::size_t> firsts;
        for (std::size_t i = 0; i < tracks.size(); ++i) {
            if (startsGroup(tracks, i)) {
                firsts.push_back(i);
            }
        }
        return firsts;
    }

    void flip(std::set<std::size_t> &set, std::size_t key)
    {
        if (!set.insert(key).second) {
            set.erase(key);
        }
    }

} // namespace

bool startsGroup(const std::vector<TimelineTrack> &tracks, std::size_t track)
{
    return !tracks[track].isAlone && (track == 0 || !isSameGroup(tracks[track - 1], tracks[track]));
}

bool startsSubgroup(const std::vector<TimelineTrack> &tracks, std::size_t track)
{
    return startsGroup(tracks, track)
        || (!tracks[track].isAlone && tracks[track].subgroup != tracks[track - 1].subgroup);
}

TimelineLayout layOut(const std::vector<TimelineTrack> &tracks, const FoldState &folds,
                      const RowMetrics &metrics)
{
    return Builder(tracks, folds, metrics).build();
}

FoldState toggled(FoldState folds, const TimelineRow &row)
{
    if (!row.isFoldable) {
        return folds;
    }
    switch (row.kind) {
    case RowKind::Section:
        break;
    case RowKind::Group:
        flip(folds.foldedGroups, row.firstTrack);
        break;
    case RowKind::Subgroup:
        flip(folds.foldedSubgroups, row.firstTrack);
        break;
    case RowKind::Track:
        flip(folds.unfoldedTracks, row.firstTrack);
        break;
    }
    return folds;
}

int counterHeight(const RowMetrics &metrics)
{
    return metrics.lineHeight * 3 / 2 + 1;
}

void foldManyCounters(FoldState &folds, const std::vector<TimelineTrack> &tracks, std::size_t from)
{
    constexpr std::size_t Most = 4; // open without pushing the ranks out of sight
    for (std::size_t first = from; first < tracks.size();) {
        const std::size_t end = endOfGroup(tracks, first, tracks.size());
        if (tracks[first].counter && end - first > Most)
            folds.foldedGroups.insert(first);
        first = end;
    }
}

FoldState toggledAlike(FoldState folds, const std::vector<TimelineTrack> &tracks,
                       const TimelineRow &row)
{
    if (!row.isFoldable) {
        return folds;
    }
    if (row.kind == RowKind::Group) {
        return withGroupsFolded(std::move(folds), tracks, !row.isFolded);
    }
    // Tracks are folded unless the set has them, subgroups if it has them.
    const bool isTrack = row.kind == RowKind::Track;
    std::set<std::size_t> &set = isTrack ? folds.unfoldedTracks : folds.foldedSubgroups;
    const TimelineTrack &example = tracks[row.firstTrack];
    for (std::size_t i = 0; i < tracks.size(); ++i) {
        if ((!isTrack && !startsSubgroup(tracks, i)) || tracks[i].kind != example.kind
            || tracks[i].isMinor != example.isMinor) {
            continue;
        }
        if (row.isFolded == isTrack) {
            set.insert(i);
        } else {
            set.erase(i);
        }
    }
    return folds;
}

FoldState withGroupsFolded(FoldState folds, const std::vector<TimelineTrack> &tracks, bool isFolded)
{
    folds.foldedGroups.clear();
    if (isFolded) {
        const auto firsts = firstsOfGroups(tracks);
        folds.foldedGroups.insert(firsts.begin(), firsts.end());
    }
    return folds;
}

bool areGroupsFolded(const FoldState &folds, const std::vector<TimelineTrack> &tracks)
{
    return !tracks.empty()
        && std::ranges::all_of(firstsOfGroups(tracks), [&folds](std::size_t first) {
               return folds.foldedGroups.contains(first);
           });
}

RowMetrics overviewMetrics(const std::vector<TimelineTrack> &tracks, RowMetrics metrics, int height)
{
    constexpr int Thinnest = 11;
    const auto groups = static_cast<int>(firstsOfGroups(tracks).size());
    if (groups > 0) {
        const int headings = layOut(tracks, withGroupsFolded({}, tracks, true), metrics).height
            - groups * metrics.groupHeight;
        const int most = std::max(metrics.groupHeight, Thinnest);
        metrics.groupHeight = std::clamp((height - headings) / groups, Thinnest, most);
    }
    return metrics;
}

FoldState initialFolds(const std::vector<TimelineTrack> &tracks, const RowMetrics &metrics)
{
    constexpr int TwoScreens = 2 * 800;
    FoldState folds;
    foldManyCounters(folds, tracks);
    for (std::size_t i = 0; i < tracks.size(); ++i) {
        if (tracks[i].isMinor && startsSubgroup(tracks, i)) {
            folds.foldedSubgroups.insert(i);
        }
    }
    const TimelineLayout open = layOut(tracks, folds, metrics);
    if (open.height <= TwoScreens) {
        return folds;
    }
    const auto isSecondary = [&tracks](const TimelineRow &row) {
        const core::TrackKind kind = tracks[row.firstTrack].kind;
        return kind == core::TrackKind::HostThread || kind == core::TrackKind::Annotation
            || kind == core::TrackKind::Other;
    };
    for (const TimelineRow &row : open.rows) {
        if (row.kind == RowKind::Subgroup && isSecondary(row)) {
            folds.foldedSubgroups.insert(row.firstTrack);
        }
    }
    const TimelineLayout compact = layOut(tracks, folds, metrics);
    for (const TimelineRow &row : compact.rows) {
        if (row.kind == RowKind::Group && !row.isCounter && row.y > TwoScreens) {
            folds.foldedGroups.insert(row.firstTrack);
        }
    }
    return folds;
}

RowMetrics fittingMetrics(const std::vector<TimelineTrack> &tracks, const FoldState &folds,
                          int height)
{
    // Group, subgroup and line heights, gap; the last line still holds the small font's letters.
    constexpr std::array<RowMetrics, 4> Levels { {
        { 24, 20, 18, 4, 4, 1, true },
        { 20, 18, 18, 4, 4, 1, false },
        { 18, 16, 16, 2, 4, 1, false },
        { 14, 14, 13, 1, 4, 1, false },
    } };
    const auto fitting = std::ranges::find_if(Levels, [&](const RowMetrics &metrics) {
        return layOut(tracks, folds, metrics).height <= height;
    });
    return fitting == Levels.end() ? Levels.back() : *fitting;
}

std::pair<std::size_t, std::size_t> rowsBetween(const TimelineLayout &layout, int top, int bottom)
{
    const auto first = std::ranges::partition_point(
        layout.rows, [top](const TimelineRow &row) { return row.bottom() <= top; });
    const auto last = std::partition_point(
        first, layout.rows.end(), [bottom](const TimelineRow &row) { return row.y < bottom; });
    return { static_cast<std::size_t>(first - layout.rows.begin()),
             static_cast<std::size_t>(last - layout.rows.begin()) };
}

const TimelineRow *rowAt(const TimelineLayout &layout, int y)
{
    const auto [first, last] = rowsBetween(layout, y, y + 1);
    return first < last ? &layout.rows[first] : nullptr;
}

const TimelineRow &rowOfTrack(const TimelineLayout &layout, std::size_t track)
{
    return layout.rows[layout.rowOfTrack[track]];
}

std::pair<int, int> barSpan(const TimelineLayout &layout, const TimelineRow &row,
                            std::uint32_t depth)
{
    if (row.kind != RowKind::Track) {
        return { row.y + 2, row.height - 4 };
    }
    if (row.isCounter)
        return { row.y + 2, counterHeight(layout.metrics) - 2 };
    const std::uint32_t line = std::min(depth, row.depths - 1);
    return { row.y + static_cast<int>(line) * layout.metrics.lineHeight + 2,
             layout.metrics.lineHeight - 1 };
}

std::optional<std::uint32_t> depthAt(const TimelineLayout &layout, const TimelineRow &row, int y)
{
    const int inside = y - row.y - 1;
    if (row.kind != RowKind::Track || row.isCounter || inside < 0) {
        return std::nullopt;
    }
    const auto line = static_cast<std::uint32_t>(inside / layout.metrics.lineHeight);
    return line < row.depths ? std::optional(line) : std::nullopt;
}

const TimelineBox *boxAt(const std::vector<TimelineBox> &boxes, std::uint32_t depth,
                         std::int64_t ns, std::int64_t toleranceNs)
{
    const TimelineBox *nearest = nullptr;
    std::int64_t nearestDistance = 0;
    for (const TimelineBox &box : boxes) {
        if (box.depth != depth) {
            continue;
        }
        const std::int64_t distance
            = ns < box.startNs ? box.startNs - ns : std::max<std::int64_t>(0, ns - box.endNs + 1);
        if (nearest == nullptr ? distance <= toleranceNs : distance < nearestDistance) {
            nearest = &box;
            nearestDistance = distance;
        }
    }
    return nearest;
}

const TimelineBox *topmostBoxAt(const std::vector<TimelineBox> &boxes, std::int64_t ns,
                                std::int64_t toleranceNs)
{
    for (const std::int64_t tolerance : { std::int64_t { 0 }, toleranceNs }) {
        const TimelineBox *top = nullptr;
        for (const TimelineBox &box : boxes) {
            const bool isNear = ns >= box.startNs - tolerance && ns < box.endNs + tolerance;
            if (isNear && isShownFlat(box) && (top == nullptr || box.depth >= top->depth))
                top = &box;
        }
        if (top != nullptr)
            return top;
    }
    return nullptr;
}

bool isShownFlat(const TimelineBox &box)
{
    return box.role != core::Role::Annotation;
}

} // namespace ui
