#include "core/align/message_matching.h"
#include "core/pipeline/pipeline.h"
#include "core/project/read/project_reader.h"
#include "tests/collectors/nccl/nccl_job_run.h"

#include <QTemporaryDir>
#include <QTest>

using tests::NcclJobRun;

namespace {

// Four ranks of two channels, two loops of 6 transfers of 2 slices: 4 * 2 * 24.
constexpr int Ranks = 4, Chunks = 192, Exchanges = 4;

std::size_t matchesOf(const core::Trace &trace, const std::vector<core::MatchedMessage> &matches,
                      std::string_view operation)
{
    return static_cast<std::size_t>(
        std::count_if(matches.begin(), matches.end(), [&](const core::MatchedMessage &match) {
            const std::string &name = trace.transfers[match.sent].transaction;
            return name == trace.transfers[match.received].transaction
                && name.find(operation) != std::string::npos;
        }));
}

/// Of all slices of that name.
std::map<std::uint64_t, int> sizesOf(const core::Trace &trace, const std::string &name)
{
    std::map<std::uint64_t, int> sizes;
    for (const core::SliceColumns &slices : trace.slices)
        for (std::size_t row = 0; row < slices.size(); ++row)
            if (trace.names[slices.name[row].value] == name)
                ++sizes[slices.bytes[row]];
    return sizes;
}

/// The recordings of the folder, through a project; what their import found wrong.
core::Trace importedFrom(const QTemporaryDir &folder, std::vector<std::string> &errors)
{
    const std::filesystem::path project
        = folder.filePath(QStringLiteral("p.longpole")).toStdString();
    std::vector<std::filesystem::path> inputs;
    for (const std::string &path : tests::recordingsIn(folder.path()))
        inputs.emplace_back(path);
    const core::ImportReport report = core::importBundle(inputs, project, {}, {});
    for (const core::Diagnostic &diagnostic : report.diagnostics)
        if (diagnostic.severity == core::Severity::Error)
            errors.push_back(diagnostic.message);
    return core::ProjectReader(project).readTrace({});
}

} // namespace

/// From NCCL's calls through the plug-in, its file and the import to matched transfers.
class NcclRecordingTest : public QObject
{
    Q_OBJECT

private slots:
    void everyTransferIsMatchedAfterImport_data()
    {
        QTest::addColumn<int>("version");
        QTest::addColumn<int>("ranksOfProcess");
        QTest::addColumn<bool>("hasLauncher");
        for (int version = 1; version <= 7; ++version)
            QTest::addRow("v%d, one process", version) << version << 4 << false;
        for (int version = 4; version <= 7; ++version) {
            QTest::addRow("v%d, a process a rank", version) << version << 1 << true;
            QTest::addRow("v%d, no launcher", version) << version << 1 << false;
        }
        QTest::addRow("v1, a process a rank") << 1 << 1 << true;
        QTest::addRow("v5, two ranks a process") << 5 << 2 << false;
    }
    void everyTransferIsMatchedAfterImport()
    {
        QFETCH(int, version);
        QFETCH(int, ranksOfProcess);
        QFETCH(bool, hasLauncher);
        const QTemporaryDir folder;
        std::vector<std::unique_ptr<NcclJobRun>> runs;
        for (int first = 0; first < Ranks; first += ranksOfProcess) {
            std::map<QString, QString> launcher;
            if (hasLauncher)
                launcher = { { QStringLiteral("RANK"), QString::number(first) },
                             { QStringLiteral("WORLD_SIZE"), QString::number(Ranks) } };
            runs.push_back(std::make_unique<NcclJobRun>(
                folder.path(), version,
                QStringList { QStringLiteral("ring"), QString::number(first),
                              QString::number(first + ranksOfProcess - 1), QString::number(Ranks),
                              QStringLiteral("1") },
                launcher));
        }
        for (const auto &run : runs) {
            QCOMPARE(run->exitCode(), 0);
            const QStringList said = run->said();
            QCOMPARE(said.size(), 1);
            QVERIFY2(said.front().startsWith(QStringLiteral("longpole: NCCL is recorded into ")),
                     qPrintable(said.front()));
        }
        QCOMPARE(tests::recordingsIn(folder.path()).size(), std::size_t(Ranks / ranksOfProcess));

        std::vector<std::string> errors;
        const core::Trace trace = importedFrom(folder, errors);
        QVERIFY2(errors.empty(), errors.empty() ? "" : errors.front().c_str());
        QCOMPARE(trace.workers.size(), std::size_t(Ranks));
        std::vector<std::string> notes;
        const auto matches = core::matchMessages(trace, notes, {});
        QCOMPARE(matchesOf(trace, matches, "/AllReduce 0/"), std::size_t(Chunks));
        // The operation of each end, and its one network step.
        QCOMPARE(matchesOf(trace, matches, "/p2p 0/"), std::size_t(Exchanges * 2));
        QVERIFY2(notes.empty(), notes.empty() ? "" : notes.front().c_str());

        QCOMPARE(trace.collectives.size(), std::size_t(Ranks));
        for (const core::CollectiveCall &call : trace.collectives) {
            QCOMPARE(call.kind, std::string("all_reduce"));
            QCOMPARE(call.group, std::string("0xabcdef"));
            QCOMPARE(call.sequence, std::optional<std::uint64_t>(0));
            QCOMPARE(call.groupSize, version >= 4 ? std::optional(Ranks) : std::nullopt);
        }
        // Each step has its own size, not that of another one, once for each rank and channel.
        const std::map<std::uint64_t, int> sent = sizesOf(trace, "SendWait");
        QCOMPARE(sent, sizesOf(trace, "RecvWait"));
        if (version >= 4) {
            QCOMPARE(sent.size(), std::size_t(24));
            QCOMPARE(sent.begin()->first, std::uint64_t(65536));
            QCOMPARE(sent.begin()->second, Ranks * 2 + Exchanges);
            QCOMPARE(sent.rbegin()->first, std::uint64_t(65536 + 23));
            QCOMPARE(sent.rbegin()->second, Ranks * 2);
        }
    }

