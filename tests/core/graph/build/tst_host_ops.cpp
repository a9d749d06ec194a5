#include "core/graph/build_graph.h"
#include "core/replay/replay.h"
#include "tests/support/trace_builder.h"

#include <QTest>

#include <cstdint>
#include <string>
#include <vector>

using namespace core;

/// What of a host's thread is work of its own, and where one op of it ends.
class TestHostOps : public QObject
{
    Q_OBJECT

private slots:
    void neighboursThatOverlapByRoundingAreTwoOps();
    void aHandOffThatOverlapsByRoundingTakesNoNegativeTime();
    void loadingTheInputIsAnOpWhereNoneRunsInIt();
    void inputThatOpsFillIsNoOp();
    void anAnnotationAroundAStepIsNoWork();
    void whatAwaitsTheDeviceIsNoWork();
    void launchesThatAreNoOpsOfTheirOwnLaunch_data();
    void launchesThatAreNoOpsOfTheirOwnLaunch();
    void whatBeganBeforeIsNotLaunched();
    void callsIntoADeviceThatWasNotRecordedAreTheirOperators();
    void aCopyOfPageableMemoryBeginsWithinItsCall();
    void onlyTheCallOfAStagedCopyWaitsForItsStream();
};

/// The first was taken for what holds the second, and was cut into what is inside of it.
void TestHostOps::neighboursThatOverlapByRoundingAreTwoOps()
{
    Trace trace = tests::traceFromText("rank 0\niteration 0 0 100\nthread main\n"
                                       "torch.distributed.ddp.reducer::copy_bucket_to_grad 10 10\n"
                                       "aten::copy_ 12 6\n"
                                       "torch.distributed.ddp.reducer::copy_bucket_to_grad 20 10\n"
                                       "aten::copy_ 22 6\n");
    trace.slices[0].durationNs[0] += 2;
    const Graph graph = buildGraph(trace, {});
    std::vector<std::int64_t> durationsNs;
    for (std::uint32_t op = 0; op < graph.size(); ++op)
        if (graph.kind[op] == OpKind::Compute)
            durationsNs.push_back(graph.durationNs[op]);
    QCOMPARE(durationsNs, (std::vector<std::int64_t> { 10'002, 9'998 }));
}

/// It was cut at its own begin, before the end of the call in front of it.
void TestHostOps::aHandOffThatOverlapsByRoundingTakesNoNegativeTime()
{
    Trace trace = tests::traceFromText("rank 0\niteration 0 0 100\nthread main\n"
                                       "cudaStreamWaitEvent 10 4 runtime\n"
                                       "c10d::allreduce_ 14 40\n");
    trace.slices[0].durationNs[0] += 304;
    const Graph graph = buildGraph(trace, {});
    for (std::uint32_t op = 0; op < graph.size(); ++op)
        QVERIFY2(graph.durationNs[op] >= 0, qPrintable(QString::number(graph.durationNs[op])));
}

/// 10 of 20 us before the batch is stacked, none behind the annotation.
void TestHostOps::loadingTheInputIsAnOpWhereNoneRunsInIt()
{
    const Graph graph = buildGraph(tests::traceFromText("rank 0\n"
                                                        "iteration 0 0 100\n"
                                                        "thread main\n"
                                                        "zero 0 5\n"
                                                        "load 15 30 user_annotation phase=input\n"
                                                        "next 20 25 user_annotation phase=input\n"
                                                        "stack 25 10 phase=input\n"
                                                        "forward 50 50\n"),
                                   {});
    QStringList ops;
    for (std::uint32_t op = 0; op < graph.size(); ++op)
        if (graph.kind[op] != OpKind::Virtual)
            ops << QStringLiteral("%1 %2+%3%4")
                       .arg(QString::fromStdString(graph.names[graph.name[op].value]))
                       .arg(graph.delayNs[op] / 1000)
                       .arg(graph.durationNs[op] / 1000)
                       .arg(graph.phase[op] == Phase::Input ? QStringLiteral(" input") : QString());
    QCOMPARE(ops.join(QStringLiteral(", ")),
             QStringLiteral("zero 0+5, load 10+10 input, stack 0+10 input, load 0+10 input, "
                            "forward 5+50"));
}

/// Between two ops without a pause it was an op of no time, and behind one that outlasts the
/// recorded iterations it was an op of negative time.
void TestHostOps::inputThatOpsFillIsNoOp()
{
    const Graph graph = buildGraph(tests::traceFromText("rank 0\n"
                                                        "iteration 0 0 100\n"
                                                        "thread main\n"
                                                        "load 10 20 user_annotation phase=input\n"
                                                        "stack 10 10 phase=input\n"
                                                        "copy 20 10 phase=input\n"
                                                        "load 80 60 user_annotation phase=input\n"
                                                        "stack 90 30 phase=input\n"),
                                   {});
    QStringList ops;
    for (std::uint32_t op = 0; op < graph.size(); ++op)
        if (graph.kind[op] != OpKind::Virtual)
            ops << QStringLiteral("%1 %2")
                       .arg(QString::fromStdString(graph.names[graph.name[op].value]))
                       .arg(graph.durationNs[op] / 1000);
    QCOMPARE(ops.join(QStringLiteral(", ")),
             QStringLiteral("stack 10, copy 10, load 10, stack 30"));
}

