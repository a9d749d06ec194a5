// The collector in programs of their own, with a stand-in for libcupti: what arrives in the file,
// and that the program does not notice.
#include "collectors/cupti/cupti_abi.h"
#include "collectors/format/record_scanner.h"
#include "core/import/importer.h"
#include "tests/support/memory_entry.h"
#include "tests/support/recording_sink.h"

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>
#include <map>
#include <random>
#include <set>

using namespace collectors;

namespace {

/// All of a recording.
struct Contents
{
    FileHeader header {};
    std::map<std::uint32_t, std::string> texts;
    std::vector<KernelRecord> kernels;
    std::vector<std::pair<std::uint32_t, ApiCallRecord>> calls; ///< with their threads
    std::vector<MemcpyRecord> copies;
    std::vector<MemsetRecord> memsets;
    std::vector<SyncRecord> syncs;
    std::vector<GraphLaunchRecord> graphLaunches;
    std::vector<GraphEdgeRecord> edges;
    std::vector<GraphNodeRecord> nodes;
    std::vector<std::pair<std::uint32_t, RangeRecord>> ranges;
    std::vector<IterationRecord> iterations;
    std::map<std::uint64_t, std::uint64_t> externalIds;
    std::uint64_t dropped = 0, skippedBytes = 0;
    bool isClosed = false;

    std::string text(std::uint32_t id) const
    {
        const auto found = texts.find(id);
        return found != texts.end() ? found->second : "?";
    }
};

void take(const RecordView &record, Contents &contents)
{
    const std::uint32_t thread = record.header.threadId;
    switch (record.header.kind) {
    case RecordFileHeader:
        contents.header = record.as<FileHeader>();
        break;
    case RecordString: {
        const auto bytes = record.after<StringRecord>();
        contents.texts[record.as<StringRecord>().id]
            = std::string(reinterpret_cast<const char *>(bytes.data()), bytes.size());
        break;
    }
    case RecordKernel:
        contents.kernels.push_back(record.as<KernelRecord>());
        break;
    case RecordApiCall:
        contents.calls.emplace_back(thread, record.as<ApiCallRecord>());
        break;
    case RecordMemcpy:
        contents.copies.push_back(record.as<MemcpyRecord>());
        break;
    case RecordMemset:
        contents.memsets.push_back(record.as<MemsetRecord>());
        break;
    case RecordSync:
        contents.syncs.push_back(record.as<SyncRecord>());
        break;
    case RecordGraphLaunch:
        contents.graphLaunches.push_back(record.as<GraphLaunchRecord>());
        break;
    case RecordGraphEdge:
        contents.edges.push_back(record.as<GraphEdgeRecord>());
        break;
    case RecordGraphNode:
        contents.nodes.push_back(record.as<GraphNodeRecord>());
        break;
    case RecordRange:
        contents.ranges.emplace_back(thread, record.as<RangeRecord>());
        break;
    case RecordIteration:
        contents.iterations.push_back(record.as<IterationRecord>());
        break;
    case RecordExternalCorrelation: {
        const auto link = record.as<ExternalCorrelationRecord>();
        contents.externalIds[link.correlation] = link.externalId;
        break;
    }
    case RecordDropped:
        contents.dropped += record.as<DroppedRecord>().count;
        break;
    case RecordEnd:
        contents.isClosed = true;
        break;
    default:
        break;
    }
}

Contents contentsOf(const QByteArray &bytes)
{
    RecordScanner scanner;
    scanner.feed({ bytes.constData(), static_cast<std::size_t>(bytes.size()) });
    scanner.finish();
    Contents contents;
    RecordView record;
    while (scanner.next(record))
        take(record, contents);
    contents.skippedBytes = scanner.skippedBytes();
    return contents;
}

/// A run of the program with its own folder.
class Run
{
public:
    Run()
    {
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        const QString collector = QStringLiteral(LONGPOLE_CUPTI_COLLECTOR);
        environment.insert(QStringLiteral("CUDA_INJECTION64_PATH"), collector);
        environment.insert(QStringLiteral("NVTX_INJECTION64_PATH"), collector);
        environment.insert(QStringLiteral("LONGPOLE_LIBCUPTI"),
                           QStringLiteral(LONGPOLE_STAND_IN_CUPTI));
        environment.insert(QStringLiteral("LONGPOLE_OUT"), folder());
        environment.insert(QStringLiteral("LONGPOLE_CONTROL"), m_folder.filePath(control()));
        environment.remove(QStringLiteral("LONGPOLE_CONTROL"));
        process.setProcessEnvironment(environment);
    }
    static QString control() { return QStringLiteral("control"); }
    QString folder() const { return m_folder.filePath(QStringLiteral("out")); }
    QString path(const char *name) const { return m_folder.filePath(QLatin1String(name)); }

