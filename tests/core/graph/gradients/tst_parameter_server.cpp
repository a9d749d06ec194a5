#include "core/graph/build_graph.h"
#include "core/replay/replay.h"
#include "tests/support/trace_builder.h"

#include <QTest>

using namespace core;

namespace {

/// Two workers push a gradient to the server (rank 0), which updates when the later one has come,
/// and pull the parameter. Worker 1 computes until 100, worker 2 until 150; a message that has the
/// link for itself takes 100.
constexpr const char *OneTensor = R"(
rank 0
iteration 0 0 500
thread server
UPDATE~w 300 50 user_annotation
comm recv1
RECV~w 0 225 from=1 tensor=w bytes=1000
comm recv2
RECV~w 0 300 from=2 tensor=w bytes=1000
comm send1
SEND~w 350 150 to=1 tensor=w bytes=1000
comm send2
SEND~w 350 150 to=2 tensor=w bytes=1000
rank 1
iteration 0 0 500
thread main
forward 0 100
wait~for~pulls 110 390 user_annotation
comm push
PUSH~w 100 125 to=0 tensor=w bytes=1000
comm pull
PULL~w 100 400 from=0 tensor=w bytes=1000
rank 2
iteration 0 0 500
thread main
forward 0 150
wait~for~pulls 160 340 user_annotation
comm push
PUSH~w 150 150 to=0 tensor=w bytes=1000
comm pull
PULL~w 150 350 from=0 tensor=w bytes=1000
)";

Graph builtGraph()
{
    return buildGraph(tests::traceFromText(OneTensor), {});
}

const CollectiveNode &message(const Graph &graph, int fromRank, int toRank)
{
    const auto found = std::find_if(
        graph.collectives.begin(), graph.collectives.end(), [&](const CollectiveNode &node) {
            return node.parts[0].worker.value == static_cast<std::uint32_t>(fromRank)
                && node.parts[1].worker.value == static_cast<std::uint32_t>(toRank);
        });
    if (found == graph.collectives.end())
        qFatal("no message from %d to %d", fromRank, toRank);
    return *found;
}

OpId opNamed(const Graph &graph, std::string_view name, int rank)
{
    for (std::uint32_t i = 0; i < graph.size(); ++i)
        if (graph.names[graph.name[i].value] == name
            && graph.worker[i].value == static_cast<std::uint32_t>(rank))
            return OpId(i);
    qFatal("no such op");
}

bool waitsFor(const Graph &graph, OpId op, OpId awaited)
{
    const auto preds = graph.predecessors(op);
    return std::any_of(preds.begin(), preds.end(),
                       [awaited](const Edge &edge) { return edge.op == awaited; });
}

/// With every transfer taking `factor` times its time.
std::int64_t makespan(Graph graph, double factor)
{
    for (const CollectiveNode &node : graph.collectives)
        graph.durationNs[node.transfer.value] = static_cast<std::int64_t>(
            static_cast<double>(graph.durationNs[node.transfer.value]) * factor);
    return replay(graph, {}).makespanNs;
}

} // namespace

class ParameterServerTest : public QObject
{
    Q_OBJECT

private slots:
    void bothEndsOfAMessageAreOneTransfer();
    void messagesOfAllWorkersShareTheServersLink();
    void theServerUpdatesWhenTheLastGradientHasCome();
    void whatIsSentBackWaitsForTheUpdate();
    void theUnchangedGraphReproducesTheTrace();
    void aFasterNetworkLeavesTheComputation();
    void anUpdateThatFollowsAWaitIsNotAwaited();
    void messagesThatEndTogetherDoNotHoldEachOther();
    void ofARecordingWithoutTheServerNothingIsMatched();
};

