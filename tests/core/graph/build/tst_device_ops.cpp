#include "core/graph/build_graph.h"
#include "core/graph/edge_counts.h"
#include "core/replay/replay.h"
#include "tests/support/trace_builder.h"

#include <QTest>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

using namespace core;

namespace {

std::vector<std::string> kernels(const Graph &graph)
{
    std::vector<std::string> names;
    for (std::uint32_t op = 0; op < graph.size(); ++op)
        if (graph.slice[op] != NoSlice && graph.devices[graph.device[op].value].isStream)
            names.push_back(graph.names[graph.name[op].value]);
    return names;
}

OpId opNamed(const Graph &graph, std::string_view name)
{
    for (std::uint32_t op = 0; op < graph.size(); ++op)
        if (graph.names[graph.name[op].value] == name)
            return OpId(op);
    return NoOp;
}

} // namespace

/// Which work of accelerators belongs to the recorded iterations, and what launches it.
class TestDeviceOps : public QObject
{
    Q_OBJECT

private slots:
    void whatIterationsLaunchIsTheirsWheneverItBegins();
    void aCollectiveBehindTheHostIsMatched();
    void whatNoCallLaunchesIsSaid();
    void whatBeginsBeforeItsCallFollowsItsThread();
    void aWaitIsForWhatWasLaunchedBeforeIt();
    void aStreamWithoutAnyCallIsNotFromBefore();
    void aFewOperationsFromBeforeAreNotWorthAWord();
    void edgesAreCountedByWhatTheyComeFrom();
};

