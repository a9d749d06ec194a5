#include "core/base/kept_memory.h"
#include "core/graph/graph_builder.h"
#include "core/graph/graph_fault.h"
#include "core/graph/without_ops.h"
#include "tests/support/random_graph.h"
#include "tests/support/unit_test.h"

#include <QTest>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

using namespace core;

class TestWithoutOps : public QObject
{
    Q_OBJECT

private slots:
    void itIsTheGraphThatABuilderLeaves();
    void aColumnOfRemovedValuesAloneBecomesEmpty();
    void waitsOfRemovedOpsGo();
    void releasedMemoryIsGivenBack();
};

namespace {

/// The same by a builder; ops keep their order.
Graph rebuiltWithout(const Graph &graph, const std::vector<OpId> &removed)
{
    GraphBuilder builder(graph);
    for (std::uint32_t op = 0; op < graph.size(); ++op)
        builder.op(OpId(op)).measuredStartNs = op;
    for (const OpId op : removed)
        builder.removeOp(op);
    std::vector<OpId> newIds;
    Graph rest = builder.build({}, &newIds);
    for (std::uint32_t op = 0; op < graph.size(); ++op)
        if (newIds[op] != NoOp)
            rest.measuredStartNs[newIds[op].value] = graph.measuredStartNs[op];
    return rest;
}

bool haveSameOps(const Graph &a, const Graph &b)
{
    return a.durationNs == b.durationNs && a.delayNs == b.delayNs && a.device == b.device
        && a.kind == b.kind && a.phase == b.phase && a.worker == b.worker && a.name == b.name
        && a.slice == b.slice && a.measuredStartNs == b.measuredStartNs
        && a.iteration == b.iteration && a.stretchShare == b.stretchShare
        && a.priority == b.priority && a.bytes == b.bytes && a.rateLimit == b.rateLimit;
}

bool haveSameEdges(const Graph &a, const Graph &b)
{
    return a.predOffset == b.predOffset && a.preds.size() == b.preds.size()
        && std::equal(a.preds.begin(), a.preds.end(), b.preds.begin(),
                      [](const Edge &x, const Edge &y) { return x.op == y.op && x.kind == y.kind; })
        && a.iterationBegins == b.iterationBegins && a.iterationEnds == b.iterationEnds;
}

/// Ops that no iteration begins or ends with.
std::vector<OpId> someInnerOps(const Graph &graph, std::mt19937 &random)
{
    std::vector<char> isNamed(graph.size(), 0);
    for (const OpId op : graph.iterationBegins)
        isNamed[op.value] = 1;
    for (const OpId op : graph.iterationEnds)
        isNamed[op.value] = 1;
    std::vector<OpId> some;
    for (std::uint32_t op = 0; op < graph.size(); ++op)
        if (isNamed[op] == 0 && random() % 4 == 0)
            some.push_back(OpId(op));
    return some;
}

/// Ops in a chain.
Graph chain(const std::vector<std::int32_t> &priorities)
{
    GraphBuilder builder({ "op" });
    builder.addDevice({});
    for (std::size_t i = 0; i < priorities.size(); ++i) {
        OpSpec spec;
        spec.measuredStartNs = static_cast<std::int64_t>(i);
        spec.priority = priorities[i];
        const OpId op = builder.addOp(spec);
        if (i > 0)
            builder.addEdge(OpId(op.value - 1), op, EdgeKind::Data);
    }
    builder.addPossibleWait({ OpId(0), OpId(1) });
    builder.addPossibleWait({ OpId(0), OpId(2) });
    return builder.build();
}

} // namespace

void TestWithoutOps::itIsTheGraphThatABuilderLeaves()
{
    std::mt19937 random(5);
    tests::RandomGraphKind kind;
    kind.iterations = 3;
    std::size_t removedOps = 0;
    for (int i = 0; i < 200; ++i) {
        const Graph graph = tests::randomGraph(random, kind);
        const std::vector<OpId> removed = someInnerOps(graph, random);
        removedOps += removed.size();
        const Graph left = withoutOps(graph, removed);
        const Graph expected = rebuiltWithout(graph, removed);
        QVERIFY(haveSameOps(left, expected));
        QVERIFY(haveSameEdges(left, expected));
        QCOMPARE(graphFault(left), std::string());
    }
    QVERIFY(removedOps > 200);
}

void TestWithoutOps::aColumnOfRemovedValuesAloneBecomesEmpty()
{
    const Graph graph = chain({ 0, 3, 0 });
    QCOMPARE(graph.priority.size(), graph.size());
    QVERIFY(withoutOps(graph, { OpId(1) }).priority.empty());
    QCOMPARE(withoutOps(graph, { OpId(0) }).priority, (std::vector<std::int32_t> { 3, 0 }));
}

void TestWithoutOps::waitsOfRemovedOpsGo()
{
    const Graph left = withoutOps(chain({ 0, 0, 0 }), { OpId(1) });
    QCOMPARE(left.size(), std::size_t { 2 });
    QCOMPARE(left.preds.size(), std::size_t { 0 });
    QCOMPARE(left.possibleWaits.size(), std::size_t { 1 });
    QCOMPARE(left.possibleWaits[0].awaited, OpId(0));
    QCOMPARE(left.possibleWaits[0].waiting, OpId(1));
}

void TestWithoutOps::releasedMemoryIsGivenBack()
{
    std::vector<int> values(1000, 1);
    releaseMemory(values);
    QVERIFY(values.empty());
    QCOMPARE(values.capacity(), std::size_t { 0 });
}

LONGPOLE_TEST(TestWithoutOps)
#include "tst_without_ops.moc"
