// A rank's collectives that a profiler of the device and NCCL itself recorded, each in a file.

#include "core/graph/build_graph.h"
#include "core/model/compared_iterations.h"
#include "core/model/slice_index.h"
#include "core/pipeline/merged_collectives.h"
#include "tests/core/analyze/ranks_of.h"
#include "tests/core/pipeline/small_bundle.h"
#include "tests/support/recording.h"
#include "tests/support/trace_builder.h"

#include <QTest>

#include <algorithm>
#include <array>
#include <cmath>

using namespace core;
using tests::ranksOf;

namespace {

const FileId OfKernels(1), OfNccl(2), AlsoOfNccl(3);
constexpr std::array StartsUs = { 100, 300, 450, 900 };

std::string kernelsText(bool areNamed)
{
    std::string text = "rank 0\nthread main\nProfilerStep#0 0 2000 user_annotation\naten::mm 0 50\n"
                       "stream 20 gpu=0\n";
    for (const int startUs : StartsUs)
        text += "ncclDevKernel_AllReduce_Sum_f32_RING_LL " + std::to_string(startUs)
            + " 50 comm_kernel"
            + (areNamed ? " kind=all_reduce group=dp seq=" + std::to_string(startUs) : "") + "\n";
    return text;
}

/// NCCL's own records, which end a little later, `laterUs` after what the kernels' clock shows.
std::string recordsText(int laterUs, const std::string &communicator = "0xab")
{
    std::string text = "stream " + communicator + "\n";
    for (std::size_t i = 0; i < StartsUs.size(); ++i)
        text += "AllReduce " + std::to_string(StartsUs[i] + laterUs)
            + " 55 comm_kernel kind=all_reduce group=" + communicator
            + " size=2 bytes=400 seq=" + std::to_string(i) + "\n";
    return text;
}

Trace traceOf(const std::string &text)
{
    Trace trace = tests::traceFromText(text);
    for (Track &track : trace.tracks)
        track.file = track.tid == "0xab" ? OfNccl : track.tid == "0xac" ? AlsoOfNccl : OfKernels;
    trace.iterations = { { WorkerId(0), 0, { 0, 2'000'000 }, true } };
    trace.compared = comparedIterations(trace);
    return trace;
}

std::int64_t startOf(const Trace &trace, const CollectiveCall &call)
{
    return SliceIndex(trace).startNs(call.slice);
}

/// A trace of torch.profiler of rank 3 with a NCCL kernel at each time.
std::string kinetoTrace()
{
    std::string text = "{'schemaVersion': 1, 'distributedInfo': {'backend': 'nccl', 'rank': 3, "
                       "'world_size': 8}, 'traceEvents': [{'ph': 'X', 'cat': 'user_annotation', "
                       "'name': 'ProfilerStep#1', 'pid': 1, 'tid': 2, 'ts': 10, 'dur': 1000}";
    for (const int startUs : StartsUs)
        text += ", {'ph': 'X', 'cat': 'kernel', 'name': 'ncclDevKernel_AllReduce_Sum_f32_RING_LL', "
                "'pid': 0, 'tid': 20, 'dur': 50, 'ts': "
            + std::to_string(startUs)
            + ", 'args': {'stream': 20, 'device': 0, 'Collective name': 'allreduce', "
              "'In msg nelems': 100, 'Out msg nelems': 100, 'Group size': 8, 'dtype': 'Float', "
              "'Process Group Name': '0'}}";
    std::replace(text.begin(), text.end(), '\'', '"');
    return text + "]}";
}

/// The collector's recording of them, by a clock that is `laterNs` later.
std::string ncclRecording(std::int64_t laterNs)
{
    using namespace collectors;
    tests::Recording recording;
    recording.addHeader(CollectorNccl);
    recording.addString(1, "AllReduce").addString(2, "ncclFloat32").addString(3, "RING");
    recording.addString(4, "SIMPLE");
    std::uint64_t sequence = 0;
    for (const int startUs : StartsUs) {
        const std::int64_t ns = startUs * 1000 + laterNs;
        recording.add(RecordCollective,
                      CollectiveRecord { ns - 20'000, ns - 10'000, ns, ns + 55'000, 0xab,
                                         sequence++, 100, 400, 0, 1, 2, 3, 4, 3, 0, 2,
                                         TimeOnDeviceKnown });
    }
    recording.add(RecordEnd, EndRecord { 2'000'000 + laterNs });
    return recording.bytes();
}

} // namespace

