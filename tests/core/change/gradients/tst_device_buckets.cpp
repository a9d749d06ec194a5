#include "core/base/error.h"
#include "core/change/change_text.h"
#include "core/change/gradients/rebucket.h"
#include "core/fit/links/measured_graph.h"
#include "core/model/compared_iterations.h"
#include "tests/core/change/device_ddp_job.h"
#include "tests/support/predict.h"
#include "tests/support/trace_builder.h"

#include <QTest>

#include <algorithm>

using namespace core;
using tests::DdpJob;
using tests::Iterations;
using tests::Layout;
using tests::Parameters;

namespace {

std::shared_ptr<const Graph> graphOf(const Trace &trace)
{
    return std::make_shared<const Graph>(measuredGraph(trace, {}));
}

const Layout Recorded { 1, 2, 3 };

} // namespace

/// DDP's buckets on accelerators, against what the same job takes with other buckets.
class DeviceBucketsTest : public QObject
{
    Q_OBJECT

private slots:
    void theReductionIsFound();
    void otherBucketsTakeWhatTheJobTakesWithThem_data();
    void otherBucketsTakeWhatTheJobTakesWithThem();
    void aLastIterationThatTheHostLeavesEarlyIsRewritten();
    void copiesAreFoundThatAreAsShortAsTheirLaunches();
    void withoutSizesNothingIsPredicted();
    void compressedGradientsStayCompressed();
    void copiesThatDoNotWaitAreNoReduction();
    void allReducesOutsideOfGradientsAreNotDdps();
    void gradientsThatNoBucketHoldsAreNotDdps();
    void onlyBucketsCanBeChanged();
};

void DeviceBucketsTest::theReductionIsFound()
{
    const Trace trace = DdpJob(Recorded).trace();
    const auto graph = graphOf(trace);
    QCOMPARE(graph->gradientSteps.size(), std::size_t { 2 * Iterations });
    const auto nameOf = [&](OpId op) { return graph->names[graph->name[op.value].value]; };
    for (const GradientStep &step : graph->gradientSteps) {
        Layout layout;
        for (const GradientStep::Bucket &bucket : step.buckets)
            layout.push_back(bucket.parameterCount);
        QVERIFY(layout == Recorded);
        QCOMPARE(step.kernels.size(), Parameters);
        QCOMPARE(step.copies.size(), Parameters);
        for (std::size_t p = 0; p < Parameters; ++p) {
            QCOMPARE(nameOf(step.gradients[p]), std::string("cudaLaunchKernel"));
            QCOMPARE(nameOf(step.kernels[p]), std::string("copy in"));
            QCOMPARE(nameOf(step.copies[p]), std::string("copy out"));
        }
    }
    const Prediction unchanged = tests::predict(trace, graph, {}, {});
    QVERIFY(std::abs(unchanged.predictedNs - DdpJob(Recorded).iterationNs()) <= 10);
    const ChangeObstacles obstacles = Predictor(trace, graph, JobControl {}).obstacles();
    QVERIFY(!obstacleOf(obstacles, "bucket_cap_mb"));
}

void DeviceBucketsTest::otherBucketsTakeWhatTheJobTakesWithThem_data()
{
    QTest::addColumn<QStringList>("words");
    QTest::addColumn<Layout>("layout");
    const auto words = [](const char *first, const char *cap) {
        return QStringList { QStringLiteral("first_bucket_mb=%1").arg(QLatin1String(first)),
                             QStringLiteral("bucket_cap_mb=%1").arg(QLatin1String(cap)) };
    };
    QTest::newRow("two parameters each") << words("1", "2") << Layout { 1, 2, 2, 1 };
    QTest::newRow("one each") << words("1", "1") << Layout { 1, 1, 1, 1, 1, 1 };
    QTest::newRow("all in one") << words("100", "100") << Layout { 6 };
    QTest::newRow("a large first one") << words("4", "1") << Layout { 4, 1, 1 };
    QTest::newRow("as by default") << words("1", "25") << Layout { 1, 5 };
}

