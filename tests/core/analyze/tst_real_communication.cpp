// The critical path of real traces in which communication, or the launching of kernels, is told by
// names. Skipped where the shared traces are absent.

#include "core/analyze/diagnosis.h"
#include "core/pipeline/pipeline.h"
#include "tests/support/shared_data.h"

#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>
#include <cmath>

using namespace core;

class RealCommunicationTest : public QObject
{
    Q_OBJECT

private slots:
    void theCriticalPathRunsThroughTransfers_data();
    void theCriticalPathRunsThroughTransfers();
    void whatFillsTheRestIsSaidNotToBeRecorded();
    void aParameterServersLinkIsFound();
    void kernelsOfATimelineAreOnTheCriticalPath();
    void thePathIsOfAnIterationThatThePredictionCounts();

private:
    Diagnosis diagnosed(const std::string &path)
    {
        const std::filesystem::path project
            = m_folder.filePath(QStringLiteral("p%1.longpole").arg(m_projects++)).toStdString();
        importBundle({ *tests::sharedData() / "data" / path }, project, {}, {});
        const LoadedProject loaded = loadProject(project, {});
        return diagnose(*loaded.trace, loaded.graph, {});
    }

    QTemporaryDir m_folder;
    int m_projects = 0;
};

void RealCommunicationTest::theCriticalPathRunsThroughTransfers_data()
{
    QTest::addColumn<QString>("path");
    QTest::addColumn<QString>("stage"); ///< the longest of communication on the path
    QTest::addColumn<double>("communication"); ///< of the path, at least
    QTest::newRow("BytePS") << QStringLiteral("real/byteps/traces") << QStringLiteral("PULL")
                            << 0.7;
    QTest::newRow("ByteScheduler")
        << QStringLiteral("real/byteps/bytescheduler/timeline_worker.json")
        << QStringLiteral("PUSH_PULLCOMMUNICATION") << 0.9;
    QTest::newRow("Horovod, 12 ranks")
        << QStringLiteral("real/horovod/tf-logs") << QStringLiteral("MPI_ALLREDUCE") << 0.4;
}

void RealCommunicationTest::theCriticalPathRunsThroughTransfers()
{
    if (!tests::sharedData())
        QSKIP("needs the shared traces: set LONGPOLE_SHARED");
    QFETCH(QString, path);
    QFETCH(QString, stage);
    QFETCH(double, communication);
    const Diagnosis diagnosis = diagnosed(path.toStdString());
    const CriticalPathReport &critical = diagnosis.criticalPath;
    QCOMPARE(critical.computeNs + critical.hostNs, 0);
    QVERIFY(static_cast<double>(critical.commNs)
            > communication * static_cast<double>(critical.totalNs()));
    QVERIFY(!critical.stages.empty());
    QCOMPARE(QString::fromStdString(critical.stages.front().stage), stage);
    QVERIFY(!critical.stages.front().tensor.empty());
    QVERIFY(diagnosis.hasIterations);
    QVERIFY(!diagnosis.blindSpots.empty());
    QVERIFY(diagnosis.blindSpots.front().starts_with("No computation is recorded"));
    QVERIFY(std::any_of(diagnosis.bottlenecks.begin(), diagnosis.bottlenecks.end(),
                        [](const Bottleneck &b) { return b.kind == "exposed-communication"; }));
}

/// Transfers that take 1 % of what was recorded: it was said that no cause costs more.
void RealCommunicationTest::whatFillsTheRestIsSaidNotToBeRecorded()
{
    if (!tests::sharedData())
        QSKIP("needs the shared traces: set LONGPOLE_SHARED");
    const Diagnosis diagnosis = diagnosed("real/nccl-profiler/minimal-plugin");
    QVERIFY(diagnosis.bottlenecks.empty());
    QVERIFY(diagnosis.verdict.starts_with("No single recorded part costs more than"));
    QCOMPARE(diagnosis.verdictRemarks.size(), std::size_t { 1 });
}

/// Two workers and a server on links of 300 Mbit/s: no cause was found, since each call seemed to
/// wait for nothing but the host.
void RealCommunicationTest::aParameterServersLinkIsFound()
{
    if (!tests::sharedData())
        QSKIP("needs the shared traces: set LONGPOLE_SHARED");
    const Diagnosis diagnosis = diagnosed("testbed/vgg-w3-300mbit-ps");
    QVERIFY(!diagnosis.bottlenecks.empty());
    QCOMPARE(QString::fromStdString(diagnosis.bottlenecks.front().kind),
             QStringLiteral("exposed-communication"));
    QVERIFY(diagnosis.bottlenecks.front().gainFraction > 0.5);
}

/// The device works for 1848.9 ms of 4352.6 (the union of its kernels' intervals), for most of
/// which the operator that launched the kernels waits.
void RealCommunicationTest::kernelsOfATimelineAreOnTheCriticalPath()
{
    if (!tests::sharedData())
        QSKIP("needs the shared traces: set LONGPOLE_SHARED");
    const Diagnosis diagnosis = diagnosed("real/tensorflow-timeline/kittibox");
    QVERIFY(!diagnosis.hasIterations);
    QVERIFY(diagnosis.criticalPath.computeNs > 1'500'000'000);
    QVERIFY(diagnosis.criticalPath.computeNs < 1'850'000'000);
    QCOMPARE(diagnosis.criticalPath.totalNs() / 1'000'000, 4352);
}

/// 685 ms were told as the critical path of an iteration of 477 ms.
void RealCommunicationTest::thePathIsOfAnIterationThatThePredictionCounts()
{
    if (!tests::sharedData())
        QSKIP("needs the shared traces: set LONGPOLE_SHARED");
    const CriticalPathReport path = diagnosed("testbed/emuvgg-w4-500mbit-p3s1024").criticalPath;
    QVERIFY(path.iteration > 0);
    const double longer = static_cast<double>(path.totalNs() - path.measuredNs);
    QVERIFY(std::abs(longer) < 0.05 * static_cast<double>(path.measuredNs));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(RealCommunicationTest)
#include "tst_real_communication.moc"
