// Jobs whose iterations are of several kinds, with hand-computed answers.

#include "core/analyze/diagnosis.h"
#include "core/analyze/report/period_report.h"
#include "core/pipeline/pipeline.h"
#include "tests/core/pipeline/period_job.h"
#include "tests/core/pipeline/small_bundle.h"
#include "tests/support/predict.h"

#include <QTest>

#include <cmath>
#include <numeric>
#include <random>

using namespace core;
using tests::JobStep;

namespace {

constexpr std::size_t Ranks = 4;
using Steps = std::vector<std::vector<JobStep>>; // [iterations][ranks]

LoadedProject jobOf(const Steps &steps, const std::vector<int> &numbers)
{
    const tests::SmallBundle bundle;
    const tests::PeriodJobWriter writer(steps, numbers);
    for (std::size_t rank = 0; rank < steps.front().size(); ++rank)
        bundle.write("rank" + std::to_string(rank) + ".json", writer.text(rank));
    bundle.import();
    return loadProject(bundle.project(), {});
}

LoadedProject jobOf(const Steps &steps)
{
    std::vector<int> numbers(steps.size());
    std::iota(numbers.begin(), numbers.end(), 3);
    return jobOf(steps, numbers);
}

/// Every `length`-th iteration is another one; all ranks do the same.
Steps everyOther(std::size_t count, std::size_t length, const JobStep &usual, const JobStep &other,
                 std::size_t ranks = Ranks)
{
    Steps steps;
    for (std::size_t i = 0; i < count; ++i)
        steps.emplace_back(ranks, i % length == length - 1 ? other : usual);
    return steps;
}

const JobStep MicroStep { .reduce = 0, .optimizer = 0 };
const JobStep LastMicroStep { .reduce = 12, .optimizer = 3 };
const JobStep Evaluation { .backward = 0, .reduce = 0, .optimizer = 0 };

Steps accumulating(std::size_t count = 12)
{
    return everyOther(count, 4, MicroStep, LastMicroStep);
}

/// Rank 0 saves for 400 ms behind each sixth iteration; the others wait for it in the next one's
/// all-reduce.
Steps saving()
{
    Steps steps = everyOther(12, 6, {}, {});
    for (std::size_t i = 5; i < steps.size(); i += 6)
        steps[i].front().save = 400;
    return steps;
}

/// Iterations differ by 5 %, some have a stray kernel of 5 ms on one rank, and all have loads and
/// allocations without order.
Steps noisy(unsigned seed)
{
    std::mt19937 random(seed);
    const auto upTo = [&random](unsigned most) { return static_cast<int>(random() % (most + 1)); };
    Steps steps;
    for (std::size_t i = 0; i < 12; ++i) {
        std::vector<JobStep> &ranks = steps.emplace_back(Ranks);
        for (JobStep &step : ranks) {
            step.forward *= 1 + upTo(50) / 1000.0;
            step.backward *= 1 + upTo(50) / 1000.0;
            step.allocations = upTo(5);
            step.loads = upTo(8);
        }
        if (upTo(3) == 0)
            ranks[static_cast<std::size_t>(upTo(3))].copy = 5;
    }
    return steps;
}

std::vector<std::uint32_t> positionsOf(const LoadedProject &project)
{
    return project.graph->positions;
}

QString texts(const Diagnosis &diagnosis)
{
    std::string all = periodText(*diagnosis.period);
    for (const std::string &text : kindTexts(*diagnosis.period))
        all += ' ' + text;
    return QString::fromStdString(all);
}

} // namespace

class IterationKindsTest : public QObject
{
    Q_OBJECT

private slots:
    void figuresAreOfTheMeanOverAPeriod_data();
    void figuresAreOfTheMeanOverAPeriod();
    void kindsAreToldByTheirOperations_data();
    void kindsAreToldByTheirOperations();
    void aRankThatSavesIsNamed();
    void noiseHasNoPeriod_data();
    void noiseHasNoPeriod();
    void noiseDoesNotHideAPeriod();
    void twoPeriodsBecomeOne();
    void aPeriodIsSeenTwice();
    void positionsGoByNumbers();
    void whatOneRankDoesMayBeChance();
    void equalIterationsKeepTheMedian();
};