void DeviceBucketsTest::otherBucketsTakeWhatTheJobTakesWithThem()
{
    QFETCH(const QStringList, words);
    QFETCH(const Layout, layout);
    std::vector<std::string> settings;
    for (const QString &word : words)
        settings.push_back(word.toStdString());
    const Trace trace = DdpJob(Recorded).trace();
    const Prediction result = tests::predict(trace, graphOf(trace), parseStrategy(settings), {});
    const std::int64_t expectedNs = DdpJob(layout).iterationNs();
    QVERIFY(expectedNs != DdpJob(Recorded).iterationNs());
    QVERIFY2(
        std::abs(result.predictedNs - expectedNs) <= 10,
        qPrintable(QStringLiteral("%1 instead of %2").arg(result.predictedNs).arg(expectedNs)));
    // As measured with that layout, bucket by bucket.
    for (const GradientStep &step : result.graph->gradientSteps)
        QCOMPARE(step.buckets.size(), layout.size());
    QCOMPARE(result.graph->collectives.size(),
             layout.size() * static_cast<std::size_t>(Iterations));
    // What is not known is told.
    QVERIFY(std::any_of(result.trustReasons.begin(), result.trustReasons.end(),
                        [](const std::string &reason) {
                            return reason.starts_with("Kernels are taken to be as fast");
                        }));
}

/// A host may end its last iteration before the accelerators have worked off what it launched: that
/// was left out, and the iteration stayed as it was.
void DeviceBucketsTest::aLastIterationThatTheHostLeavesEarlyIsRewritten()
{
    const Trace trace = DdpJob(Recorded).leftEarly().trace();
    const auto graph = graphOf(trace);
    QCOMPARE(graph->gradientSteps.size(), std::size_t { 2 * Iterations });
    const Prediction result = tests::predict(
        trace, graph, parseStrategy({ "first_bucket_mb=1", "bucket_cap_mb=2" }), {});
    const std::int64_t expectedNs = DdpJob({ 1, 2, 2, 1 }).iterationNs();
    QVERIFY2(
        std::abs(result.predictedNs - expectedNs) <= 10,
        qPrintable(QStringLiteral("%1 instead of %2").arg(result.predictedNs).arg(expectedNs)));
}

/// They were taken for what holds the launch, and the launch was lost.
void DeviceBucketsTest::copiesAreFoundThatAreAsShortAsTheirLaunches()
{
    const auto graph = graphOf(DdpJob(Recorded).withShortCopies().trace());
    QCOMPARE(graph->gradientSteps.size(), std::size_t { 2 * Iterations });
    for (const GradientStep &step : graph->gradientSteps)
        QCOMPARE(step.copies.size(), Parameters);
}

/// All parameters were taken to be empty, and to fit into one bucket that costs next to nothing.
void DeviceBucketsTest::withoutSizesNothingIsPredicted()
{
    const Trace trace = DdpJob(Recorded).withoutSizes().trace();
    const auto graph = graphOf(trace);
    QCOMPARE(graph->gradientSteps.size(), std::size_t { 2 * Iterations });
    const auto obstacle = rebucketObstacle(*graph);
    QVERIFY(obstacle && obstacle->find("record_shapes=True") != std::string::npos);
    QVERIFY_THROWS_EXCEPTION(
        Error, tests::predict(trace, graph, parseStrategy({ "bucket_cap_mb=2" }), {}));
}

/// New buckets were predicted to carry all of their gradients' bytes.
void DeviceBucketsTest::compressedGradientsStayCompressed()
{
    const Trace trace = DdpJob(Recorded).compressed().trace();
    const Prediction result = tests::predict(
        trace, graphOf(trace), parseStrategy({ "first_bucket_mb=1", "bucket_cap_mb=2" }), {});
    const std::int64_t expectedNs = DdpJob({ 1, 2, 2, 1 }).compressed().iterationNs();
    QVERIFY2(
        std::abs(result.predictedNs - expectedNs) <= 10,
        qPrintable(QStringLiteral("%1 instead of %2").arg(result.predictedNs).arg(expectedNs)));
    QVERIFY(std::any_of(
        result.trustReasons.begin(), result.trustReasons.end(),
        [](const std::string &reason) { return reason.starts_with("All-reduces carry 50 %"); }));
    // More than all is no compression.
    const Trace wide = DdpJob(Recorded).widened().trace();
    const Prediction other = tests::predict(
        wide, graphOf(wide), parseStrategy({ "first_bucket_mb=1", "bucket_cap_mb=2" }), {});
    QVERIFY(std::any_of(other.trustReasons.begin(), other.trustReasons.end(),
                        [](const std::string &reason) {
                            return reason.starts_with("All-reduces carry 200 %")
                                && reason.find("compress") == std::string::npos;
                        }));
}

