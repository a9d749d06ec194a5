#include "core/graph/graph_builder.h"
#include "core/scenario/link_model.h"
#include "core/scenario/transfers.h"

#include <QTest>

using namespace core;

namespace {

struct Measured
{
    std::int64_t startNs, endNs;
    std::uint64_t bytes;
};

/// Two ranks' all-reduces on one link, measured as given.
Graph linkGraph(const std::vector<Measured> &transfers)
{
    GraphBuilder builder({ "" });
    Device link;
    link.name = "network";
    link.isLink = true;
    link.isHostLink = true;
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
        node.transfer = node.arrival = builder.addOp(spec);
        for (std::uint32_t w = 0; w < 2; ++w)
            node.parts.push_back({ WorkerId(w), NoSlice, m.startNs, m.endNs, node.transfer });
        builder.addCollective(node);
    }
    return builder.build();
}

Trace twoRanks()
{
    Trace trace;
    for (int rank = 0; rank < 2; ++rank) {
        Worker worker;
        worker.id = WorkerId(static_cast<std::uint32_t>(rank));
        worker.rank = rank;
        trace.workers.push_back(worker);
    }
    return trace;
}

LinkModel fitted(const Graph &graph, const Trace &trace = {})
{
    const LinkModels models = fitLinks(graph, trace);
    return models.empty() ? LinkModel {} : models.begin()->second;
}

} // namespace

class TestLinkModel : public QObject
{
    Q_OBJECT

private slots:
    void wireBytesFollowTheRing();
    void alphaAndBetaAreFoundAgain();
    void overlappingTransfersShareTheLink();
    void equalSizesGiveNoAlpha();
    void bandwidthScalesTheBytesOnly();
    void metadataTellsTheNominalRate();
};

void TestLinkModel::wireBytesFollowTheRing()
{
    QCOMPARE(wireBytes("all_reduce", 1000, 4), 1500.0);
    QCOMPARE(wireBytes("all_gather", 1000, 4), 3000.0);
    QCOMPARE(wireBytes("reduce_scatter", 1000, 4), 750.0);
    QCOMPARE(wireBytes("broadcast", 1000, 4), 1000.0);
}

void TestLinkModel::alphaAndBetaAreFoundAgain()
{
    // With two ranks a payload byte is a byte on the wire: t = 500 + 2 * bytes.
    const LinkModel model
        = fitted(linkGraph({ { 0, 2500, 1000 }, { 10000, 18500, 4000 }, { 20000, 21500, 500 } }));
    QVERIFY(qAbs(model.alphaNs - 500) < 1e-3);
    QVERIFY(qAbs(model.betaNsPerByte - 2) < 1e-6);
    QCOMPARE(model.transfers, std::size_t { 3 });
    QVERIFY(model.medianErrorFraction < 1e-6);
}

void TestLinkModel::overlappingTransfersShareTheLink()
{
    // 1000 and 2000 bytes together keep the link busy for 2 * 500 + 2 * 3000.
    const LinkModel model
        = fitted(linkGraph({ { 0, 5000, 1000 }, { 100, 7000, 2000 }, { 10000, 18500, 4000 } }));
    QVERIFY(qAbs(model.alphaNs - 500) < 1e-3);
    QVERIFY(qAbs(model.betaNsPerByte - 2) < 1e-6);
}

void TestLinkModel::equalSizesGiveNoAlpha()
{
    const LinkModel model = fitted(linkGraph({ { 0, 2000, 1000 }, { 5000, 7000, 1000 } }));
    QCOMPARE(model.alphaNs, 0.0);
    QCOMPARE(model.betaNsPerByte, 2.0);
}

void TestLinkModel::bandwidthScalesTheBytesOnly()
{
    const Graph graph
        = linkGraph({ { 0, 2500, 1000 }, { 10000, 18500, 4000 }, { 20000, 21500, 500 } });
    ScenarioSettings settings;
    settings.bandwidthScale = 2;
    const Graph scaled = rewriteTransfers(graph, twoRanks(), fitLinks(graph, {}), settings);
    QCOMPARE(scaled.durationNs[0], std::int64_t { 1500 });
    QCOMPARE(scaled.durationNs[1], std::int64_t { 4500 });
}

void TestLinkModel::metadataTellsTheNominalRate()
{
    const Graph graph = linkGraph({ { 0, 2000, 1000 } });
    Trace trace;
    trace.metadata.push_back(
        { "run/meta.json", R"({"bandwidth_mbit": 500, "link_mbit": [500, 200]})" });
    QCOMPARE(nominalMbit(fitted(graph, trace)), 200.0);
    trace.metadata.front().text = "{ broken";
    QVERIFY(!fitted(graph, trace).nominalMbit);
    // Without a stated rate: 2 ns a byte of payload are 4 Gbit/s, of which TCP's headers take their
    // share.
    QVERIFY(qAbs(nominalMbit(fitted(graph)) - 4000 / TcpPayloadShare) < 1e-6);
}

QTEST_GUILESS_MAIN(TestLinkModel)
#include "tst_link_model.moc"