void ParameterServerTest::bothEndsOfAMessageAreOneTransfer()
{
    const Graph graph = builtGraph();
    QCOMPARE(graph.collectives.size(), std::size_t { 4 });
    const CollectiveNode &push = message(graph, 1, 0);
    QCOMPARE(push.name, std::string("send_recv"));
    QCOMPARE(push.tensor, std::string("w"));
    QCOMPARE(push.bytes, std::uint64_t { 1000 });
    QCOMPARE(graph.measuredStartNs[push.transfer.value], 100'000);
}

void ParameterServerTest::messagesOfAllWorkersShareTheServersLink()
{
    const Graph graph = builtGraph();
    const auto link
        = [&](int from, int to) { return graph.device[message(graph, from, to).transfer.value]; };
    QCOMPARE(link(1, 0), link(2, 0));
    QCOMPARE(link(0, 1), link(0, 2));
    QVERIFY(link(1, 0) != link(0, 1));
    const Device &into = graph.devices[link(1, 0).value];
    QCOMPARE(into.name, std::string("network into rank 0"));
    QVERIFY(into.isLink && into.isHostLink);
    QCOMPARE(into.capacity, 2U);
}

void ParameterServerTest::theServerUpdatesWhenTheLastGradientHasCome()
{
    const Graph graph = builtGraph();
    const OpId update = opNamed(graph, "UPDATE w", 0);
    QVERIFY(waitsFor(graph, update, message(graph, 1, 0).transfer));
    QVERIFY(waitsFor(graph, update, message(graph, 2, 0).transfer));
    QCOMPARE(graph.delayNs[update.value], 0);
}

void ParameterServerTest::whatIsSentBackWaitsForTheUpdate()
{
    const Graph graph = builtGraph();
    const OpId update = opNamed(graph, "UPDATE w", 0);
    for (const int worker : { 1, 2 })
        QVERIFY(waitsFor(graph, message(graph, 0, worker).parts[0].ready, update));
    const OpId wait = opNamed(graph, "wait for pulls", 1);
    QVERIFY(waitsFor(graph, wait, message(graph, 0, 1).transfer));
    QCOMPARE(graph.durationNs[wait.value], 0); // all of it was waiting
}

void ParameterServerTest::theUnchangedGraphReproducesTheTrace()
{
    QCOMPARE(makespan(builtGraph(), 1), 500'000);
}

void ParameterServerTest::aFasterNetworkLeavesTheComputation()
{
    // forward of worker 2, then the update
    QCOMPARE(makespan(builtGraph(), 0), 200'000);
    // Worker 1's 75 and worker 2's 100 us of work: twice as slow they share from 150 on.
    QVERIFY(makespan(builtGraph(), 2) > 700'000);
}

/// On one thread what comes within a clock's rounding is still later.
void ParameterServerTest::anUpdateThatFollowsAWaitIsNotAwaited()
{
    const Graph graph = buildGraph(tests::traceFromText(R"(
rank 0
iteration 0 0 200
thread main
wait~for~w 0 100 user_annotation
UPDATE~w 100 1 user_annotation
comm row
RECV~w 0 90 from=1 tensor=w bytes=8
rank 1
iteration 0 0 200
thread main
forward 0 50
comm row
PUSH~w 50 40 to=0 tensor=w bytes=8
)"),
                                   {});
    const OpId wait = opNamed(graph, "wait for w", 0);
    QVERIFY(waitsFor(graph, wait, message(graph, 1, 0).transfer));
    QVERIFY(waitsFor(graph, opNamed(graph, "UPDATE w", 0), wait));
}

void ParameterServerTest::messagesThatEndTogetherDoNotHoldEachOther()
{
    const Graph graph = buildGraph(tests::traceFromText(R"(
rank 0
iteration 0 0 200
comm out
SEND~a 0 100 to=1 tensor=a
comm in
RECV~b 0 100 from=1 tensor=b
rank 1
iteration 0 0 200
comm out
SEND~b 0 100 to=0 tensor=b
comm in
RECV~a 0 100 from=0 tensor=a
)"),
                                   {});
    QCOMPARE(graph.collectives.size(), std::size_t { 2 });
    for (const std::string &note : graph.notes)
        QVERIFY2(note.find("contradict") == std::string::npos, note.c_str());
}

void ParameterServerTest::ofARecordingWithoutTheServerNothingIsMatched()
{
    Trace trace = tests::traceFromText(OneTensor);
    std::erase_if(trace.transfers,
                  [](const TransferCall &transfer) { return transfer.worker == WorkerId(0); });
    const Graph graph = buildGraph(trace, {});
    QVERIFY(graph.collectives.empty());
    QCOMPARE(replay(graph, {}).makespanNs, 500'000);
    QVERIFY(std::any_of(graph.notes.begin(), graph.notes.end(), [](const std::string &note) {
        return note.find("no other end") != std::string::npos;
    }));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(ParameterServerTest)
#include "tst_parameter_server.moc"
