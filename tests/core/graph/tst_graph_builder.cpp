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

QTEST_GUILESS_MAIN(TestGraphBuilder)
#include "tst_graph_builder.moc"
