#include "core/base/error.h"
#include "core/change/change_text.h"
#include "core/pipeline/pipeline.h"
#include "tests/support/shared_data.h"
#include "ui/session/analysis_work.h"
#include "ui/session/session.h"

#include <QElapsedTimer>
#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QThread>

#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

using namespace ui;

namespace {

constexpr int analysisTimeoutMs = 120'000;

QString sampleFolder()
{
    return QStringLiteral(LONGPOLE_SOURCE_DIR "/resources/samples/vgg-w2-500mbit-b25");
}

} // namespace

/// Works on the real sample: two ranks that train over a slow link.
class TestSession : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void importsABundleAndOpensIt();
    void analysesWhatItOpens();
    void countsTheIterationsThatFiguresAreOf();
    void predictsAWhatIf();
    void theTimelineComesBeforeItsInterval();
    void aNewerWhatIfEndsTheJudgingOfTheOneBefore();
    void aRefusedWhatIfLeavesTheOneBeforeToBeJudged();
    void aCancelledWhatIfLeavesTheOneBeforeToBeJudged();
    void aCancelledJudgingIsTold();
    void saysWhyASettingCannotBePredicted();
    void readsShapesOnce();
    void laterWhatIfsHaveWhatEarlierOnesFound();
    void theFirstWhatIfHasWhatTheDiagnosisFound();
    void aCancelledImportLeavesNothingBehind();
    void anAbandonedImportDoesNotRemoveItsSuccessor();
    void anImportOfNothingUsefulFailsInWords();
    void openingSomethingElseThrows();
    void closingForgetsEverything();
    void tellsAboutTheSelection();

private:
    QString project() const { return m_folder.filePath(QStringLiteral("sample.longpole")); }
    void openAnalysed(Session &session);

    QTemporaryDir m_folder;
};

void TestSession::initTestCase()
{
    QVERIFY(m_folder.isValid());
}

void TestSession::importsABundleAndOpensIt()
{
    Session session;
    QSignalSpy finished(&session, &Session::importFinished);
    QSignalSpy failed(&session, &Session::importFailed);
    QSignalSpy progress(&session, &Session::jobProgressChanged);
    session.importProject({ sampleFolder() }, project());
    QVERIFY(session.isRunning(QStringLiteral("import")));
    QTRY_COMPARE_WITH_TIMEOUT(finished.size(), 1, analysisTimeoutMs);
    QVERIFY(failed.isEmpty());
    QVERIFY(session.isOpen());
    QCOMPARE(session.projectName(), QStringLiteral("sample"));
    QCOMPARE(session.reader().info().workers.size(), std::size_t { 2 });
    QVERIFY(session.importReport()->eventsTotal > 1000);
    QVERIFY(!progress.isEmpty());
}

void TestSession::openAnalysed(Session &session)
{
    session.openProject(project());
    QTRY_VERIFY_WITH_TIMEOUT(session.diagnosis() != nullptr || !session.analysisError().isEmpty(),
                             analysisTimeoutMs);
    QCOMPARE(session.analysisError(), QString());
    QTRY_VERIFY_WITH_TIMEOUT(session.isIdle(), analysisTimeoutMs); // the gains' intervals are there
}

void TestSession::analysesWhatItOpens()
{
    Session session;
    openAnalysed(session);
    QVERIFY(session.trace() != nullptr && session.graph() != nullptr);
    QVERIFY(!session.diagnosis()->verdict.empty());
    QCOMPARE(session.diagnosis()->ranks.size(), std::size_t { 2 });
    const std::shared_ptr<const core::ChangeFacts> facts = session.changeFacts();
    QVERIFY(facts != nullptr); // found in the worker thread, too
    QVERIFY(facts->measured
            == (core::Strategy { { "bucket_cap_mb", 25.0 },
                                 { "gradients", std::string("4,14") },
                                 { "bandwidth_mbit", 500.0 },
                                 { "bandwidth_mbit", 500.0, { 0 } },
                                 { "bandwidth_mbit", 500.0, { 1 } } }));
    QVERIFY(!core::obstacleOf(facts->obstacles, "bucket_cap_mb")
            && !facts->measured.has("schedule"));
    // The sample was recorded without profile_memory.
    QVERIFY(session.peakMemory() != nullptr && session.peakMemory()->devices.empty());
    QVERIFY(session.peakMemory()->unknown.has_value());
    QVERIFY(session.gainIntervals() != nullptr);
    QCOMPARE(session.gainIntervals()->size(), session.diagnosis()->bottlenecks.size());
    QVERIFY(session.gainIntervals()->front().interval.has_value());
}

