#include "core/graph/build_graph.h"
#include "core/replay/replay.h"
#include "tests/support/trace_builder.h"

#include <QTest>

using namespace core;

namespace {

/// Gradients of b (ready at 100) and a (ready at 200) are sent in slices of 100 us each, a's slice
/// before the rest of b's, since the next forward pass needs it first; or in order of readiness.
std::string oneRank(int rank, bool isByPriority)
{
    const std::string text = "rank " + std::to_string(rank) + R"(
iteration 0 0 1100
thread main
backward_b 0 100
backward_a 100 100
wait~for~a 400 50 user_annotation
forward_a 450 100
wait~for~b 550 60 user_annotation
forward_b 610 490
thread updater
)";
    if (isByPriority)
        return text + R"(
update~a 410 40 user_annotation
update~b 550 60 user_annotation
comm slices
slice_b0 110 200 kind=all_reduce bytes=100 tensor=b ready=100
slice_a 310 100 kind=all_reduce bytes=50 tensor=a ready=200
slice_b1 410 140 kind=all_reduce bytes=70 tensor=b ready=100
)";
    return text + R"(
update~a 410 40 user_annotation
update~b 350 10 user_annotation
comm slices
slice_b0 110 100 kind=all_reduce bytes=100 tensor=b ready=100
slice_b1 210 100 kind=all_reduce bytes=100 tensor=b ready=100
slice_a 310 100 kind=all_reduce bytes=100 tensor=a ready=200
)";
}

/// The backward pass ends with the iteration, as its end is what marks the next one: a is complete
/// on this rank just before, and on one that lags after another rank's next iteration began.
std::string laggingRank(int rank, int lag)
{
    std::string text
        = "rank " + std::to_string(rank) + "\niteration 0 0 " + std::to_string(300 + lag) + "\n";
    for (const int index : { 1, 2 })
        text += "iteration " + std::to_string(index) + " " + std::to_string(300 * index + lag)
            + " 300\n";
    text += "thread main\n";
    std::string slices = "comm slices\n";
    for (const int at : { 100, 400, 700 }) {
        const auto us = [at](int offset) { return std::to_string(at + offset); };
        text += "backward_b " + us(0) + " 100\nbackward_a " + us(100) + " "
            + std::to_string(90 + lag) + "\n";
        slices += "slice_b0 " + us(110) + " 110 kind=all_reduce bytes=100 tensor=b ready=" + us(100)
            + "\nslice_a " + us(225)
            + " 20 kind=all_reduce bytes=50 tensor=a ready=" + us(190 + lag) + "\nslice_b1 "
            + us(250) + " 40 kind=all_reduce bytes=70 tensor=b ready=" + us(100) + "\n";
    }
    return text + slices;
}

Graph graphOf(bool isByPriority)
{
    return buildGraph(tests::traceFromText(oneRank(0, isByPriority) + oneRank(1, isByPriority)),
                      {});
}

const Device &linkOf(const Graph &graph)
{
    return graph.devices[graph.device[graph.collectives.front().transfer.value].value];
}

OpId opNamed(const Graph &graph, std::string_view name)
{
    for (std::uint32_t i = 0; i < graph.size(); ++i)
        if (graph.names[graph.name[i].value] == name && graph.worker[i] == WorkerId(0)
            && graph.kind[i] != OpKind::Virtual)
            return OpId(i);
    qFatal("no such op");
}

bool waitsFor(const Graph &graph, OpId op, OpId awaited)
{
    const auto preds = graph.predecessors(op);
    return std::any_of(preds.begin(), preds.end(),
                       [awaited](const Edge &edge) { return edge.op == awaited; });
}

} // namespace

class SlicedGradientsTest : public QObject
{
    Q_OBJECT

private slots:
    void aSliceIsReadyWithItsGradient();
    void theQueuesOrderIsFound();
    void theLastGradientOfALaggingRankIsOfItsOwnIteration();
    void anUpdateWaitsForAllSlicesOfItsTensor();
    void updatesFollowEachOtherAsTensorsCome();
    void aLayerWaitsForItsOwnUpdate();
    void theUnchangedGraphReproducesTheTrace();
    void slicesAreNoBuckets();
};

void SlicedGradientsTest::aSliceIsReadyWithItsGradient()
{
    const Graph graph = graphOf(true);
    for (const CollectiveNode &node : graph.collectives)
        for (const CollectiveNode::Part &part : node.parts) {
            // Not delayed until it was sent: that it waited is the queue's doing.
            QCOMPARE(graph.delayNs[part.ready.value], 0);
            QCOMPARE(graph.measuredStartNs[part.ready.value],
                     std::int64_t { node.tensor == "a" ? 200'000 : 100'000 });
        }
}

void SlicedGradientsTest::theQueuesOrderIsFound()
{
    const Graph urgent = graphOf(true);
    QCOMPARE(linkOf(urgent).discipline, Discipline::Priority);
    for (const CollectiveNode &node : urgent.collectives)
        QCOMPARE(urgent.priorityOf(node.transfer), node.tensor == "a" ? 0 : 1);
    QCOMPARE(linkOf(graphOf(false)).discipline, Discipline::Shared);
}

void SlicedGradientsTest::theLastGradientOfALaggingRankIsOfItsOwnIteration()
{
    const Graph graph
        = buildGraph(tests::traceFromText(laggingRank(0, 0) + laggingRank(1, 30)), {});
    QCOMPARE(linkOf(graph).discipline, Discipline::Priority);
    for (const CollectiveNode &node : graph.collectives)
        QCOMPARE(graph.priorityOf(node.transfer), node.tensor == "a" ? 0 : 1);
}

void SlicedGradientsTest::anUpdateWaitsForAllSlicesOfItsTensor()
{
    const Graph graph = graphOf(true);
    const OpId update = opNamed(graph, "update b");
    for (const CollectiveNode &node : graph.collectives)
        QCOMPARE(waitsFor(graph, update, node.transfer), node.tensor == "b");
}

void SlicedGradientsTest::updatesFollowEachOtherAsTensorsCome()
{
    const Graph graph = graphOf(true);
    QVERIFY(!waitsFor(graph, opNamed(graph, "update b"), opNamed(graph, "update a")));
    QCOMPARE(graph.delayNs[opNamed(graph, "update b").value], 0);
}

void SlicedGradientsTest::aLayerWaitsForItsOwnUpdate()
{
    const Graph graph = graphOf(true);
    QVERIFY(waitsFor(graph, opNamed(graph, "wait for a"), opNamed(graph, "update a")));
    QVERIFY(waitsFor(graph, opNamed(graph, "wait for b"), opNamed(graph, "update b")));
    QCOMPARE(graph.durationNs[opNamed(graph, "wait for b").value], 0);
}

void SlicedGradientsTest::theUnchangedGraphReproducesTheTrace()
{
    for (const bool isByPriority : { true, false }) {
        const std::int64_t makespanNs = replay(graphOf(isByPriority), {}).makespanNs;
        QVERIFY2(makespanNs > 1'080'000 && makespanNs < 1'120'000,
                 qPrintable(QString::number(makespanNs)));
    }
}

void SlicedGradientsTest::slicesAreNoBuckets()
{
    const Graph graph = graphOf(true);
    QVERIFY(graph.gradientSteps.empty());
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(SlicedGradientsTest)
#include "tst_sliced_gradients.moc"
