#include "ui/views/compare/compare_view.h"

#include "core/base/error.h"
#include "core/predict/more_ranks.h"
#include "ui/session/analysis_work.h"
#include "ui/session/session.h"
#include "ui/theme/measures.h"
#include "ui/timeline/timeline_widget.h"
#include "ui/timeline_sources/iteration_marks.h"
#include "ui/timeline_sources/measured_counters.h"
#include "ui/timeline_sources/project_timeline_source.h"
#include "ui/timeline_sources/rank_keys.h"
#include "ui/views/compare/bar_legend.h"
#include "ui/views/compare/given_facts_box.h"
#include "ui/views/compare/graph_pair.h"
#include "ui/views/compare/memory_strip.h"
#include "ui/views/compare/page_switch.h"
#include "ui/views/compare/result_header.h"
#include "ui/views/compare/result_notes.h"
#include "ui/views/compare/result_text.h"
#include "ui/views/compare/scenarios/scenario_table.h"
#include "ui/views/compare/tied_timelines.h"
#include "ui/views/compare/trust_badge.h"
#include "ui/views/compare/twins/delta_ribbon.h"
#include "ui/views/compare/twins/op_details.h"
#include "ui/views/compare/twins/twin_selection.h"
#include "ui/views/compare/what_if_history.h"
#include "ui/views/compare/what_if_panel.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/format.h"

#include <QAction>
#include <QHBoxLayout>
#include <QSplitter>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace ui {
namespace {

    constexpr int PredictAfterMs = 150;
    constexpr int PanelWidth = 300;
    constexpr int Half = 10'000; ///< of the room of both timelines, in parts
    constexpr int LowView = 560; ///< less high, it leaves out what can be seen elsewhere
    constexpr int HighView = 1000; ///< less high, rows of timelines come before lines of notes

    ElidedLabel *makeCaption(QWidget *parent)
    {
        auto *caption = new ElidedLabel(TextRole::Secondary, parent);
        caption->setContentsMargins(space::large, space::tiny, space::large, space::tiny);
        return caption;
    }

} // namespace

CompareView::CompareView(Session &session, QWidget *parent)
    : QWidget(parent)
    , m_session(session)
    , m_panel(new WhatIfPanel(this))
    , m_history(new WhatIfHistory(session, *m_panel, this))
    , m_header(new ResultHeader(this))
    , m_notes(new ResultNotes(this))
    , m_legend(new BarLegend(this))
    , m_graphs(new GraphPair(this))
    , m_pages(new QStackedWidget(this))
    , m_measured(new TimelineWidget(this))
    , m_predicted(new TimelineWidget(this))
    , m_tied(new TiedTimelines(*m_measured, *m_predicted, this))
    , m_measuredCaption(makeCaption(this))
    , m_predictedCaption(makeCaption(this))
    , m_standIn(makeCaption(this))
    , m_scenarios(new ScenarioTable(session, this))
    , m_selection(new TwinSelection(*m_measured, *m_predicted, this))
{
    m_measured->setAccessibleName(tr("Measured timeline"));
    m_predicted->setAccessibleName(tr("Predicted timeline"));
    m_measured->setOverviewShown(false);
    m_predicted->setOverviewShown(false);
    m_panel->setFixedWidth(PanelWidth);
    createActions();
    m_pages->addWidget(createTimelines());
    m_pages->addWidget(m_graphs);
    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_panel);
    QWidget *result = stacked(stacked(stacked(m_header, m_notes, this), m_scenarios, this),
                              stacked(createCaptionRow(), m_pages, this), this);
    layout->addWidget(result, 1);
    connectAll();
    onProjectChanged();
}

QWidget *CompareView::createTimelines()
{
    auto *timelines = new QSplitter(Qt::Vertical, this);
    timelines->addWidget(m_measured);
    timelines->addWidget(
        stacked(m_selection->ribbon(),
                stacked(stacked(m_predictedCaption, m_standIn, timelines), m_predicted, timelines),
                timelines));
    timelines->setChildrenCollapsible(false);
    timelines->setSizes({ Half, Half }); // whatever both would like to have
    auto *page = new QWidget(this);
    auto *column = new QVBoxLayout(page);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(timelines, 1);
    column->addWidget(m_selection->details());
    column->addWidget(m_legend);
    return page;
}

