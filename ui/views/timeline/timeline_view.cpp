#include "ui/views/timeline/timeline_view.h"

#include "core/base/error.h"
#include "ui/session/project_history.h"
#include "ui/session/session.h"
#include "ui/timeline/timeline_widget.h"
#include "ui/timeline_sources/iteration_marks.h"
#include "ui/timeline_sources/measured_counters.h"
#include "ui/timeline_sources/project_timeline_source.h"
#include "ui/timeline_sources/rank_keys.h"
#include "ui/views/timeline/area_drawer.h"
#include "ui/views/timeline/details_panel.h"
#include "ui/views/timeline/idle_gap.h"
#include "ui/views/timeline/kept_commands.h"
#include "ui/views/timeline/path_panel.h"
#include "ui/views/timeline/picked_path.h"
#include "ui/views/timeline/search_panel.h"
#include "ui/views/timeline/selection_arrows.h"
#include "ui/views/timeline/timeline_keeper.h"
#include "ui/views/timeline/timeline_tool_bar.h"
#include "ui/widgets/pick_list.h"

#include <QSplitter>
#include <QVBoxLayout>

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

namespace ui {

TimelineView::TimelineView(Session &session, QWidget *parent)
    : QWidget(parent)
    , m_session(session)
    , m_columns(new QSplitter(Qt::Horizontal, this))
    , m_timeline(new TimelineWidget(this))
    , m_details(new DetailsPanel(this))
    , m_drawer(new AreaDrawer(this))
    , m_path(new PathPanel(this))
    , m_hits(new SearchPanel(this))
    , m_toolBar(new TimelineToolBar(session, *m_timeline, *this))
    , m_keeper(new TimelineKeeper(m_timeline->state(), session.history(), this))
{
    m_timeline->setAccessibleName(tr("Timeline"));
    auto *columns = m_columns;
    auto *rows = new QSplitter(Qt::Vertical, columns);
    rows->addWidget(m_timeline);
    rows->addWidget(m_drawer);
    rows->addWidget(m_path);
    rows->addWidget(m_hits);
    rows->setStretchFactor(0, 1);
    rows->setSizes({ 600, 260, 230, 230 });
    rows->setChildrenCollapsible(false);
    columns->addWidget(rows);
    columns->addWidget(m_details);
    columns->setStretchFactor(0, 1);
    columns->setChildrenCollapsible(false);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_toolBar);
    layout->addWidget(columns, 1);
    m_drawer->hide();
    new KeptCommands(*m_keeper, *m_timeline, *this);
    m_path->hide();
    m_hits->hide();
    connect(columns, &QSplitter::splitterMoved, this, [this] { m_areColumnsChosen = true; });
    connectTimeline();
    connectSession();
    onProjectChanged();
}

/// Its children see the state that the timeline owns for the last time.
TimelineView::~TimelineView()
{
    delete m_keeper;
}

/// Of a smaller window the details take less, until the user has chosen how much.
void TimelineView::resizeEvent(QResizeEvent *event)
{
    constexpr int Usual = 330, Share = 4; // of the width
    QWidget::resizeEvent(event);
    if (m_areColumnsChosen)
        return;
    const int details = std::clamp(width() / Share, m_details->minimumWidth(), Usual);
    m_columns->setSizes({ width() - details, details });
}

void TimelineView::connectSession()
{
    connect(&m_session, &Session::projectChanged, this, &TimelineView::onProjectChanged);
    connect(&m_session, &Session::analysisChanged, this, &TimelineView::onAnalysisChanged);
    connect(&m_session, &Session::selectionChanged, this, &TimelineView::onSelectionChanged);
    connect(&m_session, &Session::revealRequested, this, &TimelineView::reveal);
    connect(&m_session, &Session::marksRequested, this, &TimelineView::addMarks);
    connect(&m_session, &Session::findRequested, m_timeline, &TimelineWidget::searchFor);
    connect(&m_session, &Session::criticalPathShownChanged, this, [this] {
        m_timeline->state().setCriticalPathShown(m_session.isCriticalPathShown());
        if (m_session.isCriticalPathShown()) {
            m_timeline->showCriticalPath();
        }
        showPathPanel();
        showDetails();
    });
}

