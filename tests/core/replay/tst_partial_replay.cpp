#include "core/graph/graph_builder.h"
#include "core/replay/partial_replay.h"
#include "tests/support/graph_text.h"
#include "tests/support/random_graph.h"

#include <QTest>

#include <random>

using namespace core;
using tests::graphFromText;

class TestPartialReplay : public QObject
{
    Q_OBJECT

private slots:
    void onlyTheOpsAndTheirEdgesCount();
    void opsMayComeInAnyOrderAndTwice();
    void noOpsTakeNoTime();
    void anIndependentPartTakesTheTimesOfTheWhole();
};

namespace {

/// Two graphs in one, without an edge or a device in common. Returns the ops of the second.
std::vector<OpId> join(const Graph &first, const Graph &second, Graph &whole)
{
    GraphBuilder builder({ "" });
    std::vector<OpId> placed;
    std::uint32_t deviceBase = 0, opBase = 0;
    for (const Graph *part : { &first, &second }) {
        for (const Device &device : part->devices)
            builder.addDevice(device);
        for (std::uint32_t i = 0; i < part->size(); ++i) {
            OpSpec spec;
            spec.device = DeviceId(deviceBase + part->device[i].value);
            spec.kind = part->kind[i];
            spec.durationNs = part->durationNs[i];
            spec.delayNs = part->delayNs[i];
            spec.measuredStartNs = part->measuredStartNs[i];
            spec.priority = part->priorityOf(OpId(i));
            spec.bytes = part->bytesOf(OpId(i));
            spec.rateLimit = part->rateLimitOf(OpId(i));
            spec.stretchShare = part->stretchShare[i];
            placed.push_back(builder.addOp(spec));
            for (const Edge &edge : part->predecessors(OpId(i)))
                builder.addEdge(placed[opBase + edge.op.value], placed.back(), EdgeKind::Data);
        }
        deviceBase += static_cast<std::uint32_t>(part->devices.size());
        opBase = static_cast<std::uint32_t>(placed.size());
    }
    std::vector<OpId> newIds, secondOps;
    whole = builder.build({}, &newIds);
    whole.slowdown = second.slowdown;
    for (std::size_t i = first.size(); i < placed.size(); ++i)
        secondOps.push_back(newIds[placed[i].value]);
    return secondOps;
}

} // namespace

void TestPartialReplay::onlyTheOpsAndTheirEdgesCount()
{
    // Without a, b begins at once; without other, the device is free for c.
    const Graph graph = graphFromText("a:10 -> b:5 -> c:7@d+1 -> e:1\nother:30@d");
    const PartialReplay part = replayPart(graph, std::vector { OpId(1), OpId(2) }, {});
    QCOMPARE(part.endNs(OpId(1)), std::int64_t { 5 });
    QCOMPARE(part.endNs(OpId(2)), std::int64_t { 13 });
    QCOMPARE(part.result.makespanNs, std::int64_t { 13 });
    QCOMPARE(part.result.cause[1].op, OpId(0)); // by index: c's cause is b
}

void TestPartialReplay::opsMayComeInAnyOrderAndTwice()
{
    const Graph graph = graphFromText("a:10 -> b:5 -> c:7");
    const PartialReplay part = replayPart(graph, std::vector { OpId(2), OpId(0), OpId(2) }, {});
    QCOMPARE(part.ops, (std::vector { OpId(0), OpId(2) }));
    QCOMPARE(part.result.makespanNs, std::int64_t { 10 });
}

void TestPartialReplay::noOpsTakeNoTime()
{
    const PartialReplay part = replayPart(graphFromText("a:10"), {}, {});
    QVERIFY(part.ops.empty());
    QCOMPARE(part.result.makespanNs, std::int64_t { 0 });
}

void TestPartialReplay::anIndependentPartTakesTheTimesOfTheWhole()
{
    std::mt19937 random(17);
    for (int round = 0; round < 2000; ++round) {
        Graph whole;
        tests::RandomGraphKind kind;
        kind.interferes = round % 3 == 0;
        const Graph other = tests::randomGraph(random, {});
        const std::vector<OpId> ops = join(other, tests::randomGraph(random, kind), whole);
        const ReplayResult result = replay(whole, {});
        const PartialReplay part = replayPart(whole, ops, {});
        for (std::size_t i = 0; i < part.ops.size(); ++i) {
            QCOMPARE(part.result.startNs[i], result.startNs[part.ops[i].value]);
            QCOMPARE(part.result.endNs[i], result.endNs[part.ops[i].value]);
        }
    }
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestPartialReplay)
#include "tst_partial_replay.moc"
