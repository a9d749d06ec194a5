#include "core/change/change_text.h"
#include "core/pipeline/pipeline.h"
#include "ui/session/project_copy.h"
#include "ui/session/project_history.h"
#include "ui/session/session.h"
#include "ui/session/strategy_shelf.h"

#include <QFileInfo>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <memory>

using namespace ui;

namespace {

constexpr int ReopenTimeoutMs = 120'000;

} // namespace

/// A what-if and a reference outlive that the project is opened anew.
class TestReopenedSession : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void init();
    void aGivenFactKeepsTheWhatIfAndTheReference();
    void aReferenceThatIsOnItsWayIsKept();
    void aWhatIfThatWaitsForTheTraceCanBeCancelled();
    void aWhatIfBeforeTheDiagnosisWaitsForIt();
    void aCancelledLoadEndsTheWaiting();
    void theCopyIsOpenWithTheSameWhatIf();
    void theCopyHasAllScenariosAndTheHistory();
    void factsThatAreGivenMeanwhileAreInTheCopy();
    void aCopyThatIsReplacedLeavesItsFileToTheNext();
    void noTracesAreAddedWhileACopyIsMade();
    void factsThatCannotBeKeptAreTold();

private:
    bool awaitPrediction() const
    {
        return QTest::qWaitFor(
            [this] {
                return m_session->prediction() != nullptr
                    && m_session->prediction()->strategy == m_whatIf;
            },
            ReopenTimeoutMs);
    }

    QTemporaryDir m_folder;
    QString m_project;
    const core::Strategy m_whatIf { { "bucket_cap_mb", 5.0 } };
    std::unique_ptr<Session> m_session;
};

void TestReopenedSession::initTestCase()
{
    m_project = m_folder.filePath(QStringLiteral("p.longpole"));
    core::importBundle({ LONGPOLE_SOURCE_DIR "/resources/samples/vgg-w2-500mbit-b25" },
                       m_project.toStdString(), {}, {});
}

void TestReopenedSession::init()
{
    m_session = std::make_unique<Session>();
    m_session->openProject(m_project);
}

void TestReopenedSession::aGivenFactKeepsTheWhatIfAndTheReference()
{
    m_session->predict(m_whatIf);
    QVERIFY(awaitPrediction());
    m_session->keepAsReference();
    const auto before = m_session->prediction();
    bool isReopened = false; // told by the signal: the next prediction may come within a poll
    bool isWhatIfSeen = true;
    const auto watch = connect(m_session.get(), &Session::predictionChanged, this, [&] {
        isReopened = isReopened || m_session->prediction() == nullptr;
        isWhatIfSeen = isWhatIfSeen && m_session->strategy() == m_whatIf;
    });
    core::GivenFacts facts;
    facts.linkMbit = 700;
    m_session->giveFacts(facts);
    QTRY_VERIFY_WITH_TIMEOUT(isReopened && m_session->prediction() != nullptr, ReopenTimeoutMs);
    disconnect(watch);
    QVERIFY(isWhatIfSeen); // its settings are seen meanwhile
    QVERIFY(m_session->prediction() != before);
    QTRY_VERIFY_WITH_TIMEOUT(m_session->reference() != nullptr, ReopenTimeoutMs);
    QVERIFY(m_session->reference()->strategy == m_whatIf);
}

/// It was lost, or gave way to the one before.
void TestReopenedSession::aReferenceThatIsOnItsWayIsKept()
{
    const core::Strategy other { { "bucket_cap_mb", 7.0 } };
    m_session->setReference(m_whatIf); // before the analysis is there
    m_session->predict(other);
    m_session->cancelJob(QStringLiteral("predict"));
    QTRY_VERIFY_WITH_TIMEOUT(m_session->reference() != nullptr, ReopenTimeoutMs);
    QVERIFY(m_session->reference()->strategy == m_whatIf);
    m_session->setReference(other);
    QVERIFY(m_session->isRunning(QStringLiteral("reference")));
    m_session->reopen();
    QVERIFY(m_session->reference() == nullptr);
    m_session->clearPrediction(); // of no consequence for it
    QTRY_VERIFY_WITH_TIMEOUT(m_session->reference() != nullptr, ReopenTimeoutMs);
    QVERIFY(m_session->reference()->strategy == other);
    m_session->setReference(m_whatIf);
    m_session->cancelJob(QStringLiteral("reference"));
    m_session->reopen();
    QTRY_VERIFY_WITH_TIMEOUT(m_session->reference() != nullptr, ReopenTimeoutMs);
    QVERIFY(m_session->reference()->strategy == other);
}

