#include "core/graph/build_graph.h"
#include "core/replay/replay.h"
#include "tests/support/trace_builder.h"

#include <QTest>

#include <ctime>
#include <string>

using namespace core;

namespace {

std::string nameOf(const Graph &graph, OpId op)
{
    return graph.names[graph.name[op.value].value];
}

std::optional<OpId> opNamed(const Graph &graph, std::string_view name, std::uint32_t worker = 0)
{
    for (std::uint32_t i = 0; i < graph.size(); ++i)
        if (nameOf(graph, OpId(i)) == name && graph.worker[i].value == worker)
            return OpId(i);
    return {};
}

/// "launch:launch, a:stream order": the op's predecessors, named.
QString predecessorsText(const Graph &graph, OpId op)
{
    QStringList words;
    for (const Edge &edge : graph.predecessors(op))
        words << QString::fromStdString(nameOf(graph, edge.op) + ":"
                                        + std::string(edgeKindName(edge.kind)));
    words.sort();
    return words.join(QStringLiteral(", "));
}

constexpr const char *GpuRank = R"(
rank 0
iteration 0 0 1000
thread main
aten::linear 10 100
cudaLaunchKernel 20 10 runtime corr=1
cudaLaunchKernel 60 10 runtime corr=2
cudaDeviceSynchronize 200 300 runtime
aten::after 600 50
stream 7 gpu=0
gemm 40 200 kernel corr=1
relu 250 200 kernel corr=2
)";

/// One CUDA graph: all its kernels have the launch's correlation.
constexpr const char *CudaGraph = R"(
rank 0
iteration 0 0 1000
thread main
cudaGraphLaunch 20 30 runtime corr=5
cudaGraphLaunch 60 30 runtime corr=6
cudaDeviceSynchronize 200 300 runtime
aten::after 500 500
stream 7 gpu=0
gemm 50 100 kernel corr=5
relu 150 100 kernel corr=5
again 250 200 kernel corr=6
stream 8 gpu=0
other 50 300 kernel corr=5
)";

/// Two ranks that compute, all-reduce on a gloo thread and go on when it is done; rank 1 comes 100
/// us later.
constexpr const char *CpuRanks = R"(
rank 0
iteration 0 0 1000
thread main
aten::forward 0 100
c10d::allreduce_ 100 1
aten::view 800 10
comm gloo
gloo:all_reduce 110 650 kind=all_reduce bytes=4000
rank 1
iteration 0 0 1000
thread main
aten::forward 0 200
c10d::allreduce_ 200 1
aten::view 800 10
comm gloo
gloo:all_reduce 210 550 kind=all_reduce bytes=4000
)";

} // namespace

class TestBuildGraph : public QObject
{
    Q_OBJECT

private slots:
    void kernelsFollowTheirLaunchAndStream();
    void allKernelsOfACudaGraphFollowItsLaunch();
    void aBlockingCallWaitsForTheDevice();
    void aBlockingCallWaitsForWhatWasLaunchedBeforeTheRecording();
    void aBlockingCallDoesNotWaitForWhatEndsAfterIt();
    void aSynchronousCopyBeginsWithinItsCall();
    void anOpAroundALaunchIsOpened();
    void whereNothingTellsIterationsApartTheRecordingEnds();
    void aCollectiveWaitsForTheLastRank();
    void whatWaitedForACollectiveDependsOnIt();
    void aGroupsLinkIsNamedByItsRanks();
    void aRankWithoutIterationsIsLeftOut();
    void threadsCostNoMoreTheMoreThereAre();
    void replayOfTheUnchangedGraphReproducesTheTrace_data();
    void replayOfTheUnchangedGraphReproducesTheTrace();
    void edgesGoFromSmallerToLargerIds();
};

void TestBuildGraph::kernelsFollowTheirLaunchAndStream()
{
    const Graph graph = buildGraph(tests::traceFromText(GpuRank), {});
    QCOMPARE(predecessorsText(graph, *opNamed(graph, "gemm")),
             QStringLiteral("cudaLaunchKernel:launch"));
    QCOMPARE(predecessorsText(graph, *opNamed(graph, "relu")),
             QStringLiteral("cudaLaunchKernel:launch, gemm:stream order"));
}