void TimelineView::connectTimeline()
{
    connect(m_timeline, &TimelineWidget::sliceSelected, this, [this](std::uint64_t id) {
        m_session.select(core::SliceId(id));
        showArrows(); // of the same slice once more, too
    });
    connect(m_timeline, &TimelineWidget::selectionCleared, &m_session, &Session::clearSelection);
    connect(m_timeline, &TimelineWidget::gapClicked, this, &TimelineView::explainGap);
    connect(m_timeline, &TimelineWidget::searchRequested, this, &TimelineView::search);
    connect(m_timeline, &TimelineWidget::searchListRequested, this, [this] {
        m_hits->show();
        m_hits->focusTable();
    });
    connect(m_hits, &SearchPanel::closeRequested, m_hits, &QWidget::hide);
    connect(m_hits, &SearchPanel::hitActivated, m_timeline,
            [this](core::SliceId slice) { m_timeline->selectSearchHit(slice.value); });
    connect(m_hits, &SearchPanel::marksRequested, this,
            [this](const std::vector<core::TimeRange> &ranges) {
                const MarkCount marks = m_session.mark(ranges);
                m_hits->showMarked(marks.added, marks.known);
            });
    connect(&m_session.history().stack(), &QUndoStack::indexChanged, m_hits,
            &SearchPanel::forgetMarked);
    connect(m_timeline, &TimelineWidget::dependencyStepRequested, this,
            &TimelineView::stepDependency);
    connect(m_timeline, &TimelineWidget::dependencyChoiceRequested, this,
            &TimelineView::chooseDependency);
    connect(m_timeline, &TimelineWidget::detailsToggleRequested, m_details,
            [this] { m_details->setVisible(m_details->isHidden()); });
    connect(m_timeline, &TimelineWidget::criticalPathToggleRequested, m_toolBar,
            &TimelineToolBar::toggleCriticalPath);
    connect(m_toolBar, &TimelineToolBar::criticalStepRequested, this,
            &TimelineView::stepCriticalPath);
    connect(&m_timeline->state(), &TimelineState::iterationPicked, this,
            &TimelineView::pickIteration);
    connect(m_path, &PathPanel::iterationPicked, this, &TimelineView::pickPath);
    connect(m_path, &PathPanel::segmentActivated, this,
            [this](core::SliceId slice, core::TimeRange range) {
                m_session.reveal(slice, padded(range, 0.5));
            });
    connect(m_path, &PathPanel::closeRequested, this,
            [this] { m_session.setCriticalPathShown(false); });
    connect(&m_timeline->state(), &TimelineState::areaChanged, this, &TimelineView::onAreaChanged);
    connect(&m_timeline->state(), &TimelineState::arrangementChanged, this,
            &TimelineView::showArrows);
    connect(m_details, &DetailsPanel::linkActivated, this,
            [this](core::SliceId slice) { m_session.reveal(slice); });
    connect(m_keeper, &TimelineKeeper::cannotKeep, &m_session, &Session::cannotKeep);
    connect(m_drawer, &AreaDrawer::closeRequested, this,
            [this] { m_timeline->state().setArea(std::nullopt); });
}

void TimelineView::onProjectChanged()
{
    m_linksJob.cancel();
    m_marksJob.cancel();
    m_countersJob.cancel();
    m_markedFor.reset();
    m_paths.clear();
    m_path->setIterations(nullptr);
    showPathPanel();
    m_totalsJob.cancel();
    m_searchJob.cancel();
    m_links.reset();
    const auto before = std::exchange(m_source, nullptr);
    const core::TimeRange visible = m_timeline->state().visible();
    if (!m_session.isOpen()) {
        m_timeline->setPlaceholder(tr("Open a bundle or a project to see its timeline."));
    } else {
        try {
            m_source = std::make_shared<ProjectTimelineSource>(m_session.reader().path());
        } catch (const core::Error &error) {
            m_timeline->setPlaceholder(QString::fromUtf8(error.what()));
        }
    }
    m_counted = m_source == nullptr ? nullptr : std::make_shared<SourceWithCounters>(m_source);
    m_timeline->setSource(m_counted);
    m_areCountersAsked = false;
    const bool isSame = std::exchange(m_opening, m_session.opening()) == m_session.opening();
    m_keeper->open(m_source, isSame);
    m_isTraceCounted = false;
    if (m_source != nullptr) {
        markIterations();
        // With other clocks, or in a copy: the user goes on looking at what they looked at.
        if (before != nullptr && isSame)
            m_timeline->state().setVisible(visible);
    }
    onAnalysisChanged();
    showDetails();
}

