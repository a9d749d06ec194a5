#include "core/base/error.h"
#include "core/change/gradients/partition_cost.h"
#include "core/fit/links/hand_over.h"
#include "core/fit/links/link_models.h"
#include "core/fit/links/link_readings.h"
#include "core/fit/links/measured_graph.h"
#include "tests/support/trace_builder.h"

#include <QTest>

#include <cmath>

using namespace core;

namespace {

constexpr double MeanBytes = 16e6;

LinkModel model()
{
    LinkModel model;
    model.isHostLink = true;
    model.meanBytes = MeanBytes;
    model.alphaNs = 1e6;
    model.betaNsPerByte = model.pooledBetaNsPerByte = 18;
    model.lineNsPerByte = 16;
    model.queue = { 1, 4e6 };
    model.handOverNs = 0.5e6;
    return model;
}

Device link()
{
    Device device;
    device.capacity = 2;
    return device;
}

PartitionCost costOf(const LinkModel &model, double bytes, std::uint64_t creditBytes = 0)
{
    return costOfPartition(model, link(), { 1'000'000, creditBytes }, bytes);
}

bool isNear(double value, double expected)
{
    return std::abs(value - expected) <= 1e-6 * std::abs(expected);
}

/// Calls at 100 us, and again at 500; the backend begins `begin` later, and the call takes `call`.
std::string rankWithCalls(int rank, int begin, int call)
{
    std::string main = "thread main\n", comm = "comm gloo\n";
    for (const int at : { 100, 500 }) {
        main += "c10d::allreduce_ " + std::to_string(at) + " " + std::to_string(call) + "\n";
        comm += "reduce " + std::to_string(at + begin) + " " + std::to_string(200 - begin)
            + " kind=all_reduce bytes=100\n";
    }
    return "rank " + std::to_string(rank) + "\niteration 0 0 1000\n" + main + comm;
}

} // namespace

class PartitionCostTest : public QObject
{
    Q_OBJECT

private slots:
    void tooManyPartitionsAreRefusedWithTheSmallestThatAreNot_data();
    void tooManyPartitionsAreRefusedWithTheSmallestThatAreNot();
    void theLineIdlesForTheHandOver();
    void aSmallerPartitionWaitsLess_data();
    void aSmallerPartitionWaitsLess();
    void ofRecordedPartitionsAPartOfTheWaitIsAsLongForAll();
    void theCreditSaysHowManyAreUnderWay();
    void withoutTheLinesRateAlphaIsTheLatency();
    void everyReadingOfTheLinksIsAnotherOfPartitions();
    void theHandOverEndsWithTheLaterOfCallAndBegin();
    void copyingBucketsOutIsNoPartOfTheHandOver();
    void withoutCallsNothingTellsTheHandOver();
};

/// What a program takes to hand a partition over was free: partitions of 256 KiB were predicted 10
/// % too fast.
void PartitionCostTest::theLineIdlesForTheHandOver()
{
    LinkModel free = model();
    free.handOverNs = 0;
    for (const double bytes : { 1e3, 1e5, 1e7 })
        QVERIFY(isNear(costOf(model(), bytes).ns(bytes) - costOf(free, bytes).ns(bytes), 0.5e6));
}

void PartitionCostTest::aSmallerPartitionWaitsLess_data()
{
    QTest::addColumn<double>("growth");
    QTest::addColumn<double>("latencyNs"); // of a sixteenth of the recorded transfers' bytes
    QTest::newRow("all the same") << 0.0 << 4e6;
    QTest::newRow("between") << 0.5 << 1e6;
    QTest::newRow("with bytes") << 1.0 << 0.25e6;
}

