#include "core/replay/replay_base.h"
#include "tests/core/change/chunks/chunk_job.h"

#include <QTest>

#include <random>

using namespace core;
using namespace tests;

namespace {

/// Communication takes half of a rank's speed; the ranks compute "beside" it for so long.
Graph withWorkBeside(const Graph &graph, const std::vector<std::size_t> &ofRanks, std::int64_t ns)
{
    GraphBuilder builder(graph);
    for (const std::size_t rank : ofRanks) {
        OpSpec beside = builder.op(builder.collectives()[0].parts[rank].ready);
        beside.name = builder.intern("beside");
        beside.durationNs = ns;
        builder.addOp(beside);
    }
    Graph built = builder.build();
    for (const CollectiveNode::Part &part : built.collectives[0].parts)
        built.devices[0].slows.push_back(part.worker);
    built.slowdown = 2;
    for (std::size_t op = 0; op < built.size(); ++op)
        built.stretchShare[op] = built.kind[op] == OpKind::Compute ? 1.F : 0.F;
    return built;
}

/// How long the rank's work beside communication takes.
std::int64_t besideNs(const Graph &graph, const ReplayResult &result, std::uint32_t rank)
{
    std::int64_t ns = 0;
    for (std::uint32_t op = 0; op < graph.size(); ++op)
        if (graph.names[graph.name[op].value] == "beside" && graph.worker[op] == WorkerId(rank))
            ns += result.endNs[op] - result.startNs[op];
    return ns;
}

} // namespace

/// How chunks slow their ranks' computation, and what a change of their times replays.
class ChunkReplayTest : public QObject
{
    Q_OBJECT

private slots:
    void onlyTheRankThatSendsIsSlowed();
    void aServersLinkSlowsTheRankItServes();
    void aChangeOfItsTimesIsReplayedAsTheWhole();
};

void ChunkReplayTest::onlyTheRankThatSendsIsSlowed()
{
    // A broadcast goes from rank 0 over rank 1 to rank 2, which sends nothing.
    constexpr std::int64_t BesideNs = 1'000'000;
    const Graph chunks = expanded(
        withWorkBeside(jobOf({ 0, 0, 0 }, { "broadcast" }), { 0, 2 }, BesideNs), ranks(3));
    const ReplayResult result = replayed(chunks);
    QCOMPARE(besideNs(chunks, result, 0), 2 * BesideNs);
    QCOMPARE(besideNs(chunks, result, 2), BesideNs);
}

void ChunkReplayTest::aServersLinkSlowsTheRankItServes()
{
    // In quarters of the transfer: rank 0 pushes, rank 1 pushes, rank 0 pulls, rank 1 pulls. All of
    // it is on the server's link, which is no rank's.
    constexpr std::int64_t QuarterNs = TransferNs / 4;
    Graph graph = withWorkBeside(jobOf({ 0, 0 }, { "all_reduce" }), { 0, 1 }, 2 * QuarterNs);
    graph.collectives[0].bytes = 1000; // one chunk
    const Graph chunks = expanded(graph, ranks(2), { "collective=ps:1" });
    const ReplayResult result = replayed(chunks);
    QCOMPARE(besideNs(chunks, result, 0), 3 * QuarterNs); // half of it is done in two quarters
    QCOMPARE(besideNs(chunks, result, 1), 2 * QuarterNs + QuarterNs / 2);
}

/// Searches replay what a change leaves as it was once: chunks on their ranks' ends of the link, by
/// the urgency of their collective, each end slowing its own rank only.
void ChunkReplayTest::aChangeOfItsTimesIsReplayedAsTheWhole()
{
    Graph graph
        = jobOf({ 50'000, 900'000, 0, 200'000 }, { "all_reduce", "broadcast", "all_gather" });
    graph.devices[0].capacity = 2;
    for (std::uint32_t rank = 0; rank < 4; ++rank)
        graph.devices[0].slows.push_back(WorkerId(rank));
    graph.slowdown = 1.5;
    for (std::size_t op = 0; op < graph.size(); ++op)
        graph.stretchShare[op] = graph.kind[op] == OpKind::Compute ? 1.F : 0.F;
    const auto chunks = std::make_shared<const Graph>(expanded(graph, ranks(4)));
    const ReplayBase base(chunks, {});
    QCOMPARE(base.result().endNs, replayed(*chunks).endNs);
    std::mt19937 random(6);
    for (int round = 0; round < 100; ++round) {
        Graph changed = *chunks;
        const std::size_t op = random() % changed.size();
        changed.durationNs[op] *= static_cast<std::int64_t>(random() % 3);
        changed.delayNs[op] += static_cast<std::int64_t>(random() % 2) * 3000;
        const ReplayResult resumed = base.replay(changed, {});
        const ReplayResult whole = replayed(changed);
        QCOMPARE(resumed.startNs, whole.startNs);
        QCOMPARE(resumed.endNs, whole.endNs);
        QCOMPARE(resumed.makespanNs, whole.makespanNs);
        QCOMPARE(criticalPath(changed, resumed), criticalPath(changed, whole));
    }
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(ChunkReplayTest)
#include "tst_chunk_replay.moc"
