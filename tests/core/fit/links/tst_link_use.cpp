#include "core/base/time_range.h"
#include "core/fit/links/link_use.h"
#include "core/fit/links/measured_graph.h"
#include "core/fit/links/node_shape.h"
#include "core/replay/replay.h"
#include "tests/core/fit/links/link_jobs.h"

#include <QTest>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

using namespace core;
using namespace tests;

namespace {

std::string textOf(const std::vector<UseStep> &steps)
{
    std::string text;
    for (const UseStep &step : steps)
        text += std::to_string(step.startNs) + ':' + std::to_string(std::llround(step.value)) + ' ';
    return text;
}

double bytesOf(const Graph &graph, const Trace &trace)
{
    double sum = 0;
    for (const CollectiveNode &node : graph.collectives)
        sum += wireBytes(node, node.bytes, trace);
    return sum;
}

} // namespace

class TestLinkUse : public QObject
{
    Q_OBJECT

private slots:
    void aTransferIsItsBytesOverItsTime();
    void transfersUnderWayAtOnceShareTheLink();
    void withoutSizesItIsTheBusyShare();
    void whatHasNoDurationIsLeftOut();
    void aReplayIsDrawnFromItsOrigin();
    void chunksAreTheMeanOfTheirRanksEnds();
    void theCapacityIsStatedOrFitted();
    void theIntegralIsTheBytesSent_data();
    void theIntegralIsTheBytesSent();
};

/// With two ranks a payload byte is a byte on the wire: 1000 bytes in 1 us are 1 GB/s.
void TestLinkUse::aTransferIsItsBytesOverItsTime()
{
    const auto uses = measuredLinkUse(linkGraph({ { 0, 1000, 1000 }, { 5000, 7000, 500 } }), {});
    QCOMPARE(uses.size(), std::size_t { 1 });
    QCOMPARE(uses.front().name, std::string("network"));
    QCOMPARE(textOf(uses.front().steps), std::string("0:1000000000 1000:0 5000:250000000 7000:0 "));
    QVERIFY(!uses.front().isBusyShare);
}

/// Alone one would send its 300 bytes in 300 ns, the other its 200 bytes in 200 ns.
void TestLinkUse::transfersUnderWayAtOnceShareTheLink()
{
    const auto uses = measuredLinkUse(linkGraph({ { 0, 400, 300 }, { 200, 500, 200 } }), {});
    QCOMPARE(textOf(uses.front().steps), std::string("0:1000000000 500:0 "));
    QCOMPARE(integralOf(uses.front().steps), 500.0);
}

void TestLinkUse::withoutSizesItIsTheBusyShare()
{
    const auto uses = measuredLinkUse(linkGraph({ { 0, 400, 0 }, { 200, 500, 0 } }), {});
    QVERIFY(uses.front().isBusyShare);
    QCOMPARE(textOf(uses.front().steps), std::string("0:1 500:0 "));
}

void TestLinkUse::whatHasNoDurationIsLeftOut()
{
    const auto uses = measuredLinkUse(
        linkGraph({ { 0, 1000, 1000 }, { 2000, 2000, 500 }, { 3000, 4000, 0 } }), {});
    QCOMPARE(uses.front().leftOut, std::size_t { 2 });
    QCOMPARE(textOf(uses.front().steps), std::string("0:1000000000 1000:0 "));
}

void TestLinkUse::aReplayIsDrawnFromItsOrigin()
{
    const Graph graph = linkGraph({ { 0, 1000, 1000 } });
    const auto uses = replayedLinkUse(graph, {}, replay(graph, {}), 7000);
    QCOMPARE(textOf(uses.front().steps), std::string("7000:1000000000 8000:0 "));
}

/// Each of two ranks sends two chunks on its own end; the bytes are those of one rank.
void TestLinkUse::chunksAreTheMeanOfTheirRanksEnds()
{
    GraphBuilder builder({ "" });
    Device link;
    link.name = "network";
    link.isLink = true;
    const DeviceId whole = builder.addDevice(link);
    CollectiveNode node;
    node.name = "all_reduce";
    node.bytes = 1000;
    OpSpec all;
    all.device = whole;
    all.kind = OpKind::Virtual;
    node.transfer = node.arrival = builder.addOp(all);
    for (std::uint32_t rank = 0; rank < 2; ++rank) {
        Device end = link;
        end.partOf = whole;
        OpSpec chunk;
        chunk.device = builder.addDevice(end);
        chunk.kind = OpKind::Communication;
        chunk.durationNs = 500;
        node.parts.push_back({ WorkerId(rank), NoSlice, 0, 1000, node.transfer });
        node.parts.back().chunks = { builder.addOp(chunk), builder.addOp(chunk) };
    }
    builder.addCollective(std::move(node));
    const Graph graph = builder.build();
    const auto uses = replayedLinkUse(graph, {}, replay(graph, {}), 0);
    QCOMPARE(uses.size(), std::size_t { 1 });
    QCOMPARE(uses.front().link, whole);
    QCOMPARE(textOf(uses.front().steps), std::string("0:1000000000 1000:0 "));
}

void TestLinkUse::theCapacityIsStatedOrFitted()
{
    // t = 500 + 2 * bytes: half a byte a nanosecond, as long as no rate is stated.
    const Graph graph = linkGraph({ { 0, 2500, 1000 }, { 10000, 18500, 4000 } });
    for (const bool isStated : { false, true }) {
        const Trace trace = isStated ? twoRanksOf800Mbit() : twoRanks();
        auto uses = measuredLinkUse(graph, trace);
        const LinkModels models = fitLinks(graph, trace);
        addCapacities(uses, models);
        QVERIFY(uses.front().capacity.has_value());
        QCOMPARE(uses.front().isCapacityStated, models.begin()->second.nominalMbit.has_value());
        if (!isStated)
            QVERIFY(qAbs(*uses.front().capacity / 5e8 - 1) < 1e-6);
    }
}

void TestLinkUse::theIntegralIsTheBytesSent_data()
{
    QTest::addColumn<int>("seed");
    for (int seed = 0; seed < 20; ++seed)
        QTest::addRow("seed %d", seed) << seed;
}

/// Transfers of any sizes that overlap in any way, measured and replayed.
void TestLinkUse::theIntegralIsTheBytesSent()
{
    QFETCH(int, seed);
    std::uint64_t state = static_cast<std::uint64_t>(seed) + 1;
    const auto next = [&state](std::uint64_t below) {
        state = state * 6364136223846793005U + 1442695040888963407U;
        return (state >> 33) % below;
    };
    std::vector<Measured> transfers;
    for (int i = 0; i < 200; ++i) {
        const auto startNs = static_cast<std::int64_t>(next(100'000));
        transfers.push_back(
            { startNs, startNs + 1 + static_cast<std::int64_t>(next(5000)), 1 + next(1'000'000) });
    }
    const Graph graph = linkGraph(transfers);
    const double bytes = bytesOf(graph, {});
    for (const auto &uses :
         { measuredLinkUse(graph, {}), replayedLinkUse(graph, {}, replay(graph, {}), 1000) }) {
        QCOMPARE(uses.size(), std::size_t { 1 });
        QCOMPARE(uses.front().leftOut, std::size_t { 0 });
        QVERIFY(qAbs(integralOf(uses.front().steps) / bytes - 1) < 1e-9);
        QCOMPARE(uses.front().steps.back().value, 0.0);
    }
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestLinkUse)
#include "tst_link_use.moc"
