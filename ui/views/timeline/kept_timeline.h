#pragma once

#include "core/base/time_range.h"
#include "ui/timeline/track_arrangement.h"

#include <QString>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace ui {

struct TimelineNote
{
    std::int64_t ns = 0; ///< aligned
    QString text;

    friend bool operator==(const TimelineNote &, const TimelineNote &) = default;
};

/// A part of the timeline to come back to.
struct TimelineBookmark
{
    core::TimeRange range; ///< aligned
    int scrollY = 0;

    friend bool operator==(const TimelineBookmark &, const TimelineBookmark &) = default;
};

/// Marks, notes and bookmarks, which the user leaves on a timeline, with undo.
struct TimelineEdits
{
    std::vector<core::TimeRange> marks; ///< aligned; in the order in which they were made
    std::vector<TimelineNote> notes; ///< by time
    std::map<int, TimelineBookmark> bookmarks; ///< by their digits, 0 to 9

    friend bool operator==(const TimelineEdits &, const TimelineEdits &) = default;
};

/// How a timeline was left. Tracks by their ids in the project, which an import into it keeps.
struct TimelinePlace
{
    core::TimeRange visible; ///< aligned
    int scrollY = 0;
    std::set<std::uint32_t> foldedGroups, foldedSubgroups, unfoldedTracks; ///< as FoldState
    TrackArrangement arrangement = {};
    bool isOverview = false; ///< one thin row a rank; the folds are those from before

    friend bool operator==(const TimelinePlace &, const TimelinePlace &) = default;
};

/// All of a timeline that a project keeps.
struct KeptTimeline
{
    TimelineEdits edits;
    std::optional<TimelinePlace> place; ///< empty: as a new timeline begins

    friend bool operator==(const KeptTimeline &, const KeptTimeline &) = default;
};

/// As JSON text, times as integers in ns.
QString keptTimelineText(const KeptTimeline &kept);
/// Leaves out what it cannot read: nobody loses a project to a damaged note.
KeptTimeline keptTimelineOf(const QString &text);

} // namespace ui
