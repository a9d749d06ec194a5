#include "core/change/change_text.h"
#include "core/fit/links/measured_graph.h"
#include "tests/core/change/device_ddp_job.h"
#include "tests/support/predict.h"
#include "tests/support/unit_test.h"

#include <QTest>

#include <algorithm>

using namespace core;
using tests::DdpJob;
using tests::Layout;
using tests::Mib;

namespace {

constexpr std::int64_t Us = 1000;
const Layout Recorded { 1, 2, 3 };

/// Durations of the ops of a name, ns; each is on two ranks and in each iteration.
std::vector<std::int64_t> durationsOf(const Graph &graph, const std::string &name)
{
    std::vector<std::int64_t> durations;
    for (std::size_t op = 0; op < graph.size(); ++op)
        if (graph.names[graph.name[op].value] == name && graph.worker[op] == WorkerId(0)
            && graph.iteration[op] == 1)
            durations.push_back(graph.durationNs[op]);
    return durations;
}

} // namespace

/// Gradients that are sent as fewer bytes.
class CompressionTest : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void itTakesWhatTheJobTakesThatSendsHalf();
    void convertingCostsWhatCopiesTellIsPassedOver();
    void aGivenCostIsTaken();
    void otherBucketsAreCompressedToo();
    void ratioOneChangesNothing();
    void aCostAloneIsAContradiction();
    void withoutGradientsItIsRefused();
    void beyondTheCheckedRatioTrustIsLower();

private:
    Prediction run(const std::vector<std::string> &words) const
    {
        return tests::predict(m_trace, m_graph, parseStrategy(words), {});
    }

    Trace m_trace;
    std::shared_ptr<const Graph> m_graph;
};

void CompressionTest::initTestCase()
{
    m_trace = DdpJob(Recorded).trace();
    m_graph = std::make_shared<const Graph>(measuredGraph(m_trace, {}));
}

void CompressionTest::itTakesWhatTheJobTakesThatSendsHalf()
{
    const Prediction halved = run({ "compression=2", "compression_ns_per_byte=0" });
    const std::int64_t trueNs = DdpJob(Recorded).compressed().iterationNs();
    QVERIFY2(std::abs(halved.predictedNs - trueNs) <= 20 * Us,
             qPrintable(QStringLiteral("%1 instead of %2").arg(halved.predictedNs).arg(trueNs)));
    std::uint64_t bytes = 0;
    for (const CollectiveNode &node : halved.graph->collectives)
        bytes += node.iteration == 1 ? node.bytes : 0;
    QCOMPARE(bytes, static_cast<std::uint64_t>(tests::Parameters * Mib / 2));
}

/// A copy of a MiB takes 5 us and passes over two: to convert it passes over 1.5 each way and to
/// divide it over 1 before it is sent.
void CompressionTest::convertingCostsWhatCopiesTellIsPassedOver()
{
    const Prediction halved = run({ "compression=2" });
    const std::vector<std::int64_t> before = durationsOf(*halved.graph, "compress gradients");
    const std::vector<std::int64_t> after = durationsOf(*halved.graph, "decompress gradients");
    QCOMPARE(before.size(), Recorded.size());
    QCOMPARE(after.size(), Recorded.size());
    for (std::size_t i = 0; i < Recorded.size(); ++i) {
        const auto mib = static_cast<double>(Recorded[i]);
        QVERIFY(std::abs(static_cast<double>(before[i]) - mib * 2.5 * 2500) < 10);
        QVERIFY(std::abs(static_cast<double>(after[i]) - mib * 1.5 * 2500) < 10);
    }
    const auto isSource = [](const std::string &note) {
        return note.find("copying them out of their buckets") != std::string::npos;
    };
    QCOMPARE(std::count_if(halved.graph->notes.begin(), halved.graph->notes.end(), isSource), 1);
}

/// 5/8 of the cost are the compute stream's before each bucket is sent; the rest comes behind the
/// last bucket.
void CompressionTest::aGivenCostIsTaken()
{
    const std::int64_t freeNs = run({ "compression=2", "compression_ns_per_byte=0" }).predictedNs;
    const std::int64_t dearNs = run({ "compression=2", "compression_ns_per_byte=1" }).predictedNs;
    const std::int64_t wantedNs
        = Mib * static_cast<std::int64_t>(5 * tests::Parameters + 3 * Recorded.back()) / 8;
    QVERIFY2(std::abs(dearNs - freeNs - wantedNs) < 10,
             qPrintable(QStringLiteral("%1 more").arg(dearNs - freeNs)));
}

void CompressionTest::otherBucketsAreCompressedToo()
{
    const Prediction one = run({ "compression=2", "compression_ns_per_byte=0", "bucket_cap_mb=100",
                                 "first_bucket_mb=100" });
    const std::int64_t trueNs = DdpJob({ tests::Parameters }).compressed().iterationNs();
    QVERIFY2(std::abs(one.predictedNs - trueNs) <= trueNs / 50,
             qPrintable(QStringLiteral("%1 instead of %2").arg(one.predictedNs).arg(trueNs)));
}

void CompressionTest::ratioOneChangesNothing()
{
    const Prediction same = run({ "compression=1" });
    QVERIFY(same.noChange.has_value());
    QCOMPARE(same.predictedNs, same.unchangedNs);
}

void CompressionTest::aCostAloneIsAContradiction()
{
    Strategy strategy;
    strategy.set({ "compression_ns_per_byte", 1.0 });
    QVERIFY(!contradictionOf(strategy).empty());
}

void CompressionTest::withoutGradientsItIsRefused()
{
    const Trace trace = tests::traceFromText("rank 0\niteration 0 0 100\nstream 7 gpu=0\n"
                                             "forward 0 100\n");
    const auto obstacle = tests::obstacle(measuredGraph(trace, {}), "compression", {}, trace);
    QVERIFY(obstacle.has_value());
}

void CompressionTest::beyondTheCheckedRatioTrustIsLower()
{
    const Prediction far = run({ "compression=100" });
    QCOMPARE(far.trust, TrustLevel::Poor);
}

LONGPOLE_TEST(CompressionTest)
#include "tst_compression.moc"
