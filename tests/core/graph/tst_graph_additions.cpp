#include "core/base/error.h"
#include "core/graph/graph_additions.h"
#include "core/graph/graph_fault.h"
#include "core/replay/replay.h"
#include "tests/support/graph_text.h"
#include "tests/support/random_graph.h"
#include "tests/support/unit_test.h"

#include <QTest>

#include <map>
#include <memory>
#include <random>
#include <utility>
#include <vector>

using namespace core;

class GraphAdditionsTest : public QObject
{
    Q_OBJECT

private slots:
    void opsGoBehindWhatTheyWaitFor();
    void anEdgeAgainstTheOrderNumbersAllAnew();
    void aCycleIsAnError();
    void randomAdditionsGiveTheRebuiltGraph();
};

namespace {

std::shared_ptr<const Graph> shared(const char *text)
{
    return std::make_shared<const Graph>(tests::graphFromText(text));
}

/// When each op ends, by its slice.
std::map<std::uint64_t, std::int64_t> endsOf(const Graph &graph)
{
    const ReplayResult result = replay(graph, {});
    std::map<std::uint64_t, std::int64_t> ends;
    for (std::size_t op = 0; op < graph.size(); ++op)
        ends[graph.slice[op].value] = result.endNs[op];
    return ends;
}

/// The same ops and edges, added by a GraphBuilder.
Graph rebuilt(const Graph &graph, const std::vector<OpSpec> &ops,
              const std::vector<GraphBuilder::EdgeSpec> &edges)
{
    GraphBuilder builder(graph);
    for (const OpSpec &spec : ops)
        builder.addOp(spec);
    for (const GraphBuilder::EdgeSpec &edge : edges)
        builder.addEdge(edge.from, edge.to, edge.kind);
    return builder.build();
}

/// A random graph whose ops never become ready together, so that numbers decide nothing.
Graph graphWithoutTies(std::mt19937 &random)
{
    tests::RandomGraphKind kind;
    kind.mostOps = 100;
    kind.hasLinks = kind.hasPriorities = true;
    Graph graph = tests::randomGraph(random, kind);
    for (std::uint32_t op = 0; op < graph.size(); ++op) {
        graph.slice[op] = SliceId(op);
        graph.delayNs[op] = static_cast<std::int64_t>(random() % 1'000'000'000);
    }
    return graph;
}

} // namespace

void GraphAdditionsTest::opsGoBehindWhatTheyWaitFor()
{
    const auto graph = shared("a:10@d -> b:5@d -> c:3@d");
    GraphAdditions additions(graph);
    OpSpec spec = specOf(*graph, OpId(0));
    spec.name = additions.intern("x");
    const OpId x = additions.addOp(spec);
    spec.name = additions.intern("y");
    spec.durationNs = 7;
    const OpId y = additions.addOp(spec);
    additions.addEdge(y, x, EdgeKind::Data);
    additions.addEdge(OpId(0), y, EdgeKind::Data);
    additions.addEdge(x, OpId(2), EdgeKind::Data);
    const Graph built = additions.build({});
    QCOMPARE(graphFault(built), graphFault(*graph));
    QCOMPARE(tests::timesText(built, replay(built, {})),
             std::string("a 0-10, y 10-17, b 17-22, x 22-32, c 32-35"));
}

void GraphAdditionsTest::anEdgeAgainstTheOrderNumbersAllAnew()
{
    const auto graph = shared("a:10@d\nb:5@e");
    GraphAdditions additions(graph);
    OpSpec spec = specOf(*graph, OpId(1));
    spec.name = additions.intern("x");
    const OpId x = additions.addOp(spec);
    additions.addEdge(OpId(1), x, EdgeKind::Data);
    additions.addEdge(x, OpId(0), EdgeKind::Data);
    const Graph built = additions.build({});
    QCOMPARE(graphFault(built), graphFault(*graph));
    QCOMPARE(tests::timesText(built, replay(built, {})), std::string("b 0-5, x 5-10, a 10-20"));
}

void GraphAdditionsTest::aCycleIsAnError()
{
    const auto graph = shared("a:10@d -> b:5@d");
    GraphAdditions additions(graph);
    const OpId x = additions.addOp(specOf(*graph, OpId(0)));
    additions.addEdge(OpId(1), x, EdgeKind::Data);
    additions.addEdge(x, OpId(0), EdgeKind::Data);
    QVERIFY_THROWS_EXCEPTION(Error, additions.build({}));
}

void GraphAdditionsTest::randomAdditionsGiveTheRebuiltGraph()
{
    std::mt19937 random(27);
    for (int round = 0; round < 1000; ++round) {
        const auto graph = std::make_shared<const Graph>(graphWithoutTies(random));
        GraphAdditions additions(graph);
        std::vector<OpSpec> ops;
        std::vector<GraphBuilder::EdgeSpec> edges;
        const auto size = static_cast<std::uint32_t>(graph->size());
        const auto below
            = [&random](std::uint32_t end) { return static_cast<std::uint32_t>(random() % end); };
        for (std::uint32_t i = 0; i < 1 + random() % 20; ++i) {
            OpSpec spec = specOf(*graph, OpId(below(size)));
            spec.slice = SliceId(size + i);
            spec.delayNs = static_cast<std::int64_t>(random() % 1'000'000'000);
            const OpId op = additions.addOp(spec);
            ops.push_back(spec);
            // From an op before a place of the graph to this one, and on to one behind it.
            const std::uint32_t place = below(size);
            if (place > 0)
                edges.push_back({ OpId(below(place)), op, EdgeKind::Data });
            edges.push_back({ op, OpId(place + below(size - place)), EdgeKind::Sync });
        }
        for (const GraphBuilder::EdgeSpec &edge : edges)
            additions.addEdge(edge.from, edge.to, edge.kind);
        const Graph built = additions.build({});
        QCOMPARE(graphFault(built), graphFault(*graph));
        QVERIFY2(endsOf(built) == endsOf(rebuilt(*graph, ops, edges)),
                 ("round " + std::to_string(round)).c_str());
    }
}

LONGPOLE_TEST(GraphAdditionsTest)
#include "tst_graph_additions.moc"