/// Of the last iteration it was dropped without a word, as it begins after the host has ended that.
void TestDeviceOps::whatIterationsLaunchIsTheirsWheneverItBegins()
{
    const Graph graph = buildGraph(tests::traceFromText("rank 0\n"
                                                        "iteration 0 0 100\n"
                                                        "thread main\n"
                                                        "cudaLaunchKernel 10 5 runtime corr=1\n"
                                                        "cudaLaunchKernel 90 5 runtime corr=2\n"
                                                        "cudaLaunchKernel 150 5 runtime corr=3\n"
                                                        "stream 7 gpu=0\n"
                                                        "within 20 100 corr=1\n"
                                                        "behind 120 50 corr=2\n"
                                                        "later 200 10 corr=3\n"
                                                        "unknown 210 10 corr=4\n"),
                                   {});
    QCOMPARE(kernels(graph), (std::vector<std::string> { "within", "behind" }));
    QVERIFY(graph.notes.empty());
    QCOMPARE(replay(graph, {}).iterationEndNs.back(), std::int64_t { 100'000 });
}

void TestDeviceOps::aCollectiveBehindTheHostIsMatched()
{
    std::string text;
    for (const char *rank : { "0", "1" })
        text += std::string("rank ") + rank
            + "\niteration 0 0 100\nthread main\ncudaLaunchKernel 90 5 runtime corr=1\n"
              "stream 7 gpu=0\nncclAllReduce 110 50 comm_kernel kind=all_reduce seq=1 bytes=400 "
              "corr=1\n";
    const Graph graph = buildGraph(tests::traceFromText(text), {});
    QCOMPARE(graph.collectives.size(), std::size_t { 1 });
    QCOMPARE(graph.collectives[0].parts.size(), std::size_t { 2 });
}

void TestDeviceOps::whatNoCallLaunchesIsSaid()
{
    const Graph graph = buildGraph(tests::traceFromText("rank 0\n"
                                                        "iteration 0 0 2000\n"
                                                        "thread main\n"
                                                        "cudaLaunchKernel 10 5 runtime corr=2\n"
                                                        "cudaLaunchKernel 1060 5 runtime corr=4\n"
                                                        "stream 7 gpu=0\n"
                                                        "before 0 20 corr=1\n"
                                                        "known 20 10 corr=2\n"
                                                        "lost 30 10 corr=3\n"
                                                        "early 50 10 corr=4\n"),
                                   {});
    QCOMPARE(graph.notes.size(), std::size_t { 1 });
    QCOMPARE(
        QString::fromStdString(graph.notes[0]),
        QStringLiteral("3 of 4 device operations of rank 0 (80 % of their time) have no recorded "
                       "launch, so what-ifs of the host do not move them; 1 was launched before "
                       "the first iteration (call torch.cuda.synchronize() before it, or record "
                       "more iterations); 1 begins up to 1.010 ms before its call, which is more "
                       "than clocks differ by, or "
                       "before all else of the thread; of 1 the call is not recorded, first of "
                       "'lost' (record the "
                       "host's calls, too: ProfilerActivity.CPU, nsys --trace=cuda)."));
}

/// All of it was told as launched before the first iteration, which more iterations do not mend.
void TestDeviceOps::aStreamWithoutAnyCallIsNotFromBefore()
{
    const Graph graph = buildGraph(tests::traceFromText("rank 0\n"
                                                        "iteration 0 0 100\n"
                                                        "thread main\n"
                                                        "cudaLaunchKernel 10 5 runtime corr=1\n"
                                                        "stream 7 gpu=0\n"
                                                        "known 20 10 corr=1\n"
                                                        "stream 8 gpu=0\n"
                                                        "captured 30 20 corr=2\n"
                                                        "replayed 60 10 corr=3\n"),
                                   {});
    QCOMPARE(graph.notes.size(), std::size_t { 1 });
    QCOMPARE(QString::fromStdString(graph.notes[0]),
             QStringLiteral("2 of 3 device operations of rank 0 (75 % of their time) have no "
                            "recorded launch, so what-ifs of the host do not move them; of 2 the "
                            "call is not recorded, first of 'captured' (record the host's calls, "
                            "too: ProfilerActivity.CPU, nsys --trace=cuda)."));
}

/// By 10 us, as their clocks differ: it hung on nothing, and no what-if of the host moved it.
void TestDeviceOps::whatBeginsBeforeItsCallFollowsItsThread()
{
    const Graph graph = buildGraph(tests::traceFromText("rank 0\n"
                                                        "iteration 0 0 100\n"
                                                        "thread main\n"
                                                        "aten::a 0 40\n"
                                                        "cudaLaunchKernel 60 5 runtime corr=4\n"
                                                        "stream 7 gpu=0\n"
                                                        "early 50 10 corr=4\n"),
                                   {});
    QVERIFY(graph.notes.empty());
    const OpId early = opNamed(graph, "early"), before = opNamed(graph, "aten::a");
    const auto edges = graph.predecessors(early);
    QVERIFY(std::any_of(edges.begin(), edges.end(), [before](const Edge &edge) {
        return edge.kind == EdgeKind::Launch && edge.op == before;
    }));
    QCOMPARE(graph.delayNs[early.value], std::int64_t { 10'000 });
    QCOMPARE(replay(graph, {}).startNs[early.value], std::int64_t { 50'000 });
}

/// The second kernel begins 62 us before its call, while the host still waits for the first: it was
/// taken for launched before that, and nobody waited for the first one.
void TestDeviceOps::aWaitIsForWhatWasLaunchedBeforeIt()
{
    const Graph graph
        = buildGraph(tests::traceFromText("rank 0\n"
                                          "iteration 0 0 400\n"
                                          "thread main\n"
                                          "aten::a 0 5\n"
                                          "cudaLaunchKernel 10 2 runtime corr=1\n"
                                          "cudaDeviceSynchronize 20 100 runtime corr=2\n"
                                          "cudaLaunchKernel 122 2 runtime corr=3\n"
                                          "stream 7 gpu=0\n"
                                          "awaited 12 44 corr=1\n"
                                          "early 60 300 corr=3\n"),
                     {});
    const OpId wait = opNamed(graph, "cudaDeviceSynchronize"), awaited = opNamed(graph, "awaited");
    const auto edges = graph.predecessors(wait);
    QVERIFY(std::any_of(edges.begin(), edges.end(),
                        [awaited](const Edge &edge) { return edge.op == awaited; }));
}

/// 1 of 101 us of the device's work.
void TestDeviceOps::aFewOperationsFromBeforeAreNotWorthAWord()
{
    const Graph graph = buildGraph(tests::traceFromText("rank 0\n"
                                                        "iteration 0 0 200\n"
                                                        "thread main\n"
                                                        "cudaLaunchKernel 10 5 runtime corr=2\n"
                                                        "stream 7 gpu=0\n"
                                                        "before 0 1 corr=1\n"
                                                        "known 20 100 corr=2\n"),
                                   {});
    QVERIFY(graph.notes.empty());
}

void TestDeviceOps::edgesAreCountedByWhatTheyComeFrom()
{
    const Graph graph = buildGraph(tests::traceFromText("rank 0\n"
                                                        "iteration 0 0 100\n"
                                                        "thread main\n"
                                                        "cudaLaunchKernel 10 5 runtime corr=1\n"
                                                        "cudaLaunchKernel 20 5 runtime corr=2\n"
                                                        "stream 7 gpu=0\n"
                                                        "a 20 10 corr=1\n"
                                                        "b 30 10 corr=2\n"),
                                   {});
    // The first call begins as long after the iteration as measured, which nothing recorded says.
    QCOMPARE(
        QString::fromStdString(edgeCountsText(edgeCounts(graph))),
        QStringLiteral("6 dependencies: 1 host order, 1 stream order, 2 launch, 1 iteration, 1 "
                       "inferred (17 %)"));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestDeviceOps)
#include "tst_device_ops.moc"
