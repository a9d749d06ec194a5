#pragma once

#include "ui/timeline/timeline_source.h"

#include <QString>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace ui {

enum class RowKind : std::uint8_t { Section, Group, Subgroup, Track };

/// A horizontal stripe of the timeline: the heading of some ranks, the header of a rank or of a
/// device, or a track with the lines of its nesting depths. Positions are pixels of the unscrolled
/// content.
struct TimelineRow
{
    RowKind kind = RowKind::Track;
    int y = 0;
    int height = 0;
    std::size_t firstTrack = 0; ///< tracks that the row stands for: [firstTrack, endTrack)
    std::size_t endTrack = 0;
    std::uint32_t depths = 0; ///< lines drawn; 0 for headers
    bool isFoldable = false; ///< has an arrow
    bool isFolded = false; ///< draws a summary (headers) or not all depths (tracks)
    /// A track folded to one line, in which the deepest slice at each time lies on top.
    bool isFlat = false;
    bool isCounter = false; ///< a curve, or the header of a group of them
    int indent = 0; ///< steps in the label column
    QString label;

    int bottom() const { return y + height; }
    bool hasTrack(std::size_t track) const { return track >= firstTrack && track < endTrack; }
};

struct RowMetrics
{
    int groupHeight = 24;
    int subgroupHeight = 20;
    int lineHeight = 18;
    int trackGap = 4; ///< below every track
    std::uint32_t foldedDepths = 4; ///< lines of a deep track that is folded
    std::uint32_t foldedHostDepths = 4; ///< the same of a host thread
    bool hasSubgroupRows = true; ///< false: an open subgroup's tracks carry its name instead

    friend bool operator==(const RowMetrics &, const RowMetrics &) = default;
};

/// What the user folded and unfolded. Tracks are known by index, headers by their first track.
struct FoldState
{
    std::set<std::size_t> foldedGroups;
    std::set<std::size_t> foldedSubgroups;
    std::set<std::size_t> unfoldedTracks; ///< deep tracks shown with all their depths

    friend bool operator==(const FoldState &, const FoldState &) = default;
};

struct TimelineLayout
{
    std::vector<TimelineRow> rows; ///< by y, without gaps
    std::vector<std::size_t> rowOfTrack; ///< by track: the row that shows it
    RowMetrics metrics;
    int height = 0;
    int pinnedHeight = 0; ///< of the rows on top that are pinned
};

/// Whether a group begins with the track; a track that is pinned alone begins none.
bool startsGroup(const std::vector<TimelineTrack> &tracks, std::size_t track);

/// The same of a subgroup.
bool startsSubgroup(const std::vector<TimelineTrack> &tracks, std::size_t track);

/// Rows of all tracks: pinned ones, groups of counters, the others. A subgroup of one track has no
/// header of its own: the track carries its name, unless it is minor. Neither has one without a
/// name.
TimelineLayout layOut(const std::vector<TimelineTrack> &tracks, const FoldState &folds,
                      const RowMetrics &metrics = {});

/// Folds or unfolds `row`; no effect when it has no arrow.
FoldState toggled(FoldState folds, const TimelineRow &row);

/// Pixels of a curve's row, without the gap below it.
int counterHeight(const RowMetrics &metrics);

/// Folds groups of more than a few counters, of the tracks from `from` on.
void foldManyCounters(FoldState &folds, const std::vector<TimelineTrack> &tracks,
                      std::size_t from = 0);

/// Folds or unfolds `row` and all rows alike: every group; subgroups or tracks of the same kind.
FoldState toggledAlike(FoldState folds, const std::vector<TimelineTrack> &tracks,
                       const TimelineRow &row);

/// Folds every group (rank) and leaves what is folded inside as it is; or opens every one.
FoldState withGroupsFolded(FoldState folds, const std::vector<TimelineTrack> &tracks,
                           bool isFolded);

/// Whether every group is folded; false without tracks.
bool areGroupsFolded(const FoldState &folds, const std::vector<TimelineTrack> &tracks);

/// Thin headers, so that all groups, folded, fit into `height` pixels if 11 pixels each suffice.
RowMetrics overviewMetrics(const std::vector<TimelineTrack> &tracks, RowMetrics metrics,
                           int height);

/// What a new timeline starts with: minor tracks folded; else all open while it fits about two
/// screens; then host, annotations and other rows folded into one a rank; with many ranks, all but
/// the first few ranks folded.
FoldState initialFolds(const std::vector<TimelineTrack> &tracks, const RowMetrics &metrics = {});

/// The roomiest rows, with host threads folded to one line, of which all fit into `height`; the
/// densest ones where none do.
RowMetrics fittingMetrics(const std::vector<TimelineTrack> &tracks, const FoldState &folds,
                          int height);

/// Half-open interval of rows that overlap the content lines [top, bottom).
std::pair<std::size_t, std::size_t> rowsBetween(const TimelineLayout &layout, int top, int bottom);

/// Row at content line `y`, or null.
const TimelineRow *rowAt(const TimelineLayout &layout, int y);

/// Row that shows a track: its own, or the folded header that stands for it.
const TimelineRow &rowOfTrack(const TimelineLayout &layout, std::size_t track);

/// First content line and height of the bar of a slice at `depth` in `row`. Depths that a folded
/// track does not show lie on its last line; in a folded header on its whole height.
std::pair<int, int> barSpan(const TimelineLayout &layout, const TimelineRow &row,
                            std::uint32_t depth);

/// Depth at content line `y` of a track's row; empty between lines, in headers and in counters.
std::optional<std::uint32_t> depthAt(const TimelineLayout &layout, const TimelineRow &row, int y);

/// The box under a pointer: of `boxes` (one track) at `depth`, the one that contains `ns`, else the
/// nearest one within `toleranceNs`; null for none.
const TimelineBox *boxAt(const std::vector<TimelineBox> &boxes, std::uint32_t depth,
                         std::int64_t ns, std::int64_t toleranceNs);

/// The same in a flat row: the deepest of the boxes that contain `ns` and are shown there (see
/// isShownFlat()), else of those within `toleranceNs`.
const TimelineBox *topmostBoxAt(const std::vector<TimelineBox> &boxes, std::int64_t ns,
                                std::int64_t toleranceNs);

/// Whether a flat row shows the box: what is only annotated would fill the idle time.
bool isShownFlat(const TimelineBox &box);

} // namespace ui
