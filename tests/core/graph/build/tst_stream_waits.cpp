#include "core/graph/build/stream_waits.h"
#include "core/graph/build_graph.h"
#include "core/replay/replay.h"
#include "tests/support/trace_builder.h"

#include <QTest>

#include <algorithm>
#include <string>

using namespace core;

namespace {

/// The host is ahead of its GPU: two kernels, an all-reduce of what each computes, and an optimizer
/// that waits for both. The second all-reduce begins when the first one is done, long after its
/// kernel. `calls` are those that make streams wait.
std::string jobOf(bool hasCalls)
{
    const auto call = [hasCalls](const char *line) { return hasCalls ? line : ""; };
    return std::string("rank 0\niteration 0 0 800\nthread main\n"
                       "cudaLaunchKernel 0 4 runtime corr=1\n")
        + call("cudaEventRecord 5 1 runtime corr=2\n")
        + call("cudaStreamWaitEvent 7 1 runtime corr=3\n")
        + "cudaLaunchKernelExC 9 4 runtime corr=4\n"
          "cudaLaunchKernel 20 4 runtime corr=5\n"
        + call("cudaEventRecord 25 1 runtime corr=6\n")
        + call("cudaStreamWaitEvent 27 1 runtime corr=7\n")
        + "cudaLaunchKernelExC 29 4 runtime corr=8\n"
        + call("cudaStreamWaitEvent 35 1 runtime corr=9\n")
        + "cudaLaunchKernel 40 4 runtime corr=10\n"
          "cudaDeviceSynchronize 50 740 runtime corr=11\n"
          "stream 7\n"
          "first 30 100 corr=1\n"
          "second 130 100 corr=5\n"
          "adam 700 80 corr=10\n"
          "stream 20\n"
          "ncclAllReduce 132 268 comm_kernel kind=all_reduce corr=4\n"
          "ncclAllReduce 400 200 comm_kernel kind=all_reduce corr=8\n";
}

/// DDP with gradients that are views of their buckets, on two ranks. Nothing tells where streams
/// wait.
std::string jobWithViews()
{
    std::string text;
    for (int rank = 0; rank < 2; ++rank)
        text += "rank " + std::to_string(rank)
            + "\niteration 0 0 700\nthread main\n"
              "cudaLaunchKernel 0 4 runtime corr=1\n"
              "autograd::engine::evaluate_function:~torch::autograd::AccumulateGrad 10 20\n"
              "torch::autograd::AccumulateGrad 11 2 bytes=4000000\n"
              "c10d::allreduce_ 14 12\n"
              "cudaLaunchKernelExC 16 4 runtime corr=2\n"
              "cudaLaunchKernel 40 4 runtime corr=3\n"
              "autograd::engine::evaluate_function:~torch::autograd::AccumulateGrad 50 20\n"
              "torch::autograd::AccumulateGrad 51 2 bytes=8000000\n"
              "c10d::allreduce_ 54 12\n"
              "cudaLaunchKernelExC 56 4 runtime corr=4\n"
              "cudaLaunchKernel 80 4 runtime corr=5\n"
              "cudaDeviceSynchronize 90 600 runtime corr=6\n"
              "stream 7\n"
              "first 20 100 corr=1\n"
              "second 120 100 corr=3\n"
              "adam 640 40 corr=5\n"
              "stream 20\n"
              "ncclAllReduce 122 178 comm_kernel kind=all_reduce seq=1 group=dp bytes=4000000 "
              "corr=2\n"
              "ncclAllReduce 300 300 comm_kernel kind=all_reduce seq=2 group=dp bytes=8000000 "
              "corr=4\n";
    return text;
}

/// The ops named so, in order of time.
std::vector<OpId> opsNamed(const Graph &graph, std::string_view name)
{
    std::vector<OpId> ops;
    for (std::uint32_t i = 0; i < graph.size(); ++i)
        if (graph.names[graph.name[i].value] == name)
            ops.push_back(OpId(i));
    std::stable_sort(ops.begin(), ops.end(), [&graph](OpId a, OpId b) {
        return graph.measuredStartNs[a.value] < graph.measuredStartNs[b.value];
    });
    return ops;
}

/// How `op` waits for `awaited`: "sync", "inferred" ...; "no" where it does not.
std::string_view waitKind(const Graph &graph, OpId op, OpId awaited)
{
    for (const Edge &edge : graph.predecessors(op))
        if (edge.op == awaited)
            return edgeKindName(edge.kind);
    return "no";
}

std::int64_t lengthNs(const Graph &graph)
{
    const ReplayResult result = replay(graph, {});
    return result.startNs[graph.iterationEnds[0].value]
        - result.startNs[graph.iterationBegins[0].value];
}

std::string replaced(std::string text, const std::string &from, const std::string &to)
{
    const std::size_t at = text.find(from);
    return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

} // namespace

/// Waits of streams that no cuda_sync event tells of.
class StreamWaitsTest : public QObject
{
    Q_OBJECT

private slots:
    void aCollectiveWaitsForWhatWasLaunchedBeforeIt();
    void theStreamWaitsForTheCollectives();
    void withoutCallsTheOrderOfLaunchesTells();
    void withoutACallNoStreamWaits();
    void noEdgeContradictsTheTimes();
    void whatTheTimesAllowIsPossible();
    void gradientsThatAreViewsAreBuckets();
};

/// It was taken to wait for the all-reduce before it alone: slower computation cost nothing.
void StreamWaitsTest::aCollectiveWaitsForWhatWasLaunchedBeforeIt()
{
    Graph graph = buildGraph(tests::traceFromText(jobOf(true)), {});
    const std::vector<OpId> reductions = opsNamed(graph, "ncclAllReduce");
    QCOMPARE(reductions.size(), std::size_t { 2 });
    const OpId first = opsNamed(graph, "first")[0], second = opsNamed(graph, "second")[0];
    QCOMPARE(waitKind(graph, reductions[0], first), edgeKindName(EdgeKind::Inferred));
    QCOMPARE(waitKind(graph, reductions[1], second), edgeKindName(EdgeKind::Inferred));
    QCOMPARE(waitKind(graph, reductions[0], second), std::string_view("no"));
    QCOMPARE(lengthNs(graph), std::int64_t { 800'000 });
    // Until 530 us instead of 230: so much later than 400 us begins what waits for it.
    graph.durationNs[second.value] += 300'000;
    QCOMPARE(lengthNs(graph), std::int64_t { 930'000 });
}

void StreamWaitsTest::theStreamWaitsForTheCollectives()
{
    // Far enough behind the all-reduces that its start says nothing.
    const Graph graph = buildGraph(tests::traceFromText(jobOf(true)), {});
    const OpId adam = opsNamed(graph, "adam")[0];
    QCOMPARE(waitKind(graph, adam, opsNamed(graph, "ncclAllReduce")[1]),
             edgeKindName(EdgeKind::Inferred));
}

void StreamWaitsTest::withoutCallsTheOrderOfLaunchesTells()
{
    const Graph graph = buildGraph(tests::traceFromText(jobOf(false)), {});
    const std::vector<OpId> reductions = opsNamed(graph, "ncclAllReduce");
    QCOMPARE(waitKind(graph, reductions[0], opsNamed(graph, "first")[0]),
             edgeKindName(EdgeKind::Inferred));
    QCOMPARE(waitKind(graph, reductions[1], opsNamed(graph, "second")[0]),
             edgeKindName(EdgeKind::Inferred));
}

void StreamWaitsTest::withoutACallNoStreamWaits()
{
    const std::string text = replaced(jobOf(true), "cudaStreamWaitEvent 27 1 runtime corr=7\n", "");
    const Graph graph = buildGraph(tests::traceFromText(text), {});
    const std::vector<OpId> reductions = opsNamed(graph, "ncclAllReduce");
    QCOMPARE(waitKind(graph, reductions[0], opsNamed(graph, "first")[0]),
             edgeKindName(EdgeKind::Inferred));
    QCOMPARE(waitKind(graph, reductions[1], opsNamed(graph, "second")[0]), std::string_view("no"));
}

/// As where parameters are gathered ahead of their use.
void StreamWaitsTest::noEdgeContradictsTheTimes()
{
    for (const bool hasCalls : { true, false }) {
        const std::string text
            = replaced(jobOf(hasCalls), "second 130 100 corr=5\n", "second 130 300 corr=5\n");
        const Graph graph = buildGraph(tests::traceFromText(text), {});
        const std::vector<OpId> reductions = opsNamed(graph, "ncclAllReduce");
        QCOMPARE(waitKind(graph, reductions[1], opsNamed(graph, "second")[0]),
                 std::string_view("no"));
        QCOMPARE(lengthNs(graph), std::int64_t { 800'000 });
    }
}

void StreamWaitsTest::whatTheTimesAllowIsPossible()
{
    // All is known with the calls. Without, the optimizer may wait for the all-reduces.
    QVERIFY(buildGraph(tests::traceFromText(jobOf(true)), {}).possibleWaits.empty());
    const Graph unknown = buildGraph(tests::traceFromText(jobOf(false)), {});
    const OpId adam = opsNamed(unknown, "adam")[0];
    const std::vector<OpId> reductions = opsNamed(unknown, "ncclAllReduce");
    QCOMPARE(unknown.possibleWaits.size(), std::size_t { 2 });
    for (std::size_t i = 0; i < 2; ++i) {
        QCOMPARE(unknown.possibleWaits[i].awaited, reductions[i]);
        QCOMPARE(unknown.possibleWaits[i].waiting, adam);
    }
    QCOMPARE(waitKind(unknown, adam, reductions[0]), std::string_view("no"));
    const Graph waiting = withPossibleWaits(unknown);
    QCOMPARE(waitKind(waiting, opsNamed(waiting, "adam")[0], opsNamed(waiting, "ncclAllReduce")[0]),
             edgeKindName(EdgeKind::Inferred));
    QCOMPARE(lengthNs(waiting), std::int64_t { 800'000 });

    // Where the second one runs beside its kernel, both may wait for what was done before.
    const std::string text
        = replaced(jobOf(true), "second 130 100 corr=5\n", "second 130 300 corr=5\n");
    const Graph beside = buildGraph(tests::traceFromText(text), {});
    QCOMPARE(beside.possibleWaits.size(), std::size_t { 2 });
    for (const PossibleWait &wait : beside.possibleWaits)
        QCOMPARE(wait.awaited, opsNamed(beside, "first")[0]);
}

/// They were said not to fit together, and the waits were lost.
void StreamWaitsTest::gradientsThatAreViewsAreBuckets()
{
    Graph graph = buildGraph(tests::traceFromText(jobWithViews()), {});
    QCOMPARE(graph.gradientSteps.size(), std::size_t { 2 });
    QVERIFY(graph.notes.empty());
    QVERIFY(graph.possibleWaits.empty());
    const std::vector<OpId> kernels = opsNamed(graph, "second");
    for (const GradientStep &step : graph.gradientSteps) {
        QCOMPARE(step.buckets.size(), std::size_t { 2 });
        QCOMPARE(step.kernels[1], kernels[step.worker.value]);
    }
    QCOMPARE(lengthNs(graph), std::int64_t { 700'000 });
    for (const OpId kernel : kernels)
        graph.durationNs[kernel.value] += 300'000; // until 520 us, 220 after the first all-reduce
    QCOMPARE(lengthNs(graph), std::int64_t { 920'000 });
    QCOMPARE(waitKind(graph, opsNamed(graph, "adam")[0], graph.collectives[1].transfer),
             edgeKindName(EdgeKind::Sync));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(StreamWaitsTest)
#include "tst_stream_waits.moc"
