#include "core/pipeline/pipeline.h"
#include "core/project/kept_values.h"
#include "ui/session/recalled_findings.h"
#include "ui/session/session.h"

#include <QElapsedTimer>
#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace ui;

/// A project that is opened again shows what was found in it before it is analysed.
class TestRecalledFindings : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void whatWasFoundIsShownBeforeTheAnalysis();
    void anotherSealOrOtherDataShowsNothing();
    void whatIsTriedBeforeTheAnalysisIsPredictedAfterIt();
    void aLargeProjectIsNotReadBeforeSomethingNeedsIt();
    void whatCannotBeKeptIsTold();
    void closingForgetsIt();

private:
    QTemporaryDir m_folder;
    QString m_project;
};

namespace {

constexpr int timeoutMs = 900'000;

/// Until findings(), and until diagnosis(), in ms.
std::pair<qint64, qint64> openAnalysed(Session &session, const QString &project)
{
    QElapsedTimer timer;
    timer.start();
    qint64 found = -1;
    session.openProject(project);
    QObject::connect(&session, &Session::analysisChanged, &session, [&] {
        if (found < 0 && session.findings() != nullptr)
            found = timer.elapsed();
    });
    const auto isAnalysed = [&] {
        if (session.findings() != nullptr)
            session.requestAnalysis(); // of a large one
        return session.diagnosis() != nullptr;
    };
    if (!QTest::qWaitFor(isAnalysed, timeoutMs))
        return { -1, -1 };
    const qint64 analysed = timer.elapsed();
    session.disconnect(&session);
    if (!QTest::qWaitFor([&] { return session.isIdle(); }, timeoutMs))
        return { -1, -1 };
    return { found, analysed };
}

} // namespace

/// The sample, or the project that LONGPOLE_TIMED_PROJECT names, of which a copy is taken.
void TestRecalledFindings::initTestCase()
{
    m_project = m_folder.filePath(QStringLiteral("p.longpole"));
    if (const QString timed = qEnvironmentVariable("LONGPOLE_TIMED_PROJECT"); !timed.isEmpty())
        QVERIFY(QFile::copy(timed, m_project));
    else
        core::importBundle({ LONGPOLE_SOURCE_DIR "/resources/samples/vgg-w2-500mbit-b25" },
                           m_project.toStdString(), {}, {});
}

void TestRecalledFindings::whatWasFoundIsShownBeforeTheAnalysis()
{
    std::string verdict;
    std::size_t gains = 0;
    {
        Session session;
        const auto [found, analysed] = openAnalysed(session, m_project);
        QVERIFY(found >= 0);
        qInfo("first: findings after %lld ms, analysis after %lld ms", found, analysed);
        verdict = session.diagnosis()->verdict;
        gains = session.gainIntervals()->size();
    }
    Session session;
    std::shared_ptr<const core::Diagnosis> shown;
    std::size_t shownGains = 0;
    connect(&session, &Session::analysisChanged, this, [&] {
        if (shown != nullptr || session.findings() == nullptr)
            return;
        QVERIFY(session.diagnosis() == nullptr);
        shown = session.findings();
        shownGains = session.gainIntervals()->size();
    });
    const auto [found, analysed] = openAnalysed(session, m_project);
    qInfo("again: findings after %lld ms, analysis after %lld ms", found, analysed);
    QVERIFY(shown != nullptr);
    QCOMPARE(shown->verdict, verdict);
    QCOMPARE(shownGains, gains);
    QCOMPARE(session.findings(), session.diagnosis());
    QVERIFY(found < analysed);
}

void TestRecalledFindings::anotherSealOrOtherDataShowsNothing()
{
    const std::filesystem::path project = m_project.toStdString();
    const FindingsSeal seal = findingsSeal();
    QCOMPARE(findingsSeal().secret, seal.secret);
    QVERIFY(recallFindings(project, seal).diagnosis != nullptr);
    QVERIFY(recallFindings(project, { QByteArray("stranger"), seal.program }).diagnosis == nullptr);
    QVERIFY(recallFindings(project, { seal.secret, seal.program + "2" }).diagnosis == nullptr);
    keepFindings(project, seal, core::contentStamp(project) + 1, {}); // of other data
    QVERIFY(recallFindings(project, seal).diagnosis == nullptr);
    core::keepBytes(project, "findings", "short");
    QVERIFY(recallFindings(project, seal).diagnosis == nullptr);
}

/// The Summary offers to try a remedy before there is a graph to try it on.
void TestRecalledFindings::whatIsTriedBeforeTheAnalysisIsPredictedAfterIt()
{
    Session session;
    QSignalSpy failed(&session, &Session::predictionFailed);
    session.openProject(m_project);
    QVERIFY(session.graph() == nullptr);
    const core::Strategy strategy { { "bucket_cap_mb", 5.0 } };
    session.predict(strategy);
    QVERIFY(QTest::qWaitFor([&] { return session.prediction() != nullptr; }, timeoutMs));
    QVERIFY(session.prediction()->strategy == strategy);
    QVERIFY(failed.isEmpty());
    QVERIFY(QTest::qWaitFor([&] { return session.isIdle(); }, timeoutMs));
}

/// Memory and time of 10 million slices.
void TestRecalledFindings::aLargeProjectIsNotReadBeforeSomethingNeedsIt()
{
    {
        Session session;
        session.setLargeFrom(0);
        QVERIFY(openAnalysed(session, m_project).first >= 0); // keeps it anew
        QVERIFY(!session.isAnalysisHeldBack());
    }
    Session session;
    session.setLargeFrom(0);
    session.openProject(m_project);
    QVERIFY(QTest::qWaitFor([&] { return session.findings() != nullptr; }, timeoutMs));
    QVERIFY(QTest::qWaitFor([&] { return session.isIdle(); }, timeoutMs));
    QVERIFY(session.isAnalysisHeldBack());
    QVERIFY(session.trace() == nullptr);
    session.setCriticalPathShown(true);
    QVERIFY(!session.isAnalysisHeldBack());
    QVERIFY(QTest::qWaitFor([&] { return session.diagnosis() != nullptr; }, timeoutMs));
    QVERIFY(QTest::qWaitFor([&] { return session.isIdle(); }, timeoutMs));
}

void TestRecalledFindings::whatCannotBeKeptIsTold()
{
    core::keepBytes(m_project.toStdString(), "findings", "short"); // found anew, and kept
    Session session;
    const QSignalSpy told(&session, &Session::findingsNotKept);
    session.openProject(m_project);
    QVERIFY(QTest::qWaitFor([&] { return session.graph() != nullptr; }, timeoutMs));
    QVERIFY(QFile::rename(m_project, m_project + QStringLiteral(".away")));
    const bool isTold = QTest::qWaitFor([&] { return !told.isEmpty(); }, timeoutMs);
    QVERIFY(QFile::rename(m_project + QStringLiteral(".away"), m_project));
    QVERIFY(isTold);
    QVERIFY(told.front().front().toString().contains(QLatin1String("there is no such project")));
}

void TestRecalledFindings::closingForgetsIt()
{
    {
        Session session;
        QVERIFY(openAnalysed(session, m_project).first >= 0); // keeps it anew
    }
    Session session;
    session.openProject(m_project);
    QVERIFY(QTest::qWaitFor([&] { return session.findings() != nullptr; }, timeoutMs));
    session.closeProject();
    QVERIFY(session.findings() == nullptr);
    QVERIFY(session.gainIntervals() == nullptr);
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestRecalledFindings)
#include "tst_recalled_findings.moc"
