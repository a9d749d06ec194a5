#include "tests/collectors/nccl/nccl_job_run.h"

#include <QTemporaryDir>
#include <QTest>

using namespace collectors;
using tests::NcclJobRun;
using tests::ReadRecording;

/// What belongs to the process that the plug-in is in stays its own.
class NcclHostTest : public QObject
{
    Q_OBJECT

private:
    static int exitCodeOf(const char *mode)
    {
        const QTemporaryDir folder;
        return NcclJobRun(folder.path(), 5, { QString::fromLatin1(mode) }).exitCode();
    }

private slots:
    void whatThreadsKeepUnderOtherKeysStays() { QCOMPARE(exitCodeOf("keys"), 0); }

    /// Where no key was left, key 0 was taken for the plug-in's.
    void withoutKeysNothingIsRecordedAndNothingOverwritten()
    {
        const QTemporaryDir folder;
        NcclJobRun run(folder.path(), 5, { QStringLiteral("last-key") });
        QCOMPARE(run.exitCode(), 0);
        const QStringList said = run.said();
        QCOMPARE(said.size(), 1);
        QVERIFY2(said.front().contains(QStringLiteral("no thread-specific data left")),
                 qPrintable(said.front()));
    }

    /// A new communicator cleared the mask of all for a moment: events of others were lost.
    void aNewCommunicatorLeavesTheOthersTheirEvents() { QCOMPARE(exitCodeOf("mask"), 0); }

    void errnoStays() { QCOMPARE(exitCodeOf("errno"), 0); }

    /// SIGPIPE ended the process when the first line was said.
    void aStderrThatNobodyReadsDoesNoHarm()
    {
        const QTemporaryDir folder;
        NcclJobRun run(folder.path(), 5, { QStringLiteral("unheard") });
        QCOMPARE(run.exitCode(), 0);
        QCOMPARE(tests::recordingsIn(folder.path()).size(), std::size_t(1));
    }

    /// Records went into whatever file the program had opened as our descriptor.
    void filesOfTheProgramAreNotWrittenTo()
    {
        const QTemporaryDir folder, own;
        NcclJobRun run(folder.path(), 5, { QStringLiteral("closed"), own.path() });
        QCOMPARE(run.exitCode(), 0);
        const QStringList said = run.said();
        QCOMPARE(said.size(), 2);
        QVERIFY2(said.back().contains(QStringLiteral("was closed by the program")),
                 qPrintable(said.back()));
    }

    void aRelativeFolderIsThatOfTheBeginning()
    {
        const QTemporaryDir folder;
        NcclJobRun run(QStringLiteral("not/there"), 5,
                       { QStringLiteral("moved"), QStringLiteral("/") }, {}, folder.path());
        QCOMPARE(run.exitCode(), 0);
        const QString made = folder.filePath(QStringLiteral("not/there"));
        const auto paths = tests::recordingsIn(made);
        QCOMPARE(paths.size(), std::size_t(1));
        QCOMPARE(ReadRecording(paths.front()).counts[RecordEnd], std::uint64_t(1));
        const QString said = run.said().value(0);
        QVERIFY2(said.contains(QFileInfo(made).canonicalFilePath()), qPrintable(said));
    }

    void theProcessEndsWhileThreadsOfNcclCallOn()
    {
        const QTemporaryDir folder;
        NcclJobRun run(folder.path(), 5, { QStringLiteral("exiting") });
        QCOMPARE(run.exitCode(), 0);
        const ReadRecording recording(tests::recordingsIn(folder.path()).front());
        QCOMPARE(recording.counts.at(RecordEnd), std::uint64_t(1));
        QCOMPARE(recording.scanner.skippedBytes(), std::uint64_t(0));
    }

    /// Without it, NCCL was recorded for the whole of a long job.
    void theWindowOfTheLibraryForCudaIsItsWindow()
    {
        const QTemporaryDir folder;
        NcclJobRun run(
            folder.path(), 5,
            { QStringLiteral("window"), QStringLiteral(LONGPOLE_CUPTI_COLLECTOR) },
            { { QStringLiteral("CUDA_INJECTION64_PATH"), QStringLiteral(LONGPOLE_CUPTI_COLLECTOR) },
              { QStringLiteral("LONGPOLE_CUPTI_KINDS"), QStringLiteral("none") } });
        QCOMPARE(run.exitCode(), 0);
        const ReadRecording recording(tests::recordingsIn(folder.path()).front());
        QCOMPARE(recording.counts.at(RecordCollective), std::uint64_t(2));
        QCOMPARE(recording.counts.at(RecordPointToPoint), std::uint64_t(2 * 2));
        QCOMPARE(recording.counts.at(RecordProxyStep), std::uint64_t(2 * (96 + 2)));
        QCOMPARE(recording.dropped, std::uint64_t(0)); // what was not wanted is not lost
        // Ranks open their windows at different times, and count alike all the same.
        const std::string text = recording.sink.text();
        for (const char *name : { "p2p 1", "p2p 3" })
            QVERIFY2(text.find(name) != std::string::npos, text.c_str());
        for (const char *name : { "p2p 0", "p2p 2" })
            QVERIFY2(text.find(name) == std::string::npos, text.c_str());
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(NcclHostTest)
#include "tst_nccl_host.moc"
