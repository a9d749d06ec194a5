#include "core/change/insertions.h"
#include "core/fit/links/measured_graph.h"
#include "core/graph/graph_fault.h"
#include "core/replay/replay.h"
#include "tests/core/change/device_ddp_job.h"
#include "tests/support/unit_test.h"

#include <QTest>

using namespace core;

namespace {

constexpr std::int64_t InsertedNs = 7'000;

OpSpec specOn(DeviceId device, WorkerId worker)
{
    OpSpec spec;
    spec.device = device;
    spec.worker = worker;
    spec.kind = OpKind::Compute;
    spec.durationNs = InsertedNs;
    return spec;
}

} // namespace

class InsertionsTest : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void whatFollowedAnOpFollowsTheNewOne();
    void ofARankOnlyItsOwnFollowers();

private:
    Trace m_trace;
    Graph m_graph;
};

void InsertionsTest::initTestCase()
{
    m_trace = tests::DdpJob({ 2, 4 }).trace();
    m_graph = measuredGraph(m_trace, {});
    QVERIFY(!m_graph.collectives.empty());
}

/// Behind the gradient that ends a bucket, in its thread.
void InsertionsTest::whatFollowedAnOpFollowsTheNewOne()
{
    const JobControl control;
    const OpId after = m_graph.gradientSteps.front().gradients.front();
    Insertions insertions(m_graph, control);
    OpSpec spec = specOn(m_graph.device[after.value], m_graph.worker[after.value]);
    spec.name = insertions.intern("inserted");
    insertions.add(after, spec);
    const Graph graph = insertions.build();
    QCOMPARE(graphFault(graph), std::string());
    QCOMPARE(graph.size(), m_graph.size() + 1);
    std::size_t followers = 0;
    OpId inserted = NoOp;
    for (std::uint32_t op = 0; op < graph.size(); ++op) {
        if (graph.names[graph.name[op].value] == "inserted")
            inserted = OpId(op);
        for (const Edge &edge : graph.predecessors(OpId(op)))
            followers += edge.op == inserted ? 1 : 0;
    }
    QVERIFY(inserted != NoOp);
    QCOMPARE(graph.predecessors(inserted).size(), std::size_t { 1 });
    QVERIFY(followers > 0);
}

/// The other rank and the link go on when the transfer has ended.
void InsertionsTest::ofARankOnlyItsOwnFollowers()
{
    const JobControl control;
    const CollectiveNode &node = m_graph.collectives.front();
    const WorkerId first = node.parts.front().worker, other = node.parts.back().worker;
    Insertions insertions(m_graph, control);
    Device device;
    device.name = "converter";
    device.worker = first;
    OpSpec spec = specOn(insertions.addDevice(device), first);
    spec.name = insertions.intern("inserted");
    insertions.addForRank(node.transfer, spec);
    const Graph graph = insertions.build();
    QCOMPARE(graphFault(graph), std::string());
    const OpId transfer = graph.collectives.front().transfer;
    bool doesOtherWait = false;
    for (std::uint32_t op = 0; op < graph.size(); ++op) {
        const bool isInserted = graph.names[graph.name[op].value] == "inserted";
        const bool isOnLink = graph.devices[graph.device[op].value].isLink;
        for (const Edge &edge : graph.predecessors(OpId(op))) {
            if (edge.op != transfer)
                continue;
            doesOtherWait = doesOtherWait || graph.worker[op] == other;
            QVERIFY(isInserted || isOnLink || graph.worker[op] != first);
        }
    }
    QVERIFY(doesOtherWait);
}

LONGPOLE_TEST(InsertionsTest)
#include "tst_insertions.moc"