/// Ranks that began to record later make others wait in the first of ten: the window counted ten.
void TestSession::countsTheIterationsThatFiguresAreOf()
{
    const auto shared = tests::sharedData();
    if (!shared || !std::filesystem::exists(*shared / "faults"))
        QSKIP("needs the shared inputs: set LONGPOLE_SHARED");
    const QString path = m_folder.filePath(QStringLiteral("skew.longpole"));
    core::importBundle({ *shared / "faults" / "13-profiler-start-skew" }, path.toStdString(), {},
                       {});
    Session session;
    session.openProject(path);
    QCOMPARE(session.compared().count, std::size_t { 10 });
    QTRY_VERIFY_WITH_TIMEOUT(session.trace() != nullptr, analysisTimeoutMs);
    QCOMPARE(session.compared().count, std::size_t { 9 });
}

void TestSession::predictsAWhatIf()
{
    Session session;
    openAnalysed(session);
    QSignalSpy changed(&session, &Session::predictionChanged);
    core::Strategy settings;
    settings.set({ "bandwidth_scale", 2 });
    session.predict(settings);
    QTRY_COMPARE_WITH_TIMEOUT(changed.size(), 2, analysisTimeoutMs);
    QTRY_VERIFY(session.isIdle());
    QVERIFY(session.prediction()->predictedNs < session.prediction()->measuredNs);
    QVERIFY(session.strategy() == settings);
    // What is seen is the unchanged trace's until a view shows the prediction.
    QSignalSpy shown(&session, &Session::shownResultChanged);
    QCOMPARE(session.result(), session.prediction());
    QVERIFY(session.shownResult()->strategy.isEmpty());
    session.setPredictionShown(true);
    QCOMPARE(session.shownResult(), session.prediction());
    QCOMPARE(shown.size(), 1);
    const auto ofPrediction = session.peakMemory();
    QVERIFY(ofPrediction != nullptr);
    session.clearPrediction();
    QVERIFY(session.prediction() == nullptr);
    QVERIFY(session.shownResult() == session.result() && session.result()->strategy.isEmpty());
    QCOMPARE(shown.size(), 2);
    QVERIFY(session.peakMemory() != nullptr && session.peakMemory() != ofPrediction);
    QVERIFY(session.strategy().isEmpty());
}

/// It waited for the interval, which takes several replays more.
void TestSession::theTimelineComesBeforeItsInterval()
{
    Session session;
    openAnalysed(session);
    std::vector<std::shared_ptr<const core::Prediction>> seen;
    connect(&session, &Session::predictionChanged, this,
            [&] { seen.push_back(session.prediction()); });
    session.predict(core::parseStrategy({ "bandwidth_scale=2" }));
    QTRY_COMPARE_WITH_TIMEOUT(seen.size(), std::size_t { 2 }, analysisTimeoutMs);
    QVERIFY(!seen[0]->isJudged && seen[1]->isJudged);
    QCOMPARE(seen[0]->ciHighNs, seen[0]->predictedNs);
    QVERIFY(seen[1]->ciHighNs > seen[1]->predictedNs);
    QVERIFY(seen[0]->trustReasons.empty() && !seen[1]->trustReasons.empty());
    QCOMPARE(seen[1]->replay, seen[0]->replay); // the timeline stays
    QCOMPARE(seen[1]->predictedNs, seen[0]->predictedNs);
}