void TestReopenedSession::aWhatIfThatWaitsForTheTraceCanBeCancelled()
{
    const QString id = QStringLiteral("predict");
    m_session->predict(m_whatIf);
    QVERIFY(m_session->isRunning(id));
    const QSignalSpy changed(m_session.get(), &Session::predictionChanged);
    m_session->cancelJob(id);
    QVERIFY(!m_session->isRunning(id));
    QCOMPARE(changed.count(), 1);
    QVERIFY(m_session->strategy().isEmpty());
    QTRY_VERIFY_WITH_TIMEOUT(m_session->diagnosis() != nullptr && m_session->isIdle(),
                             ReopenTimeoutMs);
    QVERIFY(m_session->prediction() == nullptr);
}

/// It ran beside the diagnosis and found its models once more.
void TestReopenedSession::aWhatIfBeforeTheDiagnosisWaitsForIt()
{
    const QString id = QStringLiteral("predict");
    bool isAsked = false, isWaiting = false;
    bool isAfterDiagnosis = true;
    const auto asking = connect(m_session.get(), &Session::analysisChanged, this, [&] {
        if (m_session->graph() == nullptr || m_session->diagnosis() != nullptr || isAsked)
            return;
        isAsked = true; // the trace is there, the diagnosis is not
        m_session->predict(m_whatIf);
        isWaiting = m_session->isRunning(id) && m_session->predictor() == nullptr;
    });
    const auto watch = connect(m_session.get(), &Session::predictionChanged, this, [&] {
        isAfterDiagnosis = isAfterDiagnosis && m_session->diagnosis() != nullptr;
    });
    const bool isPredicted = awaitPrediction();
    disconnect(asking);
    disconnect(watch);
    QVERIFY(isPredicted);
    QVERIFY(isAsked && isWaiting && isAfterDiagnosis);
    QVERIFY(m_session->predictor() != nullptr);
}

void TestReopenedSession::aCancelledLoadEndsTheWaiting()
{
    m_session->predict(m_whatIf);
    m_session->cancelJob(QStringLiteral("load"));
    QVERIFY(!m_session->isRunning(QStringLiteral("predict")));
}

void TestReopenedSession::theCopyIsOpenWithTheSameWhatIf()
{
    m_session->predict(m_whatIf);
    QVERIFY(awaitPrediction());
    QTRY_VERIFY_WITH_TIMEOUT(m_session->isIdle(), ReopenTimeoutMs); // it is judged, too
    m_session->select(core::SliceId { 3 });
    const auto diagnosis = m_session->diagnosis();
    const auto prediction = m_session->prediction();
    const int opening = m_session->opening();
    QSignalSpy opened(&m_session->copy(), &ProjectCopy::opened);
    QSignalSpy failed(&m_session->copy(), &ProjectCopy::failed);
    const QString target = m_folder.filePath(QStringLiteral("copy.longpole"));
    m_session->copy().start(target);
    QVERIFY(opened.wait(ReopenTimeoutMs));
    QCOMPARE(m_session->projectPath(), target);
    QVERIFY(m_session->diagnosis() == diagnosis && m_session->prediction() == prediction);
    QVERIFY(m_session->selectedSlice() == core::SliceId { 3 });
    QCOMPARE(m_session->opening(), opening);
    m_session->copy().start(target); // onto itself
    QVERIFY(failed.wait(ReopenTimeoutMs));
    QCOMPARE(m_session->projectPath(), target);
}

