#include "core/base/error.h"
#include "core/change/change_list.h"
#include "core/change/change_text.h"
#include "core/change/rewriting.h"
#include "core/replay/replayed_collectives.h"
#include "tests/core/change/chunks/chunk_job.h"

#include <QTest>

#include <algorithm>
#include <set>

using namespace core;
using namespace tests;

namespace {

/// When a rank's part of a collective is done.
std::int64_t endNs(const Graph &graph, const ReplayResult &result, std::size_t collective,
                   std::size_t rank)
{
    const CollectiveNode &node = graph.collectives[collective];
    return result.endNs[node.completionOf(node.parts[rank]).value];
}

/// When the last rank's part is done.
std::int64_t lastEndNs(const Graph &graph, const ReplayResult &result, std::size_t collective = 0)
{
    std::int64_t lastNs = 0;
    for (std::size_t rank = 0; rank < graph.collectives[collective].parts.size(); ++rank)
        lastNs = std::max(lastNs, endNs(graph, result, collective, rank));
    return lastNs;
}

std::set<std::string> partsOfLinks(const Graph &graph)
{
    std::set<std::string> names;
    for (const Device &device : graph.devices)
        if (device.partOf)
            names.insert(device.name);
    return names;
}

} // namespace

class ExpandCollectivesTest : public QObject
{
    Q_OBJECT

private slots:
    void aCollectiveTakesAsLongAsItsOp_data();
    void aCollectiveTakesAsLongAsItsOp();
    void chunksBeginWhenTheLastRankHasCome_data();
    void chunksBeginWhenTheLastRankHasCome();
    void aRankGoesWhenItWasSeenToGo_data();
    void aRankGoesWhenItWasSeenToGo();
    void anotherAlgorithmKeepsNoRankThatItLetsGo();
    void aSlowLinkHoldsUpEveryStep();
    void aFasterLinkIsNotHeldUp();
    void levelsAreSentWithinAndBetweenHosts();
    void theStatedAlgorithmIsTaken();
    void serversHaveTheirOwnLinks();
    void theLinkServesTheFirstCollectiveFirst();
    void whatHasTooManyChunksStaysOneOp();
    void whoSendsToWhomIsNotGuessed();
    void messagesTakeNoChunksFromCollectives();
    void withoutCollectivesThereIsNothingToShow();
    void ranksThatWereNotRecordedAreRefused();
};

void ExpandCollectivesTest::aCollectiveTakesAsLongAsItsOp_data()
{
    QTest::addColumn<QByteArray>("kind");
    QTest::addColumn<QByteArray>("word");
    for (const char *kind : { "all_reduce", "all_gather", "reduce_scatter", "all_to_all",
                              "broadcast", "reduce", "gather", "scatter", "barrier" })
        QTest::newRow(kind) << QByteArray(kind) << QByteArray("expand=1");
    for (const char *word : { "collective=tree", "collective=hierarchical", "collective=ps:2",
                              "collective=colocated" })
        QTest::newRow(word) << QByteArray("all_reduce") << QByteArray(word);
}

