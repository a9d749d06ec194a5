#include "core/replay/replay_base.h"
#include "tests/support/graph_text.h"
#include "tests/support/random_graph.h"

#include <QTest>

#include <random>

using namespace core;
using tests::graphFromText;
using tests::randomGraph;
using tests::RandomGraphKind;

class TestReplayBase : public QObject
{
    Q_OBJECT

private slots:
    void anUnchangedGraphGivesTheResultAgain();
    void aChangedDurationIsReplayed();
    void changedTimesGiveWhatAWholeReplayGives_data();
    void changedTimesGiveWhatAWholeReplayGives();
    void anotherStructureIsReplayedWholly();
    void opsOfOtherWorkersAreReplayedWholly();
    void aCancelledReplayThrows();
};

namespace {

ReplayBase baseOf(const Graph &graph)
{
    return ReplayBase(std::make_shared<const Graph>(graph), {});
}

bool isSame(const ReplayResult &a, const ReplayResult &b)
{
    const auto isSameCause = [](const StartCause &x, const StartCause &y) {
        return x.op == y.op && x.isDeviceOrder == y.isDeviceOrder;
    };
    return a.startNs == b.startNs && a.endNs == b.endNs && a.makespanNs == b.makespanNs
        && a.iterationEndNs == b.iterationEndNs
        && std::equal(a.cause.begin(), a.cause.end(), b.cause.begin(), b.cause.end(), isSameCause);
}

/// Other durations or delays of one op, or of a few.
void changeTimes(Graph &graph, std::mt19937 &random)
{
    const auto pick = [&](std::size_t count) {
        return std::uniform_int_distribution<std::size_t>(0, count - 1)(random);
    };
    for (std::size_t changes = 1 + pick(3); changes > 0; --changes) {
        const std::size_t op = pick(graph.size());
        if (pick(3) == 0)
            graph.delayNs[op] = static_cast<std::int64_t>(pick(12));
        else if (graph.kind[op] != OpKind::Virtual)
            graph.durationNs[op] = static_cast<std::int64_t>(pick(60));
    }
}

} // namespace

void TestReplayBase::anUnchangedGraphGivesTheResultAgain()
{
    std::mt19937 random(2);
    for (int round = 0; round < 1000; ++round) {
        RandomGraphKind kind;
        kind.interferes = round % 3 == 0;
        const Graph graph = randomGraph(random, kind);
        const ReplayBase base = baseOf(graph);
        QVERIFY(isSame(base.result(), replay(graph, {})));
        QVERIFY(isSame(base.replay(graph, {}), base.result()));
    }
}

void TestReplayBase::aChangedDurationIsReplayed()
{
    Graph graph = graphFromText("a:10@d -> b:5 -> c:7@d");
    const ReplayBase base = baseOf(graph);
    graph.durationNs[1] = 3;
    QCOMPARE(QString::fromStdString(tests::timesText(graph, base.replay(graph, {}))),
             QStringLiteral("a 0-10, b 10-13, c 13-20"));
    graph.durationNs[0] = 1;
    QCOMPARE(QString::fromStdString(tests::timesText(graph, base.replay(graph, {}))),
             QStringLiteral("a 0-1, b 1-4, c 4-11"));
}

void TestReplayBase::changedTimesGiveWhatAWholeReplayGives_data()
{
    QTest::addColumn<bool>("hasLinks");
    QTest::addColumn<bool>("preempts");
    QTest::addColumn<bool>("interferes");
    QTest::addColumn<bool>("hasLinkEnds");
    QTest::addColumn<int>("iterations");
    QTest::newRow("one by one") << false << false << false << false << 0;
    QTest::newRow("setting back, one by one") << false << true << false << false << 0;
    QTest::newRow("sharing links, with credit") << true << false << false << false << 0;
    QTest::newRow("sharing and setting back") << true << true << false << false << 0;
    QTest::newRow("slowed by communication") << true << true << true << false << 0;
    // As where collectives are replayed chunk by chunk.
    QTest::newRow("slowed by each rank's end of the link") << true << true << true << true << 0;
    QTest::newRow("several iterations") << true << true << false << false << 4;
    QTest::newRow("several iterations, slowed") << true << true << true << false << 4;
}