QWidget *CompareView::createCaptionRow()
{
    auto *row = new QWidget(this);
    auto *line = new QHBoxLayout(row);
    line->setContentsMargins(0, 0, space::small, 0);
    line->setSpacing(space::tiny);
    line->addWidget(m_measuredCaption, 1);
    line->addWidget(m_scenarios->toggle());
    line->addWidget(createPageSwitch(*m_asGraphs, row));
    return row;
}

void CompareView::createActions()
{
    m_asGraphs = new QAction(tr("Graphs instead of timelines"), this);
    m_asGraphs->setCheckable(true);
    m_asGraphs->setShortcut(QKeySequence(Qt::SHIFT | Qt::Key_G));
    connect(m_asGraphs, &QAction::toggled, this, &CompareView::showAsGraphs);
    auto *inGraph = new QAction(tr("Show the selection in the graph"), this);
    inGraph->setShortcut(QKeySequence(Qt::Key_G));
    connect(inGraph, &QAction::triggered, this, &CompareView::showInGraph);
    for (QAction *const action : { m_asGraphs, inGraph }) {
        action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
        addAction(action);
    }
}

void CompareView::showAsGraphs(bool isOn)
{
    m_pages->setCurrentIndex(isOn ? 1 : 0);
    showGraphs();
    if (m_shown != nullptr && m_predicted->state().source() != nullptr)
        showCaptions(*m_shown, sharedIteration(*m_shown, m_iterations));
}

/// The measured job's replay or the reference above, the what-if below.
void CompareView::showGraphs()
{
    const auto above = !m_session.isOpen() ? nullptr
        : m_session.reference() != nullptr ? m_session.reference()
                                           : m_session.selfReplay();
    const auto below = m_session.isOpen() ? m_session.prediction() : nullptr;
    const QString caption = below == nullptr || m_shown == nullptr
        ? tr("Set a what-if on the left: its graph is drawn here, and what differs is marked.")
        : m_predictedCaption->fullText();
    m_graphs->setSubject({ m_session.trace(), above, below }, caption);
}

void CompareView::showInGraph()
{
    GraphSubject subject;
    subject.isWhatIf = m_session.prediction() != nullptr;
    if (m_asGraphs->isChecked()) {
        const auto chosen = m_graphs->selectedOp();
        if (chosen && (chosen->isBelow || m_session.reference() == nullptr)) {
            subject.op = chosen->op;
            subject.isWhatIf = chosen->isBelow;
        }
    } else if (m_chosenOp) {
        subject.op = m_chosenOp;
    } else if (m_chosenSlice) {
        subject.slice = *m_chosenSlice;
        subject.isWhatIf = false;
    }
    m_session.revealInGraph(subject);
}

