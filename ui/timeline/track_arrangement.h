#pragma once

#include "ui/timeline/timeline_layout.h"
#include "ui/timeline/timeline_source.h"

#include <QString>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

namespace ui {

/// Orders of groups of tracks (ranks).
enum class GroupOrder : std::uint8_t {
    Source, ///< as the source has them: by rank
    Name, ///< numbers in names by value
    Wait, ///< the longest wait first
    Lateness, ///< the latest first
};

/// A filter's field: the group's whole name, the kind of track, or a part of any name.
enum class TrackField : std::uint8_t { Group, Kind, Name };

/// A track as a project and a user know it.
struct TrackName
{
    QString group, subgroup, name;

    friend bool operator==(const TrackName &, const TrackName &) = default;
    friend bool operator<(const TrackName &x, const TrackName &y)
    {
        return std::tie(x.group, x.subgroup, x.name) < std::tie(y.group, y.subgroup, y.name);
    }
};

TrackName nameOf(const TimelineTrack &track);

struct TrackFilter
{
    TrackField field = TrackField::Name;
    QString text;

    friend bool operator==(const TrackFilter &, const TrackFilter &) = default;
};

/// Which tracks a timeline shows and in what order; plain fields, to be compared and stored.
struct TrackArrangement
{
    GroupOrder order = GroupOrder::Source;
    std::vector<TrackFilter> filters = {}; ///< of one field: any; of several fields: each of them
    std::vector<TrackName> pinnedTracks = {}; ///< on top, in this order; no filter hides them
    std::vector<QString> pinned = {}; ///< names of groups below these, in this order
    std::vector<QString> hidden = {}; ///< names of groups that are not shown
    QString gatheredBy = {}; ///< a key of GroupKeys::sections; empty: by nothing

    friend bool operator==(const TrackArrangement &, const TrackArrangement &) = default;
};

/// What groups are ordered by, times per iteration, and gathered by.
struct GroupKeys
{
    std::int64_t waitNs = 0; ///< that it waits for others
    std::int64_t lateNs = 0; ///< that others wait for it alone
    /// Headings it can stand under: { "host": "node3", "tensor": "ranks 0-7" }.
    std::map<QString, QString> sections = {};

    friend bool operator==(const GroupKeys &, const GroupKeys &) = default;
};

using GroupKeysByName = std::map<QString, GroupKeys>;

/// A filter as typed: "rank 3" and "rank:3" name a group, "kind:stream" a kind, all else is a part
/// of a name. Empty for blank text.
std::optional<TrackFilter> parsedFilter(const QString &text);

/// A filter as a chip shows it and parsedFilter() reads it.
QString filterText(const TrackFilter &filter);

/// Tracks to show, top down, as indices; the tracks of a group stay together and in order.
std::vector<std::size_t> arrangedTracks(const std::vector<TimelineTrack> &tracks,
                                        const TrackArrangement &arrangement,
                                        const GroupKeysByName &keys);

/// The tracks of `order` with the headings they stand under, and pins. Pinned ones have no heading.
std::vector<TimelineTrack> placedTracks(const std::vector<TimelineTrack> &tracks,
                                        const std::vector<std::size_t> &order,
                                        const TrackArrangement &arrangement,
                                        const GroupKeysByName &keys);

/// The same folds on other rows: groups by name, subgroups by both names, tracks by all three.
/// Of what is in `after` alone, nothing is folded.
FoldState carriedFolds(const FoldState &folds, const std::vector<TimelineTrack> &before,
                       const std::vector<TimelineTrack> &after);

/// The folds of tracks and headers of `tracks` that `shown`, a part of them, lacks.
FoldState foldsBeside(const FoldState &folds, const std::vector<TimelineTrack> &tracks,
                      const std::vector<TimelineTrack> &shown);

/// Adds `name` to the end of `names`, or removes it where it is among them.
template <class Name>
std::vector<Name> withToggled(std::vector<Name> names, const Name &name)
{
    if (std::erase(names, name) == 0) {
        names.push_back(name);
    }
    return names;
}

/// Shows some tracks of another source in another order.
class ArrangedSource : public TimelineSource
{
public:
    /// `order`: indices of the tracks of `source` that are shown; `tracks`: as which they are.
    ArrangedSource(std::shared_ptr<const TimelineSource> source, std::vector<std::size_t> order,
                   std::vector<TimelineTrack> tracks);

    const std::vector<TimelineTrack> &tracks() const override { return m_tracks; }
    core::TimeRange range() const override { return m_source->range(); }
    std::vector<TimelineBox> boxes(std::size_t track, core::TimeRange range,
                                   std::int64_t resolutionNs) const override;
    std::vector<CounterPoint> counterPoints(std::size_t track, core::TimeRange range,
                                            std::int64_t resolutionNs) const override;
    QString boxName(std::size_t track, std::uint64_t id) const override;
    std::optional<std::pair<std::size_t, TimelineBox>> find(std::uint64_t id) const override;
    std::vector<std::uint64_t> criticalPath() const override { return m_source->criticalPath(); }
    bool isPredicted() const override { return m_source->isPredicted(); }

private:
    std::shared_ptr<const TimelineSource> m_source;
    std::vector<std::size_t> m_order; ///< by shown track: track of m_source
    std::vector<std::optional<std::size_t>> m_shownAs; ///< by track of m_source
    std::vector<TimelineTrack> m_tracks;
};

} // namespace ui
