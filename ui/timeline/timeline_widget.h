#pragma once

#include "ui/timeline/timeline_state.h"

#include <QWidget>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

class QPainter;
class QScrollBar;

namespace ui {

class EmptyRowsNote;
class TimelineBody;
class TimelineFilterBar;
class TimelineHeldKeys;
class TimelineOverview;
class TimelineRuler;
class TimelineSearchBar;
class TimelineTrackColumn;

/// A timeline of one source: overview, ruler, track names, tracks, search. Knows nothing of
/// projects and sessions; its owner hears of selections and asks for searches to be done.
class TimelineWidget : public QWidget
{
    Q_OBJECT

public:
    explicit TimelineWidget(QWidget *parent = nullptr);
    ~TimelineWidget() override;

    TimelineState &state() { return *m_state; }
    const TimelineState &state() const { return *m_state; }
    void setSource(std::shared_ptr<const TimelineSource> source);
    /// Text where there is no source.
    void setPlaceholder(const QString &text);
    void setOverviewShown(bool shown);
    bool isSearchOpen() const;
    int trackColumnWidth() const { return m_columnWidth; }
    int columnWidthShown() const; ///< 0 while it is hidden

public slots:
    /// Selects without a signal; an id that is not shown clears the selection.
    void setSelectedId(std::uint64_t id);
    void clearSelection();
    /// Selects a slice and zooms to it, or to `range` when it is not empty.
    void revealId(std::uint64_t id, core::TimeRange range = {});
    void fit();
    /// Zooms to the selection or the area; when that is what is seen already, fits all.
    void focusSelection();
    void markSelection(bool isKept);
    void areaFromSelection();
    /// All of the selection's track; without a selection, of all tracks.
    void areaOfTrack();
    /// +1: next slice on the selection's track and depth; -1: previous.
    void stepOnTrack(int direction);
    void stepOnCriticalPath(int direction);
    /// Scrolls to the first visible step of the critical path, unless a step is seen already.
    void showCriticalPath();
    /// Clears one level: search, area, mark, selection.
    void escape();
    void openSearch(); ///< where somebody answers searchRequested()
    void searchFor(const QString &text); ///< opens the search with it
    /// The answer to searchRequested(). Replaces the hits before it; the current one stays current
    /// if it is among them. `isLimited`: there are, or may yet come, more.
    void setSearchHits(std::vector<TimelineSearchHit> hits, bool isLimited);
    /// How many there are, where `isLimited` was true.
    void setSearchTotal(std::uint64_t total);
    void setSearchMessage(const QString &message);
    /// Selects a hit as a step to it does.
    void selectSearchHit(std::uint64_t id);
    void setTrackColumnShown(bool shown); ///< names of the tracks, without a signal
    void setTrackColumnWidth(int width, bool isChosen);
    /// Hides or shows the names of the tracks.
    void toggleTrackColumn();

signals:
    void sliceSelected(std::uint64_t id); ///< by the user
    void selectionCleared(); ///< by the user
    void gapClicked(std::size_t track, std::int64_t ns); ///< where the track has no slice
    /// Empty: no search any more.
    void searchRequested(const QString &text, bool isInArguments);
    void searchListRequested(); ///< the hits as a table
    void detailsToggleRequested();
    void dependencyChoiceRequested(int direction); ///< as dependencyStepRequested(), one of several
    void dependencyStepRequested(int direction); ///< +1: to a successor of the selection
    void criticalPathToggleRequested();
    void trackColumnShownChanged(bool shown); ///< by the user
    /// Chosen by the user, or widened for the names of a new source.
    void trackColumnWidthChanged(int width, bool isChosen);

protected:
    void resizeEvent(QResizeEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void keyReleaseEvent(QKeyEvent *event) override;
    void focusOutEvent(QFocusEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void contextMenuEvent(QContextMenuEvent *event) override;
    void paintEvent(QPaintEvent *event) override;

private:
    void arrange();
    void paintPredictedTag(QPainter &painter) const;
    void widenTrackColumn();
    void updateScrollBar();
    void placeEmptyNote();
    void emitSelection();
    void stepSearch(int direction);
    void showCurrentHit();
    void closeSearch();
    void selectByUser(const TimelineHit &hit);

    TimelineState *m_state;
    TimelineOverview *m_overview;
    TimelineRuler *m_ruler;
    TimelineFilterBar *m_filterBar; ///< beside the overview
    TimelineTrackColumn *m_column;
    TimelineBody *m_body;
    EmptyRowsNote *m_emptyNote; ///< over the track area
    QScrollBar *m_scrollBar;
    TimelineSearchBar *m_searchBar;
    TimelineHeldKeys *m_heldKeys;
    int m_columnWidth = 220;
    bool m_isColumnWidthChosen = false; ///< by the user, who then keeps it
    std::size_t m_currentHit = 0; ///< counts from 1; 0: none
    bool m_areHitsLimited = false;
    std::optional<std::uint64_t> m_totalHits; ///< empty: not known
};

} // namespace ui
