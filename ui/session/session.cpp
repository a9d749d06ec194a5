#include "ui/session/session.h"

#include "core/base/error.h"
#include "core/project/job_facts.h"
#include "core/project/kept_values.h"
#include "ui/jobs/job.h"
#include "ui/session/analysis_work.h"
#include "ui/session/import_work.h"
#include "ui/session/interrupted_import.h"
#include "ui/session/project_copy.h"
#include "ui/session/project_history.h"
#include "ui/session/recalled_findings.h"
#include "ui/session/session_jobs.h"
#include "ui/session/strategy_search.h"
#include "ui/session/strategy_shelf.h"

#include <QFileInfo>

#include <algorithm>
#include <utility>

namespace ui {

Session::Session(QObject *parent)
    : QObject(parent)
    , m_jobs(std::make_unique<Jobs>())
    , m_search(std::make_unique<StrategySearch>(nullptr))
    , m_copy(std::make_unique<ProjectCopy>(*this))
    , m_interrupted(std::make_unique<InterruptedImport>())
{
    for (const auto &[id, job] : jobs())
        watch(*job, id);
    connect(m_interrupted.get(), &InterruptedImport::ended, this, &Session::onImportInterrupted);
    connect(this, &Session::analysisChanged, this, &Session::shownResultChanged);
    connect(this, &Session::predictionChanged, this, &Session::shownResultChanged);
    m_history = std::make_unique<ProjectHistory>(*this);
    m_shelf = std::make_unique<StrategyShelf>(*this, nullptr);
}

/// Who waits for the end of an import, waits no longer.
Session::~Session()
{
    m_jobs->import.cancel();
}

void Session::watch(JobBase &job, const QString &id)
{
    connect(&job, &JobBase::progressChanged, this,
            [this, id, &job](double fraction, const QString &stage) {
                if (job.isRunning())
                    emit jobProgressChanged(id, fraction, stage);
                if (m_isPredictionAwaited && (&job == &m_jobs->load || &job == &m_jobs->diagnose))
                    emit jobProgressChanged(QStringLiteral("predict"), fraction, stage);
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

std::vector<std::pair<QString, JobBase *>> Session::jobs() const
{
    return { { QStringLiteral("import"), &m_jobs->import },
             { QStringLiteral("load"), &m_jobs->load },
             { QStringLiteral("diagnose"), &m_jobs->diagnose },
             { QStringLiteral("gains"), &m_jobs->gains },
             { QStringLiteral("predict"), &m_jobs->predict },
             { QStringLiteral("judge"), &m_jobs->judge },
             { QStringLiteral("reference"), &m_jobs->reference },
             { QStringLiteral("search"), &m_search->job() },
             { QStringLiteral("copy"), &m_copy->job() } };
}

JobBase *Session::jobById(const QString &id) const
{
    for (const auto &[name, job] : jobs())
        if (name == id)
            return job;
    return nullptr;
}

bool Session::isRunning(const QString &job) const
{
    if (m_isPredictionAwaited && job == QLatin1String("predict"))
        return true;
    const JobBase *found = jobById(job);
    return found != nullptr && found->isRunning();
}

bool Session::isIdle() const
{
    const auto all = jobs();
    return std::ranges::none_of(all, [](const auto &one) { return one.second->isRunning(); })
        && !m_jobs->recall.isRunning() && !m_jobs->keep.isRunning() && !m_jobs->give.isRunning()
        && !m_interrupted->isRunning();
}

void Session::cancelJob(const QString &job)
{
    JobBase *found = jobById(job);
    if (m_isPredictionAwaited && found == &m_jobs->predict)
        return endWaiting();
    if (found == nullptr || !found->isRunning())
        return;
    if (found == &m_search->job())
        return m_search->stop();
    found->cancel();
    if (found == &m_jobs->import)
        endInterruptedImport({});
    if (found == &m_jobs->load || found == &m_jobs->diagnose) {
        failAnalysis(
            tr("The analysis was cancelled. Open the project again to run it to its end."));
    }
    if (found == &m_jobs->reference)
        m_awaitedReference.reset();
    if (found == &m_jobs->predict) {
        m_strategy = m_prediction ? m_prediction->strategy : core::Strategy {};
        judgeLeftPrediction();
    }
    if (found == &m_jobs->gains)
        emit gainIntervalsChanged(); // none come
    if (found == &m_jobs->predict || found == &m_jobs->judge)
        emit predictionChanged(); // what views say is on its way does not come
}

void Session::openProject(const QString &path)
{
    open(path, {});
}

void Session::reopen()
{
    Asked asked { m_strategy, m_awaitedReference, true };
    if (!asked.reference && m_reference != nullptr)
        asked.reference = m_reference->strategy;
    open(projectPath(), asked);
}

/// Jobs go on: the copy has the same content.
void Session::moveTo(const QString &path)
{
    m_reader = std::make_unique<core::ProjectReader>(toPath(path));
    emit projectChanged();
    emit analysisChanged();
    emit gainIntervalsChanged();
    emit selectionChanged();
    emit predictionChanged();
    emit referenceChanged();
    keepFindings();
}

void Session::open(const QString &path, const Asked &asked)
{
    auto reader = std::make_unique<core::ProjectReader>(toPath(path));
    m_jobs->recall.cancel();
    m_jobs->load.cancel();
    m_jobs->diagnose.cancel();
    m_jobs->gains.cancel();
    cancelPrediction();
    m_reader = std::move(reader);
    if (!asked.isSameJob)
        ++m_opening;
    const bool mayHoldBack = sliceCount(m_reader->info()) > m_largeFromSlices;
    m_isAnalysisHeldBack = mayHoldBack;
    dropSnapshots(asked); // a view that is shown may request the analysis
    startRecall();
    if (!mayHoldBack)
        startLoad();
    m_awaitedReference = asked.reference;
    if (asked.reference || m_isCriticalPathShown || m_selectedSlice)
        requestAnalysis();
    if (!m_strategy.isEmpty()) // what a view has asked for meanwhile, too
        predict(m_strategy);
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
        [this, path = projectPath(), opening = m_opening, facts](bool) {
            if (opening != m_opening)
                return; // another one was opened meanwhile
            if (path != projectPath())
                return giveFacts(facts); // it went on in a copy, which may lack them
            try {
                reopen();
            } catch (const core::Error &error) {
                emit factsNotKept(QString::fromUtf8(error.what()));
            }
        },
        [this](const QString &message) { emit factsNotKept(message); });
}

void Session::closeProject()
{
    if (!isOpen())
        return;
    m_jobs->recall.cancel();
    m_jobs->load.cancel();
    m_jobs->diagnose.cancel();
    m_jobs->gains.cancel();
    cancelPrediction();
    m_reader.reset();
    ++m_opening;
    m_isAnalysisHeldBack = false;
    dropSnapshots({});
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
void Session::dropSnapshots(const Asked &asked)
{
    auto dropped = std::make_shared<Snapshots>();
    m_jobs->reference.cancel();
    m_awaitedReference.reset();
    dropped->takeFrom(*this);
    m_gainIntervals.reset();
    m_facts.reset();
    m_replayedMemory.reset();
    m_predictedMemory.reset();
    m_analysisError.clear();
    m_importReport.reset();
    m_strategy = asked.strategy;
    if (asked.isSameJob) {
        m_search->outdate();
    } else {
        m_search->clear();
        m_selectedSlice.reset();
    }
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
        [this](const QString &message) { failAnalysis(message); });
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
            if (const auto reference = m_awaitedReference)
                setReference(*reference);
        },
        [this](const QString &message) { failAnalysis(message); });
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

bool Session::isAnalysisAwaited() const
{
    return isOpen() && m_diagnosis == nullptr && m_analysisError.isEmpty();
}

void Session::predict(const core::Strategy &strategy)
{
    m_strategy = strategy;
    requestAnalysis();
    // Asked for by what is recalled, or early: the answer comes behind the analysis, whose models
    // it needs.
    m_isPredictionAwaited = isAnalysisAwaited();
    if (m_isPredictionAwaited)
        return emit jobProgressChanged(QStringLiteral("predict"), 0.0, {});
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

void Session::failAnalysis(const QString &why)
{
    m_analysisError = why;
    m_awaitedReference.reset();
    endWaiting();
    emit analysisChanged();
}

/// Nothing is predicted when the analysis is there.
void Session::endWaiting()
{
    if (!std::exchange(m_isPredictionAwaited, false))
        return;
    m_strategy = {};
    emit jobProgressChanged(QStringLiteral("predict"), 1.0, {});
    emit predictionChanged();
}

void Session::cancelPrediction()
{
    if (std::exchange(m_isPredictionAwaited, false))
        emit jobProgressChanged(QStringLiteral("predict"), 1.0, {});
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
    m_awaitedReference.reset();
    m_reference = m_prediction;
    emit referenceChanged();
}

void Session::setReference(const core::Strategy &strategy)
{
    m_awaitedReference = strategy;
    requestAnalysis();
    if (isAnalysisAwaited())
        return; // it is asked for again
    if (m_predictor == nullptr) {
        m_awaitedReference.reset();
        emit predictionFailed(tr("There is nothing to compare with: the analysis failed."));
        return;
    }
    m_jobs->reference.start(
        [loaded = loaded(), predictor = m_predictor, strategy](const core::JobControl &control) {
            return predictLoaded(loaded, predictor, strategy, control);
        },
        [this](const Predicted &found) {
            m_awaitedReference.reset();
            m_reference = found.result;
            emit referenceChanged();
        },
        [this](const QString &message) {
            m_awaitedReference.reset();
            emit predictionFailed(message);
        });
}

void Session::clearReference()
{
    m_jobs->reference.cancel();
    m_awaitedReference.reset();
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

MarkCount Session::mark(const std::vector<core::TimeRange> &ranges)
{
    std::vector<core::TimeRange> marked;
    for (const core::TimeRange &range : ranges)
        if (!range.isEmpty() && marked.size() < MostMarkedRanges)
            marked.push_back(range);
    showView(QStringLiteral("timeline"));
    m_addedMarks = 0;
    emit marksRequested(marked);
    return { m_addedMarks, marked.size() - m_addedMarks };
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

} // namespace ui
