// Faults of profilers about devices: clocks that are off, work that is missing or has no time.
// Each job is one rank with an accelerator, whose right values are derived by hand beside it.

#include "core/analyze/diagnosis.h"
#include "core/base/duration_text.h"
#include "tests/core/pipeline/small_bundle.h"
#include "tests/support/predict.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

using namespace core;
using tests::SmallBundle;

namespace {

/// A step: `kernels` launches, a wait for the device, then code of the host. The device works from
/// 8 us after the first launch on; the wait returns 3 us after it has ended.
struct DeviceJob
{
    int steps = 6, kernels = 20;
    double kernelUs = 450, launchEveryUs = 10, hostUs = 640;
    double skewUs = 0; ///< of the device's times
    std::string waitName = "cudaStreamSynchronize", launchName = "cudaLaunchKernel";
    bool isCopying = false; ///< the first kernel of each step is a copy from the host
    std::function<bool(int step, int kernel)> isLost = [](int, int) { return false; };
    std::function<bool(int step, int kernel)> isTimeless = isLost;

    double stepUs() const { return 8 + deviceUs() + 3 + hostUs; }
    double deviceUs() const
    {
        return std::max(kernels * kernelUs, (kernels - 1) * launchEveryUs + kernelUs);
    }

    std::string text() const
    {
        m_text = R"({"schemaVersion": 1, "distributedInfo": {"backend": "nccl", "rank": 0},
            "traceEvents": [{"ph": "M", "name": "process_name", "pid": 1, "tid": 0, "ts": 0,
            "args": {"name": "python"}})";
        double atUs = 5e6;
        int number = 1;
        for (int step = 0; step < steps; ++step) {
            add("user_annotation", "ProfilerStep#" + std::to_string(step), 1, 1, atUs, stepUs());
            double freeUs = 0;
            for (int kernel = 0; kernel < kernels; ++kernel, ++number) {
                const double launchUs = atUs + kernel * launchEveryUs;
                add("cuda_runtime", launchName, 1, 1, launchUs, 6, number);
                const double beginUs = std::max(freeUs, launchUs + 8);
                freeUs = beginUs + kernelUs;
                if (isLost(step, kernel))
                    continue;
                const bool isCopy = isCopying && kernel == 0;
                const bool hasTime = !isTimeless(step, kernel);
                add(isCopy ? "gpu_memcpy" : "kernel",
                    isCopy ? "Memcpy HtoD (Pageable -> Device)" : "sgemm", 0, 7,
                    hasTime ? beginUs + skewUs : 0, hasTime ? kernelUs : 0, number);
            }
            const double waitUs = atUs + kernels * launchEveryUs;
            add("cuda_runtime", waitName, 1, 1, waitUs, freeUs + 3 - waitUs, number++);
            add("cpu_op", "aten::copy_", 1, 1, freeUs + 3, hostUs);
            atUs += stepUs();
        }
        return m_text + "]}";
    }

private:
    void add(const char *category, const std::string &name, int pid, int tid, double ts, double us,
             int correlation = 0) const
    {
        const bool isDevice = pid == 0;
        m_text += R"(,
            {"ph": "X", "cat": ")"
            + std::string(category) + R"(", "name": ")" + name + R"(", "pid": )"
            + std::to_string(pid) + R"(, "tid": )" + std::to_string(tid) + R"(, "ts": )"
            + std::to_string(ts) + R"(, "dur": )" + std::to_string(us) + R"(, "args": {)"
            + (correlation > 0 ? R"("correlation": )" + std::to_string(correlation) : "")
            + (isDevice ? R"(, "device": 0, "stream": 7, "bytes": 4194304)" : "") + "}}";
    }

    mutable std::string m_text;
};

LoadedProject load(const DeviceJob &job, ImportReport *report = nullptr)
{
    const SmallBundle bundle;
    bundle.write("rank0.json", job.text());
    const ImportReport made = bundle.import();
    if (report != nullptr)
        *report = made;
    return loadProject(bundle.project(), {});
}

Prediction whatIf(const LoadedProject &project, const Strategy &strategy)
{
    return tests::predict(*project.trace, project.graph, strategy);
}

double milliseconds(std::int64_t ns)
{
    return static_cast<double>(ns) * 1e-6;
}

} // namespace

