#include "core/analyze/diagnosis.h"
#include "core/analyze/report/host_calls.h"
#include "core/fit/links/measured_graph.h"
#include "tests/support/trace_builder.h"

#include <QtTest>

#include <algorithm>
#include <memory>

using namespace core;

namespace {

/// Two iterations of 1 ms: a kernel runs for the first 300 us and the last 100 us of each, and
/// `calls` are what the host does, in both.
Trace idleJob(const QStringList &calls)
{
    std::string host, device, text = "rank 0\n";
    for (int i = 0; i < 2; ++i) {
        const int at = i * 1000;
        text += "iteration " + std::to_string(i) + " " + std::to_string(at) + " 1000\n";
        for (const QString &call : calls) {
            const QStringList words = call.split(QLatin1Char(' '));
            host += words[0].toStdString() + " " + std::to_string(at + words[1].toInt()) + " "
                + words[2].toStdString() + " "
                + (words[0].startsWith(QLatin1String("aten")) ? "cpu_op" : "runtime");
            if (words.size() > 3)
                host += " corr=" + std::to_string(words[3].toInt() + 10 * i);
            host += "\n";
        }
        const std::string corr = std::to_string(1 + 10 * i), second = std::to_string(2 + 10 * i);
        device += "gemm " + std::to_string(at + 20) + " 280 kernel corr=" + corr + "\n";
        device += "gemm " + std::to_string(at + 900) + " 100 kernel corr=" + second + "\n";
    }
    return tests::traceFromText(text + "thread main\n" + host + "stream 7 gpu=0\n" + device);
}

QStringList freeing()
{
    return { QStringLiteral("aten::mm 0 20"),     QStringLiteral("cudaLaunchKernel 5 10 1"),
             QStringLiteral("aten::add 100 800"), QStringLiteral("hipFree 200 300"),
             QStringLiteral("hipFree 550 300"),   QStringLiteral("cudaLaunchKernel 880 10 2") };
}

const HostCall *callNamed(const HostCalls &calls, const std::string &name)
{
    for (const HostCall &call : calls.calls)
        if (call.name == name)
            return &call;
    return nullptr;
}

} // namespace

class HostCallsTest : public QObject
{
    Q_OBJECT

private slots:
    void nestedCallsCountOnceAndOnlyWhileIdle();
    void freeingMemoryIsTheCause();
    void rareIterationsAreLeftOut();
    void aWaitIsTheCauseOfTheIdleTimeThatItBegins();
    void launchingHasNoCauseOfItsOwn();
    void theBottleneckNamesTheCall();
    void communicationAloneDoesNotTellWhatAcceleratorsWaitFor();
    void remediesFitTheFramework();
};

