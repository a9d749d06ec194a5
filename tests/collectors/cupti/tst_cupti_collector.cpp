// The collector in a program of its own, with a stand-in for libcupti: what arrives in the file.
#include "collectors/cupti/cupti_abi.h"
#include "core/import/importer.h"
#include "tests/collectors/cupti/program_run.h"
#include "tests/support/memory_entry.h"
#include "tests/support/recording_sink.h"

#include <QTest>

#include <algorithm>
#include <map>
#include <set>

using namespace collectors;
using tests::ProgramRun;
using tests::Recording;

class CuptiCollectorTest : public QObject
{
    Q_OBJECT

private slots:
    void whatTheProgramDoesIsInTheFile()
    {
        ProgramRun run;
        run.set("RANK", QStringLiteral("5"));
        QCOMPARE(run.run({ QStringLiteral("everything"), QStringLiteral("100") }),
                 ProgramRun::ExitCode);
        QCOMPARE(run.errors.count(QLatin1Char('\n')), 1);
        QVERIFY2(run.errors.startsWith(QStringLiteral("longpole: recording to ")),
                 qPrintable(run.errors));
        QVERIFY(run.output.contains(QStringLiteral("active 1")));
        QCOMPARE(run.files().size(), 1);
        QVERIFY(run.files().first().contains(QStringLiteral("-5-")));
        const Recording recording = run.recording();
        QVERIFY(recording.isClosed);
        QCOMPARE(recording.skippedBytes, std::uint64_t { 0 });
        QCOMPARE(recording.dropped, std::uint64_t { 0 });
        QCOMPARE(recording.header.rank, 5U);
        QCOMPARE(recording.header.collector, std::uint32_t { CollectorCupti });
        QCOMPARE(recording.kernels.size(), std::size_t { 100 });
        QCOMPARE(recording.calls.size(), std::size_t { 101 });
        QCOMPARE(recording.ranges.size(), std::size_t { 200 });
    }

    void kernelsAreJoinedWithTheirCallsAndIds()
    {
        ProgramRun run;
        QCOMPARE(run.run({ QStringLiteral("everything"), QStringLiteral("50") }),
                 ProgramRun::ExitCode);
        const Recording recording = run.recording();
        std::map<std::uint64_t, ApiCallRecord> calls;
        for (const auto &[thread, call] : recording.calls) {
            if (call.isDriver == 0) {
                QCOMPARE(recording.text(call.name), std::string("cudaLaunchKernel"));
                QVERIFY(thread != 0);
                calls[call.correlation] = call;
            }
        }
        QCOMPARE(calls.size(), std::size_t { 50 });
        const std::map<std::uint64_t, std::string> names = {
            { 0, "_Z4gemmPf" }, { 1, "ncclDevKernel_AllReduce_Sum_f32_RING_LL" }, { 2, "_Z4reluPf" }
        };
        for (const KernelRecord &kernel : recording.kernels) {
            QCOMPARE(calls.count(kernel.correlation), std::size_t { 1 });
            QCOMPARE(kernel.start, calls[kernel.correlation].start + 200);
            QCOMPARE(kernel.end, kernel.start + 500);
            QCOMPARE(std::uint64_t { kernel.grid[0] }, kernel.correlation);
            QCOMPARE(kernel.block[0], 128U);
            QCOMPARE(kernel.registersPerThread, 32U);
            QCOMPARE(kernel.device, 1U);
            QCOMPARE(kernel.stream, 7U);
            QCOMPARE(kernel.graphNode, std::uint64_t { 98 });
            QCOMPARE(kernel.graph, 5U);
            QCOMPARE(recording.text(kernel.name), names.at(kernel.correlation % 3));
            QCOMPARE(recording.externalIds.at(kernel.correlation), 999 + kernel.correlation);
        }
    }