/// jax.profiler.StepTraceAnnotation was taken for a host that works all the time, and that no
/// shorter transfer makes faster. What is within a step is work.
void TestHostOps::anAnnotationAroundAStepIsNoWork()
{
    Graph graph = buildGraph(tests::traceFromText("rank 0\n"
                                                  "iteration 0 0 1000\n"
                                                  "iteration 1 1000 1000\n"
                                                  "thread python\n"
                                                  "epoch 0 2000 user_annotation\n"
                                                  "train 0 1000 user_annotation\n"
                                                  "train 1000 1000 user_annotation\n"
                                                  "thread reader\n"
                                                  "read 100 50 user_annotation\n"
                                                  "stream compute\n"
                                                  "fusion 0 600\n"
                                                  "fusion 1000 600\n"
                                                  "stream nccl\n"
                                                  "AllReduce 600 400 comm_kernel\n"
                                                  "AllReduce 1600 400 comm_kernel\n"),
                             {});
    std::vector<std::string> hostOps;
    for (std::uint32_t op = 0; op < graph.size(); ++op)
        if (graph.kind[op] == OpKind::Host)
            hostOps.push_back(graph.names[graph.name[op].value]);
    QCOMPARE(hostOps, std::vector<std::string> { "read" });
    QCOMPARE(replay(graph, {}).iterationEndNs.back(), std::int64_t { 2'000'000 });
    for (std::uint32_t op = 0; op < graph.size(); ++op)
        if (graph.kind[op] == OpKind::Communication)
            graph.durationNs[op] = 0;
    QCOMPARE(replay(graph, {}).iterationEndNs.back(), std::int64_t { 1'200'000 });
}

