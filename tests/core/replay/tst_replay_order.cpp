#include "core/base/error.h"
#include "core/replay/replay_order.h"
#include "tests/support/graph_text.h"
#include "tests/support/random_graph.h"

#include <QTest>

#include <random>

using namespace core;
using tests::graphFromText;
using tests::pathText;

class TestReplayOrder : public QObject
{
    Q_OBJECT

private slots:
    void devicesServeInTheGivenOrder();
    void theRecordedOrderIsThatOfIds();
    void theOrderOfAResultGivesTheResultAgain();
    void aShorterOpNeverMakesAnotherLater();
    void aGraphWhoseDevicesShareNeedsTheEventLoop_data();
    void aGraphWhoseDevicesShareNeedsTheEventLoop();
    void anOrderThatIsNoneIsRefused_data();
    void anOrderThatIsNoneIsRefused();
    void aCancelledReplayThrows();
};

void TestReplayOrder::devicesServeInTheGivenOrder()
{
    // By readiness a would be first.
    const Graph graph = graphFromText("a:3@d -> x:1\ns:2 -> b:5@d");
    const OpId a(0), x(1), s(2), b(3);
    QCOMPARE(QString::fromStdString(pathText(graph, { a, x, s, b })), QStringLiteral("a x s b"));
    const std::vector<OpId> order { s, b, a, x };
    const ReplayResult result = replayInOrder(graph, order, {});
    QCOMPARE(QString::fromStdString(tests::timesText(graph, result)),
             QStringLiteral("s 0-2, b 2-7, a 7-10, x 10-11"));
    QCOMPARE(result.makespanNs, std::int64_t { 11 });
    QCOMPARE(QString::fromStdString(pathText(graph, criticalPath(graph, result))),
             QStringLiteral("s b a x"));
}

void TestReplayOrder::theRecordedOrderIsThatOfIds()
{
    std::mt19937 random(3);
    const Graph graph = tests::randomOrderedGraph(random);
    std::vector<OpId> order;
    for (std::uint32_t i = 0; i < graph.size(); ++i)
        order.push_back(OpId(i));
    QCOMPARE(replayInOrder(graph, {}).endNs, replayInOrder(graph, order, {}).endNs);
}

void TestReplayOrder::theOrderOfAResultGivesTheResultAgain()
{
    std::mt19937 random(5);
    for (int round = 0; round < 3000; ++round) {
        const Graph graph = tests::randomOrderedGraph(random);
        QVERIFY(canReplayInOrder(graph));
        const ReplayResult free = replay(graph, {});
        const ReplayResult fixed = replayInOrder(graph, replayOrder(free), {});
        QCOMPARE(fixed.startNs, free.startNs);
        QCOMPARE(fixed.endNs, free.endNs);
        QCOMPARE(fixed.makespanNs, free.makespanNs);
    }
}

void TestReplayOrder::aShorterOpNeverMakesAnotherLater()
{
    std::mt19937 random(9);
    for (int round = 0; round < 3000; ++round) {
        Graph graph = tests::randomOrderedGraph(random);
        const std::vector<OpId> order = replayOrder(replay(graph, {}));
        const ReplayResult before = replayInOrder(graph, order, {});
        const std::uint32_t changed = std::uniform_int_distribution<std::uint32_t>(
            0, static_cast<std::uint32_t>(graph.size()) - 1)(random);
        graph.durationNs[changed] /= 2;
        const ReplayResult after = replayInOrder(graph, order, {});
        for (std::size_t i = 0; i < graph.size(); ++i)
            QVERIFY(after.endNs[i] <= before.endNs[i]);
    }
}

void TestReplayOrder::aGraphWhoseDevicesShareNeedsTheEventLoop_data()
{
    QTest::addColumn<QByteArray>("graph");
    QTest::addColumn<bool>("canReplay");
    QTest::newRow("one by one") << QByteArray("a:1@d\nb:1@d") << true;
    QTest::newRow("by priority") << QByteArray("a:1@urgent!2\nb:1@urgent!1") << true;
    QTest::newRow("setting back") << QByteArray("a:1@preempting!2\nb:1@preempting!1") << false;
    QTest::newRow("sharing") << QByteArray("a:1@link2\nb:1@link2") << false;
}

void TestReplayOrder::aGraphWhoseDevicesShareNeedsTheEventLoop()
{
    QFETCH(QByteArray, graph);
    QFETCH(bool, canReplay);
    Graph g = graphFromText(graph.toStdString());
    QCOMPARE(canReplayInOrder(g), canReplay);
    g.devices[0].slows = { WorkerId(0) };
    g.slowdown = 2;
    g.stretchShare[0] = 0.5F;
    QVERIFY(!canReplayInOrder(g));
}

void TestReplayOrder::anOrderThatIsNoneIsRefused_data()
{
    QTest::addColumn<std::vector<OpId>>("order");
    QTest::newRow("an op is missing") << std::vector { OpId(0) };
    QTest::newRow("an op is there twice") << std::vector { OpId(0), OpId(0) };
    QTest::newRow("an op is before its predecessor") << std::vector { OpId(1), OpId(0) };
    QTest::newRow("an op is not the graph's") << std::vector { OpId(0), OpId(2) };
}

void TestReplayOrder::anOrderThatIsNoneIsRefused()
{
    QFETCH(std::vector<OpId>, order);
    QVERIFY_THROWS_EXCEPTION(Error, replayInOrder(graphFromText("a:1 -> b:1"), order, {}));
}

void TestReplayOrder::aCancelledReplayThrows()
{
    const JobControl cancelled([] { return true; }, {});
    const Graph graph = graphFromText("a:1 -> b:1");
    QVERIFY_THROWS_EXCEPTION(Cancelled, replayInOrder(graph, cancelled));
    QVERIFY_THROWS_EXCEPTION(Cancelled,
                             replayInOrder(graph, std::vector { OpId(0), OpId(1) }, cancelled));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestReplayOrder)
#include "tst_replay_order.moc"
