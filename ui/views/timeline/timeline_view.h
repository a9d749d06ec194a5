#pragma once

#include "core/analyze/diagnosis.h"
#include "ui/jobs/job.h"
#include "ui/timeline/export/timeline_picture.h"
#include "ui/timeline/timeline_state.h"
#include "ui/views/timeline/area_totals.h"
#include "ui/views/timeline/graph_links.h"
#include "ui/views/timeline/timeline_search.h"
#include "ui/widgets/screenshot_states.h"

#include <QWidget>

#include <cstdint>
#include <map>
#include <memory>

class QSplitter;

namespace ui {

class AreaDrawer;
class DetailsPanel;
class PathPanel;
class ProjectTimelineSource;
class SearchPanel;
class Session;
class SourceWithCounters;
class TimelineKeeper;
class TimelineToolBar;
class TimelineWidget;
struct Counters;
struct PickedPath;

/// The measured project as a timeline, with the details of the selection and the totals of a
/// selected area.
class TimelineView : public QWidget, public ScreenshotStates, public PicturedTimelines
{
    Q_OBJECT

public:
    TimelineView(Session &session, QWidget *parent);
    ~TimelineView() override;

    QStringList screenshotStates() const override;
    void enterScreenshotState(const QString &state) override;
    bool isReadyForScreenshot() const override;
    std::vector<PicturedTimeline> picturedTimelines() const override;

protected:
    void focusInEvent(QFocusEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    void connectSession();
    void connectTimeline();

    void onProjectChanged();
    void onAnalysisChanged();
    void onSelectionChanged();
    void onAreaChanged();
    /// Critical path and waits of the diagnosis, once they are read.
    void markIterations();
    void loadMarks(std::shared_ptr<const core::Diagnosis> diagnosis);
    /// Shows the path of the replayed iteration at this place.
    void pickPath(std::size_t place);
    void showPicked(std::shared_ptr<const PickedPath> path);
    void pickIteration(std::int64_t index);
    void stepCriticalPath(int direction);
    bool hasPaths() const;
    void showPathPanel();
    void buildLinks();
    void findCounters();
    void search(const QString &text, bool isInArguments);
    void findHits(const SearchRound &round);
    void showFound(const SearchResult &result);
    void addMarks(const std::vector<core::TimeRange> &ranges);
    void stepDependency(int direction);
    void chooseDependency(int direction);
    void reveal(core::SliceId slice, core::TimeRange range);
    void showArrows();
    void showDetails();
    void showUnselected();
    void explainGap(std::size_t track, std::int64_t ns);

    Session &m_session;
    QSplitter *m_columns;
    bool m_areColumnsChosen = false; ///< by the user
    TimelineWidget *m_timeline;
    DetailsPanel *m_details;
    AreaDrawer *m_drawer;
    PathPanel *m_path;
    SearchPanel *m_hits;
    TimelineToolBar *m_toolBar;
    TimelineKeeper *m_keeper;
    std::shared_ptr<ProjectTimelineSource> m_source;
    int m_opening = 0; ///< of the project that m_source is of
    std::shared_ptr<SourceWithCounters> m_counted; ///< that source, with the links' use
    bool m_areCountersAsked = false;
    std::shared_ptr<const GraphLinks> m_links;
    std::shared_ptr<const core::Diagnosis> m_markedFor; ///< whose marks are shown, or being read
    bool m_isTraceCounted = false; ///< iterations are marked as the loaded trace counts them
    QString m_awaitedState; ///< screenshot state to be entered when the marks are there
    Job<std::shared_ptr<const GraphLinks>> m_linksJob;
    std::size_t m_shownPlace = 0; ///< of the path that is shown
    std::map<std::size_t, std::shared_ptr<const PickedPath>> m_paths; ///< of m_markedFor, by place
    Job<std::shared_ptr<const PickedPath>> m_marksJob;
    Job<std::shared_ptr<const Counters>> m_countersJob;
    Job<std::shared_ptr<const AreaTotals>> m_totalsJob;
    Job<SearchResult> m_searchJob; // the jobs last: they die first
};

} // namespace ui
