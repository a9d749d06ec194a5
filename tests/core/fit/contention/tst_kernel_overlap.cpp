#include "core/analyze/diagnosis.h"
#include "core/change/change_text.h"
#include "core/change/rewriting.h"
#include "core/fit/contention/interference.h"
#include "core/fit/contention/kernel_overlap_cost.h"
#include "core/pipeline/pipeline.h"
#include "core/predict/prediction_base.h"
#include "core/replay/replay_base.h"
#include "tests/core/change/gradients/recorded_job.h"
#include "tests/support/predict.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

using namespace core;

namespace {

constexpr std::uint64_t Mib = 1 << 20;

/// Buckets of which some are reduced beside the backward pass, by kernels that vary by a percent.
tests::GpuDdpJob job(double slowdown)
{
    tests::GpuDdpJob made;
    for (const std::uint64_t mib : { 1, 1, 2, 2, 4, 4, 4, 8, 8, 8, 8, 16, 8, 8, 4, 2 })
        made.layerBytes.push_back(mib * Mib);
    made.bucketBytes = 10 * Mib;
    made.firstBucketBytes = 10 * Mib;
    made.iterations = 6;
    made.linkBytesPerNs = 12.5; // 100 Gbit/s
    made.slowdown = slowdown;
    made.scatter = 0.01;
    made.hasShapes = true;
    return made;
}

OverlapStretch stretchOf(const LoadedProject &project)
{
    return { *project.graph, *project.trace, fitLinks(*project.graph, *project.trace) };
}

/// As if kernels were as fast beside transfers as alone.
PredictionBase withoutStretch(const LoadedProject &project, PredictionBase base)
{
    base.graph = project.graph;
    base.replayed = std::make_shared<const ReplayBase>(base.graph, JobControl {});
    base.replay = { base.replayed, &base.replayed->result() };
    base.iterations = unchangedIterations(*base.graph, *base.replay);
    base.predictedNs = slowestTypicalNs(base.iterations);
    return base;
}

std::int64_t predictedNs(const LoadedProject &project, const PredictionBase &base,
                         const std::vector<std::string> &words)
{
    const auto graph
        = rewritten(*project.trace, base.graph, base.links, {}, parseStrategy(words), {});
    return slowestRankNs(*graph, base.replayed->replay(*graph, {}), base.iterations);
}

double errorOf(const LoadedProject &project, const PredictionBase &base,
               const std::vector<std::string> &words, const tests::GpuDdpJob &truth)
{
    const auto predicted = static_cast<double>(predictedNs(project, base, words));
    return predicted / static_cast<double>(iterationNsOf(truth)) - 1;
}

bool isUnsure(const Prediction &result)
{
    return std::any_of(
        result.trustReasons.begin(), result.trustReasons.end(),
        [](const std::string &reason) { return reason.starts_with("Transfers run beside "); });
}

} // namespace

/// What accelerators' transfers cost the kernels beside them. Files are written by a simulation of
/// a job whose kernels slow down by a known factor.
class KernelOverlapTest : public QObject
{
    Q_OBJECT

private slots:
    void theSlowdownIsFound_data();
    void theSlowdownIsFound();
    void noiseIsNoSlowdown();
    void otherOverlapTakesWhatItTakes_data();
    void otherOverlapTakesWhatItTakes();
    void whatTheTraceDoesNotTellIsUnsure();
    void waitingKernelsMoveNothing();
    void theDiagnosisSaysWhatItCosts();
};

void KernelOverlapTest::theSlowdownIsFound_data()
{
    QTest::addColumn<double>("slowdown");
    for (const double slowdown : { 1.0, 1.15, 1.4 })
        QTest::addRow("%g", slowdown) << slowdown;
}

void KernelOverlapTest::theSlowdownIsFound()
{
    QFETCH(const double, slowdown);
    const LoadedProject project = tests::recorded(job(slowdown));
    const OverlapStretch stretch = stretchOf(project);
    QVERIFY(stretch.isKnown());
    QVERIFY2(std::abs(stretch.slowdown() - slowdown) < 0.02,
             std::to_string(stretch.slowdown()).c_str());
    QVERIFY(stretch.slowdown(2.5) >= slowdown);
    QVERIFY(stretch.slowdown(-2.5) <= slowdown);
    QVERIFY(stretch.slowdown(2.5) < slowdown + 0.05);
    // The unchanged job is what it was, with and without.
    const PredictionBase base = predictionBase(*project.trace, *project.graph, {});
    const double error = errorOf(project, base, {}, job(slowdown));
    QVERIFY2(std::abs(error) < 0.01, std::to_string(error).c_str());
    QCOMPARE(base.graph->slowdown, stretch.slowdown());
}

void KernelOverlapTest::noiseIsNoSlowdown()
{
    int slower = 0;
    constexpr int Seeds = 20;
    for (unsigned seed = 1; seed <= Seeds; ++seed) {
        tests::GpuDdpJob noisy = job(1);
        noisy.ranks = 2;
        noisy.iterations = 4;
        noisy.scatter = 0.05;
        noisy.seed = seed;
        const double found = stretchOf(tests::recorded(noisy)).slowdown();
        slower += found > 1 ? 1 : 0;
        QVERIFY2(found < 1.05, std::to_string(found).c_str());
    }
    QVERIFY(slower <= Seeds / 5); // one in forty is expected
}

