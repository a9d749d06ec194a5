#include "core/graph/graph_builder.h"

#include <QTest>

using namespace core;

class TestGraphBuilder : public QObject
{
    Q_OBJECT

private slots:
    void columnsWithoutValuesStayEmpty();
    void priorityAndBytesFollowTheirOps();
    void aRewriteKeepsPriorityAndBytes();
    void ofDuplicateEdgesTheFirstKindIsKept();
    void buildingCanBeCancelledAtAnyMoment();
};

namespace {

OpSpec opAt(std::int64_t measuredStartNs, std::int32_t priority, std::uint64_t bytes)
{
    OpSpec spec;
    spec.measuredStartNs = measuredStartNs;
    spec.priority = priority;
    spec.bytes = bytes;
    return spec;
}

} // namespace

void TestGraphBuilder::columnsWithoutValuesStayEmpty()
{
    GraphBuilder builder({ "" });
    builder.addDevice({});
    const OpId op = builder.addOp(opAt(0, 0, 0));
    const Graph graph = builder.build();
    QVERIFY(graph.priority.empty());
    QVERIFY(graph.bytes.empty());
    QCOMPARE(graph.priorityOf(op), 0);
    QCOMPARE(graph.bytesOf(op), std::uint64_t { 0 });
}

void TestGraphBuilder::priorityAndBytesFollowTheirOps()
{
    GraphBuilder builder({ "" });
    builder.addDevice({});
    builder.addOp(opAt(20, 2, 200));
    builder.addOp(opAt(10, -1, 0));
    const Graph graph = builder.build();
    QCOMPARE(graph.priority, (std::vector<std::int32_t> { -1, 2 }));
    QCOMPARE(graph.bytes, (std::vector<std::uint64_t> { 0, 200 }));
}

void TestGraphBuilder::aRewriteKeepsPriorityAndBytes()
{
    GraphBuilder builder({ "" });
    builder.addDevice({});
    builder.addOp(opAt(0, 1, 10));
    builder.addOp(opAt(1, 2, 20));
    builder.addOp(opAt(2, 3, 30));
    GraphBuilder rewrite(builder.build());
    rewrite.removeOp(OpId(1));
    const Graph graph = rewrite.build();
    QCOMPARE(graph.priority, (std::vector<std::int32_t> { 1, 3 }));
    QCOMPARE(graph.bytes, (std::vector<std::uint64_t> { 10, 30 }));
}

void TestGraphBuilder::ofDuplicateEdgesTheFirstKindIsKept()
{
    GraphBuilder builder({ "" });
    builder.addDevice({});
    const OpId last = builder.addOp(opAt(20, 0, 0));
    const OpId first = builder.addOp(opAt(0, 0, 0)), second = builder.addOp(opAt(10, 0, 0));
    builder.addEdge(second, last, EdgeKind::Data);
    builder.addEdge(first, last, EdgeKind::Sync);
    builder.addEdge(second, last, EdgeKind::HostOrder);
    const Graph graph = builder.build();
    const auto preds = graph.predecessors(OpId(2));
    QCOMPARE(preds.size(), std::size_t { 2 });
    QCOMPARE(preds[0].op, OpId(0)); // in the order of ids
    QVERIFY(preds[0].kind == EdgeKind::Sync);
    QCOMPARE(preds[1].op, OpId(1));
    QVERIFY(preds[1].kind == EdgeKind::HostOrder);
}

/// Of a large graph it takes long.
void TestGraphBuilder::buildingCanBeCancelledAtAnyMoment()
{
    constexpr std::int64_t Ops = 50'000;
    GraphBuilder builder({ "" });
    builder.addDevice({});
    OpId before = builder.addOp(opAt(0, 0, 0));
    for (std::int64_t i = 1; i < Ops; ++i) {
        const OpId op = builder.addOp(opAt(i, 0, 0));
        builder.addEdge(before, op, EdgeKind::HostOrder);
        before = op;
    }
    const Graph graph = builder.build();
    int looks = 0, last = 0; // 0: never cancelled
    const JobControl control([&] { return ++looks == last; }, {});
    QCOMPARE(GraphBuilder(graph, {}, control).build(control).size(), graph.size());
    const int all = looks;
    QVERIFY(all > 10);
    QVERIFY(all < 200); // it costs nothing
    for (last = 1; last <= all; last += 5) {
        looks = 0;
        QVERIFY_THROWS_EXCEPTION(Cancelled, GraphBuilder(graph, {}, control).build(control));
        QCOMPARE(looks, last);
    }
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestGraphBuilder)
#include "tst_graph_builder.moc"
