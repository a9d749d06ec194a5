// What holds of every replay, tried on random graphs.
#include "core/graph/graph_builder.h"
#include "core/replay/replay.h"
#include "core/replay/replay_order.h"
#include "tests/support/graph_text.h"
#include "tests/support/random_graph.h"

#include <QTest>

#include <functional>
#include <random>

using namespace core;
using tests::graphFromText;
using tests::randomGraph;
using tests::RandomGraphKind;

class TestReplayProperties : public QObject
{
    Q_OBJECT

private slots:
    void noOpIsFasterThanItsWorkOrBeforeItsPredecessors();
    void theMakespanIsNeverShorterThanPathOrLoad();
    void thePathBeginsWhereItsCausesEnd();
    void aDeviceIsNeverIdleWhileAnOpWaits();
    void iterationsEndInTheirOrder();
    void theNumbersOfDevicesDoNotMatter();
    void aRebuiltGraphGivesTheSameTimes();
    void theSameGraphGivesTheSameResult();
    void aFasterDeviceNeverDelaysAFixedOrder();
    void whereNothingChoosesAFasterOpDelaysNone();
    void aFasterLinkDelaysNoTransferThatSharesIt();
    void twiceTheTimesTakeTwiceAsLong();
    void aFasterOpMayDelayAFreeOrder();
};

namespace {

constexpr int Rounds = 2000;

void onRandomGraphs(unsigned seed,
                    const std::function<void(const Graph &, const ReplayResult &)> &check)
{
    std::mt19937 random(seed);
    for (int round = 0; round < Rounds; ++round) {
        RandomGraphKind kind;
        kind.interferes = round % 4 == 0;
        if (round % 3 == 0) {
            kind.mostOps = 20;
            kind.iterations = 3;
        }
        const Graph graph = randomGraph(random, kind);
        check(graph, replay(graph, {}));
    }
}

/// By op: the end of the longest path of delays and durations to it, which is when it would end if
/// every device served any number of ops at full rate.
std::vector<std::int64_t> pathEndsNs(const Graph &graph)
{
    std::vector<std::int64_t> endNs(graph.size(), 0);
    for (std::uint32_t i = 0; i < graph.size(); ++i) {
        for (const Edge &edge : graph.predecessors(OpId(i)))
            endNs[i] = std::max(endNs[i], endNs[edge.op.value]);
        endNs[i] += graph.delayNs[i] + graph.durationNs[i];
    }
    return endNs;
}

std::int64_t readyNs(const Graph &graph, const ReplayResult &result, std::uint32_t op)
{
    std::int64_t lastNs = 0;
    for (const Edge &edge : graph.predecessors(OpId(op)))
        lastNs = std::max(lastNs, result.endNs[edge.op.value]);
    return lastNs + graph.delayNs[op];
}

} // namespace

void TestReplayProperties::noOpIsFasterThanItsWorkOrBeforeItsPredecessors()
{
    onRandomGraphs(1, [](const Graph &graph, const ReplayResult &result) {
        for (std::uint32_t i = 0; i < graph.size(); ++i) {
            QVERIFY(result.startNs[i] >= readyNs(graph, result, i));
            const std::int64_t takenNs = result.endNs[i] - result.startNs[i];
            QVERIFY(takenNs >= graph.durationNs[i]);
            const bool isAlone = servesOneByOne(graph.devices[graph.device[i].value]);
            if (graph.kind[i] == OpKind::Virtual || (isAlone && !hasInterference(graph)))
                QCOMPARE(takenNs, graph.durationNs[i]);
        }
    });
}

void TestReplayProperties::theMakespanIsNeverShorterThanPathOrLoad()
{
    onRandomGraphs(2, [](const Graph &graph, const ReplayResult &result) {
        const std::vector<std::int64_t> pathNs = pathEndsNs(graph);
        std::vector<std::int64_t> loadNs(graph.devices.size(), 0);
        for (std::uint32_t i = 0; i < graph.size(); ++i) {
            QVERIFY(result.endNs[i] >= pathNs[i]);
            if (graph.kind[i] != OpKind::Virtual)
                loadNs[graph.device[i].value] += graph.durationNs[i];
        }
        QVERIFY(result.makespanNs >= *std::max_element(loadNs.begin(), loadNs.end()));
    });
}

