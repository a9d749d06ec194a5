#include "core/analyze/bottlenecks/path_evidence.h"
#include "core/fit/links/measured_graph.h"
#include "core/measure/parts.h"
#include "core/predict/prediction_base.h"
#include "tests/core/analyze/ps_job.h"
#include "tests/core/analyze/ranks_of.h"
#include "tests/support/trace_builder.h"

#include <QtTest>

using namespace core;
using tests::measuredPartsOf;
using tests::ranksOf;
using tests::traceFromText;
using tests::transfersOf;

namespace {

/// "window 100 = compute 40 + exposed 20 + mem 5 + idle 35; comm 30 overlap 10", in us.
QString printed(const TimeBreakdown &time)
{
    return QStringLiteral("window %1 = compute %2 + exposed %3 + mem %4 + idle %5; comm %6 "
                          "overlap %7")
        .arg(time.windowNs / 1000)
        .arg(time.computeNs / 1000)
        .arg(time.exposedCommNs / 1000)
        .arg(time.memOnlyNs / 1000)
        .arg(time.idleNs / 1000)
        .arg(time.commNs / 1000)
        .arg(time.overlapNs / 1000);
}

} // namespace

class BreakdownTest : public QObject
{
    Q_OBJECT

private slots:
    void aDeviceIsTheUnionOfItsStreams();
    void devicesOfOneRankAreKeptApart();
    void cpuTrainingCountsOpsAndNotAnnotations();
    void handWrittenRowsDoNotCountBesideBackendRecords();
    void communicationRowsCountWhereADeviceHasNoSuchKernels();
    void iterationsAreClippedAndAligned();
    void anIterationThatBreaksOffIsLeftOut();
    void theMeanIsOfTheIterationsThatAllRanksHave();
    void aServersUpdateIsItsCompute();
    void exposedCommunicationIsTransferAndWaiting();
    void waitingIsNoLongerThanWhatItIsAPartOf();
    void overlappingWaitsAreForTheRankThatEndsThem();
    void sendsOfAllRanksWaitForTheLastOne();
    void waitingIsNotKnownOfCommunicationWithoutOtherRanks();
    void waitingIsNotKnownWhereARankIsNotRecorded();
};

void BreakdownTest::aDeviceIsTheUnionOfItsStreams()
{
    // stream 7:  gemm [0,40)            copy [60,70)   gemm [90,100)
    // stream 9:  gemm   [20,50)
    // stream 20:      nccl [30,65)
    const Trace trace = traceFromText(R"(
        rank 0
        thread main
        aten::mm -50 400
        stream 7 gpu=0
        gemm 0 40
        copy 60 10 memcpy
        gemm 90 10
        stream 9 gpu=0
        gemm 20 30
        stream 20 gpu=0
        nccl 30 35 comm_kernel
    )");
    const auto ranks = ranksOf(trace);
    QCOMPARE(ranks.size(), std::size_t { 1 });
    QCOMPARE(ranks[0].devices.size(), std::size_t { 1 });
    QCOMPARE(QString::fromStdString(ranks[0].devices[0].device), QStringLiteral("GPU 0"));
    QCOMPARE(printed(ranks[0].devices[0].time),
             QStringLiteral("window 100 = compute 60 + exposed 15 + mem 5 + idle 20; comm 35 "
                            "overlap 20"));
}

