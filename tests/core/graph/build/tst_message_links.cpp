#include "core/graph/build/message_links.h"
#include "core/graph/build_graph.h"
#include "tests/support/trace_builder.h"

#include <QTest>

#include <algorithm>

using namespace core;

namespace {

constexpr std::int64_t UsToNs = 1000;

/// Rank 0 sends a to rank 1 from 0 to 100; rank 1 sends b to rank 0, for which both are ready at
/// `bStartUs`, and which has come at `bEndUs`.
Trace bothWays(int bStartUs, int bEndUs)
{
    const std::string start = " " + std::to_string(bStartUs) + " ";
    return tests::traceFromText("rank 0\n"
                                "iteration 0 0 1000\n"
                                "comm out\n"
                                "SEND~a 0 100 to=1 tensor=a bytes=1000\n"
                                "comm in\n"
                                "RECV~b"
                                + start + std::to_string(bEndUs - bStartUs)
                                + " from=1 tensor=b bytes=1000\n"
                                  "rank 1\n"
                                  "iteration 0 0 1000\n"
                                  "comm in\n"
                                  "RECV~a 0 100 from=0 tensor=a bytes=1000\n"
                                  "comm out\n"
                                  "SEND~b"
                                + start + std::to_string(bEndUs - bStartUs - 10)
                                + " to=0 tensor=b bytes=1000\n");
}

Exchange message(WorkerId from, SliceId sent, WorkerId to, SliceId received)
{
    Exchange exchange;
    exchange.kind = MessageKind;
    exchange.isMessage = true;
    exchange.parts = { { from, sent, 1000, {} }, { to, received, 1000, {} } };
    return exchange;
}

/// a, then b, of bothWays(), whose rows hold a slice each.
std::vector<Exchange> messagesOf(const Trace &trace)
{
    const auto sliceOf = [&trace](std::uint32_t track) { return trace.tracks[track].firstSlice; };
    return { message(WorkerId(0), sliceOf(0), WorkerId(1), sliceOf(2)),
             message(WorkerId(1), sliceOf(3), WorkerId(0), sliceOf(1)) };
}

const CollectiveNode &nodeOf(const Graph &graph, const std::string &tensor)
{
    const auto found
        = std::find_if(graph.collectives.begin(), graph.collectives.end(),
                       [&tensor](const CollectiveNode &node) { return node.tensor == tensor; });
    if (found == graph.collectives.end())
        qFatal("no message of this tensor");
    return *found;
}

} // namespace

/// When messages were under way, and on which link.
class MessageLinksTest : public QObject
{
    Q_OBJECT

private slots:
    void aMessageMayBeHeldByDataTheOtherWay_data();
    void aMessageMayBeHeldByDataTheOtherWay();
    void whatHoldsAMessageIsBeforeItInTheGraph();
    void messagesOfAHubShareItsLink();
};

void MessageLinksTest::aMessageMayBeHeldByDataTheOtherWay_data()
{
    QTest::addColumn<int>("startUs");
    QTest::addColumn<int>("endUs");
    QTest::addColumn<bool>("isHeld");
    QTest::newRow("while data is on its way, and time enough is left") << 50 << 250 << true;
    // From 100 on there are 20 us for what takes 35 us, half of its time as recorded.
    QTest::newRow("what is left would not be enough") << 50 << 120 << false;
    QTest::newRow("the data has come before") << 100 << 250 << false;
}

void MessageLinksTest::aMessageMayBeHeldByDataTheOtherWay()
{
    QFETCH(const int, startUs);
    QFETCH(const int, endUs);
    QFETCH(const bool, isHeld);
    const Trace trace = bothWays(startUs, endUs);
    const GraphContext context(trace);
    const std::vector<MessageTime> times = messageTimes(context, messagesOf(trace));
    QCOMPARE(times.size(), std::size_t { 2 });
    QCOMPARE(times[0].range.startNs, std::int64_t { 0 });
    QCOMPARE(times[0].range.endNs, 100 * UsToNs);
    QVERIFY(!times[0].heldBy);
    QCOMPARE(times[1].range.startNs, (isHeld ? 100 : startUs) * UsToNs);
    QCOMPARE(times[1].range.endNs, endUs * UsToNs);
    QCOMPARE(times[1].heldBy, isHeld ? std::optional<std::size_t>(0) : std::nullopt);
}

/// So a what-if in which the one takes longer lets the other begin later.
void MessageLinksTest::whatHoldsAMessageIsBeforeItInTheGraph()
{
    const Graph graph = buildGraph(bothWays(50, 250), {});
    const CollectiveNode &held = nodeOf(graph, "b");
    QCOMPARE(graph.measuredStartNs[held.transfer.value], 100 * UsToNs);
    QCOMPARE(graph.durationNs[held.transfer.value], 150 * UsToNs);
    const auto preds = graph.predecessors(held.arrival);
    QVERIFY(std::any_of(preds.begin(), preds.end(), [&](const Edge &edge) {
        return edge.op == nodeOf(graph, "a").transfer && edge.kind == EdgeKind::Inferred;
    }));
}

void MessageLinksTest::messagesOfAHubShareItsLink()
{
    const Trace trace = tests::traceFromText("rank 4\nrank 5\nrank 6\nrank 7\n");
    const GraphContext context(trace);
    const WorkerId hub(0), one(1), other(2), peer(3);
    const std::vector<Exchange> messages { message(one, NoSlice, hub, NoSlice),
                                           message(other, NoSlice, hub, NoSlice),
                                           message(hub, NoSlice, one, NoSlice),
                                           message(hub, NoSlice, other, NoSlice),
                                           message(other, NoSlice, peer, NoSlice) };
    const MessageLinks links(context, messages);
    const auto nameOf
        = [&](std::size_t i) { return QString::fromStdString(links.nameOf(messages[i])); };
    QCOMPARE(nameOf(0), QStringLiteral("network into rank 4"));
    QCOMPARE(nameOf(2), QStringLiteral("network out of rank 4"));
    QCOMPARE(nameOf(3), QStringLiteral("network out of rank 4"));
    // Rank 6 has two receivers, rank 7 one sender.
    QCOMPARE(nameOf(4), QStringLiteral("network out of rank 6"));
    const std::vector<Exchange> pair { message(one, NoSlice, other, NoSlice) };
    QCOMPARE(QString::fromStdString(MessageLinks(context, pair).nameOf(pair.front())),
             QStringLiteral("network from rank 5 to rank 6"));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(MessageLinksTest)
#include "tst_message_links.moc"