    void copiesWaitsAndGraphsHaveTheirFields()
    {
        ProgramRun run;
        QCOMPARE(run.run({ QStringLiteral("everything"), QStringLiteral("1") }),
                 ProgramRun::ExitCode);
        const Recording recording = run.recording();
        QCOMPARE(recording.copies.size(), std::size_t { 2 });
        QCOMPARE(recording.copies[0].copyKind, std::uint32_t { MemcpyHostToDevice });
        QCOMPARE(recording.copies[0].bytes, std::uint64_t { 4096 });
        QCOMPARE(recording.copies[1].copyKind, std::uint32_t { MemcpyPeerToPeer });
        QCOMPARE(recording.copies[1].destinationDevice, 3U);
        QCOMPARE(recording.memsets.size(), std::size_t { 1 });
        QCOMPARE(recording.memsets[0].bytes, std::uint64_t { 64 });
        QCOMPARE(recording.syncs.size(), std::size_t { 2 });
        const bool isFirst = recording.syncs[0].syncKind == SyncStreamWaitsForEvent;
        const SyncRecord &wait = recording.syncs[isFirst ? 0 : 1];
        const SyncRecord &all = recording.syncs[isFirst ? 1 : 0];
        QCOMPARE(wait.syncKind, std::uint32_t { SyncStreamWaitsForEvent });
        QCOMPARE(wait.waitedCorrelation, std::uint64_t { 4711 });
        QCOMPARE(wait.flags, std::uint32_t { SyncHasStream });
        QCOMPARE(wait.stream, 8U);
        QCOMPARE(wait.device, 1U);
        QCOMPARE(all.syncKind, std::uint32_t { SyncContext });
        QCOMPARE(all.flags, 0U);
        QCOMPARE(recording.edges.size(), std::size_t { 1 });
        QCOMPARE(recording.edges[0].fromNode, std::uint64_t { 90 });
        QCOMPARE(recording.edges[0].toNode, std::uint64_t { 91 });
        QCOMPARE(recording.edges[0].graph, 4U);
        QCOMPARE(recording.nodes.size(), std::size_t { 3 });
        QCOMPARE(recording.nodes[2].node, std::uint64_t { 98 });
        QCOMPARE(recording.nodes[2].originalNode, std::uint64_t { 90 });
        QCOMPARE(recording.graphLaunches.size(), std::size_t { 0 });
        const auto driverCall
            = std::find_if(recording.calls.begin(), recording.calls.end(),
                           [](const auto &call) { return call.second.isDriver == 1; });
        QVERIFY(driverCall != recording.calls.end());
        QCOMPARE(driverCall->first, 4242U);
        QCOMPARE(driverCall->second.returnValue, 2);
        QCOMPARE(recording.text(driverCall->second.name), std::string("cuLaunchKernel"));
    }

    void wholeGraphsAreOneRecordWhereAskedFor()
    {
        ProgramRun run;
        run.set("LONGPOLE_GRAPHS", QStringLiteral("whole"));
        QCOMPARE(run.run({ QStringLiteral("everything"), QStringLiteral("1") }),
                 ProgramRun::ExitCode);
        const Recording recording = run.recording();
        QCOMPARE(recording.graphLaunches.size(), std::size_t { 1 });
        QCOMPARE(recording.graphLaunches[0].graph, 5U);
        QCOMPARE(recording.graphLaunches[0].stream, 7U);
    }

    void theImporterReadsAllOfIt()
    {
        ProgramRun run;
        run.set("RANK", QStringLiteral("1")).set("WORLD_SIZE", QStringLiteral("2"));
        QCOMPARE(run.run({ QStringLiteral("everything"), QStringLiteral("100") }),
                 ProgramRun::ExitCode);
        const QByteArray bytes = run.bytes();
        const std::string text(bytes.constData(), static_cast<std::size_t>(bytes.size()));
        const auto importer
            = std::find_if(core::importers().begin(), core::importers().end(),
                           [&](const auto &one) { return one->recognizes("x.lp", text); });
        QVERIFY(importer != core::importers().end());
        QCOMPARE(std::string((*importer)->name()), std::string("longpole-cupti"));
        tests::MemoryEntry entry(text, 4096);
        tests::RecordingSink sink;
        (*importer)->read(entry, sink, {});
        QCOMPARE(sink.diagnosticsText(), std::string());
        const std::string read = sink.text();
        for (const char *expected :
             { "worker rank=1 world=2", "count kernel 100", "count api_call 101",
               "count external_correlation 100", "count graph_edge 1", "count graph_node 3",
               "count memcpy 2", "count memset 1", "count range 200", "count sync 2",
               "runtime \"cudaLaunchKernel\" correlation=1 external=1000",
               "wait_on_correlation=4711", "user_annotation \"forward\"" })
            QVERIFY2(read.find(expected) != std::string::npos, expected);
    }

