// Jobs of other accelerators and of serving engines: their communication is none of the
// computation.

#include "core/analyze/diagnosis.h"
#include "tests/core/pipeline/small_bundle.h"

#include <QTest>

#include <array>
#include <string>

using namespace core;

namespace {

constexpr std::int64_t Us = 1000;
constexpr int Steps = 4;

std::string slice(const std::string &category, const std::string &name, int pid, int tid, double us,
                  double durationUs, const std::string &args = "")
{
    return R"({"ph": "X", "cat": ")" + category + R"(", "name": ")" + name + R"(", "pid": )"
        + std::to_string(pid) + R"(, "tid": )" + std::to_string(tid) + R"(, "ts": )"
        + std::to_string(us) + R"(, "dur": )" + std::to_string(durationUs) + R"(, "args": {)" + args
        + "}},\n";
}

std::string header(int rank, const std::string &label)
{
    return R"({"schemaVersion": 1, "distributedInfo": {"rank": )" + std::to_string(rank)
        + R"(, "world_size": 2}, "traceEvents": [)"
        + R"({"ph": "M", "name": "process_labels", "pid": 0, "args": {"labels": ")" + label
        + R"("}},)" + "\n";
}

std::string closed(std::string events)
{
    events.resize(events.size() - 2); // the last comma
    return events + "]}";
}

std::string launchOf(int correlation, double us)
{
    return slice("cuda_runtime", "cudaLaunchKernel", 40, 40, us, 2,
                 R"("correlation": )" + std::to_string(correlation));
}

/// Per step a product of 1000 us and a kernel that ends on both ranks at once, seven times; rank 1
/// begins 1500 us late.
std::string servingTrace(int rank)
{
    constexpr std::array Kernels
        = { "void vllm::cross_device_reduce_1stage<__half, 2>(vllm::RankData*)",
            "void sglang::cross_device_reduce_2stage<__half, 2>(x)",
            "void flashinfer::trtllm_allreduce_fusion::allreduce_fusion_kernel_oneshot<1>(x)",
            "void (anonymous namespace)::multimem_all_reduce_kernel<c10::BFloat16, 16>(x)",
            "ncclSymkDevKernel_AllGather_STMC(ncclSymkDevWorkArgs4K)",
            "void deep_ep::intranode::dispatch<2, 768, 8192>(int4*)",
            "void aiter::allreduce_fusion_kernel_1stage<__hip_bfloat16, 2>(x)" };
    std::string events = header(rank, "GPU 0");
    int correlation = 1;
    for (int step = 0; step < Steps; ++step) {
        const double begin = 1000 + 9500 * step;
        events += slice("user_annotation", "ProfilerStep#" + std::to_string(step), 40, 40, begin,
                        9500);
        double us = begin + 200 + (rank == 1 ? 1500 : 0);
        double hostUs = begin + 10 + (rank == 1 ? 1500 : 0);
        for (std::size_t i = 0; i < Kernels.size(); ++i) {
            const double endUs = begin + 200 + 1500 + 1100 * static_cast<double>(i + 1);
            for (const bool isProduct : { true, false }) {
                events += launchOf(correlation, hostUs);
                events += slice("kernel", isProduct ? "sgemm" : Kernels.at(i), 0, 7, us,
                                isProduct ? 1000 : endUs - us,
                                R"("device": 0, "stream": 7, "correlation": )"
                                    + std::to_string(correlation++));
                us = isProduct ? us + 1000 : endUs;
                hostUs += 5;
            }
        }
    }
    return closed(events);
}