void TestSession::aNewerWhatIfEndsTheJudgingOfTheOneBefore()
{
    Session session;
    openAnalysed(session);
    const auto first = core::parseStrategy({ "bandwidth_scale=2" });
    const auto second = core::parseStrategy({ "bandwidth_scale=3" });
    std::vector<std::shared_ptr<const core::Prediction>> seen;
    connect(&session, &Session::predictionChanged, this, [&] {
        seen.push_back(session.prediction());
        if (seen.size() == 1)
            session.predict(second);
    });
    session.predict(first);
    QTRY_COMPARE_WITH_TIMEOUT(seen.size(), std::size_t { 3 }, analysisTimeoutMs);
    QTRY_VERIFY(session.isIdle());
    QCOMPARE(seen.size(), std::size_t { 3 });
    QVERIFY(!seen[0]->isJudged && !seen[1]->isJudged && seen[2]->isJudged);
    QVERIFY(seen[0]->strategy == first);
    QVERIFY(seen[1]->strategy == second && seen[2]->strategy == second);
}

void TestSession::aRefusedWhatIfLeavesTheOneBeforeToBeJudged()
{
    Session session;
    openAnalysed(session);
    QSignalSpy failed(&session, &Session::predictionFailed);
    core::Strategy first, refused;
    first.set({ "bandwidth_scale", 2 });
    refused.set({ "input_scale", 0.5 }); // the sample's input is not recorded
    bool isAsked = false;
    connect(&session, &Session::predictionChanged, this, [&] {
        if (!std::exchange(isAsked, true))
            session.predict(refused);
    });
    session.predict(first);
    QTRY_COMPARE_WITH_TIMEOUT(failed.size(), 1, analysisTimeoutMs);
    QTRY_VERIFY_WITH_TIMEOUT(session.prediction()->isJudged, analysisTimeoutMs);
    QVERIFY(session.prediction()->strategy == first);
}

/// Its interval was being found out for ever.
void TestSession::aCancelledWhatIfLeavesTheOneBeforeToBeJudged()
{
    Session session;
    openAnalysed(session);
    const auto first = core::parseStrategy({ "bandwidth_scale=2" });
    const auto second = core::parseStrategy({ "bandwidth_scale=3" });
    bool isAsked = false;
    connect(&session, &Session::predictionChanged, this, [&] {
        if (std::exchange(isAsked, true))
            return;
        session.predict(second);
        session.cancelJob(QStringLiteral("predict"));
    });
    session.predict(first);
    QTRY_VERIFY_WITH_TIMEOUT(session.prediction() != nullptr && session.prediction()->isJudged,
                             analysisTimeoutMs);
    QVERIFY(session.isIdle());
    QVERIFY(session.prediction()->strategy == first);
    QVERIFY(session.strategy() == first);
}

/// Views that said it was on its way were not told that it is not.
void TestSession::aCancelledJudgingIsTold()
{
    Session session;
    openAnalysed(session);
    std::vector<bool> isBeingJudged;
    connect(&session, &Session::predictionChanged, this, [&] {
        isBeingJudged.push_back(session.isRunning(QStringLiteral("judge")));
        if (isBeingJudged.size() == 1)
            session.cancelJob(QStringLiteral("judge"));
    });
    const auto settings = core::parseStrategy({ "bandwidth_scale=2" });
    session.predict(settings);
    QTRY_COMPARE_WITH_TIMEOUT(isBeingJudged.size(), std::size_t { 2 }, analysisTimeoutMs);
    QVERIFY(isBeingJudged[0] && !isBeingJudged[1]);
    QVERIFY(session.isIdle());
    QVERIFY(!session.prediction()->isJudged && session.prediction()->strategy == settings);
    session.predict(settings); // and it can be asked for anew
    QTRY_VERIFY_WITH_TIMEOUT(session.prediction()->isJudged, analysisTimeoutMs);
}