/// JAX's launches are not recorded; the host's wait was taken for its work.
void TestHostOps::whatAwaitsTheDeviceIsNoWork()
{
    Graph graph = buildGraph(tests::traceFromText("rank 0\n"
                                                  "iteration 0 0 1000\n"
                                                  "iteration 1 1000 1000\n"
                                                  "thread python\n"
                                                  "PjitFunction(step) 0 100\n"
                                                  "PjRtFuture::Await 100 890\n"
                                                  "PjitFunction(step) 1000 100\n"
                                                  "PjRtFuture::Await 1100 890\n"
                                                  "stream compute\n"
                                                  "fusion 50 550\n"
                                                  "fusion 1050 550\n"
                                                  "stream nccl\n"
                                                  "AllReduce 600 380 comm_kernel\n"
                                                  "AllReduce 1600 380 comm_kernel\n"),
                             {});
    for (std::uint32_t op = 0; op < graph.size(); ++op)
        if (graph.names[graph.name[op].value] == "PjRtFuture::Await")
            QCOMPARE(graph.durationNs[op], std::int64_t { 10'000 });
    QCOMPARE(replay(graph, {}).iterationEndNs.back(), std::int64_t { 2'000'000 });
    for (std::uint32_t op = 0; op < graph.size(); ++op)
        if (graph.kind[op] == OpKind::Communication)
            graph.durationNs[op] = 0;
    QCOMPARE(replay(graph, {}).iterationEndNs.back(), std::int64_t { 1'240'000 });
}

void TestHostOps::launchesThatAreNoOpsOfTheirOwnLaunch_data()
{
    QTest::addColumn<QString>("host");
    QTest::addColumn<QString>("from"); ///< what the kernel is launched by
    QTest::newRow("a call of no time begins with it")
        << QStringLiteral("cudaLaunchKernel 10 8 runtime corr=7\n"
                          "cudaFuncSetAttribute 10 0 runtime corr=8\n")
        << QStringLiteral("cudaLaunchKernel");
    QTest::newRow("it takes no time within another call")
        << QStringLiteral("cudaGraphLaunch 10 8 runtime corr=9\n"
                          "cudaLaunchKernel 10 0 runtime corr=7\n")
        << QStringLiteral("cudaGraphLaunch");
    QTest::newRow("it ends within an operator that holds another call")
        << QStringLiteral("cudaMemcpyAsync 10 8 runtime corr=7\naten::copy_ 12 20\n"
                          "cudaStreamIsCapturing 20 5 runtime corr=8\n")
        << QStringLiteral("cudaMemcpyAsync");
    QTest::newRow("it holds a call") << QStringLiteral("hipMemcpyAsync 10 20 runtime corr=7\n"
                                                       "hipStreamSynchronize 12 5 runtime corr=8\n")
                                     << QStringLiteral("hipStreamSynchronize");
}

/// The copy came behind the call that waits for it.
void TestHostOps::whatBeganBeforeIsNotLaunched()
{
    const Graph graph
        = buildGraph(tests::traceFromText("rank 0\niteration 0 0 100\nthread main\n"
                                          "hipMemcpyAsync 10 20 runtime corr=7\n"
                                          "hipStreamSynchronize 15 10 runtime corr=8\n"
                                          "stream 7 gpu=0\ncopy 12 5 memcpy corr=7\n"),
                     {});
    for (std::uint32_t op = 0; op < graph.size(); ++op)
        for (const auto &edge : graph.predecessors(OpId(op)))
            QVERIFY(edge.kind != EdgeKind::Launch);
}

/// Calls as Kineto records them, in whole microseconds and across the ends of operators: their
/// kernels ran whenever the stream was free, however long the host took.
void TestHostOps::launchesThatAreNoOpsOfTheirOwnLaunch()
{
    QFETCH(const QString, host);
    QFETCH(const QString, from);
    const Graph graph = buildGraph(
        tests::traceFromText("rank 0\niteration 0 0 100\nthread main\n" + host.toStdString()
                             + "stream 7 gpu=0\ngemm 40 20 kernel corr=7\n"),
        {});
    QStringList launching;
    for (std::uint32_t op = 0; op < graph.size(); ++op)
        for (const auto &edge : graph.predecessors(OpId(op)))
            if (edge.kind == EdgeKind::Launch)
                launching << QString::fromStdString(graph.names[graph.name[edge.op.value].value]);
    QCOMPARE(launching, QStringList { from });
}

/// Operators were opened for their launches: most of what was measured as computation was replayed
/// as the host's calls and pauses.
void TestHostOps::callsIntoADeviceThatWasNotRecordedAreTheirOperators()
{
    const std::string host = "rank 0\niteration 0 0 100\nthread main\n"
                             "aten::linear 10 40\ncudaFree 12 10 runtime corr=6\n"
                             "cudaLaunchKernel 30 15 runtime corr=7\naten::relu 60 20\n"
                             "cudaMemcpy 65 10 runtime corr=8\n";
    const auto computeNs = [](const std::string &text) {
        const Graph graph = buildGraph(tests::traceFromText(text), {});
        std::vector<std::int64_t> durationsNs;
        for (std::uint32_t op = 0; op < graph.size(); ++op)
            if (graph.kind[op] == OpKind::Compute
                && !graph.devices[graph.device[op].value].isStream)
                durationsNs.push_back(graph.durationNs[op]);
        return durationsNs;
    };
    QCOMPARE(computeNs(host), (std::vector<std::int64_t> { 40'000, 20'000 }));
    // Where a kernel was recorded, the device computes, and calls are ops of their own.
    QVERIFY(computeNs(host + "stream 7 gpu=0\ngemm 50 10 kernel corr=7\n").empty());
}

/// An asynchronous call waited for nothing, and its copy began when it had returned, at 85 us.
void TestHostOps::aCopyOfPageableMemoryBeginsWithinItsCall()
{
    const Graph graph
        = buildGraph(tests::traceFromText("rank 0\niteration 0 0 100\nthread main\n"
                                          "cudaLaunchKernel 5 5 runtime corr=6\n"
                                          "cudaMemcpyAsync 20 65 runtime corr=7\n"
                                          "stream 7 gpu=0\ngemm 12 38 kernel corr=6\n"
                                          "HtoD(Pageable->Device) 50 30 memcpy corr=7\n"),
                     {});
    const ReplayResult result = replay(graph, {});
    for (std::uint32_t op = 0; op < graph.size(); ++op)
        if (graph.kind[op] == OpKind::Memory)
            QCOMPARE(result.startNs[op], std::int64_t { 50'000 });
}

/// The call that stands for the copy's, which is cut open for it, waited for the stream instead.
void TestHostOps::onlyTheCallOfAStagedCopyWaitsForItsStream()
{
    const Graph graph
        = buildGraph(tests::traceFromText("rank 0\niteration 0 0 100\nthread main\n"
                                          "hipLaunchKernel 2 2 runtime corr=6\n"
                                          "hipMemcpyAsync 10 40 runtime corr=7\n"
                                          "hipStreamIsCapturing 12 8 runtime corr=8\n"
                                          "stream 7 gpu=0\ngemm 6 9 kernel corr=6\n"
                                          "HtoD(Pageable->Device) 16 30 memcpy corr=7\n"),
                     {});
    for (std::uint32_t op = 0; op < graph.size(); ++op)
        for (const auto &edge : graph.predecessors(OpId(op)))
            QVERIFY(edge.kind != EdgeKind::Sync);
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestHostOps)
#include "tst_host_ops.moc"
