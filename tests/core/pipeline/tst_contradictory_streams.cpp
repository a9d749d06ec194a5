// Rows of streams that hold what no stream does: durations that run over later operations, and
// operations of several streams.

#include "core/analyze/diagnosis.h"
#include "tests/core/pipeline/small_bundle.h"

#include <QTest>

#include <algorithm>
#include <string>

using namespace core;

namespace {

constexpr std::int64_t Us = 1000;
constexpr int Steps = 6;

std::string slice(const std::string &category, const std::string &name, int tid, double us,
                  double durationUs, int correlation)
{
    return R"({"ph": "X", "cat": ")" + category + R"(", "name": ")" + name + R"(", "pid": )"
        + (category == "kernel" || category == "gpu_memcpy" ? "0" : "40") + R"(, "tid": )"
        + std::to_string(tid) + R"(, "ts": )" + std::to_string(us) + R"(, "dur": )"
        + std::to_string(durationUs) + R"(, "args": {"correlation": )" + std::to_string(correlation)
        + "}},\n";
}

std::string trace(std::string events)
{
    events.resize(events.size() - 2); // the last comma
    return R"({"schemaVersion": 1, "distributedInfo": {"rank": 0}, "traceEvents": [)" + events
        + "]}";
}

std::string launched(const std::string &category, const std::string &name, int tid, double callUs,
                     double us, double durationUs, int &correlation)
{
    ++correlation;
    return slice("cuda_runtime", "hipModuleLaunchKernel", 40, callUs, 2, correlation)
        + slice(category, name, tid, us, durationUs, correlation);
}

/// Steps of 10 ms: 20 kernels of 400 us, then a copy of 300 us. With `isCorrupt` the copy of step 2
/// lasts 15 ms, and the 5th kernel of step 4 17 ms.
std::string serialTrace(bool isCorrupt)
{
    std::string events;
    int correlation = 0;
    for (int step = 0; step < Steps; ++step) {
        const double begin = 1000 + 10'000 * step;
        events += slice("user_annotation", "ProfilerStep#" + std::to_string(step), 40, begin,
                        10'000, 0);
        for (int i = 0; i < 20; ++i)
            events += launched("kernel", "Cijk", 0, begin + 3 * i, begin + 500 + 400 * i,
                               isCorrupt && step == 4 && i == 5 ? 17'000 : 400, correlation);
        events += launched("gpu_memcpy", "Memcpy DtoH", 0, begin + 90, begin + 8'500,
                           isCorrupt && step == 2 ? 15'000 : 300, correlation);
        events += slice("cuda_runtime", "hipDeviceSynchronize", 40, begin + 100, 8'800, 0);
    }
    return trace(events);
}

/// Steps of 10 ms: on one stream 4 kernels of 1000 us, on another 2 of 3000 us that are launched
/// first and begin later; both in one row.
std::string mergedTrace()
{
    std::string events;
    int correlation = 0;
    for (int step = 0; step < Steps; ++step) {
        const double begin = 1000 + 10'000 * step;
        events += slice("user_annotation", "ProfilerStep#" + std::to_string(step), 40, begin,
                        10'000, 0);
        for (int i = 0; i < 2; ++i)
            events += launched("kernel", "ncclDevKernel_AllReduce(x)", 24, begin + 3 * i,
                               begin + 2'100 + 3'000 * i, 3'000, correlation);
        for (int i = 0; i < 4; ++i)
            events += launched("kernel", "gemm", 24, begin + 20 + 3 * i, begin + 1'000 + 1'000 * i,
                               1'000, correlation);
        events += slice("cuda_runtime", "cudaDeviceSynchronize", 40, begin + 100, 8'050, 0);
    }
    return trace(events);
}

struct Diagnosed
{
    Diagnosis diagnosis;
    std::vector<std::string> faults;
};

Diagnosed diagnosed(const std::string &text)
{
    const tests::SmallBundle bundle;
    bundle.write("rank0.json", text);
    bundle.import();
    const LoadedProject loaded = loadProject(bundle.project(), {});
    return { diagnose(*loaded.trace, loaded.graph, {}), loaded.graph->faults };
}

std::string reasonsOf(const Diagnosed &result)
{
    std::string all;
    for (const std::string &reason : result.diagnosis.selfReplay.trustReasons)
        all += reason + '\n';
    return all;
}

} // namespace

class ContradictoryStreamsTest : public QObject
{
    Q_OBJECT

private slots:
    void anImpossibleDurationCountsUntilTheNextOperation()
    {
        const Diagnosed clean = diagnosed(serialTrace(false));
        const Diagnosed corrupt = diagnosed(serialTrace(true));
        const auto meanOf = [](const Diagnosed &one) {
            return one.diagnosis.ranks.front().devices.front().iterationMean;
        };
        QCOMPARE(meanOf(clean).computeNs, 8'000 * Us);
        QCOMPARE(meanOf(clean).memOnlyNs, 300 * Us);
        QCOMPARE(meanOf(corrupt).computeNs, 8'000 * Us);
        // The copy counts until the next step's first kernel, 1700 us more, in one of 6 steps.
        QVERIFY(meanOf(corrupt).memOnlyNs >= 300 * Us);
        QVERIFY(meanOf(corrupt).memOnlyNs <= 600 * Us);
        QVERIFY(reasonsOf(clean).find("longer than is possible") == std::string::npos);
        QVERIFY2(reasonsOf(corrupt).find("Rank 0, stream 0: 2 operations last longer than is "
                                         "possible (Cijk, 17.00 ms)")
                     != std::string::npos,
                 reasonsOf(corrupt).c_str());
        QCOMPARE(corrupt.diagnosis.selfReplay.trust, TrustLevel::Fair);
        QCOMPARE(clean.diagnosis.selfReplay.trust, TrustLevel::Good);
    }

    void aRowOfTwoStreamsIsReplayedAsTwo()
    {
        const Diagnosed merged = diagnosed(mergedTrace());
        const TimeBreakdown mean = merged.diagnosis.ranks.front().devices.front().iterationMean;
        QCOMPARE(mean.computeNs, 4'000 * Us);
        QCOMPARE(mean.commNs, 6'000 * Us);
        QCOMPARE(mean.overlapNs, 2'900 * Us);
        const std::string note
            = "Rank 0: operations of stream 24 overlap and begin in another order than they were "
              "launched, which one stream cannot do. Its order is not trusted: it is taken for 2 "
              "streams that the profiler shows in one row.";
        QVERIFY2(std::find(merged.faults.begin(), merged.faults.end(), note) != merged.faults.end(),
                 reasonsOf(merged).c_str());
        QCOMPARE(merged.diagnosis.selfReplay.predictedNs, 10'000 * Us);
        QVERIFY(reasonsOf(diagnosed(serialTrace(false))).find("overlap") == std::string::npos);
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(ContradictoryStreamsTest)
#include "tst_contradictory_streams.moc"