class TestRecordingFaults : public QObject
{
    Q_OBJECT
private slots:
    void skewOfTheDeviceChangesNoWhatIf_data();
    void skewOfTheDeviceChangesNoWhatIf();
    void aCallThatReturnsWithTheDeviceIsAWait();
    void iterationsWithoutDeviceWorkDoNotCount();
    void graphsWithoutDeviceWorkAreNotIdle();
    void lostKernelsNeverLeaveTheTrustGood();
    void kernelsWithoutATimeAreSetAside();
    void copiesAreACauseOfTheirOwn();
    void launchesRunBesideEarlierKernels();
};

/// A property: device times that are off by up to 20 us are those of the same job.
void TestRecordingFaults::skewOfTheDeviceChangesNoWhatIf_data()
{
    QTest::addColumn<int>("seed");
    for (int seed = 0; seed < 12; ++seed)
        QTest::addRow("job %d", seed) << seed;
}

void TestRecordingFaults::skewOfTheDeviceChangesNoWhatIf()
{
    QFETCH(const int, seed);
    std::mt19937 random(static_cast<unsigned>(seed) + 1);
    const auto between = [&random](double least, double most) {
        return std::uniform_real_distribution<double>(least, most)(random);
    };
    DeviceJob job;
    job.kernels = static_cast<int>(between(3, 30));
    job.kernelUs = between(30, 600);
    job.launchEveryUs = between(8, 40);
    job.hostUs = between(200, 3000);
    job.isCopying = seed % 3 == 0;
    const LoadedProject right = load(job);
    job.skewUs = between(-20, 20);
    const LoadedProject shifted = load(job);
    for (const Strategy &strategy : { Strategy(), Strategy { { "compute_scale", 0.5 } },
                                      Strategy { { "host_overhead_scale", 0.0 } } }) {
        const double expected = milliseconds(whatIf(right, strategy).predictedNs);
        const double found = milliseconds(whatIf(shifted, strategy).predictedNs);
        QVERIFY2(std::abs(found / expected - 1) < 0.01,
                 qPrintable(QStringLiteral("skew %1 us: %2 ms instead of %3")
                                .arg(job.skewUs)
                                .arg(found)
                                .arg(expected)));
    }
}

/// 6 steps of 9.651 ms: 9 ms of kernels.
void TestRecordingFaults::aCallThatReturnsWithTheDeviceIsAWait()
{
    DeviceJob job;
    job.waitName = "vendorWaitForQueue";
    const double stepMs = job.stepUs() / 1e3;
    const Prediction faster = whatIf(load(job), { { "compute_scale", 0.5 } });
    QVERIFY(std::abs(milliseconds(faster.predictedNs) - (stepMs - 4.5)) < 0.05);
}

void TestRecordingFaults::iterationsWithoutDeviceWorkDoNotCount()
{
    DeviceJob job;
    job.steps = 10;
    job.isLost = [](int step, int kernel) { return step < 4 || (step == 4 && kernel < 6); };
    const LoadedProject project = load(job);
    QCOMPARE(project.trace->compared.count, std::size_t { 5 });
    QVERIFY2(project.trace->compared.leftOut.find(
                 "Iterations 0 to 4 of rank 0 (86 launches there have no device work recorded) do "
                 "not count. Figures are of iterations 5 to 9 (5 of 10).")
                 == 0,
             project.trace->compared.leftOut.c_str());
    QVERIFY(project.trace->faults.empty());
    const Diagnosis diagnosis = diagnose(*project.trace, project.graph, {});
    QCOMPARE(diagnosis.ranks[0].devices[0].iterationMean.computeNs, std::int64_t { 9'000'000 });
}

void TestRecordingFaults::graphsWithoutDeviceWorkAreNotIdle()
{
    DeviceJob job;
    job.kernels = 1;
    job.launchName = "hipGraphLaunch";
    job.isLost = [](int, int) { return true; };
    const LoadedProject project = load(job);
    QCOMPARE(project.trace->faults.size(), std::size_t { 1 });
    QVERIFY(project.trace->faults[0].isGrave && project.trace->faults[0].hidesDeviceWork);
    const Diagnosis diagnosis = diagnose(*project.trace, project.graph, {});
    for (const Bottleneck &found : diagnosis.bottlenecks)
        QVERIFY2(found.kind != "host-gap", found.title.c_str());
    const Prediction unchanged = whatIf(project, {});
    QCOMPARE(unchanged.trust, TrustLevel::Poor);
    QVERIFY2(unchanged.trustReason.starts_with("6 graph launches of rank 0 have no device work"),
             unchanged.trustReason.c_str());
}