class MergedCollectivesTest : public QObject
{
    Q_OBJECT

private slots:
    void aCollectiveIsTheKernelThatRanIt()
    {
        Trace trace = traceOf(kernelsText(true) + recordsText(0));
        const MergedCollectives merged = mergeCollectives(trace, { OfNccl }, {});
        QCOMPARE(merged.recordOf.size(), StartsUs.size());
        QVERIFY(merged.otherClocks.empty());
        QCOMPARE(trace.collectives.size(), StartsUs.size());
        for (std::size_t i = 0; i < StartsUs.size(); ++i) {
            const CollectiveCall &call = trace.collectives[i];
            QCOMPARE(startOf(trace, call), StartsUs[i] * 1000);
            QCOMPARE(SliceIndex(trace).startNs(merged.recordOf.at(call.slice)), StartsUs[i] * 1000);
            QCOMPARE(call.group, std::string("dp")); // as on ranks without NCCL's records
            QCOMPARE(call.bytes, std::uint64_t { 400 }); // the kernel does not say
            QCOMPARE(call.groupSize, std::optional(2));
        }
    }

    void itStopsWhenCancelled()
    {
        Trace trace = traceOf(kernelsText(true) + recordsText(0));
        const JobControl cancelled([] { return true; }, {});
        QVERIFY_THROWS_EXCEPTION(Cancelled, mergeCollectives(trace, { OfNccl }, cancelled));
    }

    void aKernelThatOnlyHasANameIsDescribedByNccl()
    {
        Trace trace = traceOf(kernelsText(false) + recordsText(0));
        mergeCollectives(trace, { OfNccl }, {});
        QCOMPARE(trace.collectives.size(), StartsUs.size());
        for (std::size_t i = 0; i < StartsUs.size(); ++i) {
            const CollectiveCall &call = trace.collectives[i];
            QCOMPARE(SliceIndex(trace).name(call.slice),
                     std::string("ncclDevKernel_AllReduce_Sum_f32_RING_LL"));
            QCOMPARE(call.group, std::string("0xab"));
            QCOMPARE(call.sequence, std::optional<std::uint64_t>(i));
        }
    }

    /// NCCL's profiler and its inspector may both have been on: each gave the kernel a call.
    void aKernelThatTwoFilesDescribeIsOneCollective()
    {
        Trace trace = traceOf(kernelsText(false) + recordsText(0) + recordsText(0, "0xac"));
        const MergedCollectives merged = mergeCollectives(trace, { OfNccl, AlsoOfNccl }, {});
        QCOMPARE(merged.recordOf.size(), StartsUs.size());
        QCOMPARE(trace.collectives.size(), StartsUs.size());
        for (const CollectiveCall &call : trace.collectives)
            QCOMPARE(call.group, std::string("0xab"));
        QCOMPARE(buildGraph(trace, {}).collectives.size(),
                 buildGraph(traceOf(kernelsText(true)), {}).collectives.size());
    }

