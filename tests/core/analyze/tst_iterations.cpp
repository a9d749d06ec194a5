#include "core/analyze/iterations.h"
#include "core/model/device_iterations.h"
#include "tests/support/trace_builder.h"

#include <QtTest>

using namespace core;
using tests::traceFromText;

namespace {

/// "0/4: 10-110 | 0/5: 110-200": worker / index: start-end in us.
QString printed(const std::vector<Iteration> &iterations)
{
    QStringList list;
    for (const Iteration &iteration : iterations)
        list << QStringLiteral("%1/%2: %3-%4")
                    .arg(iteration.worker.value)
                    .arg(iteration.index)
                    .arg(iteration.range.startNs / 1000)
                    .arg(iteration.range.endNs / 1000);
    return list.join(QStringLiteral(" | "));
}

} // namespace

class IterationsTest : public QObject
{
    Q_OBJECT

private slots:
    void profilerStepsAreIterations();
    void optimizerStepsBoundIterationsWhereThereIsNoProfilerStep();
    void aTraceWithoutStepsIsOneIteration();
    void stepsThatTheSourceStatesAreKept();
    void aRankThatRecordedNothingHasNoIteration();
    void tensorsThatAreReducedAgainBeginAnIteration();
    void deviceAnnotationsMoveTheRange();
    void aStepLastsOnTheDeviceAsLongAsOnTheHost();
    void whatTheStepBeforeStillDoesIsNotTheNextOnes();
};

void IterationsTest::profilerStepsAreIterations()
{
    const Trace trace = traceFromText(R"(
        rank 0
        annotations gpu
        ProfilerStep#4 30 100
        thread main
        ProfilerStep#5 110 90 user_annotation
        ProfilerStep#4 10 100 user_annotation
        ProfilerStep#x 5 100 user_annotation
        aten::mm 20 5
        rank 1
        thread main
        ProfilerStep#4 12 100 user_annotation
    )");
    QCOMPARE(printed(detectIterations(trace)),
             QStringLiteral("0/4: 10-110 | 0/5: 110-200 | 1/4: 12-112"));
}

void IterationsTest::stepsThatTheSourceStatesAreKept()
{
    Trace trace = traceFromText(R"(
        rank 0
        thread main
        ProfilerStep#4 10 100 user_annotation
        rank 1
        thread main
        ProfilerStep#4 12 100 user_annotation
        rank 2
        thread main
        push 12 30
    )");
    trace.iterations = { { WorkerId(0), 9, { 20'000, 60'000 }, true },
                         { WorkerId(1), 9, { 20'000, 60'000 }, false } }; // found by an earlier run
    const std::vector<Iteration> found = detectIterations(trace);
    QCOMPARE(printed(found), QStringLiteral("0/9: 20-60 | 1/4: 12-112 | 2/9: 20-60"));
    QVERIFY(found[0].isStated && !found[1].isStated && !found[2].isStated); // 2 borrows from 0
}