void KernelOverlapTest::otherOverlapTakesWhatItTakes_data()
{
    QTest::addColumn<double>("slowdown");
    QTest::addColumn<double>("largestWithout"); ///< error if kernels were as fast beside transfers
    QTest::addRow("1") << 1.0 << 0.0;
    QTest::addRow("1.15") << 1.15 << 0.04;
    QTest::addRow("1.4") << 1.4 << 0.1;
}

void KernelOverlapTest::otherOverlapTakesWhatItTakes()
{
    QFETCH(const double, slowdown);
    QFETCH(const double, largestWithout);
    const tests::GpuDdpJob from = job(slowdown);
    const LoadedProject project = tests::recorded(from);
    const PredictionBase base = predictionBase(*project.trace, *project.graph, {});
    const PredictionBase plain = withoutStretch(project, base);
    double without = 0;
    for (const std::uint64_t mib : { 2, 10, 100 })
        for (const double linkScale : { 0.5, 1.0, 2.0 }) {
            tests::GpuDdpJob to = from;
            to.bucketBytes = mib * Mib;
            to.firstBucketBytes = Mib;
            to.linkBytesPerNs *= linkScale;
            const std::vector<std::string> words { "bucket_cap_mb=" + std::to_string(mib),
                                                   "first_bucket_mb=1",
                                                   "bandwidth_scale=" + std::to_string(linkScale) };
            const double error = errorOf(project, base, words, to);
            QVERIFY2(std::abs(error) < 0.005, std::to_string(error).c_str());
            without = std::max(without, std::abs(errorOf(project, plain, words, to)));
        }
    QVERIFY2(without >= largestWithout, std::to_string(without).c_str());
    QVERIFY(!isUnsure(
        tests::predict(*project.trace, project.graph, parseStrategy({ "bucket_cap_mb=100" }))));
}

/// In one bucket nothing is overlapped: nobody knows what it would cost. The interval holds what
/// others measured.
void KernelOverlapTest::whatTheTraceDoesNotTellIsUnsure()
{
    tests::GpuDdpJob from = job(1.15);
    from.bucketBytes = from.firstBucketBytes = 100 * Mib;
    from.stepNs = 0; // of one size of transfers latency is not told, either
    const LoadedProject project = tests::recorded(from);
    const OverlapStretch stretch = stretchOf(project);
    QVERIFY(!stretch.isNone());
    QVERIFY(!stretch.isKnown());
    QCOMPARE(stretch.slowdown(), 1.0);
    QVERIFY(std::abs(stretch.slowdown(1.96) - 1.189) < 1e-9);
    tests::GpuDdpJob to = from;
    to.bucketBytes = 2 * Mib;
    to.firstBucketBytes = Mib;
    const Prediction result
        = tests::predict(*project.trace, project.graph,
                         parseStrategy({ "bucket_cap_mb=2", "first_bucket_mb=1" }), {});
    QVERIFY(isUnsure(result));
    QVERIFY(result.trust != TrustLevel::Good);
    const std::int64_t truthNs = iterationNsOf(to);
    QVERIFY2(result.ciLowNs <= truthNs && truthNs <= result.ciHighNs,
             (std::to_string(truthNs) + " in " + std::to_string(result.ciLowNs) + ".."
              + std::to_string(result.ciHighNs) + ", " + std::to_string(result.predictedNs))
                 .c_str());
}

/// Three ranks are there early and wait, which slows nothing.
void KernelOverlapTest::waitingKernelsMoveNothing()
{
    tests::GpuDdpJob from = job(1.4);
    from.slowness = { 1, 1, 1, 1.3 };
    const LoadedProject project = tests::recorded(from);
    const KernelOverlap overlap = kernelOverlap(*project.graph, {});
    QVERIFY(*std::max_element(overlap.waiting.begin(), overlap.waiting.end()) > 0.9F);
    const double slowdown = stretchOf(project).slowdown();
    QVERIFY2(std::abs(slowdown - 1.4) < 0.03, std::to_string(slowdown).c_str());
}

void KernelOverlapTest::theDiagnosisSaysWhatItCosts()
{
    tests::GpuDdpJob from = job(1.4);
    from.linkBytesPerNs = 4;
    const LoadedProject project = tests::recorded(from);
    const Diagnosis diagnosis = diagnose(*project.trace, project.graph, {});
    const auto found = std::find_if(
        diagnosis.bottlenecks.begin(), diagnosis.bottlenecks.end(),
        [](const Bottleneck &bottleneck) { return bottleneck.kind == "exposed-communication"; });
    QVERIFY(found != diagnosis.bottlenecks.end());
    QVERIFY(
        std::any_of(found->evidence.begin(), found->evidence.end(), [](const std::string &line) {
            return line.starts_with("Transfers take multiprocessors and memory bandwidth: "
                                    "computation that overlaps them takes ");
        }));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(KernelOverlapTest)
#include "tst_kernel_overlap.moc"