void TimelineView::onAnalysisChanged()
{
    if (m_source == nullptr) {
        return;
    }
    if (m_session.trace() != nullptr && !std::exchange(m_isTraceCounted, true)) {
        markIterations();
    }
    // Waits are in what is recalled, too.
    const auto diagnosis
        = m_session.isAnalysisHeldBack() ? m_session.findings() : m_session.diagnosis();
    if (diagnosis != nullptr && diagnosis != m_markedFor) {
        m_timeline->state().setGroupKeys(rankKeys(*diagnosis, m_source->order()));
        loadMarks(diagnosis);
    }
    if (m_session.graph() != nullptr && m_links == nullptr && !m_linksJob.isRunning()) {
        buildLinks();
    }
    if (m_session.graph() != nullptr && m_session.trace() != nullptr
        && !std::exchange(m_areCountersAsked, true)) {
        findCounters();
    }
    showDetails();
}

void TimelineView::findCounters()
{
    m_countersJob.start(
        [graph = m_session.graph(), trace = m_session.trace(), order = m_source->order(),
         path = m_source->reader().path()](const core::JobControl &control) {
            return measuredCounters(*graph, *trace, order, path, control);
        },
        [this](std::shared_ptr<const Counters> counters) {
            m_counted->setCounters(std::move(counters));
            m_timeline->state().reloadSource();
            showArrows();
        },
        [this](const QString &message) { m_details->showText(message); });
}

void TimelineView::markIterations()
{
    m_timeline->state().setIterations(
        iterationMarks(m_source->reader().info(), m_session.compared()));
}

void TimelineView::loadMarks(std::shared_ptr<const core::Diagnosis> diagnosis)
{
    m_markedFor = std::move(diagnosis);
    m_paths.clear();
    m_path->setIterations(hasPaths() ? m_markedFor.get() : nullptr);
    showPathPanel();
    if (hasPaths())
        return pickPath(m_markedFor->selfReplay.typicalIteration);
    m_marksJob.start(
        [diagnosis = m_markedFor,
         path = m_source->reader().path()](const core::JobControl &control) {
            auto without = std::make_shared<PickedPath>(); // several jobs: only waits are marked
            without->marks = marksOf(*diagnosis, path, control);
            return std::shared_ptr<const PickedPath>(std::move(without));
        },
        [this](const std::shared_ptr<const PickedPath> &path) { showPicked(path); },
        [this](const QString &message) { m_details->showText(message); });
}

/// False: the ranks are of several jobs, or nothing is replayed.
bool TimelineView::hasPaths() const
{
    return m_markedFor != nullptr && m_markedFor->selfReplay.graph != nullptr
        && !m_markedFor->criticalPath.iterations.empty() && m_session.trace() != nullptr;
}

void TimelineView::pickPath(std::size_t place)
{
    if (const auto known = m_paths.find(place); known != m_paths.end()) {
        m_marksJob.cancel();
        return showPicked(known->second);
    }
    m_path->showBusy(place);
    m_marksJob.start(
        [trace = m_session.trace(), diagnosis = m_markedFor, place,
         project = m_source->reader().path()](const core::JobControl &control) {
            return pickedPath(*trace, *diagnosis, place, project, control);
        },
        [this, place](const std::shared_ptr<const PickedPath> &path) {
            constexpr std::size_t MostPaths = 8; // of 64 ranks each has 100,000 steps
            if (m_paths.size() >= MostPaths)
                m_paths.clear();
            m_paths[place] = path;
            showPicked(path);
        },
        [this](const QString &message) { m_path->showError(message); });
}

void TimelineView::showPicked(std::shared_ptr<const PickedPath> path)
{
    m_source->setMarks(path->marks);
    m_timeline->state().reloadSource();
    m_shownPlace = path->place;
    if (hasPaths()) {
        m_path->showPath(std::move(path));
        showDetails();
        if (m_session.selectedSlice())
            m_path->followSelection(*m_session.selectedSlice());
    }
    if (!m_awaitedState.isEmpty())
        enterScreenshotState(QString(m_awaitedState)); // which it sets
}

/// A click on an iteration shows its path, where paths are shown.
void TimelineView::pickIteration(std::int64_t index)
{
    if (!hasPaths() || !m_session.isCriticalPathShown())
        return;
    const auto &iterations = m_markedFor->criticalPath.iterations;
    const auto found = std::ranges::find(iterations, index, &core::CriticalPathIteration::index);
    if (found != iterations.end())
        pickPath(static_cast<std::size_t>(found - iterations.begin()));
}

void TimelineView::stepCriticalPath(int direction)
{
    m_session.setCriticalPathShown(true);
    if (m_path->hasPath())
        m_path->step(direction);
}

void TimelineView::showPathPanel()
{
    m_path->setVisible(m_session.isCriticalPathShown() && hasPaths());
}

void TimelineView::buildLinks()
{
    m_linksJob.start(
        [graph = m_session.graph()](const core::JobControl &) {
            return std::make_shared<const GraphLinks>(graph);
        },
        [this](std::shared_ptr<const GraphLinks> links) {
            m_links = std::move(links);
            showArrows();
            showDetails();
        },
        [this](const QString &message) { m_details->showText(message); });
}