/// Per step products of 5000 us and an all-reduce of 2200 us, of which 1000 us are hidden.
std::string xpuTrace(int rank)
{
    std::string events = header(rank, "XPU 0");
    for (int step = 0; step < Steps; ++step) {
        const double begin = 1000 + 6590 * step;
        events += slice("user_annotation", "ProfilerStep#" + std::to_string(step), 40, 40, begin,
                        6590);
        for (int i = 0; i < 10; ++i)
            events += slice("kernel", "gemm_kernel", 0, 0, begin + 300 + 500 * i, 500,
                            R"("device": 0, "sycl queue": 64)");
        events += slice("kernel", "oneccl_allreduce_large", 0, 1, begin + 4300, 2200,
                        R"("device": 0, "sycl queue": 65)");
    }
    return closed(events);
}

std::string ascendSlice(const std::string &name, int pid, int tid, int step, const std::string &us,
                        int durationUs, const std::string &rest)
{
    return R"({"ph": "X", "name": ")" + name + R"(", "pid": )" + std::to_string(pid)
        + R"(, "tid": )" + std::to_string(tid) + R"(, "ts": "17786556247)"
        + std::to_string(4 + step) + us + R"(", "dur": )" + std::to_string(durationUs) + ", " + rest
        + "},\n";
}

/// Per step of 10 ms four products of 1000 us from 6000.5 us of the clock on, and an all-reduce
/// from 8000.5 to 9500.5 us. Rows of planes are parts of it, those of the analysis sum up.
std::string ascendTrace()
{
    std::string events = "[";
    constexpr std::array Names
        = { "Python", "CANN", "Ascend Hardware", "Communication", "Overlap Analysis" };
    for (std::size_t i = 0; i < Names.size(); ++i)
        events += R"({"ph": "M", "name": "process_name", "pid": )"
            + std::to_string(3072000 + 32 * i) + R"(, "tid": 0, "args": {"name": ")" + Names.at(i)
            + R"("}},)" + R"({"ph": "M", "name": "process_labels", "pid": )"
            + std::to_string(3072000 + 32 * i) + R"(, "tid": 0, "args": {"labels": ")"
            + (i < 2 ? "CPU" : "NPU") + R"("}},)" + "\n";
    for (int step = 0; step < Steps; ++step) {
        events += ascendSlice("ProfilerStep#" + std::to_string(step), 3072000, 3000, step,
                              "5710.000", 10000, R"("cat": "cpu_op")");
        for (int i = 0; i < 4; ++i) {
            const std::string link = std::to_string(10 * step + i);
            events += ascendSlice("AscendCL@aclnnMatmul", 3072032, 3000, step,
                                  "58" + std::to_string(10 + 10 * i) + ".000", 5,
                                  R"("args": {"Connection ID": )" + link + "}");
            events += ascendSlice(
                "MatMulV2", 3072064, 2, step, std::to_string(6 + i) + "000.500", 1000,
                R"("args": {"Task Type": "AI_CORE", "connection_id": )" + link + "}");
        }
        events += ascendSlice(
            "hcom_allReduce__620_" + std::to_string(step) + "_1", 3072096, 0, step, "8000.500",
            1500,
            R"("args": {"data_type": "FP32", "count": 1000, "group_name": "hccl_world_group"})");
        events += ascendSlice("Memcpy", 3072096, 1, step, "8100.000", 1300, R"("args": {})");
        events += ascendSlice("Computing", 3072128, 0, step, "6000.500", 9000, R"("args": {})");
        events += ascendSlice("EVENT_WAIT", 3072064, 2, step, "9990.000", 5,
                              R"("args": {"Task Type": "EVENT_WAIT"})");
    }
    events.resize(events.size() - 2);
    return events + "]";
}

TimeBreakdown meanOf(const Diagnosis &diagnosis, std::size_t rank)
{
    return diagnosis.ranks.at(rank).devices.front().iterationMean;
}

Diagnosis diagnosed(const tests::SmallBundle &bundle)
{
    bundle.import();
    const LoadedProject loaded = loadProject(bundle.project(), {});
    return diagnose(*loaded.trace, loaded.graph, {});
}

} // namespace

