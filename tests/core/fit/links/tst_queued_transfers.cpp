#include "core/change/transfers/link_changes.h"
#include "core/change/transfers/transfers.h"
#include "core/fit/links/link_bandwidth.h"
#include "core/fit/links/link_models.h"
#include "core/fit/links/queued_transfers.h"
#include "core/graph/graph_builder.h"
#include "tests/core/fit/links/link_jobs.h"

#include <QTest>

#include <cmath>
#include <random>

using namespace core;

namespace {

constexpr double NominalMbit = 800;
constexpr std::uint64_t Bytes = 1'000'000; ///< of a slice; two ranks send as many each

double lineNs()
{
    return static_cast<double>(Bytes) * tcpNsPerByte(NominalMbit);
}

/// Mean time between ends of two transfers that wait for an exponential time each and then share
/// the line, step by step.
double simulatedMeanNs(double line, double latency)
{
    std::mt19937_64 random(7);
    const auto draw = [&random](double mean) {
        return -mean * std::log1p(-static_cast<double>(random() >> 11) * 0x1p-53);
    };
    constexpr int Ends = 200'000;
    double now = 0;
    double wait[2] = { draw(latency), draw(latency) }, work[2] = { draw(line), draw(line) };
    for (int ends = 0; ends < Ends;) {
        const int atLine = (wait[0] <= 0 ? 1 : 0) + (wait[1] <= 0 ? 1 : 0);
        double span = 1e300;
        for (const int i : { 0, 1 })
            span = std::min(span, wait[i] > 0 ? wait[i] : work[i] * atLine);
        now += span;
        for (const int i : { 0, 1 }) {
            if (wait[i] > 0) {
                wait[i] = wait[i] - span < 1e-9 ? 0 : wait[i] - span;
            } else if ((work[i] -= span / atLine) < 1e-9) {
                wait[i] = draw(latency);
                work[i] = draw(line);
                ++ends;
            }
        }
    }
    return now / Ends;
}

/// Slices of two ranks, two under way at any time, each with 1.25 times the line's time.
Graph slices()
{
    GraphBuilder builder({ "all_reduce" });
    Device link;
    link.name = "network";
    link.isLink = link.isHostLink = true;
    link.discipline = Discipline::Priority;
    const DeviceId device = builder.addDevice(link);
    const std::int64_t eachNs = std::llround(1.25 * lineNs());
    for (int i = 0; i < 8; ++i) {
        OpSpec spec;
        spec.device = device;
        spec.kind = OpKind::Communication;
        spec.measuredStartNs = i / 2 * 2 * eachNs;
        spec.durationNs = eachNs;
        CollectiveNode node;
        node.name = "all_reduce";
        node.tensor = "w";
        node.bytes = Bytes;
        node.transfer = node.arrival = builder.addOp(spec);
        for (const std::uint32_t w : { 0U, 1U })
            node.parts.push_back({ WorkerId(w), NoSlice, spec.measuredStartNs,
                                   spec.measuredStartNs + 2 * eachNs, node.transfer });
        builder.addCollective(node);
    }
    OpSpec begin;
    begin.kind = OpKind::Virtual;
    begin.device = builder.addDevice({});
    builder.setIterations(std::vector<OpId>(2, builder.addOp(begin)), {}, 0);
    return builder.build();
}

bool isNear(double value, double expected, double fraction)
{
    return std::abs(value - expected) <= fraction * expected;
}

} // namespace

class QueuedTransfersTest : public QObject
{
    Q_OBJECT

private slots:
    void oneByOneTheLineIdlesForTheLatency();
    void ofTwoTheOneUsesTheLineWhileTheOtherWaits();
    void theLatencyIsFoundAgain();
    void aSlowerLineIdlesLess();
    void slicesOfAnotherBandwidthKeepTheirLatency_data();
    void slicesOfAnotherBandwidthKeepTheirLatency();
    void withoutAStatedRateNothingTellsTheLatency();
    void aByteIsInALargeSliceMostly();
    void smallSlicesAreNoMoreUnderWayThanTheirBytes();
    void theSteadyPartIsByWhichOneRankIsLater();
};

void QueuedTransfersTest::oneByOneTheLineIdlesForTheLatency()
{
    QCOMPARE((QueuedTransfers { 1, 30 }).idleNs(100), 30.0);
    QCOMPARE((QueuedTransfers { 1, 30 }).idleNs(0), 30.0);
    QCOMPARE((QueuedTransfers { 3, 0 }).idleNs(100), 0.0);
    QCOMPARE(QueuedTransfers {}.idleNs(100), 0.0);
}

void QueuedTransfersTest::ofTwoTheOneUsesTheLineWhileTheOtherWaits()
{
    // Of two: latency^2 / (2 * (latency + line)).
    QCOMPARE((QueuedTransfers { 2, 10 }).idleNs(10), 2.5);
    QCOMPARE((QueuedTransfers { 2, 10 }).idleNs(0), 5.0);
    for (const double latency : { 3.0, 10.0, 40.0 })
        QVERIFY(isNear(10 + QueuedTransfers { 2, latency }.idleNs(10), simulatedMeanNs(10, latency),
                       0.01));
    // Half of the time one, half of it two.
    QCOMPARE((QueuedTransfers { 1.5, 10 }).idleNs(10), (10 + 2.5) / 2);
}