void CompareView::connectAll()
{
    m_pause.setSingleShot(true);
    m_pause.setInterval(PredictAfterMs);
    connect(&m_pause, &QTimer::timeout, this, &CompareView::predict);
    connect(m_panel, &WhatIfPanel::strategyChanged, &m_pause, qOverload<>(&QTimer::start));
    connect(m_history, &WhatIfHistory::restored, &m_pause, qOverload<>(&QTimer::start));
    connect(&m_session, &Session::projectChanged, this, &CompareView::onProjectChanged);
    connect(&m_session, &Session::analysisChanged, this, &CompareView::onAnalysisChanged);
    connect(&m_session, &Session::predictionChanged, this, &CompareView::onPredictionChanged);
    connect(&m_session, &Session::referenceChanged, this, &CompareView::showResult);
    connect(m_scenarios->toggle(), &QToolButton::toggled, this, &CompareView::fitToHeight);
    connect(&m_panel->given(), &GivenFactsBox::given, &m_session, &Session::giveFacts);
    connect(&m_session, &Session::factsNotKept, &m_panel->given(), &GivenFactsBox::showNotKept);
    connect(m_scenarios, &ScenarioTable::told, this,
            [this](const QString &message) { m_panel->showStatus(message, false); });
    connect(&m_session, &Session::predictionFailed, this,
            [this](const QString &message) { m_panel->showStatus(message, true); });
    connect(m_measured, &TimelineWidget::sliceSelected, this, [this](std::uint64_t id) {
        m_chosenOp.reset();
        m_chosenSlice.reset();
        if (m_above != nullptr)
            return; // it is an op of a prediction that the graph does not show
        m_chosenSlice = core::SliceId(id);
        m_session.select(*m_chosenSlice);
    });
    connect(m_predicted, &TimelineWidget::sliceSelected, this, [this](std::uint64_t id) {
        m_chosenSlice.reset();
        m_chosenOp = core::OpId(static_cast<std::uint32_t>(id));
    });
    connect(m_selection, &TwinSelection::cleared, this, [this] {
        m_chosenOp.reset();
        m_chosenSlice.reset();
    });
    connect(m_graphs, &GraphPair::failed, this,
            [this](const QString &message) { m_panel->showStatus(message, true); });
}

CompareView::~CompareView() = default;

void CompareView::resizeEvent(QResizeEvent *event)
{
    fitToHeight();
    QWidget::resizeEvent(event);
}

/// In a low window the rows of the timelines come first: scenarios, which have the same figures,
/// take the place of the result.
void CompareView::fitToHeight()
{
    const bool isHigh = height() >= HighView;
    const bool hasScenarios = m_scenarios->toggle()->isChecked();
    m_header->setVisible(isHigh || !hasScenarios);
    m_notes->setVisible(isHigh || !hasScenarios);
    m_notes->setSideBySide(!isHigh);
    m_legend->setVisible(height() >= LowView); // as the timeline's
}

void CompareView::showEvent(QShowEvent *event)
{
    m_session.setPredictionShown(true);
    QWidget::showEvent(event);
}

void CompareView::hideEvent(QHideEvent *event)
{
    m_session.setPredictionShown(false);
    QWidget::hideEvent(event);
}

/// Asks a setting of a moment ago of the project that it was set for, or of none.
void CompareView::endPause()
{
    const bool isSame = std::exchange(m_opening, m_session.opening()) == m_session.opening();
    const bool isPending = m_pause.isActive();
    m_pause.stop();
    if (isPending && isSame)
        predict();
}

void CompareView::onProjectChanged()
{
    endPause();
    m_marksJob.cancel();
    m_predictedJob.cancel();
    m_source.reset();
    m_counters.reset();
    m_iterations.clear();
    m_shown.reset();
    m_shownReference.reset();
    m_above.reset();
    m_chosenSlice.reset();
    m_chosenOp.reset();
    m_measured->setSource(nullptr);
    m_predicted->setSource(nullptr);
    m_selection->setTwins(nullptr, false);
    m_measured->setPlaceholder(m_session.isOpen() ? tr("Analysing the project\u2026")
                                                  : tr("Open a bundle or a project to compare."));
    m_predicted->setPlaceholder({});
    m_header->setMessage(m_session.isOpen()
                             ? tr("The graph of this project is being built and replayed.")
                             : QString());
    m_header->setResult(nullptr, nullptr);
    m_notes->memory().setMemory(nullptr);
    m_notes->showScheduling(m_session, m_shown.get());
    m_panel->setFacts({});
    m_panel->given().setMissing({});
    m_panel->setStrategy(m_session.strategy());
    m_history->restart();
    m_panel->showStatus({}, false);
    m_measuredCaption->setFullText(tr("Measured"));
    m_predictedCaption->setFullText({});
    showStandIn();
    onAnalysisChanged();
}