/// The steps of rank 0 were told as those of a rank whose file is empty, or is of another job.
void IterationsTest::aRankThatRecordedNothingHasNoIteration()
{
    const std::vector<Iteration> found = detectIterations(tests::traceFromText(R"(
rank 0
thread main
ProfilerStep#0 0 100 user_annotation
ProfilerStep#1 100 100 user_annotation
rank 1
thread main
rank 2
comm server
PUSH 150 10
)"));
    QCOMPARE(found.size(), std::size_t { 3 });
    QCOMPARE(found[2].worker, WorkerId(2));
    QCOMPARE(found[2].index, std::int64_t { 1 });
}

void IterationsTest::tensorsThatAreReducedAgainBeginAnIteration()
{
    Trace trace = traceFromText(R"(
        rank 0
        thread main
        ALLREDUCE 10 20
        ALLREDUCE 110 20
        rank 1
        thread main
        ALLREDUCE 15 15
        ALLREDUCE 120 15
    )");
    for (const std::uint64_t slice : { 0U, 1U, 2U, 3U, 99U }) { // 99: a damaged project
        trace.collectives.push_back({ SliceId(slice),
                                      WorkerId(slice == 2 || slice == 3),
                                      "all_reduce",
                                      "",
                                      {},
                                      0,
                                      {},
                                      {} });
        trace.tensorUses.push_back({ SliceId(slice), TensorId(0) });
    }
    const std::vector<Iteration> found = detectIterations(trace);
    QCOMPARE(printed(found),
             QStringLiteral("0/0: 10-110 | 0/1: 110-130 | 1/0: 15-120 | 1/1: 120-135"));
    QVERIFY(!found.front().isStated);
}

void IterationsTest::optimizerStepsBoundIterationsWhereThereIsNoProfilerStep()
{
    const Trace trace = traceFromText(R"(
        rank 0
        thread main
        Optimizer.step#SGD.step 80 20 user_annotation
        Optimizer.step#SGD.step 180 25 user_annotation
        Optimizer.step#SGD.step 280 30 user_annotation
        Optimizer.step#Once 380 30 user_annotation
    )");
    QCOMPARE(printed(detectIterations(trace)), QStringLiteral("0/0: 100-205 | 0/1: 205-310"));
}

void IterationsTest::aTraceWithoutStepsIsOneIteration()
{
    const Trace trace = traceFromText(R"(
        rank 0
        thread main
        op 10 5
        op 30 5
        stream 7 gpu=0
        k 40 20
        rank 1
        thread main
    )");
    QCOMPARE(printed(detectIterations(trace)), QStringLiteral("0/0: 10-60"));
}

void IterationsTest::deviceAnnotationsMoveTheRange()
{
    Trace trace = traceFromText(R"(
        rank 0
        thread main
        ProfilerStep#4 10 100 user_annotation
        ProfilerStep#5 110 90 user_annotation
        annotations gpu7
        ProfilerStep#4 30 100
        annotations gpu9
        ProfilerStep#4 28 110
    )");
    trace.iterations = detectIterations(trace);
    const std::vector<TimeRange> ranges = deviceIterationRanges(trace);
    const std::vector<TimeRange> expected { { 28'000, 138'000 }, { 110'000, 200'000 } };
    QVERIFY(ranges == expected);
}

/// On AMD the annotation covers the forward pass only; a device that waits for the host is not
/// annotated meanwhile.
void IterationsTest::aStepLastsOnTheDeviceAsLongAsOnTheHost()
{
    Trace trace = traceFromText(R"(
        rank 0
        thread main
        ProfilerStep#1 10 100 user_annotation
        ProfilerStep#2 110 100 user_annotation
        annotations gpu0
        ProfilerStep#1 20 15
        ProfilerStep#2 150 80
        rank 1
        thread main
        ProfilerStep#1 210 100 user_annotation
        annotations gpu1
        ProfilerStep#1 205 15
    )");
    trace.iterations = detectIterations(trace);
    const std::vector<TimeRange> expected { { 10'000, 110'000 },
                                            { 130'000, 230'000 },
                                            { 205'000, 305'000 } };
    QVERIFY(deviceIterationRanges(trace) == expected);
}

void IterationsTest::whatTheStepBeforeStillDoesIsNotTheNextOnes()
{
    Trace trace = traceFromText(R"(
        rank 0
        thread main
        ProfilerStep#1 10 100 user_annotation
        ProfilerStep#2 110 100 user_annotation
        ProfilerStep#3 210 100 user_annotation
        annotations gpu0
        ProfilerStep#1 20 120
        ProfilerStep#2 150 30
        annotations gpu1
        ProfilerStep#2 155 80
        ProfilerStep#3 230 50
    )");
    trace.iterations = detectIterations(trace);
    const std::vector<TimeRange> expected { { 20'000, 140'000 },
                                            { 140'000, 235'000 },
                                            { 230'000, 310'000 } };
    QVERIFY(deviceIterationRanges(trace) == expected);
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(IterationsTest)
#include "tst_iterations.moc"
