#include "core/base/error.h"
#include "core/change/gradients/partition_schedule.h"
#include "core/change/gradients/repartition.h"
#include "core/fit/links/link_bandwidth.h"
#include "core/fit/links/link_models.h"
#include "core/graph/graph_builder.h"
#include "tests/core/fit/links/link_jobs.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <string>

using namespace core;

namespace {

constexpr std::uint64_t PartitionBytes = 1'000'000;
constexpr double NominalMbit = 800;

enum class Updates : std::uint8_t { OfGradients, OfPartitions };

/// Two ranks, the gradients of "a" in four partitions and of "b" in two. Two are under way at any
/// time, and each takes a quarter more than its bytes do on the line. Ops are numbered as they are
/// added: the gradients of both ranks come first, each awaited by one update, or by one of each
/// partition.
class Partitions
{
public:
    explicit Partitions(Discipline discipline, std::uint64_t bytesOfB = PartitionBytes,
                        Updates updates = Updates::OfGradients)
        : m_builder({ "all_reduce" })
        , m_updates(updates)
        , m_link(addLink(discipline))
        , m_host(m_builder.addDevice({}))
    {
        addGradient("a", 0, 4, PartitionBytes);
        addGradient("b", 10, 2, bytesOfB);
    }

    /// Gradients that are added from here on are of the iteration, or on the link.
    void beginIteration() { ++m_iteration; }
    void beginLink(Discipline discipline) { m_link = addLink(discipline); }

