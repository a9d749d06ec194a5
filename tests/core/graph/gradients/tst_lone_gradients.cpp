#include "core/graph/build_graph.h"
#include "core/replay/replay.h"
#include "tests/support/trace_builder.h"

#include <QTest>

#include <algorithm>

using namespace core;

namespace {

/// One rank of several: two gradients in buckets of their own. The host goes on at 700 us and at
/// 1500 us; the backend's threads write both calls' ends after that.
constexpr const char *LoneRank = "rank 0\n"
                                 "iteration 0 0 2000\n"
                                 "thread main\n"
                                 "aten::forward 0 100\n"
                                 "autograd::engine::evaluate_function:~torch::autograd::"
                                 "AccumulateGrad 100 20 phase=backward\n"
                                 "torch::autograd::AccumulateGrad 100 18 bytes=400\n"
                                 "c10d::allreduce_ 110 5\n"
                                 "autograd::engine::evaluate_function:~torch::autograd::"
                                 "AccumulateGrad 200 20 phase=backward\n"
                                 "torch::autograd::AccumulateGrad 200 18 bytes=800\n"
                                 "c10d::allreduce_ 210 5\n"
                                 "aten::as_strided 700 2\n"
                                 "torch.distributed.ddp.reducer::copy_bucket_to_grad 705 10 "
                                 "bytes=400\n"
                                 "aten::as_strided 1500 2\n"
                                 "torch.distributed.ddp.reducer::copy_bucket_to_grad 1505 10 "
                                 "bytes=800\n"
                                 "aten::update 1600 400\n"
                                 "comm gloo\n"
                                 "gloo:all_reduce 120 600 kind=all_reduce bytes=400\n"
                                 "comm gloo2\n"
                                 "gloo:all_reduce 220 1290 kind=all_reduce bytes=800\n";

/// The ops named so, in order of time.
std::vector<OpId> opsNamed(const Graph &graph, std::string_view name)
{
    std::vector<OpId> ops;
    for (std::uint32_t i = 0; i < graph.size(); ++i)
        if (graph.names[graph.name[i].value] == name)
            ops.push_back(OpId(i));
    std::sort(ops.begin(), ops.end(), [&graph](OpId a, OpId b) {
        return graph.measuredStartNs[a.value] < graph.measuredStartNs[b.value];
    });
    return ops;
}

bool waitsFor(const Graph &graph, OpId op, OpId awaited)
{
    const auto preds = graph.predecessors(op);
    return std::any_of(preds.begin(), preds.end(), [awaited](const Edge &edge) {
        return edge.op == awaited && edge.kind == EdgeKind::Sync;
    });
}

} // namespace

/// DDP's buckets where the other ranks are not recorded.
class LoneGradientsTest : public QObject
{
    Q_OBJECT

private slots:
    void copiesOutWaitForTheirBucketsCall();
    void aCallHasEndedByWhenItsBucketIsCopied();
    void slicesOfGradientsAreNoBuckets();
};

void LoneGradientsTest::copiesOutWaitForTheirBucketsCall()
{
    const Graph graph = buildGraph(tests::traceFromText(LoneRank), {});
    const std::vector<OpId> calls = opsNamed(graph, "gloo:all_reduce");
    const std::vector<OpId> copies = opsNamed(graph, "aten::as_strided");
    QCOMPARE(calls.size(), std::size_t { 2 });
    QCOMPARE(copies.size(), std::size_t { 2 });
    QVERIFY(waitsFor(graph, copies[0], calls[0]));
    QVERIFY(waitsFor(graph, copies[1], calls[1]));
    QVERIFY(!waitsFor(graph, copies[0], calls[1]));
    // Other buckets would need the other ranks.
    QVERIFY(graph.gradientSteps.empty());
}

void LoneGradientsTest::aCallHasEndedByWhenItsBucketIsCopied()
{
    Graph graph = buildGraph(tests::traceFromText(LoneRank), {});
    const std::vector<OpId> calls = opsNamed(graph, "gloo:all_reduce");
    QCOMPARE(graph.durationNs[calls[0].value], std::int64_t { 580'000 });
    QCOMPARE(graph.durationNs[calls[1].value], std::int64_t { 1'280'000 });
    const OpId end = graph.iterationEnds[0];
    const OpId begin = graph.iterationBegins[0];
    const auto lengthNs = [&] {
        const ReplayResult result = replay(graph, {});
        return result.startNs[end.value] - result.startNs[begin.value];
    };
    QCOMPARE(lengthNs(), std::int64_t { 2'000'000 });
    // What the transfer takes is what the host waits for: until the end of its own work.
    graph.durationNs[calls[0].value] = graph.durationNs[calls[1].value] = 0;
    QVERIFY(lengthNs() < 800'000);
}

/// A slice that the other rank's trace lacks was told to fit no bucket, of a job that sends slices.
void LoneGradientsTest::slicesOfGradientsAreNoBuckets()
{
    const auto notesOf = [](const std::string &tensor) {
        const std::string transfers = "comm gloo\n"
                                      "allreduce 50 60 kind=all_reduce bytes=300 "
            + tensor + "\n";
        return buildGraph(tests::traceFromText(LoneRank + transfers), {}).notes;
    };
    const auto isOnBuckets = [](const std::string &note) {
        return note.find("do not fit together as DDP buckets") != std::string::npos;
    };
    QCOMPARE(std::ranges::count_if(notesOf({}), isOnBuckets), 1);
    QCOMPARE(std::ranges::count_if(notesOf("tensor=Gradient.0"), isOnBuckets), 0);
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(LoneGradientsTest)
#include "tst_lone_gradients.moc"
