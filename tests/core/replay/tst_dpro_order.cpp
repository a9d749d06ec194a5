#include "core/base/error.h"
#include "core/graph/graph_builder.h"
#include "core/replay/dpro_order.h"
#include "core/replay/replay.h"
#include "core/replay/replay_order.h"
#include "tests/support/graph_text.h"
#include "tests/support/random_graph.h"

#include <QTest>

#include <random>

using namespace core;
using tests::graphFromText;

/// The order of dPRO's published replayer.
class TestDproOrder : public QObject
{
    Q_OBJECT

private slots:
    void devicesServeAsTheirClocksSay_data();
    void devicesServeAsTheirClocksSay();
    void aQueueIsOrderedByWhatOpsDo();
    void ringsTakeAsLongAsInItsOwnReplayer_data();
    void ringsTakeAsLongAsInItsOwnReplayer();
    void everyGraphCompletesWithinItsBounds();
    void aCycleIsNamed();
};

void TestDproOrder::devicesServeAsTheirClocksSay_data()
{
    QTest::addColumn<QByteArray>("graph");
    QTest::addColumn<QString>("times");
    // r2's clock is 0 when c1 is queued, so it serves c1 although c2 will be ready long before.
    QTest::newRow("a device waits for what is queued first")
        << QByteArray("a:100@r0 -> c1:1@r2\nb1:5@r1 -> b2:5@r1 -> c2:1@r2")
        << QString::fromUtf8("a 0-100, b1 0-5, b2 5-10, c1 100-101, c2 101-102");
    QTest::newRow("a link serves one transfer at a time")
        << QByteArray("a:10@link\nb:10@link") << QString::fromUtf8("a 0-10, b 10-20");
    QTest::newRow("the other end's link holds a transfer up, even alone")
        << QByteArray("a:10@link%50 -> b:10@link") << QString::fromUtf8("a 0-20, b 20-30");
    QTest::newRow("a delay does not hold the device")
        << QByteArray("a:10 -> b:5@d+7\nc:12@d") << QString::fromUtf8("a 0-10, c 0-12, b 17-22");
    QTest::newRow("a join waits for the last")
        << QByteArray("a:10 -> c:1\nb:20 -> c") << QString::fromUtf8("a 0-10, b 0-20, c 20-21");
}

void TestDproOrder::devicesServeAsTheirClocksSay()
{
    QFETCH(const QByteArray, graph);
    QFETCH(const QString, times);
    const Graph built = graphFromText(graph.toStdString());
    const ReplayResult result = replayInDproOrder(built, {});
    QCOMPARE(QString::fromStdString(tests::timesText(built, result)), times);
}

void TestDproOrder::aQueueIsOrderedByWhatOpsDo()
{
    Graph graph = graphFromText("first:10@d\nother:1@d\nupdate:1@d\nback:1@d\nforward:1@d");
    for (std::uint32_t op = 0; op < graph.size(); ++op) {
        const std::string &name = graph.names[graph.name[op].value];
        graph.phase[op] = name == "forward" || name == "first" ? Phase::Forward
            : name == "back"                                   ? Phase::Backward
            : name == "update"                                 ? Phase::Optimizer
                                                               : Phase::None;
    }
    QCOMPARE(QString::fromStdString(tests::timesText(graph, replayInDproOrder(graph, {}))),
             QString::fromUtf8("first 0-10, forward 10-11, back 11-12, update 12-13, other 13-14"));
}

namespace {

constexpr std::int64_t Us = 1'000;
constexpr int Channels = 2;

/// A step of data parallel training whose gradients a ring of all ranks reduces, layer by layer, as
/// dPRO builds it: sends and receives of a rank share a device, and a gradient is queued when the
/// one before it has been copied out.
class RingGraph
{
public:
    RingGraph(int ranks, int layers)
        : m_ranks(ranks)
        , m_builder(std::vector<std::string> {})
    {
        for (const char *kind : { "compute", "sync", "copies", "comm" })
            for (int r = 0; r < ranks; ++r) {
                Device device;
                device.name = kind + std::to_string(r);
                m_builder.addDevice(device);
            }
        std::vector<OpId> last(static_cast<std::size_t>(ranks), NoOp);
        for (int layer = 0; layer < layers; ++layer)
            for (int r = 0; r < ranks; ++r)
                last[std::size_t(r)]
                    = op(Compute, r, 100 * Us, Phase::Forward, { last[std::size_t(r)] });
        std::vector<OpId> copied(last.size(), NoOp);
        for (int layer = 0; layer < layers; ++layer) {
            for (int r = 0; r < ranks; ++r)
                last[std::size_t(r)]
                    = op(Compute, r, 200 * Us, Phase::Backward, { last[std::size_t(r)] });
            copied = addReduction(last, copied);
        }
    }

    Graph build() { return m_builder.build(); }

private:
    enum Place { Compute, Sync, Copies, Comm };

    OpId op(Place place, int rank, std::int64_t durationNs, Phase phase,
            const std::vector<OpId> &after)
    {
        OpSpec spec;
        spec.name = m_builder.intern("op");
        spec.device = DeviceId(static_cast<std::uint32_t>(place * m_ranks + rank));
        spec.kind = place == Compute ? OpKind::Compute : OpKind::Communication;
        spec.phase = phase;
        spec.durationNs = durationNs;
        const OpId added = m_builder.addOp(spec);
        for (const OpId before : after)
            if (before != NoOp)
                m_builder.addEdge(before, added, EdgeKind::Data);
        return added;
    }

