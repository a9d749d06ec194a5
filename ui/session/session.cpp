#include "ui/session/session.h"

#include "core/base/error.h"
#include "core/project/job_facts.h"
#include "core/project/kept_values.h"
#include "ui/jobs/job.h"
#include "ui/session/analysis_work.h"
#include "ui/session/import_work.h"
#include "ui/session/project_history.h"
#include "ui/session/recalled_findings.h"
#include "ui/session/strategy_search.h"
#include "ui/session/strategy_shelf.h"

#include <QFileInfo>

#include <filesystem>
#include <utility>

namespace ui {

namespace {

    std::filesystem::path toPath(const QString &path)
    {
        return std::filesystem::path(path.toStdString());
    }

} // namespace

struct Session::Jobs
{
    Job<core::ImportReport> import;
    Job<RecalledFindings> recall;
    Job<std::pair<std::uint64_t, core::LoadedProject>> load; ///< with the stamp of what it read
    Job<Diagnosed> diagnose;
    Job<core::GainIntervals> gains;
    Job<Predicted> predict;
    Job<Predicted> judge; ///< what `predict` found
    Job<Predicted> reference;
    Job<bool> give;
    Job<bool> keep; ///< writes the findings into the project
    Job<bool> release;
};

struct Session::Snapshots
{
    std::shared_ptr<const core::Trace> trace;
    std::shared_ptr<const core::Graph> graph;
    std::shared_ptr<const core::Diagnosis> diagnosis, recalled;
    std::shared_ptr<const core::Prediction> prediction, reference;
    std::shared_ptr<const core::Predictor> predictor;
};

Session::Session(QObject *parent)
    : QObject(parent)
    , m_jobs(std::make_unique<Jobs>())
    , m_search(std::make_unique<StrategySearch>(nullptr))
{
    watch(m_jobs->import, QStringLiteral("import"));
    watch(m_jobs->load, QStringLiteral("load"));
    watch(m_jobs->diagnose, QStringLiteral("diagnose"));
    watch(m_jobs->gains, QStringLiteral("gains"));
    watch(m_jobs->predict, QStringLiteral("predict"));
    watch(m_jobs->judge, QStringLiteral("judge"));
    watch(m_jobs->reference, QStringLiteral("reference"));
    watch(m_search->job(), QStringLiteral("search"));
    connect(this, &Session::analysisChanged, this, &Session::shownResultChanged);
    connect(this, &Session::predictionChanged, this, &Session::shownResultChanged);
    m_history = std::make_unique<ProjectHistory>(*this);
    m_shelf = std::make_unique<StrategyShelf>(*this, nullptr);
}

Session::~Session() = default;

void Session::watch(JobBase &job, const QString &id)
{
    connect(&job, &JobBase::progressChanged, this,
            [this, id, &job](double fraction, const QString &stage) {
                if (job.isRunning())
                    emit jobProgressChanged(id, fraction, stage);
            });
    connect(&job, &JobBase::runningChanged, this, [this, id](bool isRunningNow) {
        emit jobProgressChanged(id, isRunningNow ? 0.0 : 1.0, {});
    });
}

QString Session::projectPath() const
{
    return isOpen() ? QString::fromStdString(m_reader->path().string()) : QString();
}

QString Session::projectName() const
{
    return QFileInfo(projectPath()).completeBaseName();
}

JobBase *Session::jobById(const QString &id) const
{
    if (id == QLatin1String("import"))
        return &m_jobs->import;
    if (id == QLatin1String("load"))
        return &m_jobs->load;
    if (id == QLatin1String("diagnose"))
        return &m_jobs->diagnose;
    if (id == QLatin1String("gains"))
        return &m_jobs->gains;
    if (id == QLatin1String("predict"))
        return &m_jobs->predict;
    if (id == QLatin1String("judge"))
        return &m_jobs->judge;
    if (id == QLatin1String("reference"))
        return &m_jobs->reference;
    if (id == QLatin1String("search"))
        return &m_search->job();
    return nullptr;
}

bool Session::isRunning(const QString &job) const
{
    const JobBase *found = jobById(job);
    return found != nullptr && found->isRunning();
}

bool Session::isAbandonedImport(const QString &projectPath) const
{
    return m_jobs->import.isEnding() && m_importTargets.contains(projectPath);
}

bool Session::isIdle() const
{
    return !m_jobs->import.isRunning() && !m_jobs->recall.isRunning() && !m_jobs->keep.isRunning()
        && !m_jobs->load.isRunning() && !m_jobs->diagnose.isRunning() && !m_jobs->gains.isRunning()
        && !m_jobs->predict.isRunning() && !m_jobs->judge.isRunning()
        && !m_jobs->reference.isRunning() && !m_jobs->give.isRunning() && !m_search->isRunning();
}

void Session::cancelJob(const QString &job)
{
    JobBase *found = jobById(job);
    if (found == nullptr || !found->isRunning())
        return;
    if (found == &m_search->job())
        return m_search->stop();
    found->cancel();
    if (found == &m_jobs->load || found == &m_jobs->diagnose) {
        m_analysisError
            = tr("The analysis was cancelled. Open the project again to run it to its end.");
        emit analysisChanged();
    }
    if (found == &m_jobs->predict) {
        m_strategy = m_prediction ? m_prediction->strategy : core::Strategy {};
        judgeLeftPrediction();
    }
    if (found == &m_jobs->gains)
        emit gainIntervalsChanged(); // none come
    if (found == &m_jobs->predict || found == &m_jobs->judge)
        emit predictionChanged(); // what views say is on its way does not come
}

void Session::importProject(const QStringList &inputs, const QString &projectPath)
{
    if (!m_jobs->import.isEnding())
        m_importTargets.clear();
    m_importTargets << projectPath;
    startImport(projectPath, importWork(inputs, projectPath, {}));
}

void Session::appendToProject(const QStringList &inputs, const QString &projectPath)
{
    core::ImportOptions options;
    options.append = true;
    startImport(projectPath, importWork(inputs, projectPath, options));
}

void Session::discardImportRest(const QString &projectPath)
{
    startImport(projectPath, [project = toPath(projectPath)](const core::JobControl &control) {
        core::discardImportRest(project, control);
        return core::ImportReport();
    });
}

void Session::startImport(const QString &projectPath, const ImportWork &work)
{
    m_jobs->import.start(
        [work, turn = m_importTurn](const core::JobControl &control) {
            // An abandoned import removes its file when it ends, which may be this very file.
            const std::lock_guard lock(*turn);
            core::throwIfCancelled(control);
            return work(control);
        },
        [this, projectPath](core::ImportReport report) {
            try {
                openProject(projectPath);
            } catch (const core::Error &error) {
                emit importFailed(QString::fromUtf8(error.what()));
                return;
            }
            m_importReport = std::move(report);
            emit importFinished();
        },
        [this](const QString &message) { emit importFailed(message); });
}

void Session::openProject(const QString &path)
{
    auto reader = std::make_unique<core::ProjectReader>(toPath(path));
    m_jobs->recall.cancel();
    m_jobs->load.cancel();
    m_jobs->diagnose.cancel();
    m_jobs->gains.cancel();
    cancelPrediction();
    m_reader = std::move(reader);
    const bool mayHoldBack = sliceCount(m_reader->info()) > m_largeFromSlices;
    m_isAnalysisHeldBack = mayHoldBack;
    dropSnapshots(); // a view that is shown may request the analysis
    startRecall();
    if (!mayHoldBack)
        startLoad();
}

void Session::requestAnalysis()
{
    if (isOpen() && std::exchange(m_isAnalysisHeldBack, false))
        startLoad();
}

void Session::giveFacts(const core::GivenFacts &facts)
{
    if (!isOpen())
        return;
    m_jobs->give.start(
        [path = m_reader->path(), facts](const core::JobControl &) {
            core::saveJobMetadata(path, core::givenFactsEntry(facts));
            return true;
        },
        [this, path = projectPath()](bool) {
            if (path != projectPath())
                return; // another one was opened meanwhile
            try {
                openProject(path);
            } catch (const core::Error &error) {
                emit predictionFailed(QString::fromUtf8(error.what()));
            }
        },
        [this](const QString &message) { emit predictionFailed(message); });
}

void Session::closeProject()
{
    if (!isOpen())
        return;
    m_jobs->recall.cancel();
    m_jobs->load.cancel();
    m_jobs->give.cancel();
    m_jobs->diagnose.cancel();
    m_jobs->gains.cancel();
    cancelPrediction();
    m_reader.reset();
    m_isAnalysisHeldBack = false;
    dropSnapshots();
}

const core::ComparedIterations &Session::compared() const
{
    return m_trace != nullptr ? m_trace->compared : m_reader->info().compared;
}

Loaded Session::loaded() const
{
    return { isOpen() ? m_reader->path() : std::filesystem::path(), m_trace, m_graph };
}

void Session::startSearch(const core::SearchRequest &request)
{
    requestAnalysis();
    if (m_predictor != nullptr)
        m_search->start(loaded(), m_predictor, request);
}

/// To free 10 million slices takes 200 ms, so a worker does it once the views have let go of them.
void Session::dropSnapshots()
{
    auto dropped = std::make_shared<Snapshots>();
    dropped->trace.swap(m_trace);
    dropped->graph.swap(m_graph);
    dropped->diagnosis.swap(m_diagnosis);
    dropped->recalled.swap(m_recalled);
    dropped->prediction.swap(m_prediction);
    dropped->predictor.swap(m_predictor);
    m_jobs->reference.cancel();
    dropped->reference.swap(m_reference);
    m_gainIntervals.reset();
    m_facts.reset();
    m_replayedMemory.reset();
    m_predictedMemory.reset();
    m_analysisError.clear();
    m_importReport.reset();
    m_selectedSlice.reset();
    m_strategy = {};
    m_search->clear();
    emit projectChanged();
    emit analysisChanged();
    emit selectionChanged();
    emit predictionChanged();
    emit referenceChanged();
    m_jobs->release.start(
        [dropped](const core::JobControl &) {
            *dropped = {};
            return true;
        },
        [](bool) {}, [](const QString &) {});
}

/// Beside the analysis, which takes longer and replaces it, or before it.
void Session::startRecall()
{
    m_jobs->recall.start([path = m_reader->path(), seal = findingsSeal()](
                             const core::JobControl &) { return recallFindings(path, seal); },
                         [this](const RecalledFindings &found) {
                             if (found.diagnosis == nullptr)
                                 return requestAnalysis();
                             if (m_diagnosis != nullptr)
                                 return;
                             m_recalled = found.diagnosis;
                             m_gainIntervals = found.gains;
                             emit analysisChanged();
                         },
                         [this](const QString &) { requestAnalysis(); }); // nothing is recalled
}

void Session::startLoad()
{
    m_jobs->load.start(
        [path = m_reader->path()](const core::JobControl &control) {
            const std::uint64_t stamp = core::contentStamp(path); // before: it may be added to
            return std::pair(stamp, core::loadProject(path, control));
        },
        [this](std::pair<std::uint64_t, core::LoadedProject> loaded) {
            m_stamp = loaded.first;
            m_trace = std::move(loaded.second.trace);
            m_graph = std::move(loaded.second.graph);
            emit analysisChanged();
            startDiagnosis();
        },
        [this](const QString &message) {
            m_analysisError = message;
            emit analysisChanged();
        });
}

void Session::startDiagnosis()
{
    m_jobs->diagnose.start(
        [loaded = loaded()](const core::JobControl &control) {
            return diagnoseLoaded(loaded, control);
        },
        [this](Diagnosed found) {
            m_diagnosis = std::move(found.diagnosis);
            m_facts = std::move(found.facts);
            m_replayedMemory = std::move(found.memory);
            if (m_predictor == nullptr)
                m_predictor = std::move(found.predictor);
            emit analysisChanged();
            startGainIntervals();
            if (std::exchange(m_isPredictionAwaited, false))
                predict(m_strategy);
        },
        [this](const QString &message) {
            m_analysisError = message;
            emit analysisChanged();
        });
}

/// What is found is shown before.
void Session::startGainIntervals()
{
    if (m_diagnosis == nullptr)
        return; // a listener may have closed the project
    if (m_recalled != nullptr && m_gainIntervals != nullptr
        && m_gainIntervals->size() == m_diagnosis->bottlenecks.size()) {
        emit gainIntervalsChanged(); // those of the same project and program
        return;
    }
    if (m_diagnosis->bottlenecks.empty()) {
        m_gainIntervals = std::make_shared<const core::GainIntervals>();
        return keepFindings();
    }
    m_jobs->gains.start(
        [trace = m_trace, diagnosis = m_diagnosis](const core::JobControl &control) {
            return core::gainIntervals(*diagnosis, control);
        },
        [this](core::GainIntervals found) {
            m_gainIntervals = std::make_shared<const core::GainIntervals>(std::move(found));
            emit gainIntervalsChanged();
            keepFindings();
        },
        [this](const QString &) { emit gainIntervalsChanged(); }); // gains stand without
}

/// For the next time that the project is opened.
void Session::keepFindings()
{
    if (!isOpen() || m_diagnosis == nullptr || m_gainIntervals == nullptr)
        return; // a listener may have closed the project
    m_jobs->keep.start(
        [path = m_reader->path(), seal = findingsSeal(), stamp = m_stamp, diagnosis = m_diagnosis,
         gains = m_gainIntervals](const core::JobControl &) {
            ui::keepFindings(path, seal, stamp, { *diagnosis, *gains });
            return true;
        },
        [](bool) {},
        [this, path = projectPath()](const QString &message) {
            if (path == projectPath())
                emit findingsNotKept(message);
        });
}

void Session::predict(const core::Strategy &strategy)
{
    m_strategy = strategy;
    requestAnalysis();
    // Asked for by what is recalled, or early: the answer comes behind the analysis.
    m_isPredictionAwaited = m_graph == nullptr && m_jobs->load.isRunning();
    if (m_isPredictionAwaited)
        return;
    if (m_trace == nullptr || m_graph == nullptr) {
        emit predictionFailed(tr("There is nothing to predict from yet: the graph of this project "
                                 "is not built."));
        return;
    }
    m_jobs->judge.cancel(); // of what is no longer asked for
    m_jobs->predict.start(
        [loaded = loaded(), predictor = m_predictor, strategy](const core::JobControl &control) {
            return predictLoaded(loaded, predictor, strategy, control);
        },
        [this](Predicted found) { showPredicted(std::move(found)); },
        [this](const QString &message) {
            judgeLeftPrediction();
            emit predictionFailed(message);
        });
}

/// The one before, where what was asked for after it does not come.
void Session::judgeLeftPrediction()
{
    if (m_prediction != nullptr && !m_prediction->isJudged)
        judgePrediction();
}

void Session::judgePrediction()
{
    m_jobs->judge.start(
        [loaded = loaded(), found = Predicted { m_prediction, m_predictedMemory, m_predictor }](
            const core::JobControl &control) { return judgePredicted(loaded, found, control); },
        [this](Predicted judged) { showPredicted(std::move(judged)); },
        [this](const QString &message) { emit predictionFailed(message); });
}

void Session::showPredicted(Predicted found)
{
    m_predictor = std::move(found.predictor);
    m_prediction = std::move(found.result);
    m_predictedMemory = std::move(found.memory);
    if (!m_prediction->isJudged)
        judgePrediction();
    emit predictionChanged(); // who listens may ask for another one
}

void Session::cancelPrediction()
{
    m_isPredictionAwaited = false;
    m_jobs->predict.cancel();
    m_jobs->judge.cancel();
}

void Session::clearPrediction()
{
    cancelPrediction();
    m_strategy = {};
    if (m_prediction == nullptr)
        return;
    m_prediction.reset();
    m_predictedMemory.reset();
    emit predictionChanged();
}

void Session::keepAsReference()
{
    m_jobs->reference.cancel();
    m_reference = m_prediction;
    emit referenceChanged();
}

void Session::setReference(const core::Strategy &strategy)
{
    if (m_predictor == nullptr)
        return;
    m_jobs->reference.start(
        [loaded = loaded(), predictor = m_predictor, strategy](const core::JobControl &control) {
            return predictLoaded(loaded, predictor, strategy, control);
        },
        [this](const Predicted &found) {
            m_reference = found.result;
            emit referenceChanged();
        },
        [this](const QString &message) { emit predictionFailed(message); });
}

void Session::clearReference()
{
    m_jobs->reference.cancel();
    if (m_reference == nullptr)
        return;
    m_reference.reset();
    emit referenceChanged();
}

void Session::setPredictionShown(bool shown)
{
    if (m_isPredictionShown == shown)
        return;
    m_isPredictionShown = shown;
    emit shownResultChanged();
}

std::shared_ptr<const core::Prediction> Session::shownResult() const
{
    return m_isPredictionShown ? result() : selfReplay();
}

std::shared_ptr<const core::Prediction> Session::selfReplay() const
{
    if (m_diagnosis == nullptr || !m_diagnosis->isOfOneJob)
        return nullptr;
    return { m_diagnosis, &m_diagnosis->selfReplay }; // a part of the diagnosis, which it keeps
}

void Session::select(core::SliceId slice)
{
    if (m_selectedSlice == slice)
        return;
    m_selectedSlice = slice;
    emit selectionChanged();
    requestAnalysis(); // what it waits for is in the graph
}

void Session::clearSelection()
{
    if (!m_selectedSlice)
        return;
    m_selectedSlice.reset();
    emit selectionChanged();
}

void Session::reveal(core::SliceId slice, core::TimeRange range)
{
    if (slice != core::NoSlice)
        select(slice);
    showView(QStringLiteral("timeline"));
    emit revealRequested(slice, range);
}

std::size_t Session::mark(const std::vector<core::TimeRange> &ranges)
{
    std::vector<core::TimeRange> marked;
    for (const core::TimeRange &range : ranges)
        if (!range.isEmpty() && marked.size() < MostMarkedRanges)
            marked.push_back(range);
    showView(QStringLiteral("timeline"));
    emit marksRequested(marked);
    return marked.size();
}

void Session::revealInGraph(const GraphSubject &subject)
{
    if (subject.slice != core::NoSlice)
        select(subject.slice);
    showView(QStringLiteral("graph"));
    emit graphRevealRequested(subject);
}

void Session::setCriticalPathShown(bool shown)
{
    if (m_isCriticalPathShown == shown)
        return;
    m_isCriticalPathShown = shown;
    if (shown)
        requestAnalysis();
    emit criticalPathShownChanged();
}

void Session::findInTimeline(const QString &text)
{
    showView(QStringLiteral("timeline"));
    emit findRequested(text);
}

void Session::requestSearch()
{
    showView(QStringLiteral("strategies"));
    emit searchRequested();
}

void Session::showView(const QString &viewId)
{
    emit viewRequested(viewId);
}

} // namespace ui