/// A micro-step takes 0.02 + 10 + 20 + 0.02 ms, one with an all-reduce and an optimizer's step 15
/// ms more; an iteration of the other jobs 38.04 ms, an evaluation 10.04 ms.
void IterationKindsTest::figuresAreOfTheMeanOverAPeriod_data()
{
    QTest::addColumn<Steps>("steps");
    QTest::addColumn<std::uint32_t>("length");
    QTest::addColumn<double>("measured"); // ms
    QTest::addColumn<double>("halfCompute");
    QTest::addColumn<double>("infiniteBandwidth");
    QTest::addRow("gradients are accumulated")
        << accumulating() << 4U << (3 * 30.04 + 45.04) / 4 << (3 * 15.04 + 28.54) / 4
        << (3 * 30.04 + 33.04) / 4;
    QTest::addRow("a last period that is cut off")
        << accumulating(11) << 4U << (3 * 30.04 + 45.04) / 4 << (3 * 15.04 + 28.54) / 4
        << (3 * 30.04 + 33.04) / 4;
    QTest::addRow("each fifth is an evaluation")
        << everyOther(15, 5, {}, Evaluation) << 5U << (4 * 38.04 + 10.04) / 5
        << (4 * 22.04 + 5.04) / 5 << (4 * 32.04 + 10.04) / 5;
    QTest::addRow("a checkpoint in six")
        << saving() << 6U << 38.04 + 400.0 / 6 << 22.04 + 400.0 / 6 << 32.04 + 400.0 / 6;
}

void IterationKindsTest::figuresAreOfTheMeanOverAPeriod()
{
    QFETCH(const Steps, steps);
    QFETCH(const std::uint32_t, length);
    QFETCH(const double, measured);
    QFETCH(const double, halfCompute);
    QFETCH(const double, infiniteBandwidth);
    const auto isNear = [](std::int64_t ns, double ms) {
        return std::abs(static_cast<double>(ns) * 1e-6 - ms) < 0.02;
    };
    const LoadedProject project = jobOf(steps);
    QVERIFY(project.trace->compared.period);
    QCOMPARE(project.trace->compared.period->length, length);
    const Prediction unchanged = tests::predict(*project.trace, project.graph, {});
    QVERIFY2(isNear(unchanged.measuredNs, measured),
             qPrintable(QString::number(unchanged.measuredNs)));
    QVERIFY2(isNear(unchanged.predictedNs, measured),
             qPrintable(QString::number(unchanged.predictedNs)));
    const Prediction half
        = tests::predict(*project.trace, project.graph, { { "compute_scale", 0.5 } });
    QVERIFY2(isNear(half.predictedNs, halfCompute), qPrintable(QString::number(half.predictedNs)));
    const Prediction infinite
        = tests::predict(*project.trace, project.graph, { { "comm_scale", 0.0 } });
    QVERIFY2(isNear(infinite.predictedNs, infiniteBandwidth),
             qPrintable(QString::number(infinite.predictedNs)));
    QVERIFY(infinite.ciLowNs <= infinite.predictedNs && infinite.predictedNs <= infinite.ciHighNs);
}

void IterationKindsTest::kindsAreToldByTheirOperations_data()
{
    QTest::addColumn<Steps>("steps");
    QTest::addColumn<QString>("text");
    QTest::addRow("micro-steps")
        << accumulating()
        << QStringLiteral(
               "Iterations repeat with a period of 4: 9 take 30.04 ms, 3 take 45.04 ms (medians). "
               "Figures are the mean over a period: 33.79 ms. Every 4th iteration has all_reduce "
               "(12.00 ms) and multi_tensor_apply_kernel (3.000 ms).");
    QTest::addRow("evaluation")
        << everyOther(15, 5, {}, Evaluation)
        << QStringLiteral(
               "Iterations repeat with a period of 5: 12 take 38.04 ms, 3 take 10.04 ms (medians). "
               "Figures are the mean over a period: 32.44 ms. Every 5th iteration lacks "
               "backward_gemm (20.00 ms), all_reduce (6.000 ms) and multi_tensor_apply_kernel "
               "(2.000 ms).");
}

void IterationKindsTest::kindsAreToldByTheirOperations()
{
    QFETCH(const Steps, steps);
    QFETCH(const QString, text);
    const LoadedProject project = jobOf(steps);
    const Diagnosis diagnosis = diagnose(*project.trace, project.graph, {});
    QVERIFY(diagnosis.period);
    QCOMPARE(texts(diagnosis), text);
    // It is said once: the job is made so.
    QVERIFY(!diagnosis.iterationGroups || diagnosis.iterationGroups->areKinds);
    for (const Bottleneck &bottleneck : diagnosis.bottlenecks)
        QVERIFY(bottleneck.kind != "slow-iterations");
}

