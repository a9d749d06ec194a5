#include "core/base/error.h"
#include "core/compare/measured_run.h"
#include "core/graph/build_graph.h"
#include "tests/core/optimize/sample_project.h"
#include "tests/support/trace_builder.h"
#include "tests/support/unit_test.h"

#include <QTest>

#include <cmath>

using namespace core;

class MeasuredRunTest : public QObject
{
    Q_OBJECT

private slots:
    void theSlowestRanksMedianHasItsNoise();
    void theSampleIsMeasured();
    void aTraceWithoutCommonIterationsIsRefused();
    void bytesAddUpByBucket();
};

namespace {

constexpr double Us = 1000;

/// Iterations of a rank, in us; half of each is an operation.
std::string rankText(int rank, const std::vector<int> &iterationsUs)
{
    std::string text = "rank " + std::to_string(rank) + "\n", ops = "thread main\n";
    int at = 0;
    for (std::size_t i = 0; i < iterationsUs.size(); ++i) {
        text += "iteration " + std::to_string(i) + " " + std::to_string(at) + " "
            + std::to_string(iterationsUs[i]) + "\n";
        ops += "aten::mm " + std::to_string(at) + " " + std::to_string(iterationsUs[i] / 2) + "\n";
        at += iterationsUs[i];
    }
    return text + ops;
}

MeasuredRun runOf(const std::string &text)
{
    const Trace trace = tests::traceFromText(text);
    return measuredRun(trace, buildGraph(trace, {}), {});
}

} // namespace

/// Rank 1 takes 100, 110 and 120 us: standard deviation 10, Student's t of 3 is 4.30; the bootstrap
/// of its median reaches from the least to the most. Rank 0 differs as much and is faster.
void MeasuredRunTest::theSlowestRanksMedianHasItsNoise()
{
    const MeasuredRun run = runOf(rankText(0, { 90, 100, 110 }) + rankText(1, { 100, 110, 120 }));
    QCOMPARE(run.ranks, 2);
    QCOMPARE(run.iterationCount, std::size_t { 3 });
    QVERIFY(run.framework == Framework::PyTorch);
    QCOMPARE(run.iteration.ns, std::int64_t { 110'000 });
    const double noiseUs = std::hypot(43, 10);
    QVERIFY2(std::abs(run.iteration.downNs / Us - noiseUs) < 0.01,
             qPrintable(QString::number(run.iteration.downNs / Us)));
    QVERIFY(std::abs(run.iteration.upNs / Us - noiseUs) < 0.01);
    // Computation of both ranks together: 47, 52 and 57 us.
    QCOMPARE(run.parts.computeNs, std::int64_t { 52'500 });
    QCOMPARE(run.partTimes.front().ns, std::int64_t { 52'500 });
    const double partNoiseUs = std::hypot(4.3 * 5, 5);
    QVERIFY2(std::abs(run.partTimes.front().upNs / Us - partNoiseUs) < 0.01,
             qPrintable(QString::number(run.partTimes.front().upNs / Us)));
    QVERIFY(run.buckets.empty());
}

void MeasuredRunTest::theSampleIsMeasured()
{
    const tests::SampleProject sample;
    const MeasuredRun run = measuredRun(*sample.loaded().trace, *sample.loaded().graph, {});
    QCOMPARE(run.ranks, 2);
    QCOMPARE(run.iterationCount, std::size_t { 6 });
    QCOMPARE(run.tensorBytes.size(), std::size_t { 18 });
    QCOMPARE(run.buckets, (std::vector<std::size_t> { 4, 14 }));
    QCOMPARE(bucketBytes(run.tensorBytes, run.buckets),
             (std::vector<std::uint64_t> { 4'239'400, 21'362'944 })); // meta.json
    QCOMPARE(run.sentShare, 1.0);
    const Predictor predictor = sample.predictor();
    QCOMPARE(run.iteration.ns, slowestMeasuredNs(predictor.base().measured));
    for (const RunPart &part : RunParts)
        QCOMPARE(run.parts.*part.ns, predictor.base().measuredParts.*part.ns);
}

void MeasuredRunTest::aTraceWithoutCommonIterationsIsRefused()
{
    const Trace trace = tests::traceFromText(rankText(0, { 90, 100 }));
    Graph graph = buildGraph(trace, {});
    graph.iterationCount = 0;
    QVERIFY_THROWS_EXCEPTION(Error, measuredRun(trace, graph, {}));
    try {
        measuredRunOf("folder/later.longpole", trace, graph, {});
        QFAIL("It was measured.");
    } catch (const Error &error) {
        QCOMPARE(error.where().file, std::string("folder/later.longpole"));
        QVERIFY(std::string(error.what()).find("later.longpole") != std::string::npos);
    }
}

void MeasuredRunTest::bytesAddUpByBucket()
{
    QCOMPARE(bucketBytes({ 1, 2, 3, 4 }, { 1, 3 }), (std::vector<std::uint64_t> { 1, 9 }));
    QVERIFY(bucketBytes({}, {}).empty());
}

LONGPOLE_TEST(MeasuredRunTest)
#include "tst_measured_run.moc"