void TestReplayBase::changedTimesGiveWhatAWholeReplayGives()
{
    RandomGraphKind kind;
    kind.mostOps = 120;
    QFETCH(bool, hasLinks);
    QFETCH(bool, preempts);
    QFETCH(bool, interferes);
    QFETCH(bool, hasLinkEnds);
    kind.hasLinks = hasLinks;
    kind.preempts = preempts;
    kind.interferes = interferes;
    kind.hasLinkEnds = hasLinkEnds;
    kind.devices = hasLinkEnds ? 7 : kind.devices;
    QFETCH(int, iterations);
    kind.iterations = iterations;
    if (iterations > 0)
        kind.mostOps /= iterations;
    std::mt19937 random(13);
    for (int round = 0; round < 400; ++round) {
        Graph graph = randomGraph(random, kind);
        const ReplayBase base = baseOf(graph);
        for (int change = 0; change < 5; ++change) {
            Graph changed = graph;
            changeTimes(changed, random);
            if (change == 4)
                changed.slowdown = 1.2;
            QVERIFY2(isSame(base.replay(changed, {}), replay(changed, {})),
                     qPrintable(QStringLiteral("round %1").arg(round)));
        }
    }
}

void TestReplayBase::anotherStructureIsReplayedWholly()
{
    const ReplayBase base = baseOf(graphFromText("a:10 -> b:5 -> c:7"));
    const Graph other = graphFromText("a:10@d\nb:5@d\nc:7@d");
    QVERIFY(isSame(base.replay(other, {}), replay(other, {})));
    Graph urgent = graphFromText("a:10@urgent!1\nb:5@urgent!2");
    const ReplayBase urgentBase = baseOf(urgent);
    std::swap(urgent.priority[0], urgent.priority[1]);
    QVERIFY(isSame(urgentBase.replay(urgent, {}), replay(urgent, {})));
}

/// An end of the interfering link slows its own worker only: the replay of a graph that differed by
/// its workers alone was that of the base.
void TestReplayBase::opsOfOtherWorkersAreReplayedWholly()
{
    Graph graph = graphFromText("whole:0@link\nsend:10@link2\nwork:10@d");
    graph.devices[graph.device[0].value].slows = { WorkerId(0), WorkerId(1) };
    graph.devices[graph.device[1].value].partOf = graph.device[0];
    for (const std::size_t op : { 0U, 1U }) {
        graph.devices[graph.device[op].value].isLink = true;
        graph.kind[op] = OpKind::Communication;
    }
    graph.slowdown = 2;
    graph.stretchShare[2] = 1;
    const ReplayBase base = baseOf(graph);
    QCOMPARE(base.result().endNs[2], std::int64_t { 15 }); // half as fast until 10

    Graph elsewhere = graph;
    elsewhere.worker[2] = elsewhere.devices[elsewhere.device[2].value].worker = WorkerId(1);
    QCOMPARE(replay(elsewhere, {}).endNs[2], std::int64_t { 10 });
    QVERIFY(isSame(base.replay(elsewhere, {}), replay(elsewhere, {})));
}

void TestReplayBase::aCancelledReplayThrows()
{
    std::string text;
    for (int i = 0; i < 70000; ++i)
        text += "n" + std::to_string(i) + ":1@d\n";
    Graph graph = graphFromText(text);
    const ReplayBase base = baseOf(graph);
    graph.durationNs[0] = 2;
    const JobControl cancelled([] { return true; }, {});
    QVERIFY_THROWS_EXCEPTION(Cancelled, base.replay(graph, cancelled));
    QVERIFY(isSame(base.replay(graph, {}), replay(graph, {})));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestReplayBase)
#include "tst_replay_base.moc"
