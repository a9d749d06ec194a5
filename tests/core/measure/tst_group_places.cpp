#include "core/graph/graph_builder.h"
#include "core/measure/group_places.h"

#include <QTest>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

using namespace core;

namespace {

/// A collective of each of the groups.
Graph collectivesOf(const std::vector<std::vector<std::uint32_t>> &groups)
{
    GraphBuilder builder({ "all_reduce" });
    Device link;
    link.isLink = true;
    const DeviceId device = builder.addDevice(link);
    for (const std::vector<std::uint32_t> &group : groups) {
        OpSpec spec;
        spec.name = NameId(0);
        spec.device = device;
        spec.kind = OpKind::Communication;
        spec.durationNs = 1000;
        CollectiveNode node;
        node.name = "all_reduce";
        node.bytes = 1000;
        node.transfer = node.arrival = builder.addOp(spec);
        for (const std::uint32_t worker : group)
            node.parts.push_back({ WorkerId(worker), NoSlice, 0, 1000, node.transfer });
        builder.addCollective(node);
    }
    return builder.build();
}

/// `ofHost` 0: hosts are not recorded.
Trace fourRanks(std::uint32_t ofHost)
{
    Trace trace;
    for (std::uint32_t rank = 0; rank < 4; ++rank) {
        Worker worker;
        worker.id = WorkerId(rank);
        worker.rank = static_cast<int>(rank);
        if (ofHost > 0)
            worker.host = "host" + std::to_string(rank / ofHost);
        trace.workers.push_back(worker);
    }
    return trace;
}

} // namespace

class TestGroupPlaces : public QObject
{
    Q_OBJECT

private slots:
    void ranksOfAHostAreCounted()
    {
        const Graph graph = collectivesOf({ { 0, 1, 2, 3 }, { 0, 1 } });
        const Trace trace = fourRanks(2);
        RanksOfHosts hosts(trace);
        for (int i = 0; i < 2; ++i)
            for (const CollectiveNode &node : graph.collectives)
                QCOMPARE(hosts.of(node), std::optional<double>(2));
        QVERIFY(!ranksOfHost(graph.collectives.front(), fourRanks(0)));
    }

    /// Ranks on more hosts were predicted with the rate within one, unsaid.
    void whatWasRecordedNowhereIsSaid()
    {
        const Graph all = collectivesOf({ { 0, 1, 2, 3 } });
        QVERIFY(otherReachText(all, fourRanks(4), 8)
                    .starts_with("No transfer between hosts is recorded"));
        QVERIFY(otherReachText(all, fourRanks(4), 8).ends_with("to the network's rate."));
        Trace stated = fourRanks(4);
        stated.stated.bandwidthMbit = 500;
        QVERIFY(otherReachText(all, stated, 8).ends_with("rate (meta.json states 500)."));
        QCOMPARE(otherReachText(all, fourRanks(4), 2), std::string());
        QCOMPARE(otherReachText(all, fourRanks(4), 4), std::string());
        QVERIFY(otherReachText(all, fourRanks(2), 2)
                    .starts_with("No transfer within a host is recorded"));
        QCOMPARE(otherReachText(all, fourRanks(2), 8), std::string());
        QCOMPARE(otherReachText(all, fourRanks(2), 1), std::string()); // sends nothing
        QCOMPARE(otherReachText(all, fourRanks(1), 2), std::string()); // stay on hosts of their own
        QCOMPARE(otherReachText(all, fourRanks(0), 8), std::string());
        const Graph both = collectivesOf({ { 0, 1, 2, 3 }, { 0, 1 } });
        QCOMPARE(otherReachText(both, fourRanks(2), 8), std::string());
        QCOMPARE(otherReachText(both, fourRanks(2), 2), std::string());
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestGroupPlaces)
#include "tst_group_places.moc"
