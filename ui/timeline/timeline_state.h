#pragma once

#include "ui/timeline/critical_line.h"
#include "ui/timeline/timeline_coordinates.h"
#include "ui/timeline/timeline_layout.h"
#include "ui/timeline/timeline_source.h"
#include "ui/timeline/track_arrangement.h"

#include <QObject>
#include <QString>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace ui {

/// A slice under the pointer or selected.
struct TimelineHit
{
    std::size_t track = 0;
    TimelineBox box;
};

/// Meaning of an arrow of the selection.
enum class ArrowKind : std::uint8_t {
    ToSelection, ///< the selection waited for it
    FromSelection, ///< it waited for the selection
    LastRank, ///< the rank that came last to a collective, and one that waited for it
};

/// A dependency of the selection.
struct TimelineArrow
{
    TimelineHit from, to;
    ArrowKind kind = ArrowKind::ToSelection;
};

/// A selected area: a time range over the tracks [firstTrack, endTrack).
struct TimelineArea
{
    core::TimeRange range;
    std::size_t firstTrack = 0;
    std::size_t endTrack = 0;

    friend bool operator==(const TimelineArea &, const TimelineArea &) = default;
};

/// A step of the training loop as the ruler marks it.
struct TimelineIteration
{
    QString label;
    core::TimeRange range; ///< aligned
    QString shortLabel = {}; ///< where the label does not fit: its number; may be empty
    std::optional<std::int64_t> index = {}; ///< as the trace numbers it; empty: none is known
};

/// A note or a bookmark as the ruler shows it.
struct TimelineFlag
{
    std::int64_t ns = 0; ///< aligned
    QString text;
};

/// Where overview and tracks mark a search hit.
struct TimelineSearchHit
{
    std::uint64_t id = 0;
    std::int64_t startNs = 0; ///< aligned
    std::int64_t endNs = 0; ///< aligned
    std::size_t track = 0; ///< of the source given, which may show it elsewhere or not at all
};

/// What the parts of one timeline share: source, visible range, folds, selection, hover. GUI
/// thread.
class TimelineState : public QObject
{
    Q_OBJECT

public:
    explicit TimelineState(QObject *parent = nullptr);

    /// Shows another source from its beginning; null empties the timeline. Of one with the same
    /// tracks the arrangement stays.
    void setSource(std::shared_ptr<const TimelineSource> source);
    /// The source that is shown: the one given, or its tracks as they are arranged.
    const TimelineSource *source() const { return m_source.get(); }
    const TimelineSource *givenSource() const { return m_given.get(); }
    /// Index in givenSource() of a shown track.
    std::size_t givenTrack(std::size_t track) const;
    /// Folds by the source's own tracks, those of hidden ones, too.
    FoldState givenFolds() const;
    FoldState givenFoldsOpened() const; ///< the same as before an overview of ranks folded all
    void setGivenFolds(const FoldState &folds);
    /// A filter, or what was hidden, keeps the slice from being seen.
    bool isHiddenByArrangement(std::uint64_t id) const;

    const TrackArrangement &arrangement() const { return m_arrangement; }
    /// Clears hover and area; the selection stays where its track is still shown.
    void setArrangement(TrackArrangement arrangement);
    /// Keys that groups are ordered by; kept for the sources that follow.
    void setGroupKeys(GroupKeysByName keys);
    bool hasGroupKeys() const { return !m_groupKeys.empty(); }
    std::set<QString> sectionKinds() const; ///< what groups can be gathered by

    const TimelineLayout &layout() const { return m_layout; }
    const FoldState &folds() const { return m_folds; }
    void setFolds(const FoldState &folds);
    void toggleFold(const TimelineRow &row);
    /// Folds every group; opens every one where all are folded.
    void toggleAllGroups();
    /// Thin rows, one a group, all folded, of which as many fit as can be read.
    bool isRankOverview() const { return m_isRankOverview; }
    void setRankOverview(bool isOverview);
    /// Of this source's rows and of those after it.
    void setMetrics(const RowMetrics &metrics);

    const TimeAxis &axis() const { return m_axis; }
    core::TimeRange visible() const { return m_axis.visible(); }
    core::TimeRange limits() const { return m_limits; } ///< what can be scrolled to
    /// Overrides the limits that the source's range gives.
    void setLimits(core::TimeRange limits);
    /// Time that the ruler counts from; the source's start unless set.
    std::int64_t originNs() const { return m_originNs; }
    void setOriginNs(std::int64_t ns);

    void setVisible(core::TimeRange range);
    void setWidth(int widthPx);
    void zoomAt(double factor, double x);
    void pan(double pixels);
    /// Remembers the visible range; goBack() returns to it. Call before a jump.
    void pushHistory();
    void goBack();
    void goForward();

