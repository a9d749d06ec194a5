#include "core/graph/graph_builder.h"
#include "core/replay/replayed_collectives.h"

#include <QTest>

#include <array>

using namespace core;

namespace {

/// Of each collective: when both ranks hand it over, one behind the other, and its work.
struct Call
{
    std::array<std::int64_t, 2> computeNs;
    std::int64_t workNs;
};

Graph jobOf(const std::vector<Call> &calls, bool isHostLink)
{
    GraphBuilder builder({ "op" });
    Device link;
    link.isLink = true;
    link.isHostLink = isHostLink;
    link.discipline = Discipline::Shared;
    link.capacity = 2;
    OpSpec transfer;
    transfer.device = builder.addDevice(link);
    transfer.kind = OpKind::Communication;
    std::array<DeviceId, 2> threads;
    for (std::uint32_t rank = 0; rank < 2; ++rank) {
        Device thread;
        thread.worker = WorkerId(rank);
        threads[rank] = builder.addDevice(thread);
    }
    for (const Call &call : calls) {
        CollectiveNode node;
        node.name = "all_reduce";
        transfer.durationNs = call.workNs;
        node.transfer = node.arrival = builder.addOp(transfer);
        for (std::uint32_t rank = 0; rank < 2; ++rank) {
            OpSpec compute;
            compute.device = threads[rank];
            compute.kind = OpKind::Compute;
            compute.worker = WorkerId(rank);
            compute.durationNs = call.computeNs[rank];
            const OpId ready = builder.addOp(compute);
            builder.addEdge(ready, node.transfer, EdgeKind::Collective);
            node.parts.push_back({ WorkerId(rank), NoSlice, 0, 0, ready });
        }
        builder.addCollective(node);
    }
    builder.setIterations(std::vector<OpId>(2, OpId(0)), {}, 0);
    return builder.build();
}

/// Handed over at 10, 20, 30 and 40 ns on rank 0, at 15, 25, 45 and 50 ns on rank 1. The second
/// takes 20 ns beside the first, so that the third has a place when rank 1 comes.
const std::vector<Call> Calls
    = { { { 10, 15 }, 100 }, { { 10, 10 }, 10 }, { { 10, 20 }, 10 }, { { 10, 5 }, 10 } };

} // namespace

class ReplayedCollectivesTest : public QObject
{
    Q_OBJECT

private slots:
    void aThreadThatWaitsForRanksTakesNoOther();
    void aDevicesCollectivesWaitBesideEachOther();
};

/// Rank 0 was shown in three collectives at once where two threads serve them.
void ReplayedCollectivesTest::aThreadThatWaitsForRanksTakesNoOther()
{
    const Graph graph = jobOf(Calls, true);
    const auto parts = replayedCollectives(graph, replay(graph, JobControl()));
    QCOMPARE(parts[0][0].startNs, 10);
    QCOMPARE(parts[1][0].startNs, 20);
    QCOMPARE(parts[1][0].transferStartNs, 25);
    QCOMPARE(parts[1][0].endNs, 45);
    QCOMPARE(parts[2][0].startNs, 45); // handed over at 30
    QCOMPARE(parts[2][1].startNs, 45);
    QCOMPARE(parts[2][0].endNs, 65);
    QCOMPARE(parts[3][0].startNs, 65); // the link is full until then
    QCOMPARE(parts[3][1].startNs, 65);
}

/// What streams hand over is no matter of a backend's threads.
void ReplayedCollectivesTest::aDevicesCollectivesWaitBesideEachOther()
{
    const Graph graph = jobOf(Calls, false);
    const auto parts = replayedCollectives(graph, replay(graph, JobControl()));
    QCOMPARE(parts[2][0].startNs, 30);
    QCOMPARE(parts[2][0].transferStartNs, 45);
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(ReplayedCollectivesTest)
#include "tst_replayed_collectives.moc"