void TimelineView::onSelectionChanged()
{
    if (m_session.selectedSlice()) {
        m_timeline->setSelectedId(m_session.selectedSlice()->value);
        m_path->followSelection(*m_session.selectedSlice());
        m_hits->followSelection(*m_session.selectedSlice());
    } else {
        m_timeline->clearSelection();
    }
    showArrows();
    showDetails();
}

void TimelineView::showArrows()
{
    TimelineState &state = m_timeline->state();
    if (m_links == nullptr || !state.selection())
        return;
    SelectionArrows found = selectionArrows(*state.selection(), *m_links, *state.source());
    state.setArrows(std::move(found.arrows), found.more);
}

void TimelineView::showDetails()
{
    if (m_source == nullptr || !m_session.selectedSlice()) {
        return showUnselected();
    }
    try {
        const auto details
            = describeSlice(*m_session.selectedSlice(), m_source->reader(), m_links.get(),
                            m_session.diagnosis().get(), m_timeline->state().originNs());
        if (details) {
            m_details->showDetails(*details);
        } else {
            m_details->showText(tr("The project has no such slice."));
        }
    } catch (const core::Error &error) {
        m_details->showText(QString::fromUtf8(error.what()));
    }
}

void TimelineView::explainGap(std::size_t track, std::int64_t ns)
{
    if (m_source == nullptr)
        return;
    m_session.requestAnalysis();
    if (m_links == nullptr)
        return m_details->showText(tr("The dependency graph is still being built."));
    const IdleGap gap = idleGap(*m_source, m_timeline->state().givenTrack(track), ns);
    try {
        m_details->showDetails(describeGap(gap, *m_source, *m_links));
    } catch (const core::Error &error) {
        m_details->showText(QString::fromUtf8(error.what()));
    }
}

void TimelineView::showUnselected()
{
    if (m_source == nullptr) {
        return m_details->showText({});
    }
    m_details->showText(tr("Select a slice to see its details: click it, or find it with Ctrl+F."));
}

void TimelineView::onAreaChanged()
{
    const auto &area = m_timeline->state().area();
    m_drawer->setVisible(area.has_value());
    if (!area || m_source == nullptr) {
        m_totalsJob.cancel();
        return;
    }
    std::vector<core::TrackId> tracks;
    for (std::size_t track = area->firstTrack; track < area->endTrack; ++track) {
        const std::size_t given = m_timeline->state().givenTrack(track);
        if (given < m_source->tracks().size()) // no counter
            tracks.push_back(m_source->trackId(given));
    }
    m_drawer->showBusy();
    m_totalsJob.start(
        [path = m_source->reader().path(), tracks,
         range = area->range](const core::JobControl &control) {
            return std::make_shared<const AreaTotals>(areaTotals(path, tracks, range, control));
        },
        [this](std::shared_ptr<const AreaTotals> totals) {
            m_drawer->showTotals(std::move(totals));
        },
        [this](const QString &message) { m_drawer->showError(message); });
}

void TimelineView::search(const QString &text, bool isInArguments)
{
    if (m_source == nullptr || text.isEmpty()) {
        m_searchJob.cancel();
        m_timeline->setSearchHits({}, false);
        m_hits->showHits(nullptr, false, 0);
        if (m_source == nullptr || !m_timeline->isSearchOpen())
            m_hits->hide();
        return;
    }
    findHits({ m_source->reader().path(), text.toStdString(), isInArguments, 0, false });
}

void TimelineView::findHits(const SearchRound &round)
{
    m_searchJob.start(
        [round](const core::JobControl &control) { return runSearch(round, control); },
        [this](const SearchResult &result) { showFound(result); },
        [this](const QString &message) {
            m_timeline->setSearchHits({}, false);
            m_timeline->setSearchMessage(message);
            m_hits->showMessage(message);
        });
}

void TimelineView::showFound(const SearchResult &result)
{
    if (result.total) {
        m_timeline->setSearchTotal(*result.total);
        m_hits->showTotal(*result.total);
    }
    if (result.hits != nullptr) {
        const bool isLimited = result.isCut || (result.next && !result.next->isCounting);
        m_timeline->setSearchHits(timelineHits(*result.hits), isLimited);
        m_hits->setIterations(m_timeline->state().iterations());
        m_hits->showHits(result.hits, isLimited, m_timeline->state().originNs());
    }
    if (result.next)
        findHits(*result.next);
}