void TestSession::saysWhyASettingCannotBePredicted()
{
    Session session;
    QSignalSpy failed(&session, &Session::predictionFailed);
    session.predict(core::parseStrategy({ "bandwidth_scale=2" }));
    QCOMPARE(failed.size(), 1);
    QVERIFY(!failed[0][0].toString().isEmpty());
}

/// Every step of the batch's slider read all arguments of the project anew.
void TestSession::readsShapesOnce()
{
    Session session;
    openAnalysed(session);
    QSignalSpy changed(&session, &Session::predictionChanged);
    QSignalSpy failed(&session, &Session::predictionFailed);
    core::Strategy settings;
    settings.set({ "batch_scale", 2 });
    session.predict(settings);
    QTRY_COMPARE_WITH_TIMEOUT(changed.size(), 2, analysisTimeoutMs);
    const auto first = session.prediction();
    // Without its file nothing can be read any more.
    const QString elsewhere = m_folder.filePath(QStringLiteral("elsewhere.longpole"));
    QVERIFY(QFile::rename(project(), elsewhere));
    session.predict(settings);
    QTRY_COMPARE_WITH_TIMEOUT(changed.size() + failed.size(), 4, analysisTimeoutMs);
    QVERIFY(QFile::rename(elsewhere, project()));
    QCOMPARE(failed.size(), 0);
    QVERIFY(session.prediction() != first);
    QCOMPARE(session.prediction()->predictedNs, first->predictedNs);
}

void TestSession::laterWhatIfsHaveWhatEarlierOnesFound()
{
    Session session;
    openAnalysed(session);
    const Loaded loaded { project().toStdString(), session.trace(), session.graph() };
    // As before the diagnosis has found them.
    const auto predictor = std::make_shared<const core::Predictor>(
        *session.trace(), session.graph(), core::JobControl {});
    QVERIFY(predictor->models().cores == nullptr);
    core::Strategy settings;
    settings.set({ "world_size", 4 });
    const Predicted ranks = predictLoaded(loaded, predictor, settings, {});
    QVERIFY(ranks.predictor->models().cores != nullptr);
    settings.remove("world_size");
    settings.set({ "batch_scale", 2 });
    const Predicted batch = predictLoaded(loaded, ranks.predictor, settings, {});
    QVERIFY(batch.predictor->models().batch.growth != nullptr);
    QCOMPARE(batch.predictor->models().cores, ranks.predictor->models().cores);
    settings.set({ "world_size", 8 });
    const Predicted both = predictLoaded(loaded, batch.predictor, settings, {});
    QCOMPARE(both.predictor->models().cores, ranks.predictor->models().cores);
    QCOMPARE(both.predictor->models().batch.growth, batch.predictor->models().batch.growth);
}

/// It waited for what all later ones have.
void TestSession::theFirstWhatIfHasWhatTheDiagnosisFound()
{
    Session session;
    openAnalysed(session);
    const Loaded loaded { project().toStdString(), session.trace(), session.graph() };
    const Diagnosed found = diagnoseLoaded(loaded, {});
    QVERIFY(found.predictor->models().cores != nullptr
            && found.predictor->models().memory != nullptr
            && found.predictor->models().overlap != nullptr);
    QCOMPARE(found.diagnosis->predictor,
             found.predictor); // gains' intervals need not find them, either
    core::Strategy settings;
    settings.set({ "world_size", 4 });
    settings.set({ "compute_scale", 0.5 });
    const Predicted first = predictLoaded(loaded, found.predictor, settings, {});
    QCOMPARE(first.predictor->models().cores, found.predictor->models().cores);
    QCOMPARE(first.predictor->models().memory, found.predictor->models().memory);
    const Predicted judged = judgePredicted(loaded, first, {});
    QCOMPARE(judged.predictor->models().overlap, found.predictor->models().overlap);
    const Predicted alone = judgePredicted(
        loaded, predictLoaded(loaded, found.diagnosis->predictor, settings, {}), {});
    QCOMPARE(judged.result->predictedNs, alone.result->predictedNs);
    QCOMPARE(judged.result->ciLowNs, alone.result->ciLowNs);
    QCOMPARE(judged.result->ciHighNs, alone.result->ciHighNs);
}