void IterationKindsTest::aRankThatSavesIsNamed()
{
    const LoadedProject project = jobOf(saving());
    const Diagnosis diagnosis = diagnose(*project.trace, project.graph, {});
    QVERIFY(diagnosis.period);
    QCOMPARE(diagnosis.period->kinds.size(), std::size_t { 2 });
    const KindReport &saves = diagnosis.period->kinds.back();
    QCOMPARE(saves.iterations, (std::vector<std::int64_t> { 8, 14 })); // the first is number 3
    QCOMPARE(saves.kind.operations.size(), std::size_t { 1 });
    QCOMPARE(saves.kind.operations.front().name, std::string("aten::save"));
    QCOMPARE(saves.kind.operations.front().ranks, std::vector<int> { 0 });
    QCOMPARE(saves.kind.operations.front().ns, std::int64_t { 400'000'000 });
    QCOMPARE(saves.kind.operations.front().usualNs, std::int64_t { 0 });
    // The iteration behind the first is slow on the other ranks, which wait for rank 0.
    QVERIFY(diagnosis.iterationGroups && diagnosis.iterationGroups->areKinds);
    QCOMPARE(diagnosis.verdict,
             std::string("Rank 0 makes the others wait, which costs 64 % of an iteration."));
}

void IterationKindsTest::noiseHasNoPeriod_data()
{
    QTest::addColumn<unsigned>("seed");
    for (unsigned seed = 1; seed <= 5; ++seed)
        QTest::addRow("seed %u", seed) << seed;
}

void IterationKindsTest::noiseHasNoPeriod()
{
    QFETCH(const unsigned, seed);
    const LoadedProject project = jobOf(noisy(seed));
    QVERIFY(project.trace->compared.period == nullptr);
    QVERIFY(positionsOf(project).empty());
}

void IterationKindsTest::noiseDoesNotHideAPeriod()
{
    Steps steps = noisy(1);
    for (std::size_t i = 0; i < steps.size(); ++i)
        for (JobStep &step : steps[i])
            step.reduce = i % 4 == 3 ? 12 : 0;
    const LoadedProject project = jobOf(steps);
    QVERIFY(project.trace->compared.period);
    QCOMPARE(project.trace->compared.period->length, 4U);
}

/// An all-reduce in every second, an evaluation in every third.
void IterationKindsTest::twoPeriodsBecomeOne()
{
    Steps steps;
    for (int i = 0; i < 12; ++i) {
        JobStep step { .reduce = i % 2 == 1 ? 6.0 : 0.0 };
        step.copy = i % 3 == 2 ? 5 : 0;
        steps.emplace_back(Ranks, step);
    }
    const LoadedProject project = jobOf(steps);
    QVERIFY(project.trace->compared.period);
    QCOMPARE(project.trace->compared.period->length, 6U);
    QCOMPARE(project.trace->compared.period->kinds.size(), std::size_t { 4 });
    QCOMPARE(positionsOf(project),
             (std::vector<std::uint32_t> { 0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5 }));
}

void IterationKindsTest::aPeriodIsSeenTwice()
{
    QVERIFY(jobOf(accumulating(7)).trace->compared.period == nullptr);
    QVERIFY(jobOf(accumulating(8)).trace->compared.period != nullptr);
}

/// Two windows of a recording: by their places the all-reduces do not repeat.
void IterationKindsTest::positionsGoByNumbers()
{
    const std::vector<int> numbers { 3, 4, 5, 6, 7, 8, 17, 18, 19, 20, 21, 22 };
    Steps steps;
    for (const int number : numbers)
        steps.emplace_back(Ranks, number % 4 == 3 ? LastMicroStep : MicroStep);
    const LoadedProject project = jobOf(steps, numbers);
    QVERIFY(project.trace->compared.period);
    QCOMPARE(project.trace->compared.period->length, 4U);
    QCOMPARE(positionsOf(project),
             (std::vector<std::uint32_t> { 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3 }));
    const Prediction unchanged = tests::predict(*project.trace, project.graph, {});
    QCOMPARE(unchanged.measuredNs, std::int64_t { 33'790'000 });
}

/// Two of six orders of two stray kernels in four iterations repeat; of four in eight 2 of 70 do.
void IterationKindsTest::whatOneRankDoesMayBeChance()
{
    const auto strayInEverySecond = [](std::size_t count) {
        Steps steps = everyOther(count, 2, {}, {});
        for (std::size_t i = 1; i < count; i += 2)
            steps[i].back().copy = 5;
        return steps;
    };
    QVERIFY(jobOf(strayInEverySecond(4)).trace->compared.period == nullptr);
    QVERIFY(jobOf(strayInEverySecond(8)).trace->compared.period != nullptr);
}

/// 38.04 ms but for one of 58.04: the median, not the mean.
void IterationKindsTest::equalIterationsKeepTheMedian()
{
    Steps steps = everyOther(6, 2, {}, {});
    for (JobStep &step : steps[3])
        step.backward = 40;
    const LoadedProject project = jobOf(steps);
    QVERIFY(project.trace->compared.period == nullptr);
    const Prediction unchanged = tests::predict(*project.trace, project.graph, {});
    QCOMPARE(unchanged.measuredNs, std::int64_t { 38'040'000 });
    QCOMPARE(unchanged.periodLength(), std::size_t { 1 });
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(IterationKindsTest)
#include "tst_iteration_kinds.moc"
