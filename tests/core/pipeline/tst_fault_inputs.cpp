// Inputs of public bug reports whose right values were derived by hand (shared/faults). Skipped
// where these are absent.

#include "core/analyze/diagnosis.h"
#include "core/pipeline/pipeline.h"
#include "tests/support/predict.h"
#include "tests/support/shared_data.h"

#include <QTemporaryDir>
#include <QTest>

#include <cmath>

using namespace core;

class TestFaultInputs : public QObject
{
    Q_OBJECT
private slots:
    void theBreakdownIsRight_data();
    void theBreakdownIsRight();
};

/// Milliseconds of the mean iteration of the first device of rank 0; what is not derived is -1.
void TestFaultInputs::theBreakdownIsRight_data()
{
    QTest::addColumn<QString>("input");
    QTest::addColumn<int>("iterations");
    QTest::addColumn<double>("compute");
    QTest::addColumn<double>("exposed");
    QTest::addColumn<double>("wait");
    QTest::addColumn<double>("copies");
    QTest::addColumn<double>("halfCompute"); ///< predicted with compute_scale=0.5
    QTest::addColumn<bool>("isTrusted");
    const auto add = [](const char *input, int iterations, double compute, double exposed,
                        double wait, double copies, double halfCompute, bool isTrusted) {
        QTest::addRow("%s", input) << QString::fromLatin1(input) << iterations << compute << exposed
                                   << wait << copies << halfCompute << isTrusted;
    };
    add("01-ascend-torch-npu/run", 4, 6, 1, -1, -1, -1, true);
    add("03-driver-launch", 5, 1, 0, -1, -1, 5.09, true);
    add("05-zero-timestamps/absolute", 3, 10.5, 0, -1, -1, -1, true);
    add("05-zero-timestamps/relative", 3, 10.5, 0, -1, -1, -1, true);
    add("08-impossible-durations/clean", 12, 40, 0, -1, 0.3, -1, true);
    add("08-impossible-durations/corrupt", 12, 40, 0, -1, 0.333, -1, false);
    add("12-custom-collectives", 8, 7, 2.2, 1.5, -1, -1, true);
    add("13-profiler-start-skew", 9, 10.5, 1, -1, -1, -1, false);
    add("19-streams-merged", 6, 24.3, 6.5, 6.1, -1, -1, false);
    add("21-sync-returns-before-kernel-ends/skew-minus", 6, 9, 0, -1, -1, 5.2, true);
    add("21-sync-returns-before-kernel-ends/skew-plus", 6, 9, 0, -1, -1, 5.2, true);
    add("24-intel-xpu", 5, 5, 1.2, -1, -1, -1, true);
    add("25-kernels-dropped-at-start", 5, 9, 0, -1, -1, -1, true);
    add("32-graph-replays-without-kernels", 8, 0.08, 0, -1, -1, -1, false);
    add("36-stray-kernel", 4, 5, 1, -1, -1, -1, true);
    add("40-copies-on-the-path", 8, 1, 0, -1, 8, 9.5, true);
}

void TestFaultInputs::theBreakdownIsRight()
{
    const auto shared = tests::sharedData();
    if (!shared || !std::filesystem::exists(*shared / "faults"))
        QSKIP("needs the shared inputs: set LONGPOLE_SHARED");
    QFETCH(const QString, input);
    QFETCH(const int, iterations);
    QFETCH(const double, compute);
    QFETCH(const double, exposed);
    QFETCH(const double, wait);
    QFETCH(const double, copies);
    QFETCH(const double, halfCompute);
    QFETCH(const bool, isTrusted);
    const QTemporaryDir folder;
    const std::filesystem::path file
        = std::filesystem::path(folder.path().toStdString()) / "p.longpole";
    importBundle({ *shared / "faults" / input.toStdString() }, file, {}, {});
    const LoadedProject project = loadProject(file, {});
    QCOMPARE(project.trace->compared.count, static_cast<std::size_t>(iterations));
    const Diagnosis diagnosis = diagnose(*project.trace, project.graph, {});
    const TimeBreakdown &mean = diagnosis.ranks.front().devices.front().iterationMean;
    const auto isNear = [](std::int64_t ns, double ms) {
        return ms < 0 || std::abs(static_cast<double>(ns) * 1e-6 - ms) < 0.02;
    };
    QVERIFY2(isNear(mean.computeNs, compute), std::to_string(mean.computeNs).c_str());
    QVERIFY2(isNear(mean.exposedCommNs, exposed), std::to_string(mean.exposedCommNs).c_str());
    QVERIFY2(isNear(mean.exposedWaitNs.value_or(0), wait),
             std::to_string(mean.exposedWaitNs.value_or(0)).c_str());
    QVERIFY2(isNear(mean.memOnlyNs, copies), std::to_string(mean.memOnlyNs).c_str());
    const Prediction half
        = tests::predict(*project.trace, project.graph, { { "compute_scale", 0.5 } });
    QVERIFY2(isNear(half.predictedNs, halfCompute), std::to_string(half.predictedNs).c_str());
    const Prediction unchanged = tests::predict(*project.trace, project.graph, {});
    QCOMPARE(unchanged.trust == TrustLevel::Good, isTrusted);
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestFaultInputs)
#include "tst_fault_inputs.moc"