    void addGradient(const std::string &tensor, std::int64_t readyNs, int count,
                     std::uint64_t bytes)
    {
        const auto eachNs = std::llround(1.25 * static_cast<double>(bytes) * tcpNsPerByte(800));
        const OpId gradient = addOp(m_host, OpKind::Compute, readyNs, 1);
        OpId update = addOp(m_host, OpKind::Compute, 1'000'000'000 + readyNs, 1);
        for (int i = 0; i < count; ++i) {
            CollectiveNode node;
            node.name = "all_reduce";
            node.tensor = tensor;
            node.bytes = bytes;
            node.iteration = m_iteration;
            const std::int64_t startNs = m_freeNs + i / 2 * 2 * eachNs;
            node.arrival = addOp(m_host, OpKind::Virtual, startNs, 0);
            node.transfer = addOp(m_link, OpKind::Communication, startNs, eachNs);
            m_builder.op(node.transfer).priority = tensor == "a" ? 7 : 3;
            m_builder.addEdge(node.arrival, node.transfer, EdgeKind::Collective);
            for (const std::uint32_t w : { 0U, 1U }) {
                const OpId ready = addOp(m_host, OpKind::Virtual, readyNs, 0);
                m_builder.addEdge(gradient, ready, EdgeKind::Data);
                m_builder.addEdge(ready, node.arrival, EdgeKind::Collective);
                node.parts.push_back(
                    { WorkerId(w), NoSlice, startNs, startNs + 2 * eachNs, ready });
            }
            if (i > 0 && m_updates == Updates::OfPartitions)
                update = addOp(m_host, OpKind::Compute, 1'000'000'000 + readyNs + i, 1);
            m_builder.addEdge(node.transfer, update, EdgeKind::Data);
            m_builder.addCollective(node);
        }
        m_freeNs += (count + 1) / 2 * 2 * eachNs;
    }

    Graph build()
    {
        OpSpec begin;
        begin.kind = OpKind::Virtual;
        begin.device = m_host;
        m_builder.setIterations(std::vector<OpId>(2, m_builder.addOp(begin)), {}, 0);
        return m_builder.build();
    }

private:
    DeviceId addLink(Discipline discipline)
    {
        Device link;
        link.name = "network";
        link.isLink = link.isHostLink = true;
        link.discipline = discipline;
        link.capacity = 1; // as two that come one after the other are replayed
        return m_builder.addDevice(link);
    }

    OpId addOp(DeviceId device, OpKind kind, std::int64_t startNs, std::int64_t durationNs)
    {
        OpSpec spec;
        spec.device = device;
        spec.kind = kind;
        spec.measuredStartNs = startNs;
        spec.durationNs = durationNs;
        return m_builder.addOp(spec);
    }

    GraphBuilder m_builder;
    Updates m_updates;
    DeviceId m_link, m_host;
    std::int32_t m_iteration = 0;
    std::int64_t m_freeNs = 100;
};

struct Cut
{
    std::vector<std::uint64_t> bytes; ///< of "a"
    double ns = 0; ///< all of "a"
    std::size_t waits = 0; ///< transfers of "a" that something awaits
    std::size_t readied = 0; ///< parts of "a" that wait for a gradient
};

Cut cutOf(const Graph &graph)
{
    Cut cut;
    for (const CollectiveNode &node : graph.collectives) {
        if (node.tensor != "a")
            continue;
        cut.bytes.push_back(node.bytes);
        cut.ns += static_cast<double>(graph.durationNs[node.transfer.value]);
        for (std::uint32_t i = 0; i < graph.size(); ++i)
            for (const Edge &edge : graph.predecessors(OpId(i)))
                cut.waits += edge.op == node.transfer ? 1 : 0;
        for (const CollectiveNode::Part &part : node.parts)
            cut.readied += graph.predecessors(part.ready).size();
    }
    std::sort(cut.bytes.begin(), cut.bytes.end());
    return cut;
}

Graph cutAnew(const Graph &graph, Schedule schedule, std::uint64_t bytes)
{
    const Trace trace = tests::twoRanksOf800Mbit();
    return withPartitions(graph, trace, fitLinks(graph, trace), schedule, { bytes, 0 }, {});
}

} // namespace

class RepartitionTest : public QObject
{
    Q_OBJECT

private slots:
    void theRecordedPlanIsReadBack();
    void partitionsOfTheSameSizeStayAsTheyAre();
    void smallerPartitionsAreMore();
    void tooManyPartitionsAreRefused();
    void largerPartitionsAreFewer();
    void smallerPartitionsIdleLongerInAll();
    void theLineIdlesForEachPartitionAlike();
    void anUpdateOfAPartitionWaitsForItsBytes_data();
    void anUpdateOfAPartitionWaitsForItsBytes();
    void partitionsByPriorityCanBeSentAsTheyCome();
    void partitionsSentAsTheyComeCanBeSentByPriority();
    void anOrderByChanceSetsTheirUrgency();
    void aGradientThatTheFullestIterationLacksIsNeededLast();
    void whatIsNeededFirstIsSaidOnceForAllLinks();
    void tensorsInOnePieceAreNoSlices();
};

void RepartitionTest::theRecordedPlanIsReadBack()
{
    GradientPlan plan;
    plan.iterations[0] = { { 0, 1, PartitionBytes, 7 }, { 1, 1, PartitionBytes / 2, 3 } };
    plan.isByPriority = true;
    QVERIFY(measuredPartitionPlan(Partitions(Discipline::Priority, PartitionBytes / 2).build())
            == plan);
}

void RepartitionTest::partitionsOfTheSameSizeStayAsTheyAre()
{
    const Graph graph = Partitions(Discipline::Priority).build();
    QVERIFY(isSentInPartitions(graph));
    QVERIFY(!partitioningObstacle(graph));
    const Cut same = cutOf(cutAnew(graph, Schedule::P3, PartitionBytes)), was = cutOf(graph);
    QCOMPARE(same.bytes, was.bytes);
    QVERIFY(cutAnew(graph, Schedule::P3, PartitionBytes).notes.empty());
    QCOMPARE(cutAnew(graph, Schedule::P3, PartitionBytes / 2).notes.size(), std::size_t { 1 });
    QVERIFY(std::abs(same.ns - was.ns) < 10);
}

void RepartitionTest::smallerPartitionsAreMore()
{
    const Graph graph
        = cutAnew(Partitions(Discipline::Priority).build(), Schedule::P3, 3 * PartitionBytes / 4);
    const Cut cut = cutOf(graph);
    QCOMPARE(cut.bytes,
             (std::vector<std::uint64_t> { PartitionBytes / 4, 750'000, 750'000, 750'000, 750'000,
                                           750'000 }));
    QCOMPARE(cut.waits, cut.bytes.size());
    QCOMPARE(cut.readied, 2 * cut.bytes.size());
    for (const CollectiveNode &node : graph.collectives) {
        QCOMPARE(graph.priorityOf(node.transfer), node.tensor == "a" ? 7 : 3);
        QCOMPARE(graph.bytesOf(node.transfer), node.bytes);
    }
}

/// Of each byte a partition: gigabytes of ops.
void RepartitionTest::tooManyPartitionsAreRefused()
{
    QVERIFY_THROWS_EXCEPTION(Error,
                             cutAnew(Partitions(Discipline::Priority).build(), Schedule::P3, 1));
}

void RepartitionTest::largerPartitionsAreFewer()
{
    const Graph graph = Partitions(Discipline::Priority).build();
    const Graph fewer = cutAnew(graph, Schedule::P3, 3 * PartitionBytes);
    const Cut cut = cutOf(fewer);
    QCOMPARE(cut.bytes, (std::vector<std::uint64_t> { PartitionBytes, 3 * PartitionBytes }));
    QCOMPARE(cut.waits, std::size_t { 2 });
    QVERIFY(cut.ns < cutOf(graph).ns);
    QVERIFY(fewer.size() < graph.size());
}

/// Recorded in partitions of 1 MiB, others of 64 KiB could not be asked for.
void RepartitionTest::smallerPartitionsIdleLongerInAll()
{
    const Graph graph = Partitions(Discipline::Priority).build();
    const double lineNs = 4.0 * static_cast<double>(PartitionBytes) * tcpNsPerByte(NominalMbit);
    // A quarter of the line's time, two under way: a latency as long as a partition's on the line.
    // That of a quarter of the bytes is half as long.
    const double lineOfOne = lineNs / 16, latency = 2 * lineOfOne;
    const double wanted = 16 * (lineOfOne + latency * latency / (2 * (latency + lineOfOne)));
    const double ns = cutOf(cutAnew(graph, Schedule::P3, PartitionBytes / 4)).ns;
    QVERIFY(std::abs(ns - wanted) < 1e-3 * wanted);
}

/// Its share of the idle time was a tensor's by its bytes: small ones' was lost when large ones
/// were cut, or became many times as long.
void RepartitionTest::theLineIdlesForEachPartitionAlike()
{
    const Graph graph = Partitions(Discipline::Priority, PartitionBytes / 10).build();
    const Graph cut = cutAnew(graph, Schedule::P3, PartitionBytes / 2);
    const auto idlesNs = [](const Graph &of) {
        std::vector<double> idle;
        for (const CollectiveNode &node : of.collectives)
            idle.push_back(static_cast<double>(of.durationNs[node.transfer.value])
                           - static_cast<double>(node.bytes) * tcpNsPerByte(NominalMbit));
        return idle;
    };
    const std::vector<double> idle = idlesNs(cut), was = idlesNs(graph);
    QCOMPARE(idle.size(), std::size_t { 9 });
    for (const double ns : idle) {
        QVERIFY(ns > 0);
        QVERIFY(std::abs(ns - idle.front()) < 2);
    }
    // Half as many again, each for hardly less.
    const auto sum = [](const std::vector<double> &all) {
        return std::accumulate(all.begin(), all.end(), 0.0);
    };
    QVERIFY(sum(idle) > sum(was) && sum(idle) < 1.5 * sum(was));
}

void RepartitionTest::anUpdateOfAPartitionWaitsForItsBytes_data()
{
    using Waits = std::vector<std::size_t>; // of each of the four updates, in order
    QTest::addColumn<qulonglong>("bytes");
    QTest::addColumn<std::vector<std::size_t>>("waits");
    QTest::newRow("as recorded") << qulonglong(PartitionBytes) << Waits { 1, 1, 1, 1 };
    QTest::newRow("smaller") << qulonglong(PartitionBytes / 8) << Waits { 8, 8, 8, 8 };
    QTest::newRow("across") << qulonglong(3 * PartitionBytes / 4) << Waits { 2, 2, 2, 2 };
    QTest::newRow("larger") << qulonglong(2 * PartitionBytes) << Waits { 1, 1, 1, 1 };
    QTest::newRow("one") << qulonglong(9 * PartitionBytes) << Waits { 1, 1, 1, 1 };
}

/// Each new partition was awaited by all that waited for any: edges grew with the number of
/// partitions squared, and the first update waited for the last partition.
void RepartitionTest::anUpdateOfAPartitionWaitsForItsBytes()
{
    QFETCH(const qulonglong, bytes);
    QFETCH(const std::vector<std::size_t>, waits);
    const Graph graph
        = cutAnew(Partitions(Discipline::Shared, PartitionBytes, Updates::OfPartitions).build(),
                  Schedule::Fifo, bytes);
    std::map<std::int64_t, std::size_t> waitsOf; // by when the update was
    for (const CollectiveNode &node : graph.collectives)
        for (std::uint32_t i = 0; node.tensor == "a" && i < graph.size(); ++i)
            for (const Edge &edge : graph.predecessors(OpId(i)))
                if (edge.op == node.transfer)
                    ++waitsOf[graph.measuredStartNs[i]];
    std::vector<std::size_t> found;
    for (const auto &[ns, count] : waitsOf)
        found.push_back(count);
    QCOMPARE(found, waits);
}

void RepartitionTest::partitionsByPriorityCanBeSentAsTheyCome()
{
    const Graph urgent = Partitions(Discipline::Priority).build();
    const Graph fifo = cutAnew(urgent, Schedule::Fifo, PartitionBytes);
    for (const CollectiveNode &node : fifo.collectives) {
        QCOMPARE(fifo.priorityOf(node.transfer), 0);
        QCOMPARE(fifo.devices[fifo.device[node.transfer.value].value].discipline,
                 Discipline::Shared);
    }
    const Graph asReady = Partitions(Discipline::Shared).build();
    QCOMPARE(cutOf(cutAnew(asReady, Schedule::Fifo, PartitionBytes / 2)).bytes.size(),
             std::size_t { 8 });
}

/// schedule=p3 was refused: how urgent they are was said not to be known. "b", whose gradient is
/// ready last, is needed first.
void RepartitionTest::partitionsSentAsTheyComeCanBeSentByPriority()
{
    const Graph graph
        = cutAnew(Partitions(Discipline::Shared).build(), Schedule::P3, PartitionBytes / 2);
    QCOMPARE(graph.collectives.size(), std::size_t { 12 });
    for (const CollectiveNode &node : graph.collectives) {
        QCOMPARE(graph.priorityOf(node.transfer), node.tensor == "b" ? 0 : 1);
        QCOMPARE(graph.devices[graph.device[node.transfer.value].value].discipline,
                 Discipline::Priority);
    }
    QVERIFY(std::any_of(graph.notes.begin(), graph.notes.end(), [](const std::string &note) {
        return note.find("the reverse of that order") != std::string::npos;
    }));
}

/// Whatever it was, and nothing is said of the forward pass.
void RepartitionTest::anOrderByChanceSetsTheirUrgency()
{
    for (const Discipline discipline : { Discipline::Shared, Discipline::Priority }) {
        const Graph graph
            = cutAnew(Partitions(discipline).build(), Schedule::Random, PartitionBytes / 2);
        std::map<std::string, std::set<std::int32_t>> priorities;
        for (const CollectiveNode &node : graph.collectives)
            priorities[node.tensor].insert(graph.priorityOf(node.transfer));
        QCOMPARE(priorities.size(), std::size_t { 2 });
        QCOMPARE(priorities["a"].size(), std::size_t { 1 });
        QVERIFY(priorities["a"] != priorities["b"]);
        QVERIFY(std::none_of(graph.notes.begin(), graph.notes.end(), [](const std::string &note) {
            return note.find("the reverse of that order") != std::string::npos;
        }));
    }
}

/// schedule=p3 ended with "map::at".
void RepartitionTest::aGradientThatTheFullestIterationLacksIsNeededLast()
{
    Partitions partitions(Discipline::Shared);
    partitions.beginIteration();
    partitions.addGradient("c", 20, 2, PartitionBytes);
    const Graph graph = cutAnew(partitions.build(), Schedule::P3, PartitionBytes / 2);
    QCOMPARE(graph.collectives.size(), std::size_t { 16 });
    for (const CollectiveNode &node : graph.collectives)
        QCOMPARE(graph.priorityOf(node.transfer),
                 node.tensor == "b"       ? 0
                     : node.tensor == "a" ? 1
                                          : 2);
}

/// The note stood there once for each link.
void RepartitionTest::whatIsNeededFirstIsSaidOnceForAllLinks()
{
    Partitions partitions(Discipline::Shared);
    partitions.beginLink(Discipline::Shared);
    partitions.addGradient("c", 20, 2, PartitionBytes);
    const Graph graph = cutAnew(partitions.build(), Schedule::P3, PartitionBytes);
    QCOMPARE(std::count_if(graph.devices.begin(), graph.devices.end(),
                           [](const Device &device) {
                               return device.isLink && device.discipline == Discipline::Priority;
                           }),
             2);
    QCOMPARE(graph.notes.size(), std::size_t { 1 });
}

void RepartitionTest::tensorsInOnePieceAreNoSlices()
{
    Graph graph = Partitions(Discipline::Priority).build();
    for (std::size_t i = 0; i < graph.collectives.size(); ++i)
        graph.collectives[i].tensor = "w" + std::to_string(i);
    QVERIFY(!isSentInPartitions(graph));
    QVERIFY(partitioningObstacle(graph));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(RepartitionTest)
#include "tst_repartition.moc"
