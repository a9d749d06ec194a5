#include "core/graph/build_graph.h"
#include "core/replay/replay.h"
#include "tests/support/trace_builder.h"

#include <QTest>

using namespace core;

namespace {

/// Two ranks of which only the communication is recorded; what they do at 300 to 400 is not known.
/// Rank 1 comes last to both all-reduces; `tail` is of rank 0 alone.
constexpr const char *CommunicationOnly = R"(
rank 0
iteration 0 0 1000
comm a
reduce_a 100 200 kind=all_reduce bytes=4000
comm b
reduce_b 400 300 kind=all_reduce bytes=4000
comm c
tail 750 150
rank 1
iteration 0 0 1000
comm a
reduce_a 150 150 kind=all_reduce bytes=4000
comm b
reduce_b 500 200 kind=all_reduce bytes=4000
)";

QString nameOf(const Graph &graph, OpId op)
{
    return QString::fromStdString(graph.names[graph.name[op.value].value]);
}

/// "reduce_a comm, reduce_b comm": the critical path of the replay, without virtual ops.
QString pathText(const Graph &graph)
{
    QStringList words;
    for (const OpId op : criticalPath(graph, replay(graph, {}), graph.iterationEnds.front()))
        if (graph.kind[op.value] != OpKind::Virtual)
            words << nameOf(graph, op) + QLatin1Char(' ')
                    + QString::fromUtf8(opKindName(graph.kind[op.value]).data());
    return words.join(QStringLiteral(", "));
}

} // namespace

class CommunicationOrderTest : public QObject
{
    Q_OBJECT

private slots:
    void aCallFollowsWhatEndedLastBeforeIt();
    void anIterationEndsAfterItsLastTransfer();
    void theCriticalPathRunsThroughTheTransfers();
    void aStreamMayWaitForACollective();
    void theInputOfTheNextStepDoesNotEndAnIteration();
    void withAHostNothingIsAssumed();
    void aCallWithoutAPartnerWaitsForItsRow();
    void aLibrarysCallsDoNotTellWhatTheHostWaitsFor();
};

void CommunicationOrderTest::aCallFollowsWhatEndedLastBeforeIt()
{
    const Graph graph = buildGraph(tests::traceFromText(CommunicationOnly), {});
    QCOMPARE(graph.collectives.size(), std::size_t { 2 });
    const OpId first = graph.collectives[0].transfer;
    for (const CollectiveNode::Part &part : graph.collectives[1].parts) {
        const auto edges = graph.predecessors(part.ready);
        QVERIFY(std::any_of(edges.begin(), edges.end(), [first](const Edge &edge) {
            return edge.op == first && edge.kind == EdgeKind::Inferred;
        }));
        // What it did in between is not recorded: 100 us on rank 0, 200 on rank 1.
        QCOMPARE(graph.delayNs[part.ready.value],
                 std::int64_t { part.worker.value == 0 ? 100'000 : 200'000 });
    }
}

void CommunicationOrderTest::anIterationEndsAfterItsLastTransfer()
{
    const Graph graph = buildGraph(tests::traceFromText(CommunicationOnly), {});
    const auto ofRank0 = graph.predecessors(graph.iterationEnds[0]);
    QCOMPARE(ofRank0.size(), std::size_t { 1 });
    QCOMPARE(nameOf(graph, ofRank0[0].op), QStringLiteral("tail"));
    const auto ofRank1 = graph.predecessors(graph.iterationEnds[1]);
    QCOMPARE(ofRank1.size(), std::size_t { 1 });
    QCOMPARE(ofRank1[0].op, graph.collectives[1].transfer);
}

void CommunicationOrderTest::theCriticalPathRunsThroughTheTransfers()
{
    const Graph graph = buildGraph(tests::traceFromText(CommunicationOnly), {});
    QCOMPARE(pathText(graph), QStringLiteral("reduce_a comm, reduce_b comm, tail comm"));
    for (const std::int64_t endNs : replay(graph, {}).iterationEndNs)
        QCOMPARE(endNs, std::int64_t { 1'000'000 });
}

void CommunicationOrderTest::aStreamMayWaitForACollective()
{
    const Graph graph = buildGraph(tests::traceFromText(R"(
rank 0
iteration 0 0 1000
stream 7 gpu=0
backward 0 100
forward 600 400
comm a
reduce 100 490
)"),
                                   {});
    QCOMPARE(pathText(graph), QStringLiteral("backward compute, reduce comm, forward compute"));
}

/// A thread that only reads input launches nothing: it is not the host that marks iterations.
void CommunicationOrderTest::theInputOfTheNextStepDoesNotEndAnIteration()
{
    const Graph graph = buildGraph(tests::traceFromText(R"(
rank 0
iteration 0 100 1000
iteration 1 1100 900
thread input
read 1000 50
stream 7 gpu=0
forward 100 400
forward 1100 400
comm a
reduce 500 300
reduce 1500 300
)"),
                                   {});
    QCOMPARE(pathText(graph), QStringLiteral("forward compute, reduce comm"));
}

void CommunicationOrderTest::withAHostNothingIsAssumed()
{
    const Graph graph = buildGraph(tests::traceFromText(R"(
rank 0
iteration 0 0 1000
thread main
forward 0 100
backward 900 100
comm a
first 10 90
second 300 90
)"),
                                   {});
    QCOMPARE(pathText(graph), QStringLiteral("forward compute, backward compute"));
}

/// All pushes were handed over at 100: the second began late because the first took its time.
void CommunicationOrderTest::aCallWithoutAPartnerWaitsForItsRow()
{
    const Graph graph = buildGraph(tests::traceFromText(R"(
rank 0
iteration 0 0 1000
thread main
backward 0 100
forward 900 100
comm server
PUSH_a 110 400
PUSH_b 520 370
)"),
                                   {});
    QCOMPARE(pathText(graph),
             QStringLiteral("backward compute, PUSH_a comm, PUSH_b comm, forward compute"));
}

/// NCCL's Inspector records the host's calls of NCCL. They were taken for a host that goes on
/// whatever the transfers take: without these the recording was as long as with them.
void CommunicationOrderTest::aLibrarysCallsDoNotTellWhatTheHostWaitsFor()
{
    std::string text;
    for (int rank = 0; rank < 2; ++rank)
        text += "rank " + std::to_string(rank)
            + "\niteration 0 0 1200\nthread NCCL~calls\n"
              "AllReduce 80 5 runtime\nAllReduce 880 5 runtime\n"
              "stream nccl\n"
              "AllReduce 100 300 comm_kernel kind=all_reduce seq=1 group=dp\n"
              "AllReduce 900 300 comm_kernel kind=all_reduce seq=2 group=dp\n";
    Graph graph = buildGraph(tests::traceFromText(text), {});
    const auto lengthNs = [&graph] { return replay(graph, {}).iterationEndNs.front(); };
    QCOMPARE(lengthNs(), std::int64_t { 1'200'000 });
    QCOMPARE(graph.collectives.size(), std::size_t { 2 });
    for (const CollectiveNode &node : graph.collectives)
        graph.durationNs[node.transfer.value] = 0;
    QCOMPARE(lengthNs(), std::int64_t { 600'000 });
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(CommunicationOrderTest)
#include "tst_communication_order.moc"