    void rangesOfAllSortsAreRecorded()
    {
        ProgramRun run;
        run.unset("CUDA_INJECTION64_PATH"); // without CUDA
        QCOMPARE(run.run({ QStringLiteral("nvtx") }), ProgramRun::ExitCode);
        const Recording recording = run.recording();
        QCOMPARE(tests::namesOfRanges(recording),
                 (std::vector<std::string> { "outer", "ncclAllReduce",
                                             "\xC3\xBC"
                                             "ber\xF0\x9F\x98\x80",
                                             "moment", "shared" }));
        QCOMPARE(recording.text(recording.ranges[1].second.domain), std::string("NCCL"));
        QCOMPARE(recording.ranges[1].second.color, 0xFF00FF00U);
        QCOMPARE(recording.ranges[0].second.domain, 0U);
        QCOMPARE(recording.ranges[3].second.start, recording.ranges[3].second.end);
        const auto &[starter, shared] = recording.ranges[4];
        QCOMPARE(starter, recording.ranges[0].first);
        QVERIFY(shared.endThreadId != 0 && shared.endThreadId != starter);
    }

    void threadsThatComeAndGoKeepTheirRanges()
    {
        ProgramRun run;
        QCOMPARE(run.run({ QStringLiteral("nvtx-threads"), QStringLiteral("500") }),
                 ProgramRun::ExitCode);
        const Recording recording = run.recording();
        std::map<std::string, std::uint64_t> counts;
        std::map<std::string, std::set<std::uint32_t>> threads;
        for (const auto &[thread, range] : recording.ranges) {
            ++counts[recording.text(range.name)];
            threads[recording.text(range.name)].insert(thread);
        }
        QCOMPARE(counts.size(), std::size_t { 8 });
        for (const auto &[name, count] : counts) {
            QCOMPARE(count, std::uint64_t { 500 });
            QCOMPARE(threads[name].size(), std::size_t { 1 });
        }
    }

    void aPreloadedLibraryFindsItsWayIn()
    {
        ProgramRun run;
        run.unset("CUDA_INJECTION64_PATH").unset("NVTX_INJECTION64_PATH");
        run.set("LD_PRELOAD", QStringLiteral(LONGPOLE_CUPTI_COLLECTOR));
        QCOMPARE(run.run({ QStringLiteral("everything"), QStringLiteral("10") }),
                 ProgramRun::ExitCode);
        QCOMPARE(run.recording().kernels.size(), std::size_t { 10 });
        QCOMPARE(run.recording().ranges.size(), std::size_t { 20 });
    }

    void anotherClockIsTakenOff()
    {
        ProgramRun run;
        run.set("STAND_IN_AHEAD_NS", QStringLiteral("86400000000000")); // a day
        const std::int64_t before = QDateTime::currentMSecsSinceEpoch() * 1'000'000;
        QCOMPARE(run.run({ QStringLiteral("launches"), QStringLiteral("10") }),
                 ProgramRun::ExitCode);
        const std::int64_t after = QDateTime::currentMSecsSinceEpoch() * 1'000'000;
        QVERIFY2(run.errors.contains(QStringLiteral("longpole: CUPTI's clock is 8")),
                 qPrintable(run.errors));
        const Recording recording = run.recording();
        QCOMPARE(recording.kernels.size(), std::size_t { 10 });
        for (const KernelRecord &kernel : recording.kernels)
            QVERIFY(kernel.start > before - 1'000'000'000 && kernel.start < after + 1'000'000'000);
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(CuptiCollectorTest)
#include "tst_cupti_collector.moc"
