#include "core/fit/links/link_bandwidth.h"
#include "core/fit/links/link_models.h"
#include "core/fit/links/unseen_waits.h"
#include "core/graph/graph_builder.h"

#include <QTest>

using namespace core;

namespace {

constexpr std::int64_t Us = 1000;

struct Measured
{
    std::int64_t startNs, endNs;
    std::uint64_t bytes;
};

/// All-reduces of four ranks, of which two are recorded, on one link.
Graph linkGraph(const std::vector<Measured> &transfers, std::uint32_t ranks = 4)
{
    GraphBuilder builder({ "" });
    Device link;
    link.name = "network";
    link.isLink = link.isHostLink = true;
    link.discipline = Discipline::Shared;
    link.capacity = 2;
    const DeviceId device = builder.addDevice(link);
    for (const Measured &m : transfers) {
        OpSpec spec;
        spec.device = device;
        spec.kind = OpKind::Communication;
        spec.measuredStartNs = m.startNs;
        spec.durationNs = m.endNs - m.startNs;
        CollectiveNode node;
        node.name = "all_reduce";
        node.bytes = m.bytes;
        node.statedRanks = ranks;
        node.transfer = node.arrival = builder.addOp(spec);
        for (const std::uint32_t w : { 0U, 1U })
            node.parts.push_back({ WorkerId(w), NoSlice, m.startNs, m.endNs, node.transfer });
        builder.addCollective(node);
    }
    Graph graph = builder.build();
    graph.iterationCount = 1;
    return graph;
}

/// At which 1 byte of a ring takes 1 ns.
Trace statedRate()
{
    Trace trace;
    trace.stated.bandwidthMbit = 8000 / TcpPayloadShare;
    return trace;
}

/// When the data of a collective was on its way.
QString sending(const Graph &graph, std::size_t collective)
{
    const OpId op = graph.collectives[collective].transfer;
    const std::int64_t beginNs = graph.measuredStartNs[op.value];
    return QStringLiteral("%1-%2 us")
        .arg(qRound64(static_cast<double>(beginNs) / Us))
        .arg(qRound64(static_cast<double>(beginNs + graph.durationNs[op.value]) / Us));
}

} // namespace

class TestUnseenWaits : public QObject
{
    Q_OBJECT

private slots:
    /// The rate was fitted from transfers most of which were waiting for a rank without a trace,
    /// and bandwidth was advised. 1.5 bytes of a ring of four for each of the payload.
    void whatTheStatedRateDoesNotExplainIsWaiting()
    {
        const Graph measured
            = linkGraph({ { 0, 200 * Us, 20'000 }, { 50 * Us, 500 * Us, 100'000 } });
        const Graph graph = withUnseenWaits(measured, statedRate());
        QCOMPARE(sending(graph, 0), QStringLiteral("170-200 us"));
        QCOMPARE(sending(graph, 1), QStringLiteral("350-500 us"));
        QCOMPARE(unseenWaitNs(graph, graph.collectives[0]) / Us, 170);
        QCOMPARE(unseenWaitNs(graph, graph.collectives[1]) / Us, 300);
        QCOMPARE(unseenWaitNs(graph) / Us, 350); // together
        const LinkModel link = fitLinks(graph, statedRate()).begin()->second;
        QCOMPARE(qRound(link.rateMbit()), 8000);
        QVERIFY(fitLinks(measured, statedRate()).begin()->second.rateMbit() < 4000);
    }

    /// Two that end close to each other shared the link until then.
    void oneAfterTheOtherTakesTheLink()
    {
        const Graph graph = withUnseenWaits(
            linkGraph({ { 0, 490 * Us, 100'000 }, { 10 * Us, 500 * Us, 100'000 } }), statedRate());
        QCOMPARE(sending(graph, 0), QStringLiteral("200-350 us"));
        QCOMPARE(sending(graph, 1), QStringLiteral("350-500 us"));
    }

    void whatIsExplainedStays_data()
    {
        QTest::addColumn<qint64>("endUs");
        QTest::addColumn<unsigned>("ranks");
        QTest::addColumn<bool>("isStated");
        QTest::addColumn<bool>("isWaiting");
        QTest::newRow("unexplained") << qint64(300) << 4U << true << true;
        QTest::newRow("nearly the stated rate") << qint64(190) << 4U << true << false;
        QTest::newRow("no rank is missing") << qint64(300) << 2U << true << false;
        QTest::newRow("no rate is stated") << qint64(300) << 4U << false << false;
    }
    void whatIsExplainedStays()
    {
        QFETCH(const qint64, endUs);
        QFETCH(const unsigned, ranks);
        QFETCH(const bool, isStated);
        QFETCH(const bool, isWaiting);
        const Graph measured = linkGraph({ { 0, endUs * Us, 100'000 } }, ranks);
        const Graph graph = withUnseenWaits(measured, isStated ? statedRate() : Trace {});
        QCOMPARE(unseenWaitNs(graph) > 0, isWaiting);
        QCOMPARE(graph.durationNs == measured.durationNs, !isWaiting);
        QCOMPARE(graph.measuredStartNs == measured.measuredStartNs, !isWaiting);
    }

    /// A small transfer takes its latency, too, where large ones show that the link is as stated.
    void latencyIsNoWaiting()
    {
        const Graph measured = linkGraph({ { 0, 20 * Us, 1000 }, { 30 * Us, 190 * Us, 100'000 } });
        QCOMPARE(unseenWaitNs(withUnseenWaits(measured, statedRate())), 0);
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestUnseenWaits)
#include "tst_unseen_waits.moc"