class ForeignDevicesTest : public QObject
{
    Q_OBJECT

private slots:
    void aServingEnginesKernelsWaitForTheLateRank()
    {
        const tests::SmallBundle bundle;
        for (int rank = 0; rank < 2; ++rank)
            bundle.write("rank" + std::to_string(rank) + ".json", servingTrace(rank));
        const Diagnosis diagnosis = diagnosed(bundle);
        for (std::size_t rank = 0; rank < 2; ++rank)
            QCOMPARE(meanOf(diagnosis, rank).computeNs, 7000 * Us);
        QCOMPARE(meanOf(diagnosis, 0).exposedCommNs, 2200 * Us);
        QCOMPARE(meanOf(diagnosis, 1).exposedCommNs, 700 * Us);
        QCOMPARE(meanOf(diagnosis, 0).exposedWaitNs.value_or(-1), 1500 * Us);
        QCOMPARE(meanOf(diagnosis, 1).exposedWaitNs.value_or(-1), std::int64_t { 0 });
        QCOMPARE(diagnosis.ranks.front().waits.front().rank, 1);
    }

    void rowsOfAnXpuHaveItsName()
    {
        const tests::SmallBundle bundle;
        for (int rank = 0; rank < 2; ++rank)
            bundle.write("rank" + std::to_string(rank) + ".json", xpuTrace(rank));
        const Diagnosis diagnosis = diagnosed(bundle);
        QCOMPARE(diagnosis.ranks.front().devices.front().device, std::string("XPU 0"));
        QCOMPARE(ProjectReader(bundle.project()).info().accelerators,
                 std::vector<std::string>(2, "XPU"));
        QCOMPARE(meanOf(diagnosis, 0).computeNs, 5000 * Us);
        QCOMPARE(meanOf(diagnosis, 0).commNs, 2200 * Us);
        QCOMPARE(meanOf(diagnosis, 0).exposedCommNs, 1200 * Us);
        QCOMPARE(meanOf(diagnosis, 0).idleNs, 390 * Us);
    }

    void anAscendTraceHasItsStreamsAndNoSumsOfThem()
    {
        const tests::SmallBundle bundle;
        for (const char *rank : { "0", "1" }) {
            const std::string folder = std::string("node1_300") + rank + "_x_ascend_pt/";
            bundle.write(folder + "ASCEND_PROFILER_OUTPUT/trace_view.json", ascendTrace());
            bundle.write(folder + "ASCEND_PROFILER_OUTPUT/communication.json", "{}");
            bundle.write(folder + "profiler_info_" + rank + ".json", R"({"config": {}})");
        }
        const Diagnosis diagnosis = diagnosed(bundle);
        QCOMPARE(diagnosis.ranks.size(), std::size_t { 2 });
        for (std::size_t rank = 0; rank < 2; ++rank) {
            QCOMPARE(diagnosis.ranks[rank].devices.size(), std::size_t { 1 });
            QCOMPARE(diagnosis.ranks[rank].devices.front().device, std::string("NPU 0"));
            const TimeBreakdown mean = meanOf(diagnosis, rank);
            QCOMPARE(mean.computeNs, 4000 * Us);
            QCOMPARE(mean.commNs, 1500 * Us);
            QCOMPARE(mean.exposedCommNs, std::int64_t { 0 });
            QCOMPARE(mean.memOnlyNs, std::int64_t { 0 });
        }
    }

    void slicesOfADeviceThatNothingIsKnownOfAreTold()
    {
        const tests::SmallBundle bundle;
        bundle.write("rank0.json",
                     closed(header(0, "GPU 0") + slice("kernel", "k", 0, 7, 1, 1)
                            + slice("quantum_op", "q", 0, 7, 3, 1)));
        const ImportReport report = bundle.import();
        QVERIFY2(tests::codes(report.diagnostics)
                     .contains(QStringLiteral("warning unknown-device-work")),
                 qPrintable(tests::codes(report.diagnostics)));
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(ForeignDevicesTest)
#include "tst_foreign_devices.moc"