void TestReplayProperties::thePathBeginsWhereItsCausesEnd()
{
    onRandomGraphs(3, [](const Graph &graph, const ReplayResult &result) {
        const std::vector<OpId> path = criticalPath(graph, result);
        QCOMPARE(result.endNs[path.back().value], result.makespanNs);
        QCOMPARE(result.startNs[path.front().value], graph.delayNs[path.front().value]);
        for (std::uint32_t i = 0; i < graph.size(); ++i) {
            const StartCause &cause = result.cause[i];
            const std::int64_t beforeNs = cause.op == NoOp ? 0 : result.endNs[cause.op.value];
            const std::int64_t delayNs = cause.isDeviceOrder ? 0 : graph.delayNs[i];
            QCOMPARE(result.startNs[i], beforeNs + delayNs);
            QVERIFY(!cause.isDeviceOrder || graph.device[cause.op.value] == graph.device[i]);
        }
    });
}

void TestReplayProperties::aDeviceIsNeverIdleWhileAnOpWaits()
{
    std::mt19937 random(4);
    for (int round = 0; round < Rounds; ++round) {
        const Graph graph = tests::randomOrderedGraph(random);
        const ReplayResult result = replay(graph, {});
        std::vector<std::int64_t> freeNs(graph.devices.size(), 0);
        for (const OpId op : replayOrder(result)) {
            if (graph.kind[op.value] == OpKind::Virtual)
                continue;
            std::int64_t &deviceFreeNs = freeNs[graph.device[op.value].value];
            QCOMPARE(result.startNs[op.value],
                     std::max(deviceFreeNs, readyNs(graph, result, op.value)));
            deviceFreeNs = result.endNs[op.value];
        }
    }
}

void TestReplayProperties::iterationsEndInTheirOrder()
{
    std::size_t ends = 0;
    onRandomGraphs(9, [&ends](const Graph &graph, const ReplayResult &result) {
        QCOMPARE(result.iterationEndNs.size(), graph.iterationEnds.size());
        for (std::size_t i = 0; i < graph.iterationEnds.size(); ++i) {
            QCOMPARE(result.iterationEndNs[i], result.endNs[graph.iterationEnds[i].value]);
            QVERIFY(i == 0 || result.iterationEndNs[i] >= result.iterationEndNs[i - 1]);
            QVERIFY(result.iterationEndNs[i] <= result.makespanNs);
        }
        ends += graph.iterationEnds.size();
    });
    QVERIFY(ends > Rounds / 2);
}

void TestReplayProperties::theNumbersOfDevicesDoNotMatter()
{
    onRandomGraphs(5, [](const Graph &graph, const ReplayResult &result) {
        Graph mirrored = graph;
        std::reverse(mirrored.devices.begin(), mirrored.devices.end());
        const auto mirror = [&](DeviceId device) {
            return DeviceId(static_cast<std::uint32_t>(graph.devices.size()) - 1 - device.value);
        };
        for (DeviceId &device : mirrored.device)
            device = mirror(device);
        const ReplayResult again = replay(mirrored, {});
        QCOMPARE(again.startNs, result.startNs);
        QCOMPARE(again.endNs, result.endNs);
        QCOMPARE(criticalPath(mirrored, again), criticalPath(graph, result));
    });
}

void TestReplayProperties::aRebuiltGraphGivesTheSameTimes()
{
    onRandomGraphs(6, [](const Graph &graph, const ReplayResult &result) {
        const ReplayResult again = replay(GraphBuilder(graph).build(), {});
        QCOMPARE(again.startNs, result.startNs);
        QCOMPARE(again.endNs, result.endNs);
    });
}

void TestReplayProperties::theSameGraphGivesTheSameResult()
{
    onRandomGraphs(7, [](const Graph &graph, const ReplayResult &result) {
        const ReplayResult again = replay(graph, {});
        QCOMPARE(again.startNs, result.startNs);
        QCOMPARE(again.endNs, result.endNs);
        QCOMPARE(criticalPath(graph, again), criticalPath(graph, result));
    });
}

/// A link of twice the bandwidth, or a device of twice the speed.
void TestReplayProperties::aFasterDeviceNeverDelaysAFixedOrder()
{
    std::mt19937 random(8);
    for (int round = 0; round < Rounds; ++round) {
        Graph graph = tests::randomOrderedGraph(random);
        const std::vector<OpId> order = replayOrder(replay(graph, {}));
        const ReplayResult before = replayInOrder(graph, order, {});
        for (std::uint32_t i = 0; i < graph.size(); ++i)
            if (graph.device[i] == DeviceId(0))
                graph.durationNs[i] /= 2;
        const ReplayResult after = replayInOrder(graph, order, {});
        for (std::size_t i = 0; i < graph.size(); ++i)
            QVERIFY(after.endNs[i] <= before.endNs[i]);
    }
}