void ExpandCollectivesTest::aCollectiveTakesAsLongAsItsOp()
{
    QFETCH(const QByteArray, kind);
    QFETCH(const QByteArray, word);
    for (const std::size_t count : { 2U, 3U, 4U, 8U }) {
        const Trace trace = ranks(count, 2);
        const Graph graph
            = jobOf(std::vector<std::int64_t>(count, 5'000), { kind.data(), kind.data() });
        const Graph chunks = expanded(graph, trace, { word.toStdString() });
        const ReplayResult before = replayed(graph);
        const ReplayResult after = replayed(chunks);
        for (const std::size_t i : { 0U, 1U }) {
            const std::int64_t coarseNs = endNs(graph, before, i, 0);
            if (i == 0 || word == "expand=1")
                QCOMPARE(lastEndNs(chunks, after, i), coarseNs);
            else // ranks that another algorithm lets go earlier go on with the next
                QVERIFY(lastEndNs(chunks, after, i) <= coarseNs);
        }
    }
}

void ExpandCollectivesTest::chunksBeginWhenTheLastRankHasCome_data()
{
    QTest::addColumn<QByteArray>("kind");
    for (const char *kind : { "all_reduce", "all_gather", "all_to_all", "broadcast", "gather" })
        QTest::newRow(kind) << QByteArray(kind);
}

/// What was measured is the time from then on. Chunks that went before came on top of it where two
/// collectives shared a link, and let go ranks that were seen to wait.
void ExpandCollectivesTest::chunksBeginWhenTheLastRankHasCome()
{
    QFETCH(const QByteArray, kind);
    constexpr std::int64_t LateNs = 20'000'000;
    const Graph chunks = expanded(jobOf({ 0, 0, LateNs, 0 }, { kind.data() }), ranks(4));
    const ReplayResult result = replayed(chunks);
    const CollectiveNode &node = chunks.collectives.front();
    for (std::size_t rank = 0; rank < 4; ++rank) {
        for (const OpId op : node.parts[rank].chunks)
            QVERIFY(result.startNs[op.value] >= LateNs);
        QCOMPARE(endNs(chunks, result, 0, rank), LateNs + TransferNs);
    }
    const ReplayedPart late = replayedCollectives(chunks, result)[0][2];
    QCOMPARE(late.startNs, LateNs);
}

void ExpandCollectivesTest::aRankGoesWhenItWasSeenToGo_data()
{
    QTest::addColumn<qint64>("seenNs");
    QTest::addColumn<qint64>("doneNs");
    // 16 chunks over 3 links are 18 steps of 1/3 ms; the root has sent its last after 16 of them.
    QTest::newRow("before its last chunk") << qint64 { 3'000'000 } << qint64 { 5'333'333 };
    QTest::newRow("after its last chunk") << qint64 { 5'700'000 } << qint64 { 5'700'000 };
    QTest::newRow("with the others") << qint64 { TransferNs } << qint64 { TransferNs };
}

void ExpandCollectivesTest::aRankGoesWhenItWasSeenToGo()
{
    QFETCH(const qint64, seenNs);
    QFETCH(const qint64, doneNs);
    Graph graph = jobOf({ 0, 0, 0, 0 }, { "broadcast" });
    graph.collectives[0].bytes = 16 << 20;
    graph.collectives[0].parts[0].endNs = seenNs;
    const Graph chunks = expanded(graph, ranks(4));
    const ReplayResult result = replayed(chunks);
    QCOMPARE(endNs(chunks, result, 0, 0), doneNs);
    QCOMPARE(endNs(chunks, result, 0, 3), TransferNs);
}

/// How long ranks stayed in a ring says nothing of a tree.
void ExpandCollectivesTest::anotherAlgorithmKeepsNoRankThatItLetsGo()
{
    const Graph graph = jobOf({ 0, 0, 0, 0 }, { "broadcast" });
    const Graph chunks = expanded(graph, ranks(4), { "collective=tree" });
    QVERIFY(endNs(chunks, replayed(chunks), 0, 0) < TransferNs);
}

void ExpandCollectivesTest::aSlowLinkHoldsUpEveryStep()
{
    const Trace trace = ranks(4);
    const Graph graph = jobOf({ 0, 0, 0, 0 }, { "all_reduce" });
    const LinkModels links = fitLinks(graph, trace);
    const auto slow = parseStrategy({ "bandwidth_mbit:2=250", "expand=1" });
    const auto chunks = rewritten(trace, std::make_shared<Graph>(graph), links, {}, slow, {});
    const ReplayResult result = replayed(*chunks);
    QCOMPARE(lastEndNs(*chunks, result), 4 * TransferNs);
    // The ranks whose links are fast wait between their chunks: 0 > 1 carries data for a quarter.
    std::int64_t busyNs = 0;
    for (std::uint32_t op = 0; op < chunks->size(); ++op)
        if (chunks->devices[chunks->device[op].value].name == "network, 0 > 1")
            busyNs += chunks->durationNs[op];
    QCOMPARE(busyNs, TransferNs);
}

void ExpandCollectivesTest::aFasterLinkIsNotHeldUp()
{
    // As measured rank 2 had a slow link; with one like the others all is faster.
    Trace trace = ranks(4);
    trace.stated.linkMbit = { 1000, 1000, 250, 1000 };
    trace.stated.bandwidthMbit = 250;
    const Graph graph = jobOf({ 0, 0, 0, 0 }, { "all_reduce" });
    const LinkModels links = fitLinks(graph, trace);
    const auto base = std::make_shared<Graph>(graph);
    const auto asMeasured = rewritten(trace, base, links, {}, parseStrategy({ "expand=1" }), {});
    QCOMPARE(lastEndNs(*asMeasured, replayed(*asMeasured)), TransferNs);
    const auto alike = rewritten(trace, base, links, {},
                                 parseStrategy({ "bandwidth_mbit:2=1000", "expand=1" }), {});
    QCOMPARE(lastEndNs(*alike, replayed(*alike)), TransferNs / 4);
}

void ExpandCollectivesTest::levelsAreSentWithinAndBetweenHosts()
{
    const Trace trace = ranks(4, 2);
    const Graph chunks
        = expanded(jobOf({ 0, 0, 0, 0 }, { "all_reduce" }), trace, { "collective=hierarchical" });
    // 0 and 1, 2 and 3 are on one host; each has a shard, which goes between the hosts.
    QCOMPARE(partsOfLinks(chunks),
             (std::set<std::string> { "network, 0 > several", "network, 1 > several",
                                      "network, 2 > several", "network, 3 > several" }));
    std::set<std::string> names;
    for (const OpId op : chunks.collectives.front().parts[0].chunks)
        names.insert(chunks.names[chunks.name[op.value].value]);
    QVERIFY(names.contains("all_reduce 0 > 1, step 0, chunk 2 to 3"));
    QVERIFY(names.contains("all_reduce 0 > 2, step 1, chunk 1"));
}

/// NCCL's own word for it counts more than what is usual, and less than what is asked for.
void ExpandCollectivesTest::theStatedAlgorithmIsTaken()
{
    const Trace trace = ranks(4);
    const Graph unstated = jobOf({ 0, 0, 0, 0 }, { "all_reduce" });
    Graph graph = unstated;
    const auto ring = partsOfLinks(expanded(unstated, trace));
    const auto tree = partsOfLinks(expanded(unstated, trace, { "collective=tree" }));
    QVERIFY(ring != tree);
    graph.collectives.front().algorithm = "TREE";
    QCOMPARE(partsOfLinks(expanded(graph, trace)), tree);
    QCOMPARE(partsOfLinks(expanded(graph, trace, { "collective=ring" })), ring);
    graph.collectives.front().algorithm = "RING";
    QCOMPARE(partsOfLinks(expanded(graph, trace)), ring);
    QVERIFY(expanded(graph, trace).notes.empty());
    graph.collectives.front().algorithm = "NVLS";
    const Graph switched = expanded(graph, trace);
    QCOMPARE(partsOfLinks(switched), ring);
    QVERIFY(switched.notes.back().starts_with("1 collective took NCCL's NVLS"));
    // Two collectives that are alike but for that have chunks of their own.
    Graph both = jobOf({ 0, 0, 0, 0 }, { "all_reduce", "all_reduce" });
    both.collectives.back().algorithm = "TREE";
    QCOMPARE(expanded(both, trace).collectives.front().parts[0].chunks.size(),
             expanded(unstated, trace).collectives.front().parts[0].chunks.size());
    QVERIFY(partsOfLinks(expanded(both, trace)) != ring);
}

void ExpandCollectivesTest::serversHaveTheirOwnLinks()
{
    const Graph chunks
        = expanded(jobOf({ 0, 0 }, { "all_reduce" }), ranks(2), { "collective=ps:1" });
    QCOMPARE(
        partsOfLinks(chunks),
        (std::set<std::string> { "network, several > server 0", "network, server 0 > several" }));
    const auto isServers = [](const Device &device) { return device.server == 0U; };
    QCOMPARE(std::ranges::count_if(chunks.devices, isServers), 2);
    const Graph ring = expanded(jobOf({ 0, 0 }, { "all_reduce" }), ranks(2));
    QVERIFY(std::ranges::none_of(ring.devices,
                                 [](const Device &device) { return device.server.has_value(); }));
}

void ExpandCollectivesTest::theLinkServesTheFirstCollectiveFirst()
{
    const Graph graph = jobOf({ 0, 0, 0, 0 }, { "all_reduce", "all_gather", "all_reduce" });
    const Graph chunks = expanded(graph, ranks(4));
    QCOMPARE(partsOfLinks(chunks),
             (std::set<std::string> { "network, 0 > 1", "network, 1 > 2", "network, 2 > 3",
                                      "network, 3 > 0" }));
    const ReplayResult result = replayed(chunks);
    QCOMPARE(endNs(chunks, result, 2, 3), 3 * TransferNs + 2 * 1000);
    std::int32_t last = -1;
    for (const CollectiveNode &node : chunks.collectives) {
        const std::int32_t priority = chunks.priorityOf(node.parts[0].chunks.front());
        QVERIFY(priority > last);
        last = priority;
    }
}

void ExpandCollectivesTest::whatHasTooManyChunksStaysOneOp()
{
    const Graph graph = jobOf(std::vector<std::int64_t>(100, 0), { "all_reduce", "permute" });
    const Graph chunks = expanded(graph, ranks(100));
    QCOMPARE(chunks.size(), graph.size());
    QVERIFY(chunks.notes.back().starts_with("2 collectives stay one operation"));
}

/// A kernel of sends and receives was taken for a message, of which there is nothing to say; of two
/// ranks the first would have sent all.
void ExpandCollectivesTest::whoSendsToWhomIsNotGuessed()
{
    for (const std::size_t count : { 2U, 4U }) {
        const Graph graph
            = jobOf(std::vector<std::int64_t>(count, 0), { "all_reduce", "send_recv" });
        const Graph chunks = expanded(graph, ranks(count));
        QVERIFY(!chunks.collectives[0].parts[0].chunks.empty());
        QVERIFY(chunks.collectives[1].parts[0].chunks.empty());
        QVERIFY(chunks.notes.back().starts_with("1 collective stays one operation: how they are"));
    }
}

/// The messages of a pipeline counted as if they had chunks, too, and none were left to others.
void ExpandCollectivesTest::messagesTakeNoChunksFromCollectives()
{
    Graph graph = jobOf(std::vector<std::int64_t>(8, 0), { "all_reduce" });
    CollectiveNode message;
    message.name = MessageKind;
    message.isMessage = true;
    message.arrival = message.transfer = graph.collectives[0].transfer;
    graph.collectives.insert(graph.collectives.end(), 20'000, message);
    const Graph chunks = expanded(graph, ranks(8));
    QVERIFY(!chunks.collectives[0].parts[0].chunks.empty());
}

void ExpandCollectivesTest::withoutCollectivesThereIsNothingToShow()
{
    const Graph graph = jobOf({ 0, 0 }, {});
    const Trace trace = ranks(2);
    QVERIFY(strategyObstacle({ trace, graph, {} }, parseStrategy({ "expand=1" })));
}

void ExpandCollectivesTest::ranksThatWereNotRecordedAreRefused()
{
    const Graph graph = jobOf({ 0, 0 }, { "all_reduce" });
    QVERIFY_THROWS_EXCEPTION(Error, expanded(graph, ranks(2), { "world_size=4" }));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(ExpandCollectivesTest)
#include "tst_expand_collectives.moc"