void BreakdownTest::devicesOfOneRankAreKeptApart()
{
    const Trace trace = traceFromText(R"(
        rank 0
        stream 7 gpu=1
        gemm 10 10
        stream 8 gpu=0
        gemm 40 10
        set 60 10 memset
    )");
    const auto ranks = ranksOf(trace);
    QCOMPARE(ranks[0].devices.size(), std::size_t { 2 });
    QCOMPARE(printed(ranks[0].devices[0].time),
             QStringLiteral("window 30 = compute 10 + exposed 0 + mem 10 + idle 10; comm 0 "
                            "overlap 0"));
    QCOMPARE(QString::fromStdString(ranks[0].devices[1].device), QStringLiteral("GPU 1"));
    QCOMPARE(ranks[0].devices[1].time.windowNs, 10'000);
}

void BreakdownTest::cpuTrainingCountsOpsAndNotAnnotations()
{
    // The main thread waits from 50 to 80 inside of the annotations.
    const Trace trace = traceFromText(R"(
        rank 0
        thread main
        ProfilerStep#0 0 100 user_annotation
        DistributedDataParallel.forward 0 20 user_annotation
        aten::conv2d 5 15
        aten::convolution 6 10
        backward 30 20
        copy_bucket_to_grad 80 10
        comm gloo
        gloo:all_reduce 40 38
    )");
    const auto ranks = ranksOf(trace);
    QCOMPARE(QString::fromStdString(ranks[0].devices[0].device), QStringLiteral("CPU"));
    QCOMPARE(printed(ranks[0].devices[0].time),
             QStringLiteral("window 100 = compute 45 + exposed 28 + mem 0 + idle 27; comm 38 "
                            "overlap 10"));
}

void BreakdownTest::handWrittenRowsDoNotCountBesideBackendRecords()
{
    const Trace trace = traceFromText(R"(
        rank 0
        comm gloo
        gloo:all_reduce 10 50
        comm bucket
        allreduce 5 60
        rank 1
        comm slices
        allreduce 5 60
    )");
    const auto ranks = ranksOf(trace);
    QCOMPARE(ranks[0].devices[0].time.commNs, 50'000);
    QCOMPARE(ranks[0].devices[0].time.windowNs, 60'000);
    QCOMPARE(ranks[1].devices[0].time.commNs, 60'000);
}

/// dPRO and BytePS time kernels and communication apart: a diagnosis showed no communication.
void BreakdownTest::communicationRowsCountWhereADeviceHasNoSuchKernels()
{
    const Trace trace = traceFromText(R"(
        rank 0
        stream 7 gpu=1
        gemm 0 40
        comm push_pull
        Comm.weight 30 40
        rank 1
        stream 7 gpu=0
        gemm 0 40
        nccl 40 10 comm_kernel
        comm hooks
        all_reduce 10 20
    )");
    const auto ranks = ranksOf(trace);
    QCOMPARE(ranks[0].devices.size(), std::size_t { 1 });
    QCOMPARE(QString::fromStdString(ranks[0].devices[0].device), QStringLiteral("GPU 1"));
    QCOMPARE(printed(ranks[0].devices[0].time),
             QStringLiteral("window 70 = compute 40 + exposed 30 + mem 0 + idle 0; comm 40 "
                            "overlap 10"));
    QCOMPARE(printed(ranks[1].devices[0].time),
             QStringLiteral("window 50 = compute 40 + exposed 10 + mem 0 + idle 0; comm 10 "
                            "overlap 0"));
}

void BreakdownTest::iterationsAreClippedAndAligned()
{
    Trace trace = traceFromText(R"(
        rank 0
        iteration 3 0 50
        iteration 4 50 50
        thread main
        op 10 60
        comm gloo
        gloo:all_reduce 60 30
    )");
    trace.alignment.workers.push_back({ WorkerId(0), 7000, 0, 0, 0, true, true });
    const auto iterations = ranksOf(trace)[0].iterations;
    QCOMPARE(iterations.size(), std::size_t { 2 });
    QCOMPARE(iterations[1].index, 4);
    QCOMPARE(iterations[1].range.startNs, 57'000);
    QCOMPARE(printed(iterations[0].time),
             QStringLiteral("window 50 = compute 40 + exposed 0 + mem 0 + idle 10; comm 0 "
                            "overlap 0"));
    QCOMPARE(printed(iterations[1].time),
             QStringLiteral("window 50 = compute 20 + exposed 20 + mem 0 + idle 10; comm 30 "
                            "overlap 10"));
}

/// A file that was cut has the marks of all steps: what is lost of the last one was idle time.
void BreakdownTest::anIterationThatBreaksOffIsLeftOut()
{
    const Trace trace = traceFromText(R"(
        rank 0
        iteration 0 0 100
        iteration 1 100 100
        thread main
        ProfilerStep#0 0 100 user_annotation
        aten::mm 0 90
        aten::add 95 5
        ProfilerStep#1 100 100 user_annotation
        aten::mm 110 20
    )");
    const auto ranks = ranksOf(trace);
    QCOMPARE(ranks[0].iterations.size(), std::size_t { 1 });
    QCOMPARE(ranks[0].iterations[0].index, 0);
    QCOMPARE(printed(ranks[0].devices[0].time),
             QStringLiteral("window 100 = compute 95 + exposed 0 + mem 0 + idle 5; comm 0 "
                            "overlap 0"));
    const std::vector<std::string> told = blindSpots(trace, {}, ranks);
    QCOMPARE(told.size(), std::size_t { 1 });
    QVERIFY(told[0].starts_with("Iteration 1 of rank 0 (its recording breaks off"));
}

/// A rank that was cut early seemed to work less than the others, whose sums were of all steps.
void BreakdownTest::theMeanIsOfTheIterationsThatAllRanksHave()
{
    const Trace trace = traceFromText(R"(
        rank 0
        iteration 0 0 100
        iteration 1 100 100
        iteration 2 200 100
        thread main
        aten::mm 0 90
        aten::mm 100 70
        aten::mm 200 10
        rank 1
        iteration 0 0 100
        iteration 1 100 100
        thread main
        aten::mm 0 80
        aten::mm 100 80
    )");
    const auto ranks = ranksOf(trace);
    QCOMPARE(printed(ranks[0].devices[0].time),
             QStringLiteral("window 210 = compute 170 + exposed 0 + mem 0 + idle 40; comm 0 "
                            "overlap 0"));
    for (const RankDiagnosis &rank : ranks)
        QCOMPARE(printed(rank.devices[0].iterationMean),
                 QStringLiteral("window 100 = compute 80 + exposed 0 + mem 0 + idle 20; comm 0 "
                                "overlap 0"));
    QVERIFY(ranks[0].iterations[1].isCompared);
    QVERIFY(!ranks[0].iterations[2].isCompared);
}

/// What a server does itself was no one's, and its row read "compute 0 ns".
void BreakdownTest::aServersUpdateIsItsCompute()
{
    std::string job(tests::ParameterServerJob);
    job.insert(job.find("comm RECV~1"),
               "thread UPDATE\nUPDATE~w 70 15 user_annotation\nUPDATE~x 85 5 user_annotation\n");
    const Trace trace = traceFromText(job);
    const auto ranks = ranksOf(trace);
    QCOMPARE(printed(ranks[0].iterations.at(0).time),
             QStringLiteral("window 100 = compute 15 + exposed 85 + mem 0 + idle 0; comm 85 "
                            "overlap 0"));
    // Workers run operations: what annotations span there is their time already.
    QCOMPARE(ranks[1].iterations.at(0).time.computeNs, 20'000);
}

/// Rank 0 comes at 40 and waits for rank 1 until 70, of which its computation hides 10; all are
/// done at 90. Its second iteration waits for 10.
void BreakdownTest::exposedCommunicationIsTransferAndWaiting()
{
    const Trace trace = traceFromText(R"(
        rank 0
        iteration 0 0 100
        iteration 1 100 100
        thread main
        forward 0 50
        forward 100 60
        comm gloo
        gloo:all_reduce 40 50 kind=all_reduce bytes=8
        gloo:all_reduce 160 30 kind=all_reduce bytes=8
        rank 1
        iteration 0 0 100
        iteration 1 100 100
        thread main
        forward 0 70
        forward 100 70
        comm gloo
        gloo:all_reduce 70 20 kind=all_reduce bytes=8
        gloo:all_reduce 170 20 kind=all_reduce bytes=8
    )");
    const auto ranks = ranksOf(trace, transfersOf(trace, {}));
    const TimeBreakdown &first = ranks[0].iterations[0].time;
    QCOMPARE(first.exposedCommNs, 40'000);
    QCOMPARE(first.exposedWaitNs, std::optional<std::int64_t>(20'000));
    QCOMPARE(first.exposedTransferNs(), std::optional<std::int64_t>(20'000));
    QCOMPARE(ranks[0].devices[0].iterationMean.exposedWaitNs, std::optional<std::int64_t>(15'000));
    QCOMPARE(ranks[0].devices[0].time.exposedWaitNs, std::optional<std::int64_t>(30'000));
    QCOMPARE(ranks[0].waits.size(), std::size_t { 1 });
    QCOMPARE(ranks[0].waits[0].rank, 1);
    QCOMPARE(ranks[0].waits[0].ns, 15'000);
    QCOMPARE(ranks[1].iterations[0].time.exposedWaitNs, std::optional<std::int64_t>(0));
    QVERIFY(ranks[1].waits.empty());
    // The same from the graph: the mean of both ranks.
    const PartTimes parts = measuredPartsOf(trace, measuredGraph(trace, {}));
    QCOMPARE(parts.exposedCommNs, (40'000 + 30'000 + 20'000 + 20'000) / 4);
    QCOMPARE(parts.exposedWaitNs, std::optional<std::int64_t>((20'000 + 10'000) / 4));
}

/// Rank 0 does nothing but wait, 10 us in each of three iterations: rounding left -1 ns of
/// transfer.
void BreakdownTest::waitingIsNoLongerThanWhatItIsAPartOf()
{
    std::string text;
    for (const int rank : { 0, 1 }) {
        std::string iterations, calls;
        for (int i = 0; i < 3; ++i) {
            const int beginUs = 100 * i;
            iterations
                += "iteration " + std::to_string(i) + " " + std::to_string(beginUs) + " 100\n";
            calls += "gloo:all_reduce " + std::to_string(beginUs + (rank == 0 ? 40 : 50))
                + " 10 kind=all_reduce bytes=8\n";
        }
        text += "rank " + std::to_string(rank) + "\n" + iterations + "comm gloo\n" + calls;
    }
    const Trace trace = traceFromText(text);
    const auto ranks = ranksOf(trace, transfersOf(trace, {}));
    const TimeBreakdown &mean = ranks[0].devices[0].iterationMean;
    QCOMPARE(mean.exposedCommNs, 10'000);
    QCOMPARE(mean.exposedWaitNs, std::optional<std::int64_t>(10'000));
    QCOMPARE(mean.exposedTransferNs(), std::optional<std::int64_t>(0));
}

/// Rank 0 waits for rank 1 from 10 to 40 and for rank 2 from 20 to 60; from 40 on it transfers what
/// rank 1 has come for, until 45.
void BreakdownTest::overlappingWaitsAreForTheRankThatEndsThem()
{
    const Trace trace = traceFromText(R"(
        rank 0
        iteration 0 0 100
        comm a
        gloo:all_reduce 10 35 kind=all_reduce bytes=8 group=a
        comm b
        gloo:all_reduce 20 50 kind=all_reduce bytes=8 group=b
        rank 1
        iteration 0 0 100
        comm a
        gloo:all_reduce 40 5 kind=all_reduce bytes=8 group=a
        rank 2
        iteration 0 0 100
        comm b
        gloo:all_reduce 60 10 kind=all_reduce bytes=8 group=b
    )");
    const auto ranks = ranksOf(trace, transfersOf(trace, {}));
    QCOMPARE(ranks[0].iterations[0].time.exposedCommNs, 60'000);
    QCOMPARE(ranks[0].iterations[0].time.exposedWaitNs, std::optional<std::int64_t>(45'000));
    const std::vector<RankWait> &waits = ranks[0].waits;
    QVERIFY(waits.size() == 2 && waits[0].rank == 2 && waits[1].rank == 1);
    QCOMPARE(waits[0].ns, 35'000); // from 20 to 40, from 45 to 60
    QCOMPARE(waits[1].ns, 10'000);
}

/// An all-to-all of sends and receives was a message between the first and the last rank, which
/// waited for one another; rank 2 was the late one.
void BreakdownTest::sendsOfAllRanksWaitForTheLastOne()
{
    std::string text;
    for (const int rank : { 0, 1, 2, 3 }) {
        const int beginUs = rank == 2 ? 60 : 10 + rank;
        text += "rank " + std::to_string(rank)
            + "\niteration 0 0 100\nstream 7 gpu=0\nncclSendRecv " + std::to_string(beginUs) + " "
            + std::to_string(80 - beginUs) + " comm_kernel kind=send_recv bytes=8\n";
    }
    const Trace trace = traceFromText(text);
    const Graph graph = measuredGraph(trace, {});
    QVERIFY(graph.collectives.size() == 1 && !graph.collectives[0].isMessage);
    const auto ranks = ranksOf(trace, transfersOf(trace, graph));
    for (const std::size_t rank : { 0U, 1U, 3U }) {
        QCOMPARE(ranks[rank].waits.size(), std::size_t { 1 });
        QCOMPARE(ranks[rank].waits[0].rank, 2);
        QCOMPARE(ranks[rank].waits[0].ns, 50'000 - 1'000 * static_cast<std::int64_t>(rank));
    }
    QVERIFY(ranks[2].waits.empty());
    QVERIFY(serverWorkers(graph).empty());
}

void BreakdownTest::waitingIsNotKnownOfCommunicationWithoutOtherRanks()
{
    const Trace trace = traceFromText(R"(
        rank 0
        iteration 0 0 100
        thread main
        forward 0 40
        comm gloo
        gloo:all_reduce 40 50 kind=all_reduce bytes=8
    )");
    const auto ranks = ranksOf(trace, transfersOf(trace, {}));
    QCOMPARE(ranks[0].iterations[0].time.exposedCommNs, 50'000);
    QVERIFY(!ranks[0].iterations[0].time.exposedWaitNs);
    QVERIFY(!ranks[0].devices[0].iterationMean.exposedTransferNs());
    QVERIFY(!measuredPartsOf(trace, measuredGraph(trace, {})).exposedWaitNs);
}

/// All that two of three ranks wait for the third was told as transfer, and waiting as 0 ns.
void BreakdownTest::waitingIsNotKnownWhereARankIsNotRecorded()
{
    const Trace trace = traceFromText(R"(
        rank 0
        iteration 0 0 100
        thread main
        forward 0 40
        comm gloo
        gloo:all_reduce 40 50 kind=all_reduce bytes=8 size=3
        rank 1
        iteration 0 0 100
        thread main
        forward 0 40
        comm gloo
        gloo:all_reduce 40 50 kind=all_reduce bytes=8 size=3
    )");
    const Graph graph = measuredGraph(trace, {});
    const auto ranks = ranksOf(trace, transfersOf(trace, graph));
    QCOMPARE(ranks[0].iterations[0].time.exposedCommNs, 50'000);
    QVERIFY(!ranks[0].iterations[0].time.exposedWaitNs);
    QVERIFY(!ranks[1].devices[0].iterationMean.exposedWaitNs);
    QVERIFY(!measuredPartsOf(trace, graph).exposedWaitNs);
    const PredictionBase base = predictionBase(trace, graph, {});
    QVERIFY(!base.measuredParts.exposedWaitNs && !base.replayedParts.exposedWaitNs);
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(BreakdownTest)
#include "tst_breakdown.moc"
