#include "core/base/error.h"
#include "core/change/change_list.h"
#include "core/change/change_text.h"
#include "core/change/gradients/horovod_fusion.h"
#include "core/change/gradients/measured_partitions.h"
#include "core/change/gradients/rebucket.h"

#include <QTest>

#include <string>
#include <utility>
#include <vector>

using namespace core;

namespace {

using List = std::vector<std::pair<std::string, std::string>>;

/// One gradient of 2,500 bytes, all-reduced at once or in partitions of 1,000.
Graph gradientIn(std::vector<std::uint64_t> partitions,
                 Discipline discipline = Discipline::Priority)
{
    Graph graph;
    Device link;
    link.isLink = link.isHostLink = true;
    link.discipline = discipline;
    graph.devices = { link };
    for (std::uint32_t i = 0; i < partitions.size(); ++i) {
        CollectiveNode node;
        node.name = "all_reduce";
        node.tensor = "weight";
        node.bytes = partitions[i];
        node.transfer = OpId(i);
        node.parts.push_back({ WorkerId(0), NoSlice, 0, 0, OpId(i) });
        graph.collectives.push_back(std::move(node));
        graph.device.emplace_back(0U);
        graph.kind.push_back(OpKind::Compute); // of whatever is computed: without, that is why
        graph.measuredStartNs.push_back(0);
    }
    return graph;
}

List resolved(const std::vector<std::string> &words, const Graph &graph, const Trace &trace = {})
{
    const PartitionChanges changes
        = withRecordedPartitions(partitionChanges(parseStrategy(words)), trace, graph);
    List list;
    if (changes.partitionBytes)
        list.emplace_back("partition_bytes", Change("", *changes.partitionBytes).valueText());
    if (changes.creditBytes)
        list.emplace_back("credit_bytes", Change("", *changes.creditBytes).valueText());
    if (changes.schedule)
        list.emplace_back("schedule", scheduleName(*changes.schedule));
    return list;
}

QString refusal(const std::vector<std::string> &words, const Graph &graph)
{
    const Trace trace;
    return QString::fromStdString(
        strategyObstacle({ trace, graph, {} }, parseStrategy(words)).value_or(std::string()));
}

} // namespace

class RecordedPartitionsTest : public QObject
{
    Q_OBJECT

private slots:
    void whatIsNotSetIsAsRecorded();
    void whatIsSetAsRecordedChangesNothing();
    void whatTheBundleStatesCountsBeforeWhatIsSeen();
    void aJobWithoutPartitionsNeedsASchedule();
    void bucketsOfAJobWithPartitionsAreNotKnown();
    void whatNeedsTheForwardPassIsRefused();
};

/// schedule=fifo took P3's default of 200,000 bytes, whatever the job had.
void RecordedPartitionsTest::whatIsNotSetIsAsRecorded()
{
    const Graph graph = gradientIn({ 1000, 1000, 500 });
    QCOMPARE(resolved({ "schedule=fifo" }, graph),
             (List { { "partition_bytes", "1000" }, { "schedule", "fifo" } }));
    QCOMPARE(resolved({ "partition_bytes=500" }, graph),
             (List { { "partition_bytes", "500" }, { "schedule", "p3" } }));
    QCOMPARE(
        resolved({ "partition_bytes=500" }, gradientIn({ 1000, 1000, 500 }, Discipline::Shared)),
        (List { { "partition_bytes", "500" }, { "schedule", "fifo" } }));
    QCOMPARE(resolved({ "bandwidth_scale=2" }, graph), List());
}