void CompareView::onAnalysisChanged()
{
    m_panel->setUsable(m_session.diagnosis() != nullptr);
    if (!m_session.analysisError().isEmpty()) {
        m_measured->setPlaceholder(m_session.analysisError());
        m_header->setMessage(m_session.analysisError());
        return;
    }
    if (!m_session.isOpen() || m_session.diagnosis() == nullptr)
        return;
    if (!m_session.diagnosis()->isOfOneJob) {
        m_header->setMessage(unbrokenUnits(QString::fromStdString(m_session.diagnosis()->verdict)));
        m_panel->setUsable(false);
        m_predicted->setPlaceholder(tr("Nothing is replayed."));
        return showMeasured();
    }
    m_panel->showLinks(m_session.diagnosis()->selfReplay.links);
    const MissingFacts missing = missingFacts(*m_session.trace(), *m_session.graph());
    m_panel->given().setMissing(missing);
    m_header->setGiven(givenNames(missing.given));
    if (const auto &facts = m_session.changeFacts()) {
        m_panel->setFacts(*facts);
    }
    showMeasured();
    if (m_source != nullptr) {
        const GroupKeysByName keys = rankKeys(*m_session.diagnosis(), m_source->order());
        m_measured->state().setGroupKeys(keys);
        m_predicted->state().setGroupKeys(keys);
    }
    showResult();
}

void CompareView::onPredictionChanged()
{
    const auto prediction = m_session.prediction();
    // What has just been set is asked for in a moment; what was refused keeps its reason.
    if (!m_pause.isActive() && m_panel->strategy() != m_session.strategy()) {
        m_panel->setStrategy(m_session.strategy());
        m_panel->revealSettings(m_session.strategy());
    }
    m_history->note();
    if (prediction == nullptr || prediction->strategy == m_session.strategy()) {
        m_panel->showStatus(
            statusText(prediction.get(), m_session.isRunning(QStringLiteral("judge"))), false);
    }
    showResult();
}

void CompareView::predict()
{
    const core::Strategy strategy = m_panel->strategy();
    if (strategy.isEmpty()) {
        m_panel->showStatus({}, false); // of a prediction that failed, or is no longer wanted
        m_session.clearPrediction();
        return;
    }
    m_panel->showStatus(tr("Predicting\u2026"), false);
    m_session.predict(strategy);
}

void CompareView::showMeasured()
{
    if (m_source != nullptr)
        return;
    try {
        m_source = std::make_shared<ProjectTimelineSource>(m_session.reader().path());
    } catch (const core::Error &error) {
        m_measured->setPlaceholder(QString::fromUtf8(error.what()));
        return;
    }
    std::vector<core::TrackId> replayed;
    for (const core::Track &track : m_source->reader().info().tracks) {
        if (track.kind == core::TrackKind::Communication) {
            replayed.push_back(track.id);
        }
    }
    for (const core::Device &device : m_session.graph()->devices) {
        if (device.hasTrack) {
            replayed.push_back(device.track);
        }
    }
    m_source->keepTracks(replayed);
    showAbove(nullptr, matchRows(m_source->tracks(), {}, {}));
    m_marksJob.start(
        [diagnosis = m_session.diagnosis(), path = m_source->reader().path()](
            const core::JobControl &control) { return marksOf(*diagnosis, path, control); },
        [this](std::shared_ptr<const DiagnosisMarks> marks) {
            m_source->setMarks(std::move(marks));
            m_measured->state().reloadSource();
        },
        [this](const QString &message) { m_panel->showStatus(message, true); });
}

