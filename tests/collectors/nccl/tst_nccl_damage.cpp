#include "tests/collectors/nccl/nccl_job_run.h"

#include <QTemporaryDir>
#include <QTest>

#include <random>

using namespace collectors;
using tests::NcclJobRun;
using tests::ReadRecording;

namespace {

/// After where it is recorded, that it is recorded no further.
bool saysThatItEnded(NcclJobRun &run)
{
    const QStringList said = run.said();
    if (said.size() == 2
        && said.back().startsWith(QStringLiteral("longpole: NCCL is not recorded any further")))
        return true;
    qWarning() << said;
    return false;
}

} // namespace

/// The process ends in any way, or NCCL calls in any order: the host lives, the file can be read.
class NcclDamageTest : public QObject
{
    Q_OBJECT

private:
    /// The one recording that the mode leaves.
    static std::unique_ptr<ReadRecording> recordingOf(const QString &folder, const char *mode)
    {
        NcclJobRun run(folder, 5, { QString::fromLatin1(mode) });
        const auto paths
            = run.exitCode() == 0 ? tests::recordingsIn(folder) : std::vector<std::string> {};
        return paths.size() == 1 ? std::make_unique<ReadRecording>(paths.front()) : nullptr;
    }

    static qint64 bytesIn(const QString &folder)
    {
        qint64 bytes = 0;
        for (const std::string &path : tests::recordingsIn(folder))
            bytes += QFileInfo(QString::fromStdString(path)).size();
        return bytes;
    }

private slots:
    void aKilledProcessLeavesAReadableFile()
    {
        constexpr int Kills = 20;
        std::mt19937 random(7); // NOLINT(cert-msc51-cpp): the same every time
        std::uint64_t steps = 0;
        for (int i = 0; i < Kills; ++i) {
            const QTemporaryDir folder;
            NcclJobRun run(folder.path(), 4 + i % 4,
                           { QStringLiteral("ring"), QStringLiteral("0"), QStringLiteral("3"),
                             QStringLiteral("4"), QStringLiteral("1000000"),
                             QStringLiteral("5000") }); // else a busy test reads gigabytes
            const auto lines = static_cast<int>(random() % 30);
            // Half of them not before so much is written: a fast job has said all lines by then.
            const qint64 leastBytes = i % 2 == 0 ? 0 : static_cast<qint64>(random() % 100'000);
            int seen = 0;
            while ((seen <= lines || bytesIn(folder.path()) < leastBytes)
                   && run.process().waitForReadyRead(60'000))
                seen += static_cast<int>(run.process().readAllStandardOutput().count('\n'));
            run.process().kill();
            QCOMPARE(run.exitCode(), -1);
            const auto paths = tests::recordingsIn(folder.path());
            QCOMPARE(paths.size(), std::size_t(1));
            const ReadRecording recording(paths.front());
            QCOMPARE(recording.counts.at(RecordFileHeader), std::uint64_t(1));
            const bool isCut = recording.scanner.endsInsideRecord();
            QCOMPARE(recording.scanner.skippedPlaces(), std::uint64_t(isCut ? 1 : 0));
            const std::string said = recording.sink.diagnosticsText();
            QVERIFY2(said.find("bad-time") == std::string::npos, said.c_str());
            // A name is in the file before what is named so.
            QVERIFY(recording.sink.text().find("\"\"") == std::string::npos);
            const auto found = recording.counts.find(RecordProxyStep);
            steps += found != recording.counts.end() ? found->second : 0;
        }
        QVERIFY(steps > 1000);
    }

    void whatFindsNoRoomIsCounted()
    {
        const QTemporaryDir folder;
        const auto recording = recordingOf(folder.path(), "flood");
        QVERIFY(recording != nullptr);
        QCOMPARE(recording->counts[RecordProxyStep] + recording->dropped, std::uint64_t(40'000));
        QVERIFY(recording->dropped > 20'000);
        QCOMPARE(recording->counts[RecordProxyOp], std::uint64_t(2500));
        QVERIFY(recording->sink.diagnosticsText().find("dropped-records error")
                != std::string::npos);
    }

    void callsOutOfOrderDoNoHarm()
    {
        const QTemporaryDir folder;
        const auto recording = recordingOf(folder.path(), "misuse");
        QVERIFY(recording != nullptr);
        // Receives that were never stopped end with their last state; the one whose state came
        // after its operation's end moved nothing.
        QCOMPARE(recording->counts[RecordProxyStep], std::uint64_t(40));
        QCOMPARE(recording->counts[RecordProxyOp], std::uint64_t(3));
        QCOMPARE(recording->counts[RecordCollective], std::uint64_t(1));
        const std::string text = recording->sink.text() + recording->sink.diagnosticsText();
        QVERIFY2(text.find("\"PXN 0\"") != std::string::npos, text.c_str());
        QVERIFY2(text.find("no-end warning 1 ") != std::string::npos, text.c_str());
        QVERIFY2(text.find("bad-time") == std::string::npos, text.c_str());
        // A step and an operation without parents.
        QCOMPARE(recording->dropped, std::uint64_t(2));
    }

    void aForkedChildWritesNothing()
    {
        const QTemporaryDir folder;
        const auto recording = recordingOf(folder.path(), "forked");
        QVERIFY(recording != nullptr);
        QCOMPARE(recording->counts[RecordCollective], std::uint64_t(2));
        QCOMPARE(recording->counts[RecordProxyStep], std::uint64_t(2 * 96));
        QCOMPARE(recording->counts[RecordEnd], std::uint64_t(1));
        QCOMPARE(recording->scanner.skippedBytes(), std::uint64_t(0));
    }

    void aSecondLoadGoesOnInTheSameFile()
    {
        const QTemporaryDir folder;
        const auto recording = recordingOf(folder.path(), "reload");
        QVERIFY(recording != nullptr);
        QCOMPARE(recording->counts[RecordCommunicator], std::uint64_t(2));
        QCOMPARE(recording->counts[RecordCollective], std::uint64_t(2));
        QCOMPARE(recording->counts[RecordEnd], std::uint64_t(1));
    }

    void aJobThatFinalizesNothingIsWholeAtItsEnd()
    {
        const QTemporaryDir folder;
        const auto recording = recordingOf(folder.path(), "unfinished");
        QVERIFY(recording != nullptr);
        QCOMPARE(recording->counts[RecordCollective], std::uint64_t(1));
        QCOMPARE(recording->counts[RecordProxyStep], std::uint64_t(96));
        QCOMPARE(recording->counts[RecordEnd], std::uint64_t(1));
        QCOMPARE(recording->dropped, std::uint64_t(0));
    }

    void aFullDiskEndsTheRecordingOnly()
    {
        const QTemporaryDir folder;
        NcclJobRun run(folder.path(), 5, { QStringLiteral("full") });
        QCOMPARE(run.exitCode(), 0);
        QVERIFY(saysThatItEnded(run));
        const ReadRecording recording(tests::recordingsIn(folder.path()).front());
        QVERIFY(recording.scanner.skippedPlaces() <= 1);
        const auto steps = recording.counts.find(RecordProxyStep);
        QVERIFY(steps != recording.counts.end());
    }

    /// It was said by the thread's next turn, and after the last one there is none.
    void aDiskThatIsFullAtTheEndIsToldOf()
    {
        const QTemporaryDir folder;
        NcclJobRun run(folder.path(), 5, { QStringLiteral("small") });
        QCOMPARE(run.exitCode(), 0);
        QVERIFY(saysThatItEnded(run));
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(NcclDamageTest)
#include "tst_nccl_damage.moc"
