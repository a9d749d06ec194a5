#pragma once

#include "core/analyze/bottlenecks/gain_intervals.h"
#include "core/analyze/diagnosis.h"
#include "core/base/time_range.h"
#include "core/graph/graph.h"
#include "core/measure/job_metadata.h"
#include "core/model/trace.h"
#include "core/optimize/search.h"
#include "core/pipeline/pipeline.h"
#include "core/predict/peak_memory.h"
#include "core/predict/prediction.h"
#include "core/predict/predictor.h"
#include "core/project/read/project_reader.h"

#include <QObject>
#include <QString>
#include <QStringList>

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace ui {

struct Loaded;
struct Predicted;
class InterruptedImport;
class ProjectCopy;
class ProjectHistory;
class StrategySearch;
class StrategyShelf;

/// The marks that a request led to.
struct MarkCount
{
    std::size_t added = 0;
    std::size_t known = 0; ///< that had a mark before, or are named twice
};

/// Subject of the graph page: what is selected and framed there.
struct GraphSubject
{
    bool isWhatIf = false; ///< of the prediction, else of the recorded job
    bool isPath = false; ///< the whole critical path, from its longest step on
    core::SliceId slice = core::NoSlice; ///< a recorded op; NoSlice: see the others
    std::optional<core::OpId> op = {}; ///< of the graph; empty: see the others
};

/// What is opened and looked at: the project, the snapshots computed from it, selection. Every view
/// reads and writes the Session only; views never know one another. GUI thread.
class Session : public QObject
{
    Q_OBJECT

public:
    static constexpr std::size_t MostMarkedRanges = 1000;

    explicit Session(QObject *parent = nullptr);
    ~Session() override;

    /// Opens a project file for the GUI thread's own reading and starts the analysis jobs; throws
    /// core::Error.
    void openProject(const QString &path);
    /// Opens what is open anew, since it was written to. The what-if and the reference are
    /// predicted again, and what a search found stays, marked as found before. Throws core::Error.
    void reopen();
    /// Goes on in a copy of what is open, with all that is known of it. Throws core::Error.
    void moveTo(const QString &path);
    void closeProject();
    bool isOpen() const { return m_reader != nullptr; }
    /// Changes with projectChanged() where another project is opened, or none: not where the same
    /// is opened anew, and not where it goes on in a copy.
    int opening() const { return m_opening; }
    QString projectPath() const;
    QString projectName() const; ///< file name without suffix

    const core::ProjectReader &reader() const { return *m_reader; } ///< only while isOpen()

    /// The iterations that figures are of; the analysis may leave out more of them than the project
    /// does, as soon as the trace is loaded.
    const core::ComparedIterations &compared() const
    {
        return m_trace != nullptr ? m_trace->compared : m_reader->info().compared;
    }

    /// Findings of an earlier run show a large project; its trace is not read before something
    /// needs it (requestAnalysis()): it takes gigabytes.
    bool isAnalysisHeldBack() const { return m_isAnalysisHeldBack; }
    /// Projects with more slices than these are large; for those opened from now on.
    void setLargeFrom(std::uint64_t slices) { m_largeFromSlices = slices; }

    // Snapshots; null until their job has delivered.
    std::shared_ptr<const core::Trace> trace() const { return m_trace; }
    std::shared_ptr<const core::Graph> graph() const { return m_graph; }
    std::shared_ptr<const core::Diagnosis> diagnosis() const { return m_diagnosis; }
    /// The diagnosis, else what an earlier run kept of it in the project (see core::KeptFindings):
    /// enough for what only shows it.
    std::shared_ptr<const core::Diagnosis> findings() const
    {
        return m_diagnosis != nullptr ? m_diagnosis : m_recalled;
    }
    /// Those of the findings' bottlenecks; come after them, null until then.
    std::shared_ptr<const core::GainIntervals> gainIntervals() const { return m_gainIntervals; }
    /// Comes with the diagnosis; null: nothing is replayed.
    std::shared_ptr<const core::ChangeFacts> changeFacts() const { return m_facts; }
    /// Comes twice: first with its timeline, then, judged, with its interval and trust
    /// (Prediction::isJudged).
    std::shared_ptr<const core::Prediction> prediction() const { return m_prediction; }
    /// The replay of the unchanged graph; a part of the diagnosis, which it keeps. Null: none.
    std::shared_ptr<const core::Prediction> selfReplay() const
    {
        if (m_diagnosis == nullptr || !m_diagnosis->isOfOneJob)
            return nullptr;
        return { m_diagnosis, &m_diagnosis->selfReplay };
    }
    /// The prediction that others are compared with; null: the measurement.
    std::shared_ptr<const core::Prediction> reference() const { return m_reference; }
    /// The prediction, else the diagnosis' replay of the unchanged graph.
    std::shared_ptr<const core::Prediction> result() const
    {
        return m_prediction != nullptr ? m_prediction : selfReplay();
    }
    /// The one that can be seen: result() while a view shows predictions, else the replay of the
    /// unchanged graph, which all other views rest on.
    std::shared_ptr<const core::Prediction> shownResult() const
    {
        return m_isPredictionShown ? result() : selfReplay();
    }
    /// Of the prediction, else of the diagnosis' replay of the unchanged graph.
    std::shared_ptr<const core::PeakMemory> peakMemory() const
    {
        return m_prediction != nullptr ? m_predictedMemory : m_replayedMemory;
    }
    /// The search for a faster strategy, and what it found.
    StrategySearch &search() { return *m_search; }
    /// What the user has changed in the open project, with undo.
    ProjectHistory &history() { return *m_history; }
    /// Saves the open project under another name.
    ProjectCopy &copy() { return *m_copy; }
    /// The strategies that are saved in the open project: what Strategies and Compare keep.
    StrategyShelf &shelf() { return *m_shelf; }
    /// Begins it anew from the open project; nothing happens before the analysis is there.
    void startSearch(const core::SearchRequest &request);
    /// Snapshots that work in another thread starts from; the snapshots are null before the
    /// analysis is there.
    Loaded loaded() const;
    /// Predictor of the diagnosis and all predictions since; null before.
    std::shared_ptr<const core::Predictor> predictor() const { return m_predictor; }
    QString analysisError() const
    {
        return m_analysisError;
    } ///< why graph or diagnosis are missing; empty: none

    std::optional<core::SliceId> selectedSlice() const { return m_selectedSlice; }
    QString shownView() const { return m_shownView; } ///< the page at the front
    void setShownView(const QString &viewId) { m_shownView = viewId; } ///< by the window
    bool isCriticalPathShown() const { return m_isCriticalPathShown; }
    core::Strategy strategy() const { return m_strategy; }
    /// What the last import read and skipped; empty when the project was opened as it was.
    const std::optional<core::ImportReport> &importReport() const { return m_importReport; }
    /// Of the job ids "import", "load", "diagnose", "gains" (their intervals), "predict", "judge"
    /// (the prediction), "reference", "search", "copy". One that waits for the analysis runs, too.
    bool isRunning(const QString &job) const;
    /// A cancelled or replaced import into this file has not yet ended: it will remove the file.
    bool isAbandonedImport(const QString &projectPath) const;
    /// No job has anything left to do, that of a search included.
    bool isIdle() const;

    /// Imports any mix of files, folders and archives into a new project file in a worker thread,
    /// then opens it; ends in importFinished() or importFailed(), or silently when cancelled. Waits
    /// in its thread for an abandoned import to end.
    void importProject(const QStringList &inputs, const QString &projectPath);
    /// The same into a project that is there already: only adds what it has not read. Where it is
    /// the open one, this ends in importFinished() or, also when cancelled, importInterrupted().
    void appendToProject(const QStringList &inputs, const QString &projectPath);
    /// The same of a project whose import was interrupted: does without what it has not read.
    void discardImportRest(const QString &projectPath);
    /// Keeps in the open project what the user states of the job, and analyses it anew: command
    /// line and window then count it alike.
    void giveFacts(const core::GivenFacts &facts);

public slots:
    /// Begins the analysis where it is held back.
    void requestAnalysis();
    /// Stops a running job; the views keep what they have. A cancelled "predict" leaves the
    /// prediction before it, which is judged if it is not; a cancelled "judge" leaves one that
    /// stays without interval and trust until something is asked for anew. A cancelled "search"
    /// ends with the best so far.
    void cancelJob(const QString &job);
    void select(core::SliceId slice);
    void clearSelection();
    /// Selects the slice, brings the timeline to the front and zooms so that `range` (or the slice)
    /// is seen.
    void reveal(core::SliceId slice, core::TimeRange range = {});
    /// Brings the timeline to the front and keeps marks over the first MostMarkedRanges of what is
    /// not empty. Aligned.
    MarkCount mark(const std::vector<core::TimeRange> &ranges);
    /// Called by who answers marksRequested(), with the marks that were not there before.
    void countAddedMarks(std::size_t added) { m_addedMarks = added; }
    void setCriticalPathShown(bool shown);
    /// Brings the graph to the front with this selected and framed.
    void revealInGraph(const ui::GraphSubject &subject);
    /// Runs the what-if in worker threads; before the diagnosis is there, after it. A newer request
    /// replaces the running one.
    void predict(const core::Strategy &strategy);
    void clearPrediction();
    /// Compares what is predicted from now on with the present prediction.
    void keepAsReference();
    /// The same with that of a strategy, which is predicted first.
    void setReference(const core::Strategy &strategy);
    void clearReference(); ///< compares with the measurement
    /// By the view that shows predictions, when it comes to the front and when it leaves it.
    void setPredictionShown(bool shown);
    /// Brings the timeline to the front and searches it for the text.
    void findInTimeline(const QString &text);
    /// Brings the strategies to the front, which begin to search where nothing was found yet.
    void requestSearch();
    /// Asks the window to bring a workspace to the front ("timeline", "compare", ...).
    void showView(const QString &viewId) { emit viewRequested(viewId); }

signals:
    void projectChanged(); ///< opened or closed
    void analysisChanged(); ///< trace, graph, diagnosis or analysisError changed
    void gainIntervalsChanged(); ///< there, or it is known that none come
    void selectionChanged();
    void criticalPathShownChanged();
    void predictionChanged();
    void referenceChanged();
    void shownResultChanged();
    void predictionFailed(const QString &message);
    void importFinished();
    /// An import into the open project was cancelled, or failed; it has ended, and what it changed
    /// is opened. `why`: it failed; empty: it was cancelled.
    void importInterrupted(bool isChanged, const QString &why);
    void factsNotKept(const QString &message); ///< of giveFacts(): why not
    void cannotKeep(const QString &message); ///< why the open project cannot be written
    /// Why the next opening has to analyse the project again.
    void findingsNotKept(const QString &message);
    void importFailed(const QString &message);
    void jobProgressChanged(const QString &job, double fraction,
                            const QString &stage); ///< fraction 1: done
    void viewRequested(const QString &viewId);
    void searchRequested();
    void findRequested(const QString &text);
    void revealRequested(core::SliceId slice, core::TimeRange range);
    void marksRequested(const std::vector<core::TimeRange> &ranges);
    void graphRevealRequested(const ui::GraphSubject &subject);

private:
    /// What is asked of a project, apart from its data.
    struct Asked
    {
        core::Strategy strategy;
        std::optional<core::Strategy> reference = {}; ///< empty: the measurement
        bool isSameJob = false; ///< what was found stays
    };
    struct Jobs; ///< the running jobs; destroyed before the snapshots
    struct Snapshots;
    void watch(class JobBase &job, const QString &id);
    void open(const QString &path, const Asked &asked);
    void startImport(const QString &projectPath,
                     const std::function<core::ImportReport(const core::JobControl &)> &work);
    void startAdding(const QString &projectPath,
                     const std::function<core::ImportReport(const core::JobControl &)> &work);
    void endInterruptedImport(const QString &why);
    void onImportInterrupted(const QString &projectPath, bool isChanged, const QString &why);
    bool isAnalysisAwaited() const; ///< neither its end nor an error is there
    void startRecall();
    void startLoad();
    void keepFindings();
    void startDiagnosis();
    void startGainIntervals();
    void judgePrediction();
    void judgeLeftPrediction();
    void showPredicted(Predicted found);
    void cancelPrediction();
    void endWaiting();
    void failAnalysis(const QString &why);
    void dropSnapshots(const Asked &asked);
    std::vector<std::pair<QString, class JobBase *>> jobs() const; ///< with their ids
    JobBase *jobById(const QString &id) const;

    std::unique_ptr<core::ProjectReader> m_reader;
    int m_opening = 0;
    std::shared_ptr<const core::Trace> m_trace;
    std::shared_ptr<const core::Graph> m_graph;
    std::shared_ptr<const core::Diagnosis> m_diagnosis;
    std::shared_ptr<const core::Diagnosis> m_recalled; ///< null: none was kept, or not yet read
    std::uint64_t m_stamp = 0; ///< of what m_trace was read from
    std::shared_ptr<const core::GainIntervals> m_gainIntervals; ///< of findings()
    std::shared_ptr<const core::ChangeFacts> m_facts; ///< of m_diagnosis
    std::shared_ptr<const core::Prediction> m_prediction;
    std::shared_ptr<const core::Prediction> m_reference;
    std::shared_ptr<const core::PeakMemory> m_replayedMemory; ///< of m_diagnosis
    std::shared_ptr<const core::PeakMemory> m_predictedMemory; ///< of m_prediction
    /// What what-ifs on m_trace start from, with what they have asked for so far; null before the
    /// diagnosis and the first of them.
    std::shared_ptr<const core::Predictor> m_predictor;
    QString m_analysisError;
    std::size_t m_addedMarks = 0; ///< by the mark() that runs
    std::optional<core::ImportReport> m_importReport;
    std::optional<core::SliceId> m_selectedSlice;
    bool m_isCriticalPathShown = false;
    bool m_isAnalysisHeldBack = false;
    /// 10 million take 4 GB and a minute to analyse; a fifth is there within seconds.
    std::uint64_t m_largeFromSlices = 2'000'000;
    bool m_isPredictionShown = false;
    bool m_isPredictionAwaited = false; ///< m_strategy is predicted when the diagnosis is there
    std::optional<core::Strategy> m_awaitedReference; ///< is predicted then, or now
    core::Strategy m_strategy;
    QString m_shownView;
    QStringList m_importTargets; ///< of the last import and of those that may still be ending
    std::shared_ptr<std::mutex> m_importTurn
        = std::make_shared<std::mutex>(); ///< held by the import that runs
    QString m_addedTo; ///< by the last import; empty: it made a new project
    std::unique_ptr<Jobs> m_jobs;
    std::unique_ptr<StrategySearch> m_search;
    std::unique_ptr<ProjectHistory> m_history;
    std::unique_ptr<ProjectCopy> m_copy;
    std::unique_ptr<InterruptedImport> m_interrupted;
    std::unique_ptr<StrategyShelf> m_shelf;
};

} // namespace ui