void TestRecordingFaults::lostKernelsNeverLeaveTheTrustGood()
{
    for (unsigned seed = 1; seed <= 20; ++seed) {
        std::mt19937 random(seed);
        DeviceJob job;
        job.isLost = [&random](int, int) { return random() % 3 == 0; };
        const LoadedProject project = load(job);
        QVERIFY(whatIf(project, {}).trust != TrustLevel::Good);
        QVERIFY(whatIf(project, { { "compute_scale", 0.5 } }).trust != TrustLevel::Good);
    }
}

/// The recording is 6 steps long, not from the year 1970 on.
void TestRecordingFaults::kernelsWithoutATimeAreSetAside()
{
    DeviceJob job;
    job.isTimeless = [](int step, int kernel) { return step >= 3 && kernel < 11; };
    ImportReport report;
    const LoadedProject project = load(job, &report);
    const auto stray
        = std::find_if(report.diagnostics.begin(), report.diagnostics.end(),
                       [](const Diagnostic &one) { return one.code == "stray-device-events"; });
    QVERIFY(stray != report.diagnostics.end());
    QCOMPARE(stray->count, std::uint64_t { 33 });
    QVERIFY(stray->losesRecords);
    std::int64_t firstNs = std::numeric_limits<std::int64_t>::max(), lastNs = 0;
    for (const Track &track : project.trace->tracks)
        if (track.sliceCount > 0) {
            firstNs = std::min(firstNs, track.range.startNs);
            lastNs = std::max(lastNs, track.range.endNs);
        }
    QVERIFY(milliseconds(lastNs - firstNs) < 1e-3 * job.stepUs() * (job.steps + 1));
    QCOMPARE(project.trace->compared.count, std::size_t { 3 });
}

/// 8 steps, of which each copies for 8 ms and computes for 1 ms; 0.8 ms of the host.
void TestRecordingFaults::copiesAreACauseOfTheirOwn()
{
    DeviceJob job;
    job.steps = 8;
    job.kernels = 2;
    job.kernelUs = 4000;
    job.hostUs = 800;
    job.isCopying = true;
    const LoadedProject project = load(job);
    const Diagnosis diagnosis = diagnose(*project.trace, project.graph, {});
    const CriticalPathParts &path = diagnosis.criticalPath;
    QCOMPARE(path.copyNs, std::int64_t { 4'000'000 });
    QCOMPARE(path.computeNs, std::int64_t { 4'000'000 });
    QVERIFY(!diagnosis.bottlenecks.empty());
    const Bottleneck &copies = diagnosis.bottlenecks.front();
    QCOMPARE(copies.kind, std::string("copies"));
    QCOMPARE(copies.title, std::string("Copies from the host"));
    QVERIFY(std::abs(milliseconds(copies.gainNs) - 4) < 0.05);
    QVERIFY2(copies.evidence.front().find("8 copies") != std::string::npos
                 && copies.evidence.front().find("32 MiB at 1.05 GB/s") != std::string::npos,
             copies.evidence.front().c_str());
    QVERIFY(copies.advice.find("pin_memory") != std::string::npos);
    const std::int64_t unchangedNs = whatIf(project, {}).predictedNs;
    const std::int64_t fasterNs = whatIf(project, { { "compute_scale", 0.5 } }).predictedNs;
    QVERIFY(std::abs(milliseconds(unchangedNs - fasterNs) - 2) < 0.05);
}

/// 50 kernels of 20 us, one every 100 us: without the host they take 1 ms.
void TestRecordingFaults::launchesRunBesideEarlierKernels()
{
    DeviceJob job;
    job.kernels = 50;
    job.kernelUs = 20;
    job.launchEveryUs = 100;
    job.hostUs = 50;
    const Prediction bound = whatIf(load(job), { { "host_overhead_scale", 0.0 } });
    QVERIFY2(std::abs(milliseconds(bound.predictedNs) - 1) < 0.05,
             durationText(bound.predictedNs).c_str());
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestRecordingFaults)
#include "tst_recording_faults.moc"