/// What is marked already stays once.
void TimelineView::addMarks(const std::vector<core::TimeRange> &ranges)
{
    const auto order = [](const core::TimeRange &a, const core::TimeRange &b) {
        return std::tie(a.startNs, a.endNs) < std::tie(b.startNs, b.endNs);
    };
    std::vector<core::TimeRange> marks = m_timeline->state().keptMarks();
    std::set<core::TimeRange, decltype(order)> known(marks.begin(), marks.end(), order);
    for (const core::TimeRange &range : ranges)
        if (known.insert(range).second)
            marks.push_back(range);
    m_session.countAddedMarks(marks.size() - m_timeline->state().keptMarks().size());
    m_timeline->state().setKeptMarks(std::move(marks));
}

void TimelineView::stepDependency(int direction)
{
    if (m_links == nullptr || !m_session.selectedSlice()) {
        return;
    }
    const core::SliceId from = *m_session.selectedSlice();
    const auto links
        = direction > 0 ? m_links->successors(from, 1) : m_links->predecessors(from, 1);
    if (!links.empty()) {
        m_session.reveal(links.front().slice, m_timeline->state().visible());
    }
}

void TimelineView::chooseDependency(int direction)
{
    constexpr std::size_t MostOffered = 100;
    if (m_links == nullptr || !m_session.selectedSlice())
        return;
    const core::SliceId from = *m_session.selectedSlice();
    const auto links = direction > 0 ? m_links->successors(from, MostOffered)
                                     : m_links->predecessors(from, MostOffered);
    std::vector<PickEntry> entries;
    entries.reserve(links.size());
    for (const GraphLinks::Link &link : links)
        entries.push_back(dependencyEntry(link, m_source->reader()));
    const QString prompt = entries.empty()
        ? (direction > 0 ? tr("Nothing waited for it") : tr("It waited for nothing"))
        : (direction > 0 ? tr("Go to what it let start") : tr("Go to what it waited for"));
    auto *list = new PickList(std::move(entries), prompt, this);
    connect(list, &PickList::picked, this, [this, links](std::size_t index) {
        m_session.reveal(links[index].slice, m_timeline->state().visible());
        m_timeline->setFocus();
    });
    list->popUpOver(*this);
}

void TimelineView::reveal(core::SliceId slice, core::TimeRange range)
{
    if (slice == core::NoSlice) {
        m_timeline->state().pushHistory();
        m_timeline->state().setVisible(padded(range, 0.05));
        return;
    }
    m_timeline->revealId(slice.value, range);
    showArrows();
    showDetails();
}

void TimelineView::focusInEvent(QFocusEvent *)
{
    m_timeline->setFocus();
}

QStringList TimelineView::screenshotStates() const
{
    return { QStringLiteral("critical"), QStringLiteral("zoomed"), QStringLiteral("area") };
}

void TimelineView::enterScreenshotState(const QString &state)
{
    m_awaitedState = m_marksJob.isRunning() ? state : QString(); // needs the critical path
    m_session.setCriticalPathShown(state == QLatin1String("critical")
                                   || state == QLatin1String("zoomed"));
    m_timeline->state().setArea(std::nullopt);
    if (m_source == nullptr) {
        return;
    }
    const auto &path = m_timeline->state().criticalPath();
    if (state == QLatin1String("zoomed") && !path.empty()) {
        // The longest step of the critical path, with what is around it.
        const auto longest = std::ranges::max_element(
            path, {}, [](const CriticalStep &step) { return step.endNs - step.startNs; });
        m_session.select(core::SliceId(longest->id));
        m_timeline->revealId(longest->id);
        return;
    }
    m_session.clearSelection();
    m_timeline->state().setVisible(m_timeline->state().limits());
    if (state == QLatin1String("critical")) {
        m_timeline->showCriticalPath();
    }
    if (state == QLatin1String("area")) {
        core::TimeRange middle = m_source->range();
        middle = { middle.startNs + middle.durationNs() * 2 / 5,
                   middle.startNs + middle.durationNs() * 3 / 5 };
        m_timeline->state().setArea(TimelineArea { middle, 0, m_source->tracks().size() });
    }
}

std::vector<PicturedTimeline> TimelineView::picturedTimelines() const
{
    if (m_timeline->state().source() == nullptr)
        return {};
    return { { &m_timeline->state(), {} } };
}

bool TimelineView::isReadyForScreenshot() const
{
    return !m_keeper->isSaving() && !m_linksJob.isRunning() && !m_countersJob.isRunning()
        && !m_marksJob.isRunning() && !m_totalsJob.isRunning() && !m_searchJob.isRunning();
}

} // namespace ui