void CompareView::showResult()
{
    const auto wanted = m_session.result();
    const auto reference = m_session.reference();
    if (m_source == nullptr || (wanted == m_shown && reference == m_shownReference))
        return;
    const bool isOnlyJudged = m_shown != nullptr && reference == m_shownReference
        && wanted != nullptr && m_shown->replay == wanted->replay
        && m_shown->strategy == wanted->strategy;
    m_shown = wanted;
    m_shownReference = reference;
    m_chosenOp.reset(); // of the prediction before
    showGraphs();
    showTrust();
    m_header->setResult(wanted, reference);
    m_notes->memory().setMemory(m_session.peakMemory());
    m_notes->showScheduling(m_session, m_shown.get());
    showStandIn();
    if (isOnlyJudged)
        return; // its timeline is there, or on its way
    if (wanted == nullptr || wanted->graph == nullptr || wanted->replay == nullptr) {
        m_predictedJob.cancel();
        m_predicted->setSource(nullptr);
        return m_selection->setTwins(nullptr, false);
    }
    // Sorting all ops into rows takes long enough to be felt, so not on the GUI thread.
    m_predictedJob.start(
        [wanted, reference, trace = m_session.trace(), iterations = m_iterations,
         all = orderTracks(m_source->reader().info()), shown = m_source->order(),
         graph = m_session.graph(), counters = m_counters](const core::JobControl &control) {
            PredictedTimeline predicted
                = predictedTimeline(wanted, reference, *trace, all, shown, iterations, control);
            predicted.measuredCounters = counters != nullptr
                ? counters
                : std::make_shared<const Counters>(measuredLinkCounters(*graph, *trace, control));
            addCounters(predicted, *wanted, reference.get(), *trace, shown.tracks.size(), control);
            return predicted;
        },
        [this, wanted](PredictedTimeline predicted) {
            m_iterations = std::move(predicted.iterations);
            m_counters = predicted.measuredCounters;
            showPredicted(std::move(predicted), *wanted);
        },
        [this](const QString &message) { m_panel->showStatus(message, true); });
}

void CompareView::showPredicted(PredictedTimeline predicted, const core::Prediction &result)
{
    showAbove(predicted.reference, predicted.rows);
    m_tied->changeOne([&] {
        const TimelineState &measured = m_measured->state();
        m_predicted->setSource(std::make_shared<SourceInRows>(
            std::move(predicted.source), std::move(predicted.rows.tracks),
            std::move(predicted.rows.ofPredicted)));
        m_predicted->state().setIterations(replayIterations(result, m_iterations));
        m_predicted->state().setArrangement(measured.arrangement());
        m_predicted->state().setRankOverview(measured.isRankOverview());
        m_predicted->state().setFolds(measured.folds());
        m_predicted->state().setScrollY(measured.scrollY());
    });
    alignIterations(result);
    m_selection->setTwins(predicted.twins, m_above != nullptr);
}

void CompareView::showAbove(const std::shared_ptr<const TimelineSource> &reference,
                            const MatchedRows &rows)
{
    TimelineState &state = m_measured->state();
    const bool isMeasured = reference == nullptr && m_above == nullptr;
    if (isMeasured && state.givenSource() != nullptr
        && state.givenSource()->tracks() == rows.tracks) {
        return; // what is folded and selected stays
    }
    std::optional<std::uint64_t> selected; // the slice
    if (const std::optional<TimelineHit> hit = state.selection(); hit && isMeasured)
        selected = hit->box.id;
    m_above = reference;
    m_measured->setAccessibleName(reference == nullptr ? tr("Measured timeline")
                                                       : tr("Reference timeline"));
    m_tied->changeOne([&] {
        const std::shared_ptr<const TimelineSource> source = reference != nullptr
            ? reference
            : std::make_shared<const SourceWithCounters>(m_source, m_counters);
        const auto folds = foldsFor(state, rows.tracks);
        m_measured->setSource(std::make_shared<SourceInRows>(source, rows.tracks, rows.ofMeasured));
        if (folds)
            state.setFolds(*folds);
        state.setIterations(reference == nullptr
                                ? iterationMarks(m_source->reader().info(), m_session.compared())
                                : replayIterations(*m_shownReference, m_iterations));
        if (!selected) {
            return;
        }
        if (const auto found = state.source()->find(*selected)) {
            state.select(TimelineHit { found->first, found->second });
        }
    });
}

void CompareView::showTrust()
{
    const auto unchanged = m_session.selfReplay();
    if (m_shown != nullptr && unchanged != nullptr)
        m_header->trust().showOf(*m_shown, *unchanged,
                                 m_session.isRunning(QStringLiteral("judge")));
}