    /// Version 7 has them. They are told of inside of their kernel, which stays whole.
    void kernelPhasesThatAreAskedForAreNotRecorded()
    {
        const QTemporaryDir folder;
        NcclJobRun run(folder.path(), 7, { QStringLiteral("unfinished") },
                       { { QStringLiteral("LONGPOLE_NCCL_EVENTS"), QStringLiteral("0x80de") } });
        QCOMPARE(run.exitCode(), 0);
        const tests::ReadRecording recording(tests::recordingsIn(folder.path()).front());
        QCOMPARE(recording.counts.at(collectors::RecordKernelChannel), std::uint64_t(2));
        QCOMPARE(recording.counts.at(collectors::RecordCollective), std::uint64_t(1));
        QCOMPARE(recording.dropped, std::uint64_t(0));
    }

    void whatIsNotAskedForIsNotRecorded()
    {
        const QTemporaryDir folder;
        NcclJobRun run(folder.path(), 5, { QStringLiteral("unfinished") },
                       { { QStringLiteral("LONGPOLE_NCCL_EVENTS"), QStringLiteral("Bogus") } });
        QCOMPARE(run.exitCode(), 2); // the mask
        const QStringList said = run.said();
        QCOMPARE(said.size(), 1);
        QVERIFY(said.front().contains(QStringLiteral("LONGPOLE_NCCL_EVENTS=Bogus")));
        QVERIFY(tests::recordingsIn(folder.path()).empty());
    }

    void aFolderThatCannotBeWrittenCostsOneLineOnly()
    {
        NcclJobRun run(QStringLiteral("/proc/none"), 5, { QStringLiteral("unfinished") });
        QCOMPARE(run.exitCode(), 2);
        const QStringList said = run.said();
        QCOMPARE(said.size(), 1);
        QVERIFY2(said.front().startsWith(QStringLiteral("longpole: NCCL is not recorded: ")),
                 qPrintable(said.front()));
    }

    void quietIsQuiet()
    {
        const QTemporaryDir folder;
        NcclJobRun run(folder.path(), 5, { QStringLiteral("unfinished") },
                       { { QStringLiteral("LONGPOLE_QUIET"), QStringLiteral("1") } });
        QCOMPARE(run.exitCode(), 0);
        QCOMPARE(run.said(), QStringList());
        QCOMPARE(tests::recordingsIn(folder.path()).size(), std::size_t(1));
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(NcclRecordingTest)
#include "tst_nccl_recording.moc"