void RecordedPartitionsTest::whatIsSetAsRecordedChangesNothing()
{
    const Graph graph = gradientIn({ 1000, 1000, 500 });
    QCOMPARE(resolved({ "schedule=p3" }, graph), List());
    QCOMPARE(resolved({ "partition_bytes=1000" }, graph), List());
    QCOMPARE(resolved({ "schedule=p3", "partition_bytes=1000", "latency_us=5" }, graph), List());
    Trace trace;
    trace.workers.resize(1);
    QCOMPARE(noChangeText({ trace, graph, {} },
                          parseStrategy({ "schedule=p3", "partition_bytes=1000" })),
             std::string("Changes nothing: the job already sends its gradients in this order; the "
                         "job already sends partitions of this size."));
    Graph messages = graph; // a server's job has no collective
    for (CollectiveNode &node : messages.collectives)
        node.isMessage = true;
    QCOMPARE(noChangeText({ trace, messages, {} }, parseStrategy({ "bandwidth_mbit:1=400" })),
             std::string("Changes nothing: the slower of the two links that a message passes stays "
                         "as fast as it is."));
    QCOMPARE(
        noChangeText({ trace, graph, {} }, parseStrategy({ "credit_bytes=2000" })),
        std::string("Changes nothing: as many of its partitions are already under way at once."));
}

void RecordedPartitionsTest::whatTheBundleStatesCountsBeforeWhatIsSeen()
{
    Trace trace;
    trace.stated.partitionBytes = 1200;
    trace.stated.creditBytes = 2400;
    const Graph graph = gradientIn({ 1000, 1000, 500 });
    QCOMPARE(resolved({ "schedule=p3", "partition_bytes=1200", "credit_bytes=2400" }, graph, trace),
             List());
    QCOMPARE(
        resolved({ "credit_bytes=3600" }, graph, trace),
        (List { { "partition_bytes", "1200" }, { "credit_bytes", "3600" }, { "schedule", "p3" } }));
}

/// Jobs whose gradients cannot be sent in partitions were told to give a schedule, which was
/// refused then.
void RecordedPartitionsTest::aJobWithoutPartitionsNeedsASchedule()
{
    const Graph whole = gradientIn({ 2500 });
    const QString text = refusal({ "partition_bytes=1000" }, whole);
    QVERIFY2(text.startsWith(QStringLiteral("partition_bytes cannot be changed on this trace: its "
                                            "gradients are reduced tensor by tensor")),
             qPrintable(text));
    QVERIFY2(!text.contains(QStringLiteral("schedule")), qPrintable(text));
    QVERIFY(refusal({ "credit_bytes=1000" }, whole).startsWith(QStringLiteral("credit_bytes ")));
    QCOMPARE(resolved({ "schedule=p3" }, whole), (List { { "schedule", "p3" } }));
}

/// Settings of buckets were refused as "tensor by tensor or in partitions", and schedule=wfbp
/// otherwise.
void RecordedPartitionsTest::bucketsOfAJobWithPartitionsAreNotKnown()
{
    const Graph graph = gradientIn({ 1000, 1000, 500 });
    QCOMPARE(resolved({ "schedule=wfbp" }, graph), (List { { "schedule", "wfbp" } }));
    for (const auto &obstacle : { rebucketObstacle(graph), fusionObstacle(graph) }) {
        const QString text = QString::fromStdString(obstacle.value_or(""));
        QVERIFY2(text.startsWith(QStringLiteral("its gradients are sent in partitions")),
                 qPrintable(text));
        QVERIFY(text.contains(QStringLiteral("schedule=p3, bytescheduler, fifo or random")));
    }
}

/// Of a program's own partitions nothing tells which operations use them.
void RecordedPartitionsTest::whatNeedsTheForwardPassIsRefused()
{
    const Graph graph = gradientIn({ 1000, 1000, 500 });
    for (const ScheduleTraits &traits : scheduleTraits()) {
        const std::string word = "schedule=" + std::string(traits.name);
        const bool isRefused
            = partitionObstacle(partitionChanges(parseStrategy({ word })), {}, graph).has_value();
        QVERIFY2(isRefused != traits.fitsRecordedPartitions, word.c_str());
    }
    QVERIFY(refusal({ "schedule=tac" }, graph)
                .contains(QStringLiteral("Give schedule=p3, bytescheduler, fifo or random")));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(RecordedPartitionsTest)
#include "tst_measured_partitions.moc"