void CompareView::showStandIn()
{
    const QString text = m_shown == nullptr || m_session.trace() == nullptr
        ? QString()
        : QString::fromStdString(
            core::standInText(m_shown->strategy, m_session.trace()->workers.size()));
    m_standIn->setFullText(text);
    m_standIn->setVisible(!text.isEmpty());
}

void CompareView::showCaptions(const core::Prediction &result, std::optional<std::size_t> iteration)
{
    const TimelineCaptions captions = timelineCaptions(result, m_iterations, iteration);
    m_measuredCaption->setFullText(captionAbove(captions.measured, iteration));
    m_predictedCaption->setFullText(captions.predicted);
    showGraphs();
    const QString why
        = !iteration || m_iterations.size() < 2 ? QString() : sameIterationExplanation();
    m_measuredCaption->setExplanation(why);
    m_predictedCaption->setExplanation(why);
}

/// Graphs are of replays, that of the recorded job, too.
QString CompareView::captionAbove(const QString &measured,
                                  std::optional<std::size_t> iteration) const
{
    const auto predicted = [&](const core::Prediction &result) {
        return timelineCaptions(result, m_iterations, iteration).predicted;
    };
    if (m_shownReference != nullptr && (m_above != nullptr || m_asGraphs->isChecked()))
        return tr("Reference. %1").arg(predicted(*m_shownReference));
    return m_asGraphs->isChecked() ? predicted(*m_session.selfReplay()) : measured;
}

void CompareView::alignIterations(const core::Prediction &result)
{
    core::TimeRange measured = m_measured->state().source()->range();
    core::TimeRange predicted = m_predicted->state().source()->range();
    const auto shown = sharedIteration(result, m_iterations);
    if (shown) {
        measured = m_above == nullptr ? m_iterations[*shown].range
                                      : m_measured->state().iterations()[*shown].range;
        predicted = m_predicted->state().iterations()[*shown].range;
    }
    showCaptions(result, shown);
    m_tied->align(measured, predicted);
}

QStringList CompareView::screenshotStates() const
{
    return { QStringLiteral("whatif"), QStringLiteral("memory"), QStringLiteral("reference"),
             QStringLiteral("graph"), QStringLiteral("scenarios") };
}

void CompareView::enterScreenshotState(const QString &state)
{
    m_notes->memory().setExpanded(state == QLatin1String("memory"));
    m_asGraphs->setChecked(state == QLatin1String("graph"));
    m_scenarios->toggle()->setChecked(state == QLatin1String("scenarios"));
    if (state == QLatin1String("reference") && m_session.prediction() != nullptr)
        m_session.setReference({ { "comm_scale", 0.0 } }); // as if transfers took no time
    else
        m_session.clearReference();
    // What was asked for with --set is already there.
    if ((state == QLatin1String("whatif") || state == QLatin1String("graph"))
        && m_session.result() != nullptr && m_session.prediction() == nullptr) {
        const auto &facts = m_session.changeFacts();
        const bool hasBuckets
            = facts != nullptr && !core::obstacleOf(facts->obstacles, "bucket_cap_mb");
        // Computation can be scaled on nearly every trace.
        m_panel->setStrategy(hasBuckets ? core::Strategy { { "bucket_cap_mb", 5.0 } }
                                        : core::Strategy { { "compute_scale", 0.5 } });
        predict();
    }
}

std::vector<PicturedTimeline> CompareView::picturedTimelines() const
{
    return m_asGraphs->isChecked()
        ? std::vector<PicturedTimeline>()
        : m_tied->pictured(m_measuredCaption->fullText(), m_predictedCaption->fullText());
}

bool CompareView::isReadyForScreenshot() const
{
    return !m_session.isRunning(QStringLiteral("predict"))
        && !m_session.isRunning(QStringLiteral("judge"))
        && !m_session.isRunning(QStringLiteral("reference")) && !m_pause.isActive()
        && !m_marksJob.isRunning() && !m_predictedJob.isRunning() && !m_graphs->isDrawing();
}

} // namespace ui
