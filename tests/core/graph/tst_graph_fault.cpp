#include "core/graph/build_graph.h"
#include "core/graph/graph_fault.h"
#include "tests/core/change/device_ddp_job.h"
#include "tests/support/unit_test.h"

#include <QTest>

#include <functional>

using namespace core;

class GraphFaultTest : public QObject
{
    Q_OBJECT

private slots:
    void aBuiltGraphHasNone();
    void eachBrokenRuleIsFound_data();
    void eachBrokenRuleIsFound();

private:
    static Graph graph() { return buildGraph(tests::DdpJob({ 2, 4 }).trace(), {}); }
};

void GraphFaultTest::aBuiltGraphHasNone()
{
    QCOMPARE(graphFault(graph()), std::string());
}

using Break = std::function<void(Graph &)>;
Q_DECLARE_METATYPE(Break)

void GraphFaultTest::eachBrokenRuleIsFound_data()
{
    QTest::addColumn<Break>("breakRule");
    QTest::addColumn<QString>("word");
    const auto row = [](const char *name, const char *word, Break breakRule) {
        QTest::newRow(name) << std::move(breakRule) << QString::fromLatin1(word);
    };
    row("a column is short", "column", [](Graph &graph) { graph.kind.pop_back(); });
    row("an optional column is short", "optional column",
        [](Graph &graph) { graph.priority.assign(1, 0); });
    row("offsets", "offsets", [](Graph &graph) { graph.predOffset.back() += 1; });
    row("a time", "negative", [](Graph &graph) { graph.durationNs[3] = -1; });
    row("a device", "device", [](Graph &graph) { graph.device[3] = DeviceId(1'000'000); });
    row("an edge goes back", "predecessor",
        [](Graph &graph) { graph.preds.front().op = OpId(1'000'000); });
    row("a transfer", "arrival",
        [](Graph &graph) { graph.collectives.front().transfer = OpId(0); });
    row("a bucket", "bucket",
        [](Graph &graph) { graph.gradientSteps.front().buckets.front().parameterCount = 1000; });
    row("an iteration's end", "iterations", [](Graph &graph) { graph.iterationEnds.pop_back(); });
    row("an op's iteration", "iteration",
        [](Graph &graph) { graph.iteration[3] = graph.iterationCount; });
}

void GraphFaultTest::eachBrokenRuleIsFound()
{
    QFETCH(const Break, breakRule);
    QFETCH(const QString, word);
    Graph broken = graph();
    breakRule(broken);
    const QString fault = QString::fromStdString(graphFault(broken));
    QVERIFY2(fault.contains(word), qPrintable(fault));
}

LONGPOLE_TEST(GraphFaultTest)
#include "tst_graph_fault.moc"
