#include "core/model/by_worker.h"
#include "tests/support/trace_builder.h"

#include <QTest>

using namespace core;

class ByWorkerTest : public QObject
{
    Q_OBJECT

private slots:
    void tracksAreFoundByWorkerAndKind();
    void iterationsAreFoundByWorker();
};

void ByWorkerTest::tracksAreFoundByWorkerAndKind()
{
    const Trace trace = tests::traceFromText(R"(
        rank 0
        thread main
        a 10 5
        stream 7 gpu=0
        k 30 9
        rank 1
        rank 2
        thread main
        b 20 7
    )");
    const WorkerTracks tracks(trace);
    QCOMPARE(tracks.of(WorkerId(0)).size(), std::size_t { 2 });
    QVERIFY(tracks.of(WorkerId(1)).empty());
    QVERIFY(tracks.of(WorkerId(2)) == std::vector { &trace.tracks[2] });
    QVERIFY(tracks.of(WorkerId(0), TrackKind::Stream) == std::vector { &trace.tracks[1] });
    QVERIFY(tracks.of(WorkerId(2), TrackKind::Stream).empty());
}

void ByWorkerTest::iterationsAreFoundByWorker()
{
    std::vector<Iteration> iterations;
    for (const std::uint32_t worker : { 0U, 0U, 2U })
        iterations.push_back({ WorkerId(worker), 0, {}, false });
    QCOMPARE(iterationsOf(iterations, WorkerId(0)).data(), iterations.data());
    QCOMPARE(iterationsOf(iterations, WorkerId(0)).size(), std::size_t { 2 });
    QVERIFY(iterationsOf(iterations, WorkerId(1)).empty());
    QCOMPARE(iterationsOf(iterations, WorkerId(2)).data(), &iterations[2]);
    QVERIFY(iterationsOf(iterations, WorkerId(3)).empty());
    QVERIFY(iterationsOf({}, WorkerId(0)).empty());
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(ByWorkerTest)
#include "tst_by_worker.moc"