/// Idle are 620 us of each iteration: 20 before the first kernel and 600 after it.
void HostCallsTest::nestedCallsCountOnceAndOnlyWhileIdle()
{
    const HostCalls calls = hostCalls(idleJob(freeing()), 0);
    QCOMPARE(calls.iterations, std::int64_t { 2 });
    QCOMPARE(calls.idleNs, std::int64_t { 2 * 620'000 });
    const HostCall *frees = callNamed(calls, "hipFree");
    QVERIFY(frees);
    QCOMPARE(frees->count, std::size_t { 4 });
    QCOMPARE(frees->idleNs, std::int64_t { 2 * 500'000 }); // 300..500 and 550..850
    const HostCall *add = callNamed(calls, "aten::add");
    QVERIFY(add);
    QCOMPARE(add->idleNs, std::int64_t { 2 * (50'000 + 30'000 + 10'000) });
    QCOMPARE(QString::fromStdString(calls.text(" per iteration")),
             QStringLiteral("hipFree: 2 calls, 500.0 us per iteration; aten::add: 1 call, "
                            "90.00 us"));
}

void HostCallsTest::freeingMemoryIsTheCause()
{
    const HostCalls calls = hostCalls(idleJob(freeing()), 0);
    QVERIFY(calls.cause == HostCallKind::Allocation);
    QCOMPARE(calls.causeName, std::string("hipFree"));
}

/// Memory is freed in iteration 0 only.
void HostCallsTest::rareIterationsAreLeftOut()
{
    Trace trace = idleJob(freeing());
    SliceColumns &host = trace.slices.front();
    for (std::size_t row = 0; row < host.size(); ++row)
        if (trace.nameOf(host.name[row]) == "hipFree" && host.startNs[row] >= 1'000'000)
            host.name[row] = host.name.front();
    QVERIFY(callNamed(hostCalls(trace, 0), "hipFree"));
    QCOMPARE(hostCalls(trace, 0, { 1 }).causeName, std::string("hipFree"));
    const HostCalls others = hostCalls(trace, 0, { 0 });
    QCOMPARE(others.iterations, std::int64_t { 1 });
    QVERIFY(!callNamed(others, "hipFree"));
    QVERIFY(!others.cause);
    QCOMPARE(others.idleNs, std::int64_t { 620'000 });
}

/// The call ends 5 us after the kernel: what it costs comes behind it.
void HostCallsTest::aWaitIsTheCauseOfTheIdleTimeThatItBegins()
{
    const HostCalls calls = hostCalls(
        idleJob({ QStringLiteral("cudaLaunchKernel 5 10 1"), QStringLiteral("aten::item 20 290"),
                  QStringLiteral("cudaStreamSynchronize 30 275"),
                  QStringLiteral("aten::add 320 570"),
                  QStringLiteral("cudaLaunchKernel 880 5 2") }),
        0);
    QVERIFY(calls.cause == HostCallKind::Synchronization);
    QCOMPARE(calls.causeName, std::string("aten::item"));
    QCOMPARE(calls.calls.front().name, std::string("aten::add"));
}

void HostCallsTest::launchingHasNoCauseOfItsOwn()
{
    const HostCalls calls = hostCalls(
        idleJob({ QStringLiteral("cudaLaunchKernel 5 10 1"), QStringLiteral("cudaMalloc 310 100"),
                  QStringLiteral("aten::add 420 470"),
                  QStringLiteral("cudaLaunchKernel 880 10 2") }),
        0);
    QVERIFY(!calls.cause);
    Trace loading = idleJob(freeing());
    for (SliceColumns &slices : loading.slices)
        slices.phase.assign(slices.size(), Phase::Input);
    QVERIFY(hostCalls(loading, 0).calls.empty()); // the input is a bottleneck of its own
    QVERIFY(hostCalls(idleJob(freeing()), 1).calls.empty()); // no such rank
}

/// "launching and host code", and to launch less, where the time was hipFree's.
void HostCallsTest::theBottleneckNamesTheCall()
{
    const Trace trace = idleJob(freeing());
    const Diagnosis diagnosis
        = diagnose(trace, std::make_shared<Graph>(measuredGraph(trace, {})), {});
    const auto found = std::find_if(diagnosis.bottlenecks.begin(), diagnosis.bottlenecks.end(),
                                    [](const auto &one) { return one.kind == "host-gap"; });
    QVERIFY(found != diagnosis.bottlenecks.end());
    QCOMPARE(found->reason, std::string("Most of it is because of hipFree."));
    QVERIFY(found->advice.find("PYTORCH_NO_CUDA_MEMORY_CACHING") != std::string::npos);
    QVERIFY(std::any_of(found->evidence.begin(), found->evidence.end(), [](const auto &line) {
        return line.starts_with("The host of rank 0 while its accelerator is idle: hipFree: 2 "
                                "calls, ");
    }));
}

void HostCallsTest::remediesFitTheFramework()
{
    for (const HostCallKind kind :
         { HostCallKind::Allocation, HostCallKind::Synchronization, HostCallKind::Copy }) {
        const std::string torch = hostCallRemedy(kind, Framework::PyTorch);
        const std::string none = hostCallRemedy(kind, Framework::Unknown);
        QVERIFY(torch != none);
        QVERIFY(none.find("torch") == std::string::npos);
        QVERIFY(none.find("tensor") == std::string::npos);
    }
    QVERIFY(hostCallRemedy(HostCallKind::Copy, Framework::PyTorch).find("pin")
            != std::string::npos);
}

/// Of a recording of NCCL's calls it was said that accelerators wait for the host all the time.
void HostCallsTest::communicationAloneDoesNotTellWhatAcceleratorsWaitFor()
{
    const auto hasHostGap = [](const std::string &kernel) {
        std::string text;
        for (const char *rank : { "rank 0\n", "rank 1\n" })
            text += rank
                + std::string("iteration 0 0 1000\nthread main\nGroupApi 10 700 runtime\n"
                              "KernelLaunch 720 10 runtime corr=1\nEnd 900 90 runtime\n"
                              "stream 7 gpu=0\n")
                + kernel + "ncclKernel 740 100 comm_kernel kind=all_reduce bytes=8 corr=1\n";
        const Trace trace = tests::traceFromText(text);
        const Diagnosis diagnosis
            = diagnose(trace, std::make_shared<const Graph>(measuredGraph(trace, {})), {});
        return std::any_of(diagnosis.bottlenecks.begin(), diagnosis.bottlenecks.end(),
                           [](const Bottleneck &found) { return found.kind == "host-gap"; });
    };
    QVERIFY(!hasHostGap({}));
    QVERIFY(hasHostGap("gemm 735 4 kernel\n"));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(HostCallsTest)
#include "tst_host_calls.moc"