    Run &set(const char *name, const QString &value)
    {
        QProcessEnvironment environment = process.processEnvironment();
        environment.insert(QLatin1String(name), value);
        process.setProcessEnvironment(environment);
        return *this;
    }
    Run &unset(const char *name)
    {
        QProcessEnvironment environment = process.processEnvironment();
        environment.remove(QLatin1String(name));
        process.setProcessEnvironment(environment);
        return *this;
    }
    void start(const QStringList &arguments)
    {
        process.start(QStringLiteral(LONGPOLE_CUDA_PROGRAM), arguments);
        process.waitForStarted();
    }
    /// The exit code; -1 if it crashed.
    int run(const QStringList &arguments)
    {
        start(arguments);
        if (!process.waitForFinished(120'000))
            process.kill();
        errors = QString::fromUtf8(process.readAllStandardError());
        output = QString::fromUtf8(process.readAllStandardOutput());
        return process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1;
    }
    QStringList files() const
    {
        return QDir(folder()).entryList({ QStringLiteral("*.lp") }, QDir::Files, QDir::Name);
    }
    QByteArray bytes(int index = 0) const
    {
        QFile file(folder() + QLatin1Char('/') + files().value(index));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    Contents contents(int index = 0) const { return contentsOf(bytes(index)); }

    QProcess process;
    QString errors, output;

private:
    QTemporaryDir m_folder;
};

std::vector<std::string> namesOfRanges(const Contents &contents)
{
    std::vector<std::string> names;
    for (const auto &[thread, range] : contents.ranges)
        names.push_back(contents.text(range.name));
    return names;
}

constexpr int ProgramsExitCode = 3;

} // namespace

class CuptiCollectorTest : public QObject
{
    Q_OBJECT

private slots:
    void whatTheProgramDoesIsInTheFile()
    {
        Run run;
        run.set("RANK", QStringLiteral("5"));
        QCOMPARE(run.run({ QStringLiteral("everything"), QStringLiteral("100") }),
                 ProgramsExitCode);
        QCOMPARE(run.errors.count(QLatin1Char('\n')), 1);
        QVERIFY2(run.errors.startsWith(QStringLiteral("longpole: recording to ")),
                 qPrintable(run.errors));
        QVERIFY(run.output.contains(QStringLiteral("active 1")));
        QCOMPARE(run.files().size(), 1);
        QVERIFY(run.files().first().contains(QStringLiteral("-5-")));
        const Contents contents = run.contents();
        QVERIFY(contents.isClosed);
        QCOMPARE(contents.skippedBytes, std::uint64_t { 0 });
        QCOMPARE(contents.dropped, std::uint64_t { 0 });
        QCOMPARE(contents.header.rank, 5U);
        QCOMPARE(contents.header.collector, std::uint32_t { CollectorCupti });
        QCOMPARE(contents.kernels.size(), std::size_t { 100 });
        QCOMPARE(contents.calls.size(), std::size_t { 101 });
        QCOMPARE(contents.ranges.size(), std::size_t { 200 });
    }

    void kernelsAreJoinedWithTheirCallsAndIds()
    {
        Run run;
        QCOMPARE(run.run({ QStringLiteral("everything"), QStringLiteral("50") }), ProgramsExitCode);
        const Contents contents = run.contents();
        std::map<std::uint64_t, ApiCallRecord> calls;
        for (const auto &[thread, call] : contents.calls) {
            if (call.isDriver == 0) {
                QCOMPARE(contents.text(call.name), std::string("cudaLaunchKernel"));
                QVERIFY(thread != 0);
                calls[call.correlation] = call;
            }
        }
        QCOMPARE(calls.size(), std::size_t { 50 });
        const std::map<std::uint64_t, std::string> names = {
            { 0, "_Z4gemmPf" }, { 1, "ncclDevKernel_AllReduce_Sum_f32_RING_LL" }, { 2, "_Z4reluPf" }
        };
        for (const KernelRecord &kernel : contents.kernels) {
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
            QCOMPARE(contents.text(kernel.name), names.at(kernel.correlation % 3));
            QCOMPARE(contents.externalIds.at(kernel.correlation), 999 + kernel.correlation);
        }
    }

    void copiesWaitsAndGraphsHaveTheirFields()
    {
        Run run;
        QCOMPARE(run.run({ QStringLiteral("everything"), QStringLiteral("1") }), ProgramsExitCode);
        const Contents contents = run.contents();
        QCOMPARE(contents.copies.size(), std::size_t { 2 });
        QCOMPARE(contents.copies[0].copyKind, std::uint32_t { MemcpyHostToDevice });
        QCOMPARE(contents.copies[0].bytes, std::uint64_t { 4096 });
        QCOMPARE(contents.copies[1].copyKind, std::uint32_t { MemcpyPeerToPeer });
        QCOMPARE(contents.copies[1].destinationDevice, 3U);
        QCOMPARE(contents.memsets.size(), std::size_t { 1 });
        QCOMPARE(contents.memsets[0].bytes, std::uint64_t { 64 });
        QCOMPARE(contents.syncs.size(), std::size_t { 2 });
        const bool isFirst = contents.syncs[0].syncKind == SyncStreamWaitsForEvent;
        const SyncRecord &wait = contents.syncs[isFirst ? 0 : 1];
        const SyncRecord &all = contents.syncs[isFirst ? 1 : 0];
        QCOMPARE(wait.syncKind, std::uint32_t { SyncStreamWaitsForEvent });
        QCOMPARE(wait.waitedCorrelation, std::uint64_t { 4711 });
        QCOMPARE(wait.flags, std::uint32_t { SyncHasStream });
        QCOMPARE(wait.stream, 8U);
        QCOMPARE(wait.device, 1U);
        QCOMPARE(all.syncKind, std::uint32_t { SyncContext });
        QCOMPARE(all.flags, 0U);
        QCOMPARE(contents.edges.size(), std::size_t { 1 });
        QCOMPARE(contents.edges[0].fromNode, std::uint64_t { 90 });
        QCOMPARE(contents.edges[0].toNode, std::uint64_t { 91 });
        QCOMPARE(contents.edges[0].graph, 4U);
        QCOMPARE(contents.nodes.size(), std::size_t { 3 });
        QCOMPARE(contents.nodes[2].node, std::uint64_t { 98 });
        QCOMPARE(contents.nodes[2].originalNode, std::uint64_t { 90 });
        QCOMPARE(contents.graphLaunches.size(), std::size_t { 0 });
        const auto driverCall
            = std::find_if(contents.calls.begin(), contents.calls.end(),
                           [](const auto &call) { return call.second.isDriver == 1; });
        QVERIFY(driverCall != contents.calls.end());
        QCOMPARE(driverCall->first, 4242U);
        QCOMPARE(driverCall->second.returnValue, 2);
        QCOMPARE(contents.text(driverCall->second.name), std::string("cuLaunchKernel"));
    }

    void wholeGraphsAreOneRecordWhereAskedFor()
    {
        Run run;
        run.set("LONGPOLE_GRAPHS", QStringLiteral("whole"));
        QCOMPARE(run.run({ QStringLiteral("everything"), QStringLiteral("1") }), ProgramsExitCode);
        const Contents contents = run.contents();
        QCOMPARE(contents.graphLaunches.size(), std::size_t { 1 });
        QCOMPARE(contents.graphLaunches[0].graph, 5U);
        QCOMPARE(contents.graphLaunches[0].stream, 7U);
    }

    void theImporterReadsAllOfIt()
    {
        Run run;
        run.set("RANK", QStringLiteral("1")).set("WORLD_SIZE", QStringLiteral("2"));
        QCOMPARE(run.run({ QStringLiteral("everything"), QStringLiteral("100") }),
                 ProgramsExitCode);
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
        Run run;
        run.unset("CUDA_INJECTION64_PATH"); // without CUDA
        QCOMPARE(run.run({ QStringLiteral("nvtx") }), ProgramsExitCode);
        const Contents contents = run.contents();
        QCOMPARE(namesOfRanges(contents),
                 (std::vector<std::string> { "outer", "ncclAllReduce",
                                             "\xC3\xBC"
                                             "ber\xF0\x9F\x98\x80",
                                             "moment", "shared" }));
        QCOMPARE(contents.text(contents.ranges[1].second.domain), std::string("NCCL"));
        QCOMPARE(contents.ranges[1].second.color, 0xFF00FF00U);
        QCOMPARE(contents.ranges[0].second.domain, 0U);
        QCOMPARE(contents.ranges[3].second.start, contents.ranges[3].second.end);
        const auto &[starter, shared] = contents.ranges[4];
        QCOMPARE(starter, contents.ranges[0].first);
        QVERIFY(shared.endThreadId != 0 && shared.endThreadId != starter);
    }

    void threadsThatComeAndGoKeepTheirRanges()
    {
        Run run;
        QCOMPARE(run.run({ QStringLiteral("nvtx-threads"), QStringLiteral("500") }),
                 ProgramsExitCode);
        const Contents contents = run.contents();
        std::map<std::string, std::uint64_t> counts;
        std::map<std::string, std::set<std::uint32_t>> threads;
        for (const auto &[thread, range] : contents.ranges) {
            ++counts[contents.text(range.name)];
            threads[contents.text(range.name)].insert(thread);
        }
        QCOMPARE(counts.size(), std::size_t { 8 });
        for (const auto &[name, count] : counts) {
            QCOMPARE(count, std::uint64_t { 500 });
            QCOMPARE(threads[name].size(), std::size_t { 1 });
        }
    }

    void aPreloadedLibraryFindsItsWayIn()
    {
        Run run;
        run.unset("CUDA_INJECTION64_PATH").unset("NVTX_INJECTION64_PATH");
        run.set("LD_PRELOAD", QStringLiteral(LONGPOLE_CUPTI_COLLECTOR));
        QCOMPARE(run.run({ QStringLiteral("everything"), QStringLiteral("10") }), ProgramsExitCode);
        QCOMPARE(run.contents().kernels.size(), std::size_t { 10 });
        QCOMPARE(run.contents().ranges.size(), std::size_t { 20 });
    }

    void theProgramRunsOnWhateverIsMissing_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("value");
        QTest::addColumn<QString>("said");
        QTest::newRow("no libcupti") << "LONGPOLE_LIBCUPTI"
                                     << "/nowhere/libcupti.so.13"
                                     << "CUDA is not recorded: LONGPOLE_LIBCUPTI cannot be loaded";
        QTest::newRow("no CUPTI") << "LONGPOLE_LIBCUPTI" << LONGPOLE_CUPTI_COLLECTOR
                                  << "CUDA is not recorded: this libcupti has no cuptiGetVersion";
        QTest::newRow("old") << "STAND_IN_VERSION"
                             << "18"
                             << "has version 18, whose records";
        QTest::newRow("new") << "STAND_IN_VERSION"
                             << "140000"
                             << "has version 140000, whose";
        QTest::newRow("second subscriber")
            << "STAND_IN_BUSY"
            << "CUPTI for Kineto"
            << "CUDA is not recorded: CUPTI for Kineto uses CUPTI in this process already";
        QTest::newRow("refused kind") << "STAND_IN_REFUSE"
                                      << "38"
                                      << "(kinds 38 CUPTI_ERROR_INVALID_KIND (21))";
        QTest::newRow("no kernels") << "STAND_IN_REFUSE"
                                    << "10"
                                    << "kernels are not recorded: ";
        QTest::newRow("unwritable") << "LONGPOLE_OUT"
                                    << "/proc/nowhere"
                                    << "nothing is recorded: /proc/nowhere/";
    }
    void theProgramRunsOnWhateverIsMissing()
    {
        QFETCH(QString, name);
        QFETCH(QString, value);
        QFETCH(QString, said);
        Run run;
        run.set(qPrintable(name), value);
        QCOMPARE(run.run({ QStringLiteral("launches"), QStringLiteral("10") }), ProgramsExitCode);
        QVERIFY2(run.errors.contains(said), qPrintable(run.errors));
        QCOMPARE(run.errors.count(QLatin1Char('\n')),
                 name == QLatin1String("LONGPOLE_OUT") ? 1 : 2);
        run.set("LONGPOLE_QUIET", QStringLiteral("1"));
        QCOMPARE(run.run({ QStringLiteral("launches"), QStringLiteral("10") }), ProgramsExitCode);
        QCOMPARE(run.errors, QString());
    }

    void withoutADriverTheRealLibrarySaysSo()
    {
        const QString real = QStringLiteral("/usr/local/cuda/lib64/libcupti.so");
        if (!QFile::exists(real))
            QSKIP("NVIDIA's libcupti is not on this machine");
        Run run;
        run.set("LONGPOLE_LIBCUPTI", real);
        run.start({ QStringLiteral("nvtx") });
        QVERIFY(run.process.waitForFinished());
        const QString errors = QString::fromUtf8(run.process.readAllStandardError());
        if (!errors.contains(QStringLiteral("CUDA is not recorded")))
            QSKIP("there is an NVIDIA driver on this machine");
        QVERIFY2(errors.contains(QStringLiteral("no NVIDIA driver on this machine")),
                 qPrintable(errors));
        QCOMPARE(run.process.exitCode(), ProgramsExitCode);
        QCOMPARE(run.contents().ranges.size(), std::size_t { 5 });
    }

    void anotherClockIsTakenOff()
    {
        Run run;
        run.set("STAND_IN_AHEAD_NS", QStringLiteral("86400000000000")); // a day
        const std::int64_t before = QDateTime::currentMSecsSinceEpoch() * 1'000'000;
        QCOMPARE(run.run({ QStringLiteral("launches"), QStringLiteral("10") }), ProgramsExitCode);
        const std::int64_t after = QDateTime::currentMSecsSinceEpoch() * 1'000'000;
        QVERIFY2(run.errors.contains(QStringLiteral("longpole: CUPTI's clock is 8")),
                 qPrintable(run.errors));
        const Contents contents = run.contents();
        QCOMPARE(contents.kernels.size(), std::size_t { 10 });
        for (const KernelRecord &kernel : contents.kernels)
            QVERIFY(kernel.start > before - 1'000'000'000 && kernel.start < after + 1'000'000'000);
    }

    void aWindowHoldsWhatHappenedInIt_data()
    {
        QTest::addColumn<QString>("mode");
        QTest::addColumn<QString>("variable");
        QTest::addColumn<QString>("graphs");
        for (const char *graphs : { "nodes", "late" }) {
            QTest::addRow("signal, %s", graphs) << "signal"
                                                << "LONGPOLE_SIGNAL" << graphs;
            QTest::addRow("file, %s", graphs) << "file"
                                              << "LONGPOLE_CONTROL" << graphs;
            QTest::addRow("call, %s", graphs) << "call"
                                              << "LONGPOLE_START" << graphs;
        }
    }
    void aWindowHoldsWhatHappenedInIt()
    {
        QFETCH(QString, mode);
        QFETCH(QString, variable);
        QFETCH(QString, graphs);
        Run run;
        run.set("LONGPOLE_GRAPHS", graphs);
        run.set(qPrintable(variable),
                mode == QLatin1String("signal")     ? QStringLiteral("USR2")
                    : mode == QLatin1String("file") ? run.path("control")
                                                    : QStringLiteral("1000000s"));
        QCOMPARE(run.run({ mode }), ProgramsExitCode);
        const Contents contents = run.contents();
        QCOMPARE(contents.calls.size(), std::size_t { 20 });
        QCOMPARE(contents.kernels.size(), std::size_t { 20 });
        for (const KernelRecord &kernel : contents.kernels)
            QVERIFY(kernel.correlation > 10 && kernel.correlation <= 30);
    }

    void aWindowOfIterationsHoldsThose()
    {
        Run run;
        run.set("LONGPOLE_START", QStringLiteral("3"))
            .set("LONGPOLE_DURATION", QStringLiteral("4"));
        QCOMPARE(run.run({ QStringLiteral("iterations") }), ProgramsExitCode);
        const Contents contents = run.contents();
        std::set<std::uint64_t> launched;
        for (const auto &[thread, call] : contents.calls)
            launched.insert(call.correlation);
        QCOMPARE(launched, (std::set<std::uint64_t> { 4, 5, 6, 7 })); // iterations 3 to 6
        QCOMPARE(contents.kernels.size(), std::size_t { 4 });
        for (const IterationRecord &iteration : contents.iterations)
            QVERIFY(iteration.index >= 3 && iteration.index <= 7);
        QVERIFY(contents.iterations.size() >= 3);
    }

    void whatFindsNoRoomIsCounted()
    {
        Run run;
        run.set("LONGPOLE_BUFFER_MIB", QStringLiteral("8")); // two buffers for four threads
        QCOMPARE(run.run({ QStringLiteral("flood"), QStringLiteral("30000") }), ProgramsExitCode);
        const Contents contents = run.contents();
        const QStringList words = run.output.simplified().split(QLatin1Char(' '));
        QCOMPARE(words.value(1).toULongLong(), 240'000ULL);
        QVERIFY(words.value(3).toULongLong() > 0);
        QCOMPARE(contents.dropped, std::uint64_t { words.value(3).toULongLong() });
        QCOMPARE(contents.kernels.size() + contents.calls.size() + contents.dropped,
                 std::size_t { 240'000 });
        QVERIFY(contents.isClosed);
    }

    void aMillionRecordsASecondAreNotDropped()
    {
        Run run;
        run.set("LONGPOLE_BUFFER_MIB", QStringLiteral("32")); // half of what comes
        QCOMPARE(run.run({ QStringLiteral("rate"), QStringLiteral("250000") }), ProgramsExitCode);
        const Contents contents = run.contents();
        QCOMPARE(contents.dropped, std::uint64_t { 0 });
        QCOMPARE(contents.kernels.size(), std::size_t { 250'000 });
        QCOMPARE(contents.calls.size(), std::size_t { 250'000 });
        qInfo("%s", qPrintable(run.output.trimmed()));
    }

    void aKilledProgramLeavesAReadableFile()
    {
        std::mt19937 random(7); // NOLINT: the same sequence each time
        for (int round = 0; round < 20; ++round) {
            Run run;
            run.set("LONGPOLE_FLUSH_MS", QStringLiteral("10"));
            run.start({ QStringLiteral("forever") });
            QVERIFY(run.process.waitForReadyRead());
            QTRY_VERIFY(!run.files().isEmpty() && run.bytes().size() > 1000);
            QTest::qWait(static_cast<int>(random() % 100)); // any moment
            run.process.kill();
            QVERIFY(run.process.waitForFinished());
            const Contents contents = run.contents();
            QVERIFY(!contents.isClosed);
            QVERIFY(contents.skippedBytes < 65'536); // one record that is cut
            QCOMPARE(contents.header.collector, std::uint32_t { CollectorCupti });
            std::set<std::uint64_t> correlations;
            for (const KernelRecord &kernel : contents.kernels)
                QVERIFY(correlations.insert(kernel.correlation).second);
            QVERIFY(!correlations.empty() || !contents.ranges.empty());
        }
    }

    void aTerminatedProgramLosesItsLastMomentAtMost()
    {
        Run run;
        run.set("LONGPOLE_FLUSH_MS", QStringLiteral("10"));
        run.start({ QStringLiteral("forever") });
        QVERIFY(run.process.waitForReadyRead());
        QTRY_VERIFY(!run.files().isEmpty() && run.contents().kernels.size() > 1000);
        run.process.terminate();
        QVERIFY(run.process.waitForFinished());
        QCOMPARE(run.process.exitStatus(), QProcess::CrashExit);
        QCOMPARE(run.process.exitCode(), SIGTERM);
        QVERIFY(run.contents().kernels.size() > 1000);
    }

    void aForkedChildWritesNothing()
    {
        Run run;
        QCOMPARE(run.run({ QStringLiteral("forks") }), ProgramsExitCode);
        QCOMPARE(run.files().size(), 1);
        const Contents contents = run.contents();
        QVERIFY(contents.isClosed);
        QCOMPARE(contents.kernels.size(), std::size_t { 2 });
        QCOMPARE(namesOfRanges(contents), std::vector<std::string> { "in both" });
    }

    void aForkedChildThatStartsCudaHasItsOwnFile()
    {
        Run run;
        run.unset("LONGPOLE_LIBCUPTI"); // the parent records ranges only, as one that may fork
        run.unset("CUDA_INJECTION64_PATH");
        QCOMPARE(run.run({ QStringLiteral("forks"), QStringLiteral("1") }), ProgramsExitCode);
        QCOMPARE(run.files().size(), 2);
        std::set<std::vector<std::string>> all;
        for (int i = 0; i < 2; ++i) {
            QVERIFY(run.contents(i).isClosed);
            all.insert(namesOfRanges(run.contents(i)));
        }
        QCOMPARE(
            all,
            (std::set<std::vector<std::string>> { { "in both" }, { "recorded by the child" } }));
    }

    void anotherProgramOfTheSameProcessHasItsOwnFile()
    {
        Run run;
        QCOMPARE(run.run({ QStringLiteral("execs") }), ProgramsExitCode);
        QCOMPARE(run.files().size(), 2);
        QCOMPARE(run.contents(0).header.processId, run.contents(1).header.processId);
        const std::size_t first = run.contents(0).kernels.size();
        const std::size_t second = run.contents(1).kernels.size();
        QCOMPARE(std::max(first, second), std::size_t { 5 }); // "...-2.cupti.lp"
        QVERIFY(run.contents(0).isClosed != run.contents(1).isClosed);
    }
};

QTEST_GUILESS_MAIN(CuptiCollectorTest)
#include "tst_cupti_collector.moc"