/// As long as a bucket for each of many partitions: 16 KiB were predicted to take 3.4 s.
void PartitionCostTest::aSmallerPartitionWaitsLess()
{
    QFETCH(const double, growth);
    QFETCH(const double, latencyNs);
    LinkModel read = model();
    read.latencyGrowth = growth;
    const PartitionCost cost = costOf(read, MeanBytes / 16);
    QVERIFY(isNear(cost.queue.latencyNs, latencyNs));
    const double lineNs = 1e6 * 16;
    QVERIFY(
        isNear(cost.ns(1e6), lineNs + 0.5e6 + latencyNs * latencyNs / (2 * (latencyNs + lineNs))));
}

/// From partitions of 512 KiB those of 128 were predicted 8 % too fast: all of what they wait for
/// each other became less with their bytes, the time in which cores get to what has come, too.
void PartitionCostTest::ofRecordedPartitionsAPartOfTheWaitIsAsLongForAll()
{
    LinkModel recorded = model();
    recorded.isQueued = true;
    recorded.queue = { 2, 5e6 };
    recorded.queuedBytes = 4e6; // half of the partitions are far smaller
    recorded.meanBytes = 2e6;
    recorded.steadyLatencyNs = 1e6;
    QVERIFY(isNear(costOf(recorded, 4e6).queue.latencyNs, 5e6));
    QVERIFY(isNear(costOf(recorded, 1e6).queue.latencyNs, 1e6 + 4e6 / 2));
    recorded.steadyLatencyNs = 9e6; // no more than all of it
    QVERIFY(isNear(costOf(recorded, 1e6).queue.latencyNs, 5e6));
}