/// As many devices as ops, each faster or not.
void TestReplayProperties::whereNothingChoosesAFasterOpDelaysNone()
{
    std::mt19937 random(10);
    for (int round = 0; round < Rounds; ++round) {
        Graph graph = tests::randomOrderedGraph(random);
        graph.devices.assign(graph.size(), {});
        for (std::uint32_t i = 0; i < graph.size(); ++i)
            graph.device[i] = DeviceId(i);
        const ReplayResult before = replay(graph, {});
        for (std::int64_t &durationNs : graph.durationNs)
            durationNs /= 1 + static_cast<std::int64_t>(random() % 3);
        const ReplayResult after = replay(graph, {});
        for (std::size_t i = 0; i < graph.size(); ++i)
            QVERIFY(after.endNs[i] <= before.endNs[i]);
    }
}

/// Transfers that come when they come and share the link's rate: with twice the rate each of them
/// has at any time got at least as much of it.
void TestReplayProperties::aFasterLinkDelaysNoTransferThatSharesIt()
{
    std::mt19937 random(11);
    constexpr std::int64_t Rounding = 1; // ns: where an end lies between two
    for (int round = 0; round < Rounds; ++round) {
        GraphBuilder builder({ "" });
        Device link;
        link.isLink = true;
        link.discipline = Discipline::Shared;
        link.capacity = 1000;
        OpSpec spec;
        spec.device = builder.addDevice(link);
        spec.kind = OpKind::Communication;
        for (auto i = 2 + random() % 20; i > 0; --i) {
            spec.delayNs = static_cast<std::int64_t>(random() % 5000);
            spec.durationNs = 1 + static_cast<std::int64_t>(random() % 2000);
            builder.addOp(spec);
        }
        Graph graph = builder.build();
        const ReplayResult before = replay(graph, {});
        for (std::int64_t &durationNs : graph.durationNs)
            durationNs /= 2;
        const ReplayResult after = replay(graph, {});
        for (std::size_t i = 0; i < graph.size(); ++i)
            QVERIFY(after.endNs[i] <= before.endNs[i] + Rounding);
    }
}

/// Whatever devices choose by, as long as they serve one by one: shares are rounded to ns.
void TestReplayProperties::twiceTheTimesTakeTwiceAsLong()
{
    std::mt19937 random(12);
    for (int round = 0; round < Rounds; ++round) {
        RandomGraphKind kind;
        kind.hasLinks = false;
        Graph graph = randomGraph(random, kind);
        const ReplayResult before = replay(graph, {});
        for (std::size_t i = 0; i < graph.size(); ++i) {
            graph.durationNs[i] *= 2;
            graph.delayNs[i] *= 2;
        }
        const ReplayResult after = replay(graph, {});
        for (std::size_t i = 0; i < graph.size(); ++i) {
            QCOMPARE(after.startNs[i], 2 * before.startNs[i]);
            QCOMPARE(after.endNs[i], 2 * before.endNs[i]);
        }
    }
}

/// Graham's anomaly (Bounds on multiprocessing timing anomalies, 1969): with x shorter, "long" is
/// ready before "short", on which all else waits, and takes the device first.
///
///     x 2:  d |  short  |     long     |        x 0:  d |     long     |  short  |
///                       |------ rest ------|                                     |------ rest
///                       ------|
void TestReplayProperties::aFasterOpMayDelayAFreeOrder()
{
    Graph graph = graphFromText("x:2 -> long:10@d\ny:1 -> short:5@d -> rest:20");
    const ReplayResult before = replay(graph, {});
    QCOMPARE(QString::fromStdString(tests::timesText(graph, before)),
             QStringLiteral("x 0-2, y 0-1, short 1-6, long 6-16, rest 6-26"));
    graph.durationNs[0] = 0;
    QCOMPARE(QString::fromStdString(tests::timesText(graph, replay(graph, {}))),
             QStringLiteral("long 0-10, x 0-0, y 0-1, short 10-15, rest 15-35"));
    QCOMPARE(replayInOrder(graph, replayOrder(before), {}).makespanNs, std::int64_t { 26 });
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestReplayProperties)
#include "tst_replay_properties.moc"