void TestBuildGraph::allKernelsOfACudaGraphFollowItsLaunch()
{
    const Graph graph = buildGraph(tests::traceFromText(CudaGraph), {});
    QCOMPARE(predecessorsText(graph, *opNamed(graph, "gemm")),
             QStringLiteral("cudaGraphLaunch:launch"));
    QCOMPARE(predecessorsText(graph, *opNamed(graph, "other")),
             QStringLiteral("cudaGraphLaunch:launch"));
    QCOMPARE(predecessorsText(graph, *opNamed(graph, "relu")),
             QStringLiteral("cudaGraphLaunch:launch, gemm:stream order"));
    QCOMPARE(predecessorsText(graph, *opNamed(graph, "again")),
             QStringLiteral("cudaGraphLaunch:launch, relu:stream order"));
    // The first launch has its three kernels and no others.
    const OpId first = *opNamed(graph, "cudaGraphLaunch");
    std::size_t launched = 0;
    for (std::uint32_t i = 0; i < graph.size(); ++i)
        for (const Edge &edge : graph.predecessors(OpId(i)))
            launched += edge.kind == EdgeKind::Launch && edge.op == first ? 1U : 0U;
    QCOMPARE(launched, std::size_t { 3 });
}

void TestBuildGraph::aBlockingCallWaitsForTheDevice()
{
    const Graph graph = buildGraph(tests::traceFromText(GpuRank), {});
    const OpId call = *opNamed(graph, "cudaDeviceSynchronize");
    QVERIFY(predecessorsText(graph, call).contains(QStringLiteral("relu:synchronisation")));
    // It returned at 500; the device was done at 450.
    QCOMPARE(graph.durationNs[call.value], std::int64_t { 50'000 });
}

/// The recording of an iteration begins with a wait for kernels launched before it: the wait was
/// replayed as long as recorded, however fast the kernels were.
void TestBuildGraph::aBlockingCallWaitsForWhatWasLaunchedBeforeTheRecording()
{
    const Graph graph
        = buildGraph(tests::traceFromText("rank 0\niteration 0 0 1000\nthread main\n"
                                          "cudaDeviceSynchronize 50 400 runtime\n"
                                          "cudaLaunchKernel 500 10 runtime corr=3\n"
                                          "stream 7 gpu=0\nfirst 20 180 kernel corr=1\n"
                                          "second 200 230 kernel corr=2\n"
                                          "third 520 100 kernel corr=3\n"
                                          "stream 8 gpu=0\ncopy 100 200 memcpy corr=4\n"),
                     {});
    const OpId call = *opNamed(graph, "cudaDeviceSynchronize");
    const QString awaited = predecessorsText(graph, call);
    QVERIFY2(awaited.contains(QStringLiteral("second:synchronisation")), qPrintable(awaited));
    QVERIFY2(awaited.contains(QStringLiteral("copy:synchronisation")), qPrintable(awaited));
    // It returned at 450; the device was done at 430.
    QCOMPARE(graph.durationNs[call.value], std::int64_t { 20'000 });
    QCOMPARE(replay(graph, {}).iterationEndNs.front(), std::int64_t { 1'000'000 });
}

/// Of another stream than the call's. A call for the whole device did not wait either for what
/// ended after it, but for what came before that on the stream: of a trace of ROCm the last of 463
/// kernels ended 7.5 us after the hipDeviceSynchronize that waits for them.
void TestBuildGraph::aBlockingCallDoesNotWaitForWhatEndsAfterIt()
{
    const auto awaitedBy = [](const std::string &call) {
        const Graph graph = buildGraph(
            tests::traceFromText("rank 0\niteration 0 0 1000\nthread main\n" + call
                                 + " 50 400 runtime\ncudaLaunchKernel 500 10 runtime corr=3\n"
                                   "stream 7 gpu=0\nfirst 100 180 kernel corr=1\n"
                                   "second 280 178 kernel corr=2\n"
                                   "third 520 100 kernel corr=3\n"),
            {});
        const OpId op = *opNamed(graph, call);
        return QStringLiteral("%1, %2 us")
            .arg(predecessorsText(graph, op))
            .arg(graph.durationNs[op.value] / 1000);
    };
    QCOMPARE(awaitedBy("cudaStreamSynchronize"),
             QStringLiteral("first iteration begins:inferred, 400 us"));
    QCOMPARE(awaitedBy("hipDeviceSynchronize"), QStringLiteral("first:synchronisation, 170 us"));
}

/// The copy of a cudaMemcpy began when the call had ended, which took as long as the copy: jobs
/// with many of them were replayed 9 % too slow.
void TestBuildGraph::aSynchronousCopyBeginsWithinItsCall()
{
    const auto graphWith = [](const char *copy) {
        return buildGraph(tests::traceFromText(std::string("rank 0\n"
                                                           "iteration 0 0 1000\n"
                                                           "thread main\n"
                                                           "aten::before 0 100\n"
                                                           "cudaMemcpy 200 300 runtime corr=1\n"
                                                           "aten::after 500 100\n"
                                                           "stream 7 gpu=0\n")
                                               + copy),
                          {});
    };
    const Graph graph = graphWith("copy 300 150 memcpy corr=1\n");
    const OpId copy = *opNamed(graph, "copy");
    QCOMPARE(predecessorsText(graph, copy), QStringLiteral("cudaMemcpy:launch"));
    const OpId head = graph.predecessors(copy).front().op;
    QCOMPARE(predecessorsText(graph, head), QStringLiteral("aten::before:host order"));
    QCOMPARE(graph.durationNs[head.value], std::int64_t { 100'000 });
    OpId after = *opNamed(graph, "aten::after");
    QCOMPARE(predecessorsText(graph, after), QStringLiteral("cudaMemcpy:host order"));
    OpId call = graph.predecessors(after).front().op;
    QVERIFY(predecessorsText(graph, call).contains(QStringLiteral("copy:synchronisation")));
    QCOMPARE(graph.durationNs[call.value], std::int64_t { 50'000 });
    // It returned before the copy had ended: it did not wait for that.
    const Graph staged = graphWith("copy 300 220 memcpy corr=1\n");
    after = *opNamed(staged, "aten::after");
    call = staged.predecessors(after).front().op;
    QVERIFY(!predecessorsText(staged, call).contains(QStringLiteral("copy")));
    QCOMPARE(staged.durationNs[call.value], std::int64_t { 200'000 });
}

void TestBuildGraph::anOpAroundALaunchIsOpened()
{
    const Graph graph = buildGraph(tests::traceFromText(GpuRank), {});
    QVERIFY(!opNamed(graph, "aten::linear"));
    QVERIFY(opNamed(graph, "aten::after"));
}

void TestBuildGraph::whereNothingTellsIterationsApartTheRecordingEnds()
{
    const std::string threads = "thread main\nforward 10 40\nupdate 60 20\n";
    const Graph whole
        = buildGraph(tests::traceFromText("rank 0\niteration 0 10 70\n" + threads), {});
    QVERIFY(opNamed(whole, "recording ends"));
    QVERIFY(!opNamed(whole, "iteration ends"));
    const Graph known
        = buildGraph(tests::traceFromText("rank 0\niteration 0 0 100\n" + threads), {});
    QVERIFY(!opNamed(known, "recording ends"));
    QVERIFY(opNamed(known, "iteration ends"));
}

void TestBuildGraph::aCollectiveWaitsForTheLastRank()
{
    const Graph graph = buildGraph(tests::traceFromText(CpuRanks), {});
    QCOMPARE(graph.collectives.size(), std::size_t { 1 });
    const CollectiveNode &node = graph.collectives.front();
    QCOMPARE(node.parts.size(), std::size_t { 2 });
    // Rank 1 entered last, at 210; both left at 760.
    QCOMPARE(graph.measuredStartNs[node.transfer.value]
                 - graph.measuredStartNs[graph.iterationBegins[0].value],
             std::int64_t { 210'000 });
    QCOMPARE(graph.durationNs[node.transfer.value], std::int64_t { 550'000 });
    QVERIFY(graph.devices[graph.device[node.transfer.value].value].isLink);
}

void TestBuildGraph::whatWaitedForACollectiveDependsOnIt()
{
    const Graph graph = buildGraph(tests::traceFromText(CpuRanks), {});
    QVERIFY(predecessorsText(graph, *opNamed(graph, "aten::view", 1))
                .contains(QStringLiteral(":inferred")));
}

void TestBuildGraph::aRankWithoutIterationsIsLeftOut()
{
    const Graph graph
        = buildGraph(tests::traceFromText(std::string(GpuRank) + "rank 1\nthread main\n"), {});
    QCOMPARE(graph.workerCount(), std::size_t { 2 });
    const ReplayResult result = replay(graph, {});
    QCOMPARE(result.iterationEndNs[1], std::int64_t { 0 });
    QCOMPARE(graph.notes.size(), std::size_t { 1 });
    QVERIFY(QString::fromStdString(graph.notes.front())
                .startsWith(QStringLiteral("Rank 1 has nothing with a time to replay")));
}

void TestBuildGraph::replayOfTheUnchangedGraphReproducesTheTrace_data()
{
    QTest::addColumn<QByteArray>("trace");
    QTest::newRow("GPU") << QByteArray(GpuRank);
    QTest::newRow("CUDA graph") << QByteArray(CudaGraph);
    QTest::newRow("CPU, two ranks") << QByteArray(CpuRanks);
}

void TestBuildGraph::replayOfTheUnchangedGraphReproducesTheTrace()
{
    QFETCH(QByteArray, trace);
    const Graph graph = buildGraph(tests::traceFromText(trace.toStdString()), {});
    const ReplayResult result = replay(graph, {});
    const std::int64_t origin = graph.measuredStartNs[graph.iterationBegins.front().value];
    for (std::uint32_t i = 0; i < graph.size(); ++i)
        QVERIFY2(std::abs(result.startNs[i] - (graph.measuredStartNs[i] - origin)) <= 20'000,
                 nameOf(graph, OpId(i)).c_str());
    for (const std::int64_t endNs : result.iterationEndNs)
        QVERIFY(std::abs(endNs - 1'000'000) <= 10'000);
}

void TestBuildGraph::edgesGoFromSmallerToLargerIds()
{
    const Graph graph = buildGraph(tests::traceFromText(CpuRanks), {});
    for (std::uint32_t i = 0; i < graph.size(); ++i)
        for (const Edge &edge : graph.predecessors(OpId(i)))
            QVERIFY(edge.op < OpId(i));
}

/// It was called "network 51 stream 7", by the number that the source gave the group.
void TestBuildGraph::aGroupsLinkIsNamedByItsRanks()
{
    std::string text;
    for (const int rank : { 0, 4 })
        text += "rank " + std::to_string(rank)
            + "\niteration 0 0 100\nthread main\ncudaLaunchKernel 0 10 runtime corr=1\n"
              "stream 7 gpu=0\nncclKernel 20 40 comm_kernel kind=all_reduce seq=1 group=51 "
              "corr=1\n";
    const Graph graph = buildGraph(tests::traceFromText(text), {});
    QStringList links;
    for (const Device &device : graph.devices)
        if (device.isLink)
            links << QString::fromStdString(device.name);
    QCOMPARE(links, QStringList { QStringLiteral("network of ranks 0, 4, stream 7") });
}

/// Each thread looked through all of them: 65,536 took half a minute, deaf to Ctrl+C.
void TestBuildGraph::threadsCostNoMoreTheMoreThereAre()
{
    constexpr int Threads = 40'000;
    constexpr double MostSeconds = 8; // of the processor; 1 s without optimization
    std::string text = "rank 0\niteration 0 0 1000\n";
    for (int i = 0; i < Threads; ++i)
        text += "thread t" + std::to_string(i) + "\naten::mm " + std::to_string(i % 900) + " 50\n";
    const Trace trace = tests::traceFromText(text);
    const std::clock_t before = std::clock();
    const Graph graph = buildGraph(trace, {});
    const double seconds = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
    QVERIFY(graph.size() >= Threads);
    QVERIFY2(seconds < MostSeconds, std::to_string(seconds).c_str());
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestBuildGraph)
#include "tst_build_graph.moc"