void PartitionCostTest::theCreditSaysHowManyAreUnderWay()
{
    QCOMPARE(costOf(model(), 1e6).queue.underWay, 2.0);
    QCOMPARE(costOf(model(), 1e6, 1'999'999).queue.underWay, 1.0);
    QCOMPARE(costOf(model(), 1e6, 2'000'000).queue.underWay, 2.0);
    QCOMPARE(costOf(model(), 1e6, 9'000'000).queue.underWay, 2.0);
    QCOMPARE(costOf(model(), 1e6, 500'000).queue.underWay, 1.0);
}

void PartitionCostTest::withoutTheLinesRateAlphaIsTheLatency()
{
    LinkModel read = model();
    read.queue = {};
    read.lineNsPerByte = 0;
    const PartitionCost cost = costOf(read, MeanBytes);
    QCOMPARE(cost.nsPerByte, 18.0);
    QCOMPARE(cost.queue.latencyNs, 1e6);
}

/// The end of the fit's interval and a fit without alpha moved no partition, as these are told by
/// the queue, which stayed as it was.
void PartitionCostTest::everyReadingOfTheLinksIsAnotherOfPartitions()
{
    LinkModel fitted = model();
    const double lineNs = fitted.lineNsPerByte * MeanBytes;
    fitted.queue = queuedTransfers(1, lineNs, fitted.alphaNs + 2 * MeanBytes);
    fitted.betaHigh = 19;
    const LinkModels links = { { { DeviceId(0), "all_reduce" }, fitted } };
    const auto slowest = [](const std::vector<LinkModels> &readings) {
        double ns = 0;
        for (const LinkModels &reading : readings)
            ns = std::max(ns, reading.begin()->second.queue.latencyNs);
        return ns;
    };
    QVERIFY(isNear(fitted.queue.latencyNs, 33e6));
    QVERIFY(isNear(slowest(otherReadings(links)), 49e6)); // 3 ns a byte beyond the line's 16
    double leastNs = 1e9, mostNs = 0;
    std::vector<LinkModels> readings = otherReadings(links);
    readings.push_back(withLatencyOfAllSizes(links));
    for (const LinkModels &reading : readings) {
        const double ns = costOf(reading.begin()->second, 1e5).ns(1e5);
        leastNs = std::min(leastNs, ns);
        mostNs = std::max(mostNs, ns);
    }
    const double ns = costOf(fitted, 1e5).ns(1e5);
    QVERIFY(leastNs < ns && ns < mostNs);
}

void PartitionCostTest::theHandOverEndsWithTheLaterOfCallAndBegin()
{
    const auto handOverNs = [](const std::string &text) {
        const Trace trace = tests::traceFromText(text);
        const auto known = handOversNs(measuredGraph(trace, {}), trace);
        return known.size() == 1 ? known.begin()->second : -1;
    };
    // Of the rank that takes longest.
    QCOMPARE(handOverNs(rankWithCalls(0, 10, 30) + rankWithCalls(1, 60, 20)), 60e3);
    QCOMPARE(handOverNs(rankWithCalls(0, 10, 30) + rankWithCalls(1, 10, 80)), 80e3);
}

/// A recording at 1,000 Mbit/s said 16 % too much of partitions: cores that were copying buckets
/// out got to the last bucket 2 to 5 ms later than its call.
void PartitionCostTest::copyingBucketsOutIsNoPartOfTheHandOver()
{
    const auto withCopy = [](int rank) {
        std::string text = rankWithCalls(rank, 10, 30);
        const std::string late = "c10d::allreduce_ 500 5\ncopy 505 80\n";
        text.replace(text.find("c10d::allreduce_ 500 30\n"), 24, late);
        return text.replace(text.find("reduce 510 190"), 14, "reduce 590 110");
    };
    const Trace trace = tests::traceFromText(withCopy(0) + withCopy(1));
    Graph graph = measuredGraph(trace, {});
    const auto handOverNs = [&] { return handOversNs(graph, trace).begin()->second; };
    QVERIFY(handOverNs() > 30e3);
    for (const WorkerId worker : { WorkerId(0), WorkerId(1) }) {
        GradientStep step;
        step.worker = worker;
        for (std::uint32_t op = 0; op < graph.size(); ++op)
            if (graph.worker[op] == worker && graph.names[graph.name[op].value] == "copy")
                step.copies.push_back(OpId(op));
        QCOMPARE(step.copies.size(), std::size_t { 1 });
        graph.gradientSteps.push_back(step);
    }
    QCOMPARE(handOverNs(), 30e3);
}

void PartitionCostTest::withoutCallsNothingTellsTheHandOver()
{
    const std::string text = "rank 0\niteration 0 0 1000\nthread main\nforward 0 100\ncomm gloo\n"
                             "reduce 100 200 kind=all_reduce bytes=100\n";
    const Trace trace = tests::traceFromText(text + "rank 1" + text.substr(6));
    QVERIFY(handOversNs(measuredGraph(trace, {}), trace).empty());
}

void PartitionCostTest::tooManyPartitionsAreRefusedWithTheSmallestThatAreNot_data()
{
    QTest::addColumn<double>("bytes");
    QTest::addColumn<qulonglong>("partitionBytes");
    QTest::addColumn<QString>("refusal");
    // An op for each byte of a partition: of 1,000,000 at most.
    QTest::newRow("as many as can be") << 1e9 << qulonglong(1000) << QString();
    QTest::newRow("somewhat more")
        << 1e9 << qulonglong(999) << QStringLiteral("partition_bytes=1000.");
    QTest::newRow("by far") << 1e9 << qulonglong(1) << QStringLiteral("partition_bytes=1000.");
    QTest::newRow("of any size") << 3e19 << qulonglong(1)
                                 << QStringLiteral("record fewer iterations");
}

/// Partitions of 100 bytes took minutes and gigabytes, and of one byte no size was named that would
/// do.
void PartitionCostTest::tooManyPartitionsAreRefusedWithTheSmallestThatAreNot()
{
    QFETCH(const double, bytes);
    QFETCH(const qulonglong, partitionBytes);
    QFETCH(const QString, refusal);
    QString said;
    try {
        checkOpsOfPartitions([bytes](std::uint64_t ofOne) { return bytes / double(ofOne); },
                             { partitionBytes, 0 });
    } catch (const Error &error) {
        said = QString::fromUtf8(error.what());
    }
    QCOMPARE(said.isEmpty(), refusal.isEmpty());
    QVERIFY2(said.contains(refusal), qPrintable(said));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(PartitionCostTest)
#include "tst_partition_cost.moc"
