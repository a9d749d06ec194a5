#pragma once

#include "ui/jobs/job.h"
#include "ui/timeline/export/timeline_picture.h"
#include "ui/views/compare/iteration_pair.h"
#include "ui/views/compare/predicted_timeline.h"
#include "ui/widgets/screenshot_states.h"

#include <QTimer>
#include <QWidget>

#include <memory>
#include <optional>
#include <vector>

class QAction;
class QStackedWidget;

namespace ui {

class BarLegend;
class ElidedLabel;
class GraphPair;
class ProjectTimelineSource;
class ResultHeader;
class ResultNotes;
class ScenarioTable;
class Session;
class TiedTimelines;
class TimelineSource;
class TimelineWidget;
class TwinSelection;
class WhatIfHistory;
class WhatIfPanel;
struct Counters;
struct DiagnosisMarks;

/// What-if settings, their predicted effect, and the measured timeline above the predicted one on
/// one time axis that begins at the iteration's start.
class CompareView : public QWidget, public ScreenshotStates, public PicturedTimelines
{
    Q_OBJECT

public:
    CompareView(Session &session, QWidget *parent);
    ~CompareView() override;

    QStringList screenshotStates() const override;
    void enterScreenshotState(const QString &state) override;
    bool isReadyForScreenshot() const override;
    /// None while graphs are shown instead.
    std::vector<PicturedTimeline> picturedTimelines() const override;

protected:
    void showEvent(QShowEvent *event) override;
    void hideEvent(QHideEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    QWidget *createTimelines();
    /// The caption of what is above, and the switch between timelines and graphs.
    QWidget *createCaptionRow();
    void createActions();
    void connectAll();
    void showAsGraphs(bool isOn);
    void showGraphs();
    /// What is selected, in the graph page.
    void showInGraph();
    void endPause();
    void onProjectChanged();
    void onAnalysisChanged();
    void onPredictionChanged();
    void predict();
    void showMeasured();
    void showResult();
    void showPredicted(PredictedTimeline predicted, const core::Prediction &result);
    /// Puts the tracks of the reference, or the measured ones where it is null, into the rows.
    void showAbove(const std::shared_ptr<const TimelineSource> &reference, const MatchedRows &rows);
    QString captionAbove(const QString &measured, std::optional<std::size_t> iteration) const;
    /// Shows the same iteration of both on one axis that begins with it.
    void alignIterations(const core::Prediction &result);
    void fitToHeight();
    void showTrust();
    /// For whom recorded ranks stand where another number of them is asked for.
    void showStandIn();
    void showCaptions(const core::Prediction &result, std::optional<std::size_t> iteration);

    Session &m_session;
    WhatIfPanel *m_panel;
    WhatIfHistory *m_history;
    ResultHeader *m_header;
    ResultNotes *m_notes;
    BarLegend *m_legend;
    GraphPair *m_graphs;
    QStackedWidget *m_pages;
    QAction *m_asGraphs = nullptr;
    TimelineWidget *m_measured;
    TimelineWidget *m_predicted;
    TiedTimelines *m_tied;
    ElidedLabel *m_measuredCaption;
    ElidedLabel *m_predictedCaption;
    ElidedLabel *m_standIn;
    ScenarioTable *m_scenarios;
    TwinSelection *m_selection;
    std::shared_ptr<ProjectTimelineSource> m_source;
    std::shared_ptr<const Counters> m_counters; ///< links' use as measured; null until known
    std::vector<core::CommonIteration>
        m_iterations; ///< of the project that are replayed; empty until known
    std::shared_ptr<const core::Prediction> m_shown;
    std::shared_ptr<const core::Prediction> m_shownReference; ///< null: the measurement
    std::shared_ptr<const TimelineSource> m_above; ///< as shown; null: the measured timeline
    std::optional<core::SliceId> m_chosenSlice; ///< the last selected op, if measured
    std::optional<core::OpId> m_chosenOp; ///< the same, if predicted
    QTimer m_pause; ///< a moment without changes before a prediction starts
    int m_opening = 0; ///< of the project that it is about
    Job<std::shared_ptr<const DiagnosisMarks>> m_marksJob;
    Job<PredictedTimeline> m_predictedJob; // the jobs last: they die first
};

} // namespace ui