void QueuedTransfersTest::theLatencyIsFoundAgain()
{
    for (const double underWay : { 1.0, 2.0, 2.4, 7.0 }) {
        const double idleNs = QueuedTransfers { underWay, 25 }.idleNs(10);
        QVERIFY(isNear(queuedTransfers(underWay, 10, idleNs).latencyNs, 25, 1e-9));
    }
    QCOMPARE(queuedTransfers(2, 10, 0).latencyNs, 0.0);
    QCOMPARE(queuedTransfers(2, 10, -1).latencyNs, 0.0);
}

void QueuedTransfersTest::aSlowerLineIdlesLess()
{
    const QueuedTransfers queue { 2.3, 10 };
    for (double line = 1; line < 1000; line *= 2)
        QVERIFY(queue.idleNs(2 * line) < queue.idleNs(line));
}

void QueuedTransfersTest::slicesOfAnotherBandwidthKeepTheirLatency_data()
{
    QTest::addColumn<double>("scale");
    QTest::addColumn<double>("wanted"); // in times of the recorded line
    // Two under way and a quarter of idle time: a latency as long as the line's time.
    QTest::newRow("as it is") << 1.0 << 1.25;
    QTest::newRow("half") << 0.5 << 2 + 1.0 / 6;
    QTest::newRow("fifth") << 0.2 << 5 + 1.0 / 12;
    QTest::newRow("double") << 2.0 << 0.5 + 1.0 / 3;
}

/// A recording at 1,000 Mbit/s said 17 % too much of 500: all that the network took was taken to go
/// with bytes, or to be added to them.
void QueuedTransfersTest::slicesOfAnotherBandwidthKeepTheirLatency()
{
    QFETCH(const double, scale);
    QFETCH(const double, wanted);
    const Graph graph = slices();
    const Trace trace = tests::twoRanksOf800Mbit();
    const LinkModels links = fitLinks(graph, trace);
    QCOMPARE(links.size(), std::size_t { 1 });
    const LinkModel &model = links.begin()->second;
    QVERIFY(isNear(model.queue.underWay, 2, 1e-6));
    QVERIFY(isNear(model.queue.latencyNs, lineNs(), 1e-3));
    Strategy settings;
    settings.set({ "bandwidth_scale", static_cast<double>(scale) });
    const Graph changed = rewriteTransfers(graph, trace, links, core::linkChanges(settings));
    for (const CollectiveNode &node : changed.collectives)
        QVERIFY(isNear(static_cast<double>(changed.durationNs[node.transfer.value]),
                       wanted * lineNs(), 1e-3));
}

void QueuedTransfersTest::withoutAStatedRateNothingTellsTheLatency()
{
    Trace trace = tests::twoRanksOf800Mbit();
    trace.stated = {};
    const LinkModels links = fitLinks(slices(), trace);
    QCOMPARE(links.begin()->second.queue, QueuedTransfers {});
}

void QueuedTransfersTest::aByteIsInALargeSliceMostly()
{
    QCOMPARE(typicalBytes(0, 0), 0.0);
    QCOMPARE(typicalBytes(3 * 10.0, 3 * 100.0), 10.0);
    QCOMPARE(typicalBytes(10.0 + 9 * 1.0, 100.0 + 9 * 1.0), 109.0 / 19);
}

/// Slices cut in half were predicted 13 % too slow: in a credit of two whole ones were 2.8, small
/// ones among them, but whole ones were counted of the credit that was asked for.
void QueuedTransfersTest::smallSlicesAreNoMoreUnderWayThanTheirBytes()
{
    QCOMPARE(mostLargestUnderWay({}), 0.0);
    const WorkerId rank(0), other(1);
    QCOMPARE(mostLargestUnderWay({ { rank, { 0, 30 }, 8 }, { rank, { 30, 50 }, 8 } }), 1.0);
    QCOMPARE(mostLargestUnderWay({ { rank, { 0, 30 }, 8 }, { other, { 0, 50 }, 8 } }), 1.0);
    QCOMPARE(mostLargestUnderWay(
                 { { rank, { 0, 30 }, 8 }, { rank, { 10, 50 }, 2 }, { rank, { 20, 40 }, 2 } }),
             1.5);
    // The other one is told what to send, and may still have sent ones under way.
    QCOMPARE(mostLargestUnderWay({ { rank, { 0, 30 }, 8 },
                                   { rank, { 30, 60 }, 8 },
                                   { other, { 0, 40 }, 8 },
                                   { other, { 35, 60 }, 8 } }),
             1.0);

    Graph graph = slices(); // two at once; now there are two small ones beside them
    const std::vector<CollectiveNode> large = graph.collectives;
    for (CollectiveNode small : large) {
        small.bytes = 1;
        graph.collectives.push_back(small);
    }
    const LinkModels links = fitLinks(graph, tests::twoRanksOf800Mbit());
    QVERIFY(isNear(links.begin()->second.queue.underWay, 2, 1e-5));
}

void QueuedTransfersTest::theSteadyPartIsByWhichOneRankIsLater()
{
    QCOMPARE(endsApartNs({}), std::int64_t { 0 });
    QCOMPARE(endsApartNs({ { WorkerId(0), { 0, 30 } },
                           { WorkerId(1), { 20, 25 } },
                           { WorkerId(2), { 5, 70 } } }),
             std::int64_t { 45 });
    Graph graph = slices();
    for (CollectiveNode &node : graph.collectives)
        node.parts[1].endNs += 5000;
    const Trace trace = tests::twoRanksOf800Mbit();
    const LinkModels links = fitLinks(graph, trace);
    QCOMPARE(links.begin()->second.steadyLatencyNs, 5000.0);
    QVERIFY(isNear(links.begin()->second.queuedBytes, static_cast<double>(Bytes), 1e-9));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(QueuedTransfersTest)
#include "tst_queued_transfers.moc"