    /// Both slices were communication: the longer one counted, and the graph had both.
    void theAnalysisIsThatOfTheKernelsAlone()
    {
        Trace merged = traceOf(kernelsText(true) + recordsText(0));
        mergeCollectives(merged, { OfNccl }, {});
        const Trace kernels = traceOf(kernelsText(true));
        const auto timeOf
            = [](const Trace &trace) { return ranksOf(trace).at(0).devices.at(0).time; };
        QCOMPARE(ranksOf(merged).at(0).devices.size(), std::size_t { 1 });
        QCOMPARE(timeOf(merged).exposedCommNs, 4 * 50'000);
        QCOMPARE(timeOf(merged).windowNs, timeOf(kernels).windowNs);
        QCOMPARE(buildGraph(merged, {}).size(), buildGraph(kernels, {}).size());
    }

    void aFilesOwnClockIsFound()
    {
        Trace trace = traceOf(kernelsText(true) + recordsText(5'000'000)
                              + "AllReduce 5002000 55 comm_kernel kind=all_reduce group=0xab\n");
        const MergedCollectives merged = mergeCollectives(trace, { OfNccl }, {});
        QCOMPARE(merged.otherClocks.size(), std::size_t { 1 });
        QVERIFY(merged.otherClocks[0].file == OfNccl);
        QCOMPARE(merged.otherClocks[0].clock.offsetNs, -5'000'005'000); // ends are 5 us late
        QCOMPARE(merged.recordOf.size(), StartsUs.size());
        QCOMPARE(trace.collectives.size(), StartsUs.size()); // the fifth is at no time of the rank
    }

    /// Most are within a millisecond of their kernel: the others were left, and counted twice.
    void aDriftFromTheSameMomentIsFound_data()
    {
        QTest::addColumn<double>("ppm");
        QTest::newRow("most fit without") << 30.0;
        QTest::newRow("few fit without") << -150.0;
    }
    void aDriftFromTheSameMomentIsFound()
    {
        QFETCH(const double, ppm);
        std::string kernels = "rank 0\nstream 20 gpu=0\n", records = "stream 0xab\n";
        constexpr std::int64_t Count = 50;
        for (std::int64_t i = 0; i < Count; ++i) { // of a minute and a quarter
            const std::int64_t startUs = i * 1'500'000 + i * i * 37'123 % 1'000'000;
            const auto laterUs
                = static_cast<std::int64_t>(static_cast<double>(startUs) * ppm / 1e6);
            kernels += "ncclDevKernel_AllReduce_Sum_f32_RING_LL " + std::to_string(startUs)
                + " 50 comm_kernel kind=all_reduce group=dp seq=" + std::to_string(i) + "\n";
            records += "AllReduce " + std::to_string(startUs + laterUs + i % 7)
                + " 55 comm_kernel kind=all_reduce group=0xab size=2 bytes=400 seq="
                + std::to_string(i) + "\n";
        }
        Trace trace = traceOf(kernels + records);
        const MergedCollectives merged = mergeCollectives(trace, { OfNccl }, {});
        QCOMPARE(merged.otherClocks.size(), std::size_t { 1 });
        const double found = merged.otherClocks[0].clock.driftPpm.value_or(0);
        QVERIFY2(std::abs(found + ppm) < 0.5, qPrintable(QString::number(found)));
        QCOMPARE(merged.recordOf.size(), std::size_t { Count });
        QCOMPARE(trace.collectives.size(), std::size_t { Count });
    }

    void whatDoesNotFitStaysAsItIs()
    {
        Trace trace = traceOf(kernelsText(true)
                              + "stream 0xab\nAllReduce 9000000 55 comm_kernel kind=all_reduce\n"
                                "Broadcast 100 55 comm_kernel kind=broadcast\n");
        const MergedCollectives merged = mergeCollectives(trace, { OfNccl }, {});
        QVERIFY(merged.recordOf.empty() && merged.otherClocks.empty());
        QCOMPARE(trace.collectives.size(), StartsUs.size() + 2);
        Trace alone = traceOf("rank 0\n" + recordsText(0));
        QVERIFY(mergeCollectives(alone, { OfNccl }, {}).recordOf.empty());
        QCOMPARE(alone.collectives.size(), StartsUs.size());
    }

    void filesOfOneRankAreMergedAfterImport_data()
    {
        QTest::addColumn<qlonglong>("laterNs");
        QTest::addColumn<QString>("message");
        QTest::newRow("one clock") << 0LL << QString();
        QTest::newRow("another clock")
            << 7'000'000'000LL
            << QStringLiteral(
                   "Its times have another clock than rank 3's other files: by what both "
                   "recorded they are 7.000 s later. They were moved by that");
    }
    void filesOfOneRankAreMergedAfterImport()
    {
        QFETCH(const qlonglong, laterNs);
        QFETCH(const QString, message);
        const tests::SmallBundle bundle;
        bundle.write("rank3.json", kinetoTrace());
        bundle.write("node1-3-500.nccl.lp", ncclRecording(laterNs));
        bundle.import();
        const LoadedProject loaded = loadProject(bundle.project(), {});
        QCOMPARE(loaded.trace->workers.size(), std::size_t { 1 });
        QCOMPARE(loaded.trace->collectives.size(), StartsUs.size());
        for (const CollectiveCall &call : loaded.trace->collectives) {
            QCOMPARE(call.group, std::string("0"));
            QCOMPARE(call.algorithm, std::string("RING")); // of NCCL's record
        }
        QString found;
        const ProjectReader reader(bundle.project());
        for (const Diagnostic &diagnostic : reader.info().diagnostics)
            if (diagnostic.code == "file-clock") {
                QVERIFY(diagnostic.file.ends_with("node1-3-500.nccl.lp"));
                found = QString::fromStdString(diagnostic.message);
            }
        QCOMPARE(found.isEmpty(), message.isEmpty());
        QVERIFY2(found.startsWith(message), qPrintable(found));
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(MergedCollectivesTest)
#include "tst_merged_collectives.moc"