    int scrollY() const { return m_scrollY; }
    /// Pixels on top of the track area that do not scroll.
    int stickyHeight() const { return m_stickyHeight; }
    /// By how much a content line is scrolled: what is pinned stays.
    int scrollAt(int contentY) const { return contentY < m_stickyHeight ? 0 : m_scrollY; }
    /// The content line at a line of the track area.
    int contentY(int y) const { return y < m_stickyHeight ? y : y + m_scrollY; }
    /// Whether a span of content lines is in the track area, and not below what is pinned.
    bool isInView(int top, int bottom) const;
    /// Intervals of the rows that are seen, see rowsBetween(): those that stay, and the others.
    std::array<std::pair<std::size_t, std::size_t>, 2> rowsInView() const;
    int viewportHeight() const { return m_viewportHeight; }
    void setScrollY(int y);
    void setViewportHeight(int height);
    /// Scrolls so that the track is seen, unfolding what hides it.
    void showTrack(std::size_t track, std::uint32_t depth);

    const std::optional<TimelineHit> &selection() const { return m_selection; }
    void select(std::optional<TimelineHit> hit);
    /// Dependencies of the selection, and how many there are more; another selection has none.
    const std::vector<TimelineArrow> &arrows() const { return m_arrows; }
    std::size_t moreArrows() const { return m_moreArrows; }
    void setArrows(std::vector<TimelineArrow> arrows, std::size_t more);
    const std::optional<TimelineHit> &hover() const { return m_hover; }
    void setHover(std::optional<TimelineHit> hit);
    std::optional<std::int64_t> crosshairNs() const { return m_crosshairNs; }
    void setCrosshair(std::optional<std::int64_t> ns);
    const std::optional<TimelineArea> &area() const { return m_area; }
    /// An area without tracks is none.
    void setArea(std::optional<TimelineArea> area);

    /// The span that M marks, and those that Shift+M keeps.
    const std::optional<core::TimeRange> &mark() const { return m_mark; }
    const std::vector<core::TimeRange> &keptMarks() const { return m_keptMarks; }
    void setMark(std::optional<core::TimeRange> range);
    void keepMark(core::TimeRange range);
    void setKeptMarks(std::vector<core::TimeRange> marks);
    const std::vector<TimelineFlag> &flags() const { return m_flags; }
    void setFlags(std::vector<TimelineFlag> flags);

    const std::vector<TimelineIteration> &iterations() const { return m_iterations; }
    void setIterations(std::vector<TimelineIteration> iterations);
    const std::vector<TimelineSearchHit> &searchHits() const { return m_searchHits; }
    void setSearchHits(std::vector<TimelineSearchHit> hits);

    bool isCriticalPathShown() const { return m_isCriticalPathShown; }
    void setCriticalPathShown(bool shown);
    const std::vector<CriticalStep> &criticalPath() const { return m_criticalPath; }
    /// Asks the source again for its critical path and its boxes, and for tracks that it has got
    /// behind those that it had.
    void reloadSource();

signals:
    void sourceChanged(); ///< another source, or other boxes of the same
    void arrangementChanged();
    void axisChanged(); ///< visible range or width
    void layoutChanged(); ///< folds, scroll position or height
    void selectionChanged(); ///< or its arrows
    void hoverChanged(); ///< hover or crosshair
    void areaChanged();
    void iterationPicked(std::int64_t index); ///< by a click on its band in the ruler
    void marksChanged(); ///< marks, flags, iterations, hits, critical path shown

private:
    void setAxis(const TimeAxis &axis);
    void relayout();
    FoldState givenFoldsOf(const FoldState &shown) const;
    void arrangeAnew();
    void arrange();
    void applyArrangement();

    std::shared_ptr<const TimelineSource> m_given;
    std::shared_ptr<const TimelineSource> m_source; ///< m_given, or an arrangement of it
    std::vector<std::size_t> m_order; ///< by shown track: track of m_given
    FoldState m_givenFolds; ///< by track of m_given, when m_order was made
    std::size_t m_arrangedTracks = 0; ///< of m_given, when m_order was made
    TrackArrangement m_arrangement;
    GroupKeysByName m_groupKeys;
    FoldState m_folds;
    FoldState m_foldsBefore; ///< the overview of ranks
    bool m_isRankOverview = false;
    RowMetrics m_metrics;
    TimelineLayout m_layout;
    TimeAxis m_axis;
    core::TimeRange m_limits;
    std::int64_t m_originNs = 0;
    int m_scrollY = 0;
    int m_viewportHeight = 0;
    int m_stickyHeight = 0;
    std::vector<core::TimeRange> m_back, m_forward;
    std::optional<TimelineHit> m_selection, m_hover;
    std::vector<TimelineArrow> m_arrows;
    std::size_t m_moreArrows = 0;
    std::optional<std::int64_t> m_crosshairNs;
    std::optional<TimelineArea> m_area;
    std::optional<core::TimeRange> m_mark;
    std::vector<core::TimeRange> m_keptMarks;
    std::vector<TimelineFlag> m_flags;
    std::vector<TimelineIteration> m_iterations;
    std::vector<TimelineSearchHit> m_searchHits;
    bool m_isCriticalPathShown = false;
    std::vector<CriticalStep> m_criticalPath;
};

/// Whether two sources have the same rows; curves above them do not count.
bool areAlike(const std::vector<TimelineTrack> &a, const std::vector<TimelineTrack> &b);

/// The slice at a point of the track area (logical pixels from its corner); empty for none.
std::optional<TimelineHit> hitAt(const TimelineState &state, double x, double y);

} // namespace ui