void TestSession::aCancelledImportLeavesNothingBehind()
{
    Session session;
    QSignalSpy finished(&session, &Session::importFinished);
    QSignalSpy failed(&session, &Session::importFailed);
    const QString target = m_folder.filePath(QStringLiteral("cancelled.longpole"));
    session.importProject({ sampleFolder() }, target);
    session.cancelJob(QStringLiteral("import"));
    QVERIFY(!session.isRunning(QStringLiteral("import")));
    QTRY_VERIFY(!QFile::exists(target));
    QVERIFY(finished.isEmpty() && failed.isEmpty());
    QVERIFY(!session.isOpen());
}

void TestSession::anAbandonedImportDoesNotRemoveItsSuccessor()
{
    Session session;
    QSignalSpy finished(&session, &Session::importFinished);
    const QString target = m_folder.filePath(QStringLiteral("again.longpole"));
    session.importProject({ sampleFolder() }, target);
    QElapsedTimer waited;
    waited.start();
    while (!QFile::exists(target) && waited.elapsed() < analysisTimeoutMs)
        QThread::yieldCurrentThread();
    session.cancelJob(QStringLiteral("import"));
    if (!session.isAbandonedImport(target)) // it had ended before it was cancelled
        QFile::remove(target);
    QVERIFY(!session.isAbandonedImport(project()));
    session.importProject({ sampleFolder() }, target);
    QTRY_COMPARE_WITH_TIMEOUT(finished.size(), 1, analysisTimeoutMs);
    QVERIFY(!session.isAbandonedImport(target));
    QVERIFY(QFile::exists(target));
    session.openProject(target);
}

void TestSession::anImportOfNothingUsefulFailsInWords()
{
    const QString path = m_folder.filePath(QStringLiteral("notes.txt"));
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write("not a trace\n") > 0);
    file.close();
    Session session;
    QSignalSpy failed(&session, &Session::importFailed);
    const QString target = m_folder.filePath(QStringLiteral("notes.longpole"));
    session.importProject({ path }, target);
    QTRY_COMPARE(failed.size(), 1);
    QVERIFY2(failed[0][0].toString().contains(QStringLiteral("notes.txt")),
             qPrintable(failed[0][0].toString()));
    QVERIFY(!QFile::exists(target));
}

void TestSession::openingSomethingElseThrows()
{
    Session session;
    QVERIFY_THROWS_EXCEPTION(core::Error,
                             session.openProject(m_folder.filePath(QStringLiteral("notes.txt"))));
    QVERIFY(!session.isOpen());
}

void TestSession::closingForgetsEverything()
{
    Session session;
    session.openProject(project());
    QTRY_VERIFY_WITH_TIMEOUT(session.diagnosis() != nullptr, analysisTimeoutMs);
    session.select(core::SliceId { 1 });
    session.closeProject(); // while the gains' intervals are being found
    QVERIFY(!session.isOpen());
    QVERIFY(session.trace() == nullptr && session.diagnosis() == nullptr);
    QVERIFY(session.peakMemory() == nullptr && session.gainIntervals() == nullptr);
    QVERIFY(!session.selectedSlice().has_value());
    QVERIFY(session.isIdle());
}

void TestSession::tellsAboutTheSelection()
{
    Session session;
    QSignalSpy selection(&session, &Session::selectionChanged);
    QSignalSpy view(&session, &Session::viewRequested);
    session.select(core::SliceId { 3 });
    session.select(core::SliceId { 3 });
    QCOMPARE(selection.size(), 1);
    session.reveal(core::SliceId { 4 });
    QCOMPARE(view[0][0].toString(), QStringLiteral("timeline"));
    QVERIFY(session.selectedSlice() == core::SliceId { 4 });
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestSession)
#include "tst_session.moc"