    std::vector<OpId> addReduction(const std::vector<OpId> &gradients,
                                   const std::vector<OpId> &copiedBefore)
    {
        std::vector<OpId> synced;
        for (int r = 0; r < m_ranks; ++r)
            synced.push_back(op(Sync, r, 10 * Us, Phase::None, { gradients[std::size_t(r)] }));
        std::vector<OpId> in;
        for (int r = 0; r < m_ranks; ++r) {
            std::vector<OpId> after = synced;
            after.push_back(copiedBefore[std::size_t(r)]);
            const OpId queued = op(Copies, r, 0, Phase::None, after);
            in.push_back(op(Copies, r, 20 * Us, Phase::None, { queued }));
        }
        std::vector<std::vector<OpId>> received(gradients.size());
        for (int channel = 0; channel < Channels; ++channel) {
            std::vector<OpId> before = in;
            for (int step = 0; step < 2 * (m_ranks - 1); ++step)
                before = addStep(before);
            for (int r = 0; r < m_ranks; ++r)
                received[std::size_t(r)].push_back(before[std::size_t(r)]);
        }
        std::vector<OpId> copied;
        for (int r = 0; r < m_ranks; ++r) {
            copied.push_back(op(Copies, r, 20 * Us, Phase::None, received[std::size_t(r)]));
            op(Compute, r, 20 * Us, Phase::Optimizer, { copied.back() });
        }
        return copied;
    }

    std::vector<OpId> addStep(const std::vector<OpId> &before)
    {
        std::vector<OpId> received(before.size());
        for (int r = 0; r < m_ranks; ++r) {
            const OpId sent = op(Comm, r, 10 * Us, Phase::None, { before[std::size_t(r)] });
            const int next = (r + 1) % m_ranks;
            received[std::size_t(next)] = op(Comm, next, 10 * Us, Phase::None, { sent });
        }
        return received;
    }

    int m_ranks;
    GraphBuilder m_builder;
};

} // namespace

void TestDproOrder::ringsTakeAsLongAsInItsOwnReplayer_data()
{
    QTest::addColumn<int>("ranks");
    QTest::addColumn<int>("layers");
    QTest::addColumn<std::int64_t>("makespanNs");
    // dPRO's replayer, run on such graphs (forward 0.1 ms, backward 0.2 ms, send and receive 0.01
    // ms): the other times are what its three results leave for them.
    QTest::newRow("8 ranks, 50 layers") << 8 << 50 << std::int64_t { 35'730 } * Us;
    QTest::newRow("16 ranks, 50 layers") << 16 << 50 << std::int64_t { 67'730 } * Us;
    QTest::newRow("16 ranks, 160 layers") << 16 << 160 << std::int64_t { 216'230 } * Us;
}

void TestDproOrder::ringsTakeAsLongAsInItsOwnReplayer()
{
    QFETCH(const int, ranks);
    QFETCH(const int, layers);
    QFETCH(const std::int64_t, makespanNs);
    QCOMPARE(replayInDproOrder(RingGraph(ranks, layers).build(), {}).makespanNs, makespanNs);
}

void TestDproOrder::everyGraphCompletesWithinItsBounds()
{
    std::mt19937 random(7);
    for (int round = 0; round < 1000; ++round) {
        const Graph graph = tests::randomGraph(random, {});
        const ReplayResult result = replayInDproOrder(graph, {});
        std::vector<std::int64_t> loadNs(graph.devices.size(), 0);
        for (std::uint32_t i = 0; i < graph.size(); ++i) {
            std::int64_t readyNs = 0;
            for (const Edge &edge : graph.predecessors(OpId(i)))
                readyNs = std::max(readyNs, result.endNs[edge.op.value]);
            QVERIFY(result.startNs[i] >= readyNs + graph.delayNs[i]);
            const std::int64_t servedNs = result.endNs[i] - result.startNs[i];
            const std::size_t device = graph.device[i].value;
            const bool isLimited = graph.kind[i] != OpKind::Virtual
                && graph.rateLimitOf(OpId(i)) > 0 && !servesOneByOne(graph.devices[device]);
            const double rate = isLimited ? double(graph.rateLimitOf(OpId(i))) : 1.0;
            QCOMPARE(servedNs, std::int64_t(qRound64(double(graph.durationNs[i]) / rate)));
            if (graph.kind[i] != OpKind::Virtual)
                loadNs[device] += servedNs;
        }
        QVERIFY(result.makespanNs >= *std::max_element(loadNs.begin(), loadNs.end()));
        const std::vector<OpId> path = criticalPath(graph, result);
        QCOMPARE(result.endNs[path.back().value], result.makespanNs);
    }
}

void TestDproOrder::aCycleIsNamed()
{
    Graph graph = graphFromText("a:1 -> b:1 -> c:1");
    graph.preds[graph.predOffset[1]].op = OpId(2);
    try {
        replayInDproOrder(graph, {});
        QFAIL("the cycle was not found");
    } catch (const Error &error) {
        QVERIFY(std::string_view(error.what()).find("cycle") != std::string_view::npos);
    }
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestDproOrder)
#include "tst_dpro_order.moc"