/// Those that were being written were not in the copy, and it could not be undone.
void TestReopenedSession::theCopyHasAllScenariosAndTheHistory()
{
    StrategyShelf &shelf = m_session->shelf();
    QTRY_VERIFY_WITH_TIMEOUT(shelf.isEditable(), ReopenTimeoutMs);
    shelf.add(QStringLiteral("before"), "{}");
    QSignalSpy opened(&m_session->copy(), &ProjectCopy::opened);
    const QString target = m_folder.filePath(QStringLiteral("scenarios.longpole"));
    m_session->copy().start(target);
    shelf.add(QStringLiteral("meanwhile"), "{}");
    QVERIFY(opened.wait(ReopenTimeoutMs));
    QTRY_VERIFY_WITH_TIMEOUT(!shelf.isBusy(), ReopenTimeoutMs);
    QCOMPARE(shelf.strategies().size(), std::size_t { 2 });
    QVERIFY(core::savedStrategies(target.toStdString()) == shelf.strategies());
    QVERIFY(core::savedStrategies(m_project.toStdString()) == shelf.strategies());
    m_session->history().stack().undo();
    QTRY_VERIFY_WITH_TIMEOUT(!shelf.isBusy(), ReopenTimeoutMs);
    QCOMPARE(core::savedStrategies(target.toStdString()).size(), std::size_t { 1 });
    QCOMPARE(core::savedStrategies(m_project.toStdString()).size(), std::size_t { 2 });
    QCOMPARE(m_session->history().stack().undoText(), QStringLiteral("Keep before"));
    m_session->openProject(m_project);
    QVERIFY(!m_session->history().stack().canUndo());
}

void TestReopenedSession::factsThatAreGivenMeanwhileAreInTheCopy()
{
    QSignalSpy opened(&m_session->copy(), &ProjectCopy::opened);
    const QString target = m_folder.filePath(QStringLiteral("facts.longpole"));
    core::GivenFacts facts;
    facts.linkMbit = 321;
    m_session->giveFacts(facts);
    m_session->copy().start(target);
    QVERIFY(opened.wait(ReopenTimeoutMs));
    QTRY_VERIFY_WITH_TIMEOUT(m_session->isIdle(), ReopenTimeoutMs);
    const auto trace = core::loadProject(target.toStdString(), {}).trace;
    QCOMPARE(core::givenFacts(trace->metadata).linkMbit, facts.linkMbit);
}

/// Both wrote the same file, and the second failed where the project was reopened meanwhile.
void TestReopenedSession::aCopyThatIsReplacedLeavesItsFileToTheNext()
{
    QSignalSpy opened(&m_session->copy(), &ProjectCopy::opened);
    QSignalSpy failed(&m_session->copy(), &ProjectCopy::failed);
    const QString target = m_folder.filePath(QStringLiteral("again.longpole"));
    m_session->copy().start(target);
    for (int i = 0; i < 5; ++i)
        m_session->reopen();
    QVERIFY(opened.wait(ReopenTimeoutMs));
    QVERIFY(failed.isEmpty());
    QCOMPARE(opened.size(), 1);
    QCOMPARE(m_session->projectPath(), target);
    QVERIFY(!QFileInfo::exists(target + QLatin1String(".part")));
}

/// They would be half in the copy.
void TestReopenedSession::noTracesAreAddedWhileACopyIsMade()
{
    QSignalSpy opened(&m_session->copy(), &ProjectCopy::opened);
    const QSignalSpy refused(m_session.get(), &Session::importFailed);
    const QString target = m_folder.filePath(QStringLiteral("whole.longpole"));
    m_session->copy().start(target);
    m_session->appendToProject({ m_folder.path() }, m_project);
    QCOMPARE(refused.count(), 1);
    QVERIFY(!m_session->isRunning(QStringLiteral("import")));
    QVERIFY(opened.wait(ReopenTimeoutMs));
    QCOMPARE(m_session->projectPath(), target);
}

void TestReopenedSession::factsThatCannotBeKeptAreTold()
{
    const QString gone = m_folder.filePath(QStringLiteral("gone.longpole"));
    QVERIFY(QFile::copy(m_project, gone));
    m_session->openProject(gone);
    QVERIFY(QFile::remove(gone));
    QSignalSpy told(m_session.get(), &Session::factsNotKept);
    core::GivenFacts facts;
    facts.linkMbit = 700;
    m_session->giveFacts(facts);
    QVERIFY(told.wait(ReopenTimeoutMs));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestReopenedSession)
#include "tst_reopened_session.moc"