void DeviceBucketsTest::copiesThatDoNotWaitAreNoReduction()
{
    Trace trace = DdpJob(Recorded).withoutWaits().trace();
    for (Iteration &iteration : trace.iterations)
        iteration.index += 4; // a profiler's schedule skips the first ones
    trace.compared = comparedIterations(trace);
    const auto graph = graphOf(trace);
    QVERIFY(graph->gradientSteps.empty());
    // Once for all of them, with what does not fit.
    const auto isOfBuckets = [](const std::string &note) {
        return note.find("do not fit together as DDP buckets") != std::string::npos;
    };
    QCOMPARE(std::count_if(graph->notes.begin(), graph->notes.end(), isOfBuckets), 1);
    const std::string &note = *std::find_if(graph->notes.begin(), graph->notes.end(), isOfBuckets);
    QVERIFY2(note.starts_with("Rank 0, iteration 4: "), note.c_str());
    QVERIFY2(note.find("ends after it is copied out") != std::string::npos, note.c_str());
    QVERIFY2(note.ends_with("So it is in 8 iterations of ranks."), note.c_str());
    QVERIFY(rebucketObstacle(*graph).has_value());
}

/// A loss is all-reduced, too, but no gradient's slice launches it.
void DeviceBucketsTest::allReducesOutsideOfGradientsAreNotDdps()
{
    std::string text;
    for (int rank = 0; rank < 2; ++rank)
        text += "rank " + std::to_string(rank)
            + "\niteration 0 0 1000\n"
              "thread main\n"
              "autograd::engine::evaluate_function:~torch::autograd::AccumulateGrad 0 20\n"
              "aten::mul 1 6\n"
              "cudaLaunchKernel 2 4 runtime corr=1\n"
              "cudaLaunchKernel 30 4 runtime corr=2\n"
              "stream 7 gpu=0\n"
              "copy 10 3 corr=1\n"
              "stream 20 gpu=0\n"
              "ncclDevKernel_AllReduce 40 100 comm_kernel kind=all_reduce group=dp seq=0 "
              "bytes=4096 corr=2\n";
    const auto graph = graphOf(tests::traceFromText(text));
    QCOMPARE(graph->collectives.size(), std::size_t { 1 });
    QVERIFY(graph->gradientSteps.empty());
    QVERIFY(graph->notes.empty());
}

/// TorchRec updates embeddings in the backward pass, their gradients accumulate after the last
/// all-reduce: no bucket was said to fit, and that no rank shows DDP's reduction.
void DeviceBucketsTest::gradientsThatNoBucketHoldsAreNotDdps()
{
    const std::string accumulate
        = "autograd::engine::evaluate_function:~torch::autograd::AccumulateGrad ";
    std::string text;
    for (int rank = 0; rank < 2; ++rank)
        text += "rank " + std::to_string(rank)
            + "\niteration 0 0 1000\n"
              "thread main\n"
            + accumulate
            + "0 20\n"
              "torch::distributed::reducer::mul_out 1 6\n"
              "cudaLaunchKernel 2 4 runtime corr=1\n"
              "cudaLaunchKernel 10 4 runtime corr=2\n"
              "cudaLaunchKernel 30 4 runtime corr=3\n"
            + accumulate
            + "40 5\n"
              "stream 7 gpu=0\n"
              "copy 10 3 corr=1\n"
              "embedding_backward 60 50 corr=3\n"
              "stream 20 gpu=0\n"
              "ncclDevKernel_AllReduce 40 100 comm_kernel kind=all_reduce group=dp seq=0 "
              "bytes=4096 corr=2\n";
    const auto graph = graphOf(tests::traceFromText(text));
    QVERIFY2(graph->notes.empty(), graph->notes.empty() ? "" : graph->notes.front().c_str());
    QCOMPARE(graph->gradientSteps.size(), std::size_t { 2 });
    for (const GradientStep &step : graph->gradientSteps)
        QCOMPARE(step.gradients.size(), std::size_t { 1 });
}

void DeviceBucketsTest::onlyBucketsCanBeChanged()
{
    const Trace trace = DdpJob(Recorded).trace();
    const auto graph = graphOf(trace);
    const ChangeObstacles obstacles = Predictor(trace, graph, JobControl {}).obstacles();
    const std::string *fusion = obstacleOf(obstacles, "cycle_time_ms");
    QVERIFY(fusion && fusion->find("accelerators") != std::string::npos);
    const std::string *schedule = obstacleOf(obstacles, "partition_bytes");
    // It is recorded without autograd's sequence numbers.
    QVERIFY(schedule && schedule->find("sequence numbers") != std::string::npos);
    for (const char *word : { "schedule=p3", "schedule=fifo", "fusion_threshold_bytes=1000" })
        QVERIFY_THROWS_EXCEPTION(Error, tests::predict(trace, graph, parseStrategy({ word }), {}));
    tests::predict(trace, graph, parseStrategy({ "schedule=wfbp" }), {}); // DDP's own is none
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(DeviceBucketsTest)
#include "tst_device_buckets.moc"
