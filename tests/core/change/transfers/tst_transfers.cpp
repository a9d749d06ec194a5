#include "core/base/error.h"
#include "core/change/change_list.h"
#include "core/change/change_text.h"
#include "core/change/transfers/link_changes.h"
#include "core/change/transfers/transfers.h"
#include "core/fit/links/collective_cost.h"
#include "core/fit/links/link_models.h"
#include "core/fit/links/link_text.h"
#include "core/graph/graph_builder.h"
#include "core/measure/job_metadata.h"
#include "tests/core/fit/links/link_jobs.h"

#include <QTest>

using namespace core;

namespace {

constexpr std::int64_t AlphaNs = 6000; ///< 1000 for each of the six steps of four ranks
constexpr std::int64_t NsPerByte = 2;

/// Four ranks that all-reduce so many bytes each time, as a ring of alpha and beta.
Graph ringOfFour(const std::vector<std::uint64_t> &payloads)
{
    return tests::allReducesOf(4, payloads, [](std::uint64_t bytes) {
        return AlphaNs + static_cast<std::int64_t>(wireBytes("all_reduce", bytes, 4)) * NsPerByte;
    });
}

/// Ranks 1 and 2 send messages of 2 ns a byte to rank 0.
Graph hub()
{
    GraphBuilder builder({ "send_recv" });
    Device link;
    link.isLink = true;
    link.discipline = Discipline::Shared;
    link.capacity = 2;
    const DeviceId device = builder.addDevice(link);
    std::int64_t nowNs = 0;
    for (const std::uint32_t sender : { 1U, 2U, 1U, 2U }) {
        CollectiveNode node;
        node.name = MessageKind;
        node.isMessage = true;
        node.bytes = sender * 10'000 + static_cast<std::uint64_t>(nowNs);
        const std::int64_t endNs = nowNs + static_cast<std::int64_t>(node.bytes) * NsPerByte;
        tests::addTransfer(builder, device, node, { sender, 0U }, { nowNs, endNs });
        nowNs = endNs + 1000;
    }
    return tests::builtOf(builder, 4);
}

Trace fourRanks(const char *metadata = nullptr)
{
    Trace trace;
    for (int rank = 0; rank < 4; ++rank) {
        Worker worker;
        worker.id = WorkerId(static_cast<std::uint32_t>(rank));
        worker.rank = rank;
        trace.workers.push_back(worker);
    }
    if (metadata)
        trace.stated = statedJob({ { "meta.json", metadata } });
    return trace;
}

const std::vector<std::uint64_t> Payloads { 10'000, 40'000, 80'000 };

/// Of the first transfer, 10,000 bytes, as the settings want it.
std::int64_t firstTransferNs(const std::vector<std::string> &words, const char *metadata = nullptr)
{
    const Graph graph = ringOfFour(Payloads);
    const Trace trace = fourRanks(metadata);
    return rewriteTransfers(graph, trace, fitLinks(graph, trace),
                            core::linkChanges(parseStrategy(words)))
        .durationNs[0];
}

} // namespace

class TestTransfers : public QObject
{
    Q_OBJECT

private slots:
    void shapesFollowTheAlgorithm();
    void statedAlgorithmsHaveTheirOwnShapes_data();
    void statedAlgorithmsHaveTheirOwnShapes();
    void theFitAndTheSettingsGoByTheStatedAlgorithm();
    void anUnknownAlgorithmIsScaledOnly();
    void whatIsTakenAsARingIsSaid();
    void serversBesideTheRanksGoWithOtherLinks();
    void everySettingChangesItsPart_data();
    void everySettingChangesItsPart();
    void withoutHostsAHierarchyIsARing();
    void aRingIsAsFastAsItsSlowestLink();
    void aHubsLinkIsSharedByTheOthers_data();
    void aHubsLinkIsSharedByTheOthers();
    void whatIsSentToWhomIsNotGuessedOfMoreRanks();
    void whatTheTraceDoesNotTellIsRefused_data();
    void whatTheTraceDoesNotTellIsRefused();
};

void TestTransfers::shapesFollowTheAlgorithm()
{
    const auto shape
        = [](CollectiveAlgorithm algorithm, const char *kind, TransferPlace place = {}) {
              const TransferShape s = transferShape(algorithm, kind, 1000, 4, place);
              return std::pair(s.steps, s.bytes);
          };
    using enum CollectiveAlgorithm;
    QCOMPARE(shape(Ring, "all_reduce"), std::pair(6.0, 1500.0));
    QCOMPARE(shape(Ring, "reduce_scatter"), std::pair(3.0, 750.0));
    QCOMPARE(shape(Ring, "all_gather"), std::pair(3.0, 3000.0));
    QCOMPARE(shape(Ring, "broadcast"), std::pair(1.0, 1000.0));
    QCOMPARE(shape(Tree, "all_reduce"), std::pair(4.0, 2000.0));
    QCOMPARE(shape(Tree, "all_gather"), shape(Ring, "all_gather"));
    QCOMPARE(shape(ParameterServer, "all_reduce", { 1, 2 }), std::pair(2.0, 4000.0));
    QCOMPARE(shape(ParameterServer, "all_reduce", { 1, 8 }), std::pair(2.0, 2000.0));
    QCOMPARE(shape(ColocatedServers, "all_reduce"), std::pair(2.0, 1500.0));
    QCOMPARE(shape(ColocatedServers, "all_gather"), shape(Ring, "all_gather"));
    // Two hosts of two: 2 steps and half a payload between them, 2 steps and the payload within.
    QCOMPARE(shape(Hierarchical, "all_reduce", { 2, 1 }), std::pair(4.0, 1500.0));
    // Fewer ranks than a host holds: one host's ring.
    QCOMPARE(shape(Hierarchical, "all_reduce", { 8, 1 }), shape(Ring, "all_reduce"));
}

void TestTransfers::statedAlgorithmsHaveTheirOwnShapes_data()
{
    QTest::addColumn<QByteArray>("name");
    QTest::addColumn<QByteArray>("kind");
    QTest::addColumn<double>("ranksOfHost"); // 0: not known
    QTest::addColumn<double>("steps"); // 0: not known
    QTest::addColumn<double>("bytes");
    const auto row
        = [](const char *name, const char *kind, double ofHost, double steps, double bytes) {
              QTest::addRow("%s %s, %g ranks a host", name, kind, ofHost)
                  << QByteArray(name) << QByteArray(kind) << ofHost << steps << bytes;
          };
    // 1000 bytes at each of 8 ranks.
    row("", "all_reduce", 0, 14, 1750);
    row("RING", "all_gather", 0, 7, 7000);
    row("TREE", "all_reduce", 0, 6, 2000);
    row("TREE", "all_reduce", 4, 6 + 2, 2000); // chains of 4, two hosts
    row("TREE", "all_reduce", 8, 14, 2000); // one chain
    row("NVLS", "all_reduce", 8, 2, 1125);
    row("NVLS", "all_reduce", 0, 2, 1125);
    row("NVLS", "all_gather", 8, 1, 8000);
    row("NVLS", "reduce_scatter", 8, 1, 1000);
    row("NVLS", "all_reduce", 4, 0, 0); // between hosts it needs CollNet
    row("NVLS", "broadcast", 8, 0, 0);
    row("COLLNET_CHAIN", "all_reduce", 1, 2, 1000);
    row("COLLNET_DIRECT", "all_reduce", 4, 0, 0);
    row("COLLNET_DIRECT", "all_reduce", 0, 0, 0);
    row("PAT", "all_gather", 0, 3, 7000);
    row("PAT", "reduce_scatter", 0, 3, 875);
    row("NVLS_TREE", "all_reduce", 4, 0, 0);
}

void TestTransfers::statedAlgorithmsHaveTheirOwnShapes()
{
    QFETCH(const QByteArray, name);
    QFETCH(const QByteArray, kind);
    QFETCH(const double, ranksOfHost);
    QFETCH(const double, steps);
    QFETCH(const double, bytes);
    const auto shape = statedShape(name.toStdString(), kind.toStdString(), 1000, 8,
                                   ranksOfHost > 0 ? std::optional(ranksOfHost) : std::nullopt);
    QCOMPARE(shape.has_value(), steps > 0);
    if (shape) {
        QCOMPARE(shape->steps, steps);
        QCOMPARE(shape->bytes, bytes);
    }
}

/// Measured: alpha, and 2 ns a byte of a ring's 1.5 payloads. As a tree's 2 payloads that is 1.5
/// ns.
void TestTransfers::theFitAndTheSettingsGoByTheStatedAlgorithm()
{
    Graph graph = ringOfFour(Payloads);
    for (CollectiveNode &node : graph.collectives)
        node.algorithm = "TREE";
    const Trace trace = fourRanks();
    const LinkModels links = fitLinks(graph, trace);
    QVERIFY(std::abs(links.begin()->second.betaNsPerByte - 1.5) < 1e-6);
    const auto firstNs = [&](const char *word) {
        return rewriteTransfers(graph, trace, links, core::linkChanges(parseStrategy({ word })))
            .durationNs[0];
    };
    // 4 steps of 1500 ns, 20,000 bytes of 1.5 ns.
    QVERIFY(std::abs(firstNs("bandwidth_scale=2") - (6000 + 15'000)) <= 1);
    QVERIFY(std::abs(firstNs("world_size=8") - (6 * 1500 + 30'000)) <= 1);
    QVERIFY(std::abs(firstNs("collective=tree") - 36'000) <= 1);
    QVERIFY(std::abs(firstNs("collective=ring") - (6 * 1500 + 22'500)) <= 1);
}

void TestTransfers::anUnknownAlgorithmIsScaledOnly()
{
    Graph graph = ringOfFour(Payloads);
    for (CollectiveNode &node : graph.collectives)
        node.algorithm = "NVLS_TREE";
    const Trace trace = fourRanks();
    const LinkModels links = fitLinks(graph, trace);
    const auto firstNs = [&](const char *word) {
        return rewriteTransfers(graph, trace, links, core::linkChanges(parseStrategy({ word })))
            .durationNs[0];
    };
    QVERIFY(std::abs(firstNs("bandwidth_scale=2") - (6000 + 15'000)) <= 1);
    for (const char *word :
         { "bandwidth_mbit=100", "latency_us=5", "world_size=8", "collective=ring" }) {
        const auto obstacle = strategyObstacle({ trace, graph, links }, parseStrategy({ word }));
        QVERIFY2(obstacle && obstacle->find("NVLS_TREE") != std::string::npos, word);
    }
    // In a host it is known, but not beyond.
    for (CollectiveNode &node : graph.collectives)
        node.algorithm = "NVLS";
    Trace oneHost = trace;
    for (Worker &worker : oneHost.workers)
        worker.host = "node";
    const LinkModels nvls = fitLinks(graph, oneHost);
    QVERIFY_THROWS_EXCEPTION(
        Error,
        rewriteTransfers(graph, oneHost, nvls,
                         core::linkChanges(parseStrategy({ "world_size=8" }))));
    rewriteTransfers(graph, oneHost, nvls, core::linkChanges(parseStrategy({ "world_size=2" })));
}

void TestTransfers::everySettingChangesItsPart_data()
{
    QTest::addColumn<QByteArray>("word");
    QTest::addColumn<qint64>("durationNs");
    // Measured: 6 steps of 1000 ns, 15,000 bytes of 2 ns.
    QTest::newRow("bandwidth") << QByteArray("bandwidth_scale=2") << qint64(6000 + 15'000);
    QTest::newRow("latency") << QByteArray("latency_us=5") << qint64(30'000 + 30'000);
    QTest::newRow("no latency") << QByteArray("latency_us=0") << qint64(30'000);
    QTest::newRow("two ranks") << QByteArray("world_size=2") << qint64(2000 + 20'000);
    QTest::newRow("eight ranks") << QByteArray("world_size=8") << qint64(14'000 + 35'000);
    QTest::newRow("one rank") << QByteArray("world_size=1") << qint64(0);
    QTest::newRow("tree") << QByteArray("collective=tree") << qint64(4000 + 40'000);
    QTest::newRow("two servers") << QByteArray("collective=ps:2") << qint64(2000 + 80'000);
    // Push and pull: 2 steps. Three quarters of 10,000 bytes each way for the rank and its server.
    QTest::newRow("servers beside the ranks")
        << QByteArray("collective=colocated") << qint64(2000 + 30'000);
    QTest::newRow("ring, as it is") << QByteArray("collective=ring") << qint64(36'000);
}

/// Eight ranks on links twice as fast, whose hops take 5 us: 2 of them, and 17,500 bytes of 1 ns.
void TestTransfers::serversBesideTheRanksGoWithOtherLinks()
{
    const qint64 ns = firstTransferNs(
        { "collective=colocated", "bandwidth_scale=2", "latency_us=5", "world_size=8" });
    QVERIFY2(qAbs(ns - (10'000 + 17'500)) <= 1, qPrintable(QString::number(ns)));
}

void TestTransfers::everySettingChangesItsPart()
{
    QFETCH(QByteArray, word);
    QFETCH(qint64, durationNs);
    QVERIFY(qAbs(firstTransferNs({ word.toStdString() }) - durationNs) <= 1);
}

/// Without hosts the prediction was that of a ring, and nothing said so.
void TestTransfers::withoutHostsAHierarchyIsARing()
{
    const Graph graph = ringOfFour(Payloads);
    Trace trace = fourRanks();
    const Strategy settings = parseStrategy({ "collective=hierarchical" });
    const LinkModels links = fitLinks(graph, trace);
    const Graph unknown = rewriteTransfers(graph, trace, links, core::linkChanges(settings));
    QVERIFY(qAbs(unknown.durationNs[0] - graph.durationNs[0]) <= 1);
    // What changes nothing is told by noChangeText() alone: it stood there twice.
    QCOMPARE(unknown.notes, graph.notes);
    const Graph larger = rewriteTransfers(
        graph, trace, links,
        core::linkChanges(parseStrategy({ "collective=hierarchical", "world_size=8" })));
    QCOMPARE(larger.notes.size(), graph.notes.size() + 1);
    QVERIFY(larger.notes.back().find("share a host") != std::string::npos);
    for (Worker &worker : trace.workers)
        worker.host = worker.rank < 2 ? "a" : "b";
    // Two hosts of two: 4 steps, and one and a half payloads as with the ring.
    const Graph known = rewriteTransfers(graph, trace, links, core::linkChanges(settings));
    QVERIFY(qAbs(known.durationNs[0] - (4000 + 30'000)) <= 1);
    QCOMPARE(known.notes.size(), graph.notes.size());
    // "its collectives are already taken to run so" was all that was said of the first.
    QVERIFY(noChangeText({ fourRanks(), graph, {} }, settings)
                .find("does not tell which ranks share a host")
            != std::string::npos);
    QVERIFY(noChangeText({ trace, graph, {} }, parseStrategy({ "collective=colocated" }))
                .find("as many bytes on each link as the rings")
            != std::string::npos);
    QCOMPARE(noChangeText({ trace, graph, {} }, settings),
             std::string("Changes nothing: its collectives are already taken to run so."));
}

/// Nothing told a ring that was stated from one that was not.
void TestTransfers::whatIsTakenAsARingIsSaid()
{
    Graph graph = ringOfFour(Payloads);
    const auto text
        = [&graph] { return linkAlgorithmText(fitLinks(graph, fourRanks()).begin()->second); };
    QCOMPARE(text(), std::string("assumed to be rings: the trace does not state the algorithm"));
    graph.collectives[0].algorithm = "RING";
    QCOMPARE(text(),
             std::string("RING, as stated; 2 of them assumed to be rings: the trace does not state "
                         "the algorithm"));
    graph.collectives[1].algorithm = graph.collectives[2].algorithm = "TREE";
    QCOMPARE(text(), std::string("RING, TREE, as stated"));
    for (CollectiveNode &node : graph.collectives)
        node.algorithm.clear();
    for (Device &device : graph.devices)
        device.isHostLink = true; // gloo's are rings
    QCOMPARE(text(), std::string());
}

void TestTransfers::aRingIsAsFastAsItsSlowestLink()
{
    const char *equal = R"({"bandwidth_mbit": 500})";
    QVERIFY(qAbs(firstTransferNs({ "bandwidth_mbit:2=250" }, equal) - (6000 + 60'000)) <= 1);
    // The others' links are no faster than what was measured.
    QVERIFY(qAbs(firstTransferNs({ "bandwidth_mbit:2=1000" }, equal) - 36'000) <= 1);
    const char *oneSlow = R"({"link_mbit": [500, 500, 200, 500]})";
    QVERIFY(qAbs(firstTransferNs({ "bandwidth_mbit:2=1000" }, oneSlow) - (6000 + 12'000)) <= 1);
    QVERIFY(qAbs(firstTransferNs({ "bandwidth_mbit:1=300" }, oneSlow) - 36'000) <= 1);
}

void TestTransfers::aHubsLinkIsSharedByTheOthers_data()
{
    QTest::addColumn<QByteArray>("word");
    QTest::addColumn<qint64>("firstNs"); // of 10,000 bytes from rank 1, at the rate of the link
    QTest::addColumn<double>("firstLimit"); // the part of the link's rate that they can use
    QTest::addColumn<double>("secondLimit"); // of what rank 2 sends; 0: all
    QTest::newRow("the hub's is twice as fast, theirs are not")
        << QByteArray("bandwidth_mbit:0=8000") << qint64(10'000) << 0.5 << 0.5;
    QTest::newRow("the hub's is slower")
        << QByteArray("bandwidth_mbit:0=2000") << qint64(40'000) << 0.0 << 0.0;
    QTest::newRow("one of theirs is slower")
        << QByteArray("bandwidth_mbit:1=1000") << qint64(20'000) << 0.25 << 0.0;
    QTest::newRow("all are faster")
        << QByteArray("bandwidth_mbit=8000") << qint64(10'000) << 0.0 << 0.0;
}

/// That the hub's own link was another one changed nothing.
void TestTransfers::aHubsLinkIsSharedByTheOthers()
{
    QFETCH(const QByteArray, word);
    QFETCH(const qint64, firstNs);
    QFETCH(const double, firstLimit);
    QFETCH(const double, secondLimit);
    const Graph graph = hub();
    const Trace trace = fourRanks();
    const Graph changed
        = rewriteTransfers(graph, trace, fitLinks(graph, trace),
                           core::linkChanges(parseStrategy({ word.toStdString() })));
    const OpId first = changed.collectives[0].transfer, second = changed.collectives[1].transfer;
    QCOMPARE(changed.durationNs[first.value], firstNs);
    QCOMPARE(changed.rateLimitOf(first), static_cast<float>(firstLimit));
    QCOMPARE(changed.rateLimitOf(second), static_cast<float>(secondLimit));
}

void TestTransfers::whatIsSentToWhomIsNotGuessedOfMoreRanks()
{
    Graph graph = ringOfFour(Payloads);
    graph.collectives.back().name = MessageKind;
    const Trace trace = fourRanks();
    const Graph more = rewriteTransfers(graph, trace, fitLinks(graph, trace),
                                        core::linkChanges(parseStrategy({ "world_size=8" })));
    QVERIFY(tests::transferNs(more, 0) > tests::transferNs(graph, 0));
    QCOMPARE(tests::transferNs(more, 2), tests::transferNs(graph, 2));
    QVERIFY(more.notes.back().starts_with("Who sends to whom in 1 transfer of all ranks"));
}

void TestTransfers::whatTheTraceDoesNotTellIsRefused_data()
{
    QTest::addColumn<QByteArray>("word");
    QTest::addColumn<bool>("hasSizes");
    QTest::addColumn<QByteArray>("message");
    QTest::newRow("a rank that is not there")
        << QByteArray("bandwidth_mbit:4=100") << true
        << QByteArray("Take one of these, also where world_size");
    QTest::newRow("rate from one size")
        << QByteArray("bandwidth_scale=2") << false << QByteArray("have one size");
    QTest::newRow("latency from one size")
        << QByteArray("latency_us=2") << false
        << QByteArray("latency does not show, as all have one size");
}

void TestTransfers::whatTheTraceDoesNotTellIsRefused()
{
    QFETCH(QByteArray, word);
    QFETCH(bool, hasSizes);
    QFETCH(QByteArray, message);
    const Graph graph
        = ringOfFour(hasSizes ? Payloads : std::vector<std::uint64_t> { 5000, 5000, 5000 });
    const Trace trace = fourRanks();
    const LinkModels links = fitLinks(graph, trace);
    const auto obstacle
        = strategyObstacle({ trace, graph, links }, parseStrategy({ word.toStdString() }));
    QVERIFY2(obstacle && obstacle->find(message.toStdString()) != std::string::npos, word);
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestTransfers)
#include "tst_transfers.moc"
