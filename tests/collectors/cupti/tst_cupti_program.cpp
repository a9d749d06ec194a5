// A program of its own does not notice the collector: without CUPTI, killed, forked, replaced.
#include "tests/collectors/cupti/program_run.h"

#include <QFile>
#include <QTest>

#include <csignal>
#include <random>
#include <set>

using namespace collectors;
using tests::ProgramRun;
using tests::Recording;

class CuptiProgramTest : public QObject
{
    Q_OBJECT

private slots:
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
        ProgramRun run;
        run.set(qPrintable(name), value);
        QCOMPARE(run.run({ QStringLiteral("launches"), QStringLiteral("10") }),
                 ProgramRun::ExitCode);
        QVERIFY2(run.errors.contains(said), qPrintable(run.errors));
        QCOMPARE(run.errors.count(QLatin1Char('\n')),
                 name == QLatin1String("LONGPOLE_OUT") ? 1 : 2);
        run.set("LONGPOLE_QUIET", QStringLiteral("1"));
        QCOMPARE(run.run({ QStringLiteral("launches"), QStringLiteral("10") }),
                 ProgramRun::ExitCode);
        QCOMPARE(run.errors, QString());
    }

    void withoutADriverTheRealLibrarySaysSo()
    {
        const QString real = QStringLiteral("/usr/local/cuda/lib64/libcupti.so");
        if (!QFile::exists(real))
            QSKIP("NVIDIA's libcupti is not on this machine");
        ProgramRun run;
        run.set("LONGPOLE_LIBCUPTI", real);
        run.start({ QStringLiteral("nvtx") });
        QVERIFY(run.process.waitForFinished());
        const QString errors = QString::fromUtf8(run.process.readAllStandardError());
        if (!errors.contains(QStringLiteral("CUDA is not recorded")))
            QSKIP("there is an NVIDIA driver on this machine");
        QVERIFY2(errors.contains(QStringLiteral("no NVIDIA driver on this machine")),
                 qPrintable(errors));
        QCOMPARE(run.process.exitCode(), ProgramRun::ExitCode);
        QCOMPARE(run.recording().ranges.size(), std::size_t { 5 });
    }

    void aKilledProgramLeavesAReadableFile()
    {
        std::mt19937 random(7); // NOLINT: the same sequence each time
        for (int round = 0; round < 20; ++round) {
            ProgramRun run;
            run.set("LONGPOLE_FLUSH_MS", QStringLiteral("10"));
            run.start({ QStringLiteral("forever") });
            QVERIFY(run.process.waitForReadyRead());
            QTRY_VERIFY_WITH_TIMEOUT(!run.files().isEmpty() && run.bytes().size() > 10'000, 60'000);
            QTest::qWait(static_cast<int>(random() % 100)); // any moment
            run.process.kill();
            QVERIFY(run.process.waitForFinished());
            const Recording recording = run.recording();
            QVERIFY(!recording.isClosed);
            QVERIFY(recording.skippedBytes < 65'536); // one record that is cut
            QCOMPARE(recording.header.collector, std::uint32_t { CollectorCupti });
            std::set<std::uint64_t> correlations;
            for (const KernelRecord &kernel : recording.kernels)
                QVERIFY(correlations.insert(kernel.correlation).second);
            QVERIFY(!correlations.empty() || !recording.ranges.empty());
        }
    }

    void aTerminatedProgramLosesItsLastMomentAtMost()
    {
        ProgramRun run;
        run.set("LONGPOLE_FLUSH_MS", QStringLiteral("10"));
        run.start({ QStringLiteral("forever") });
        QVERIFY(run.process.waitForReadyRead());
        QTRY_VERIFY_WITH_TIMEOUT(!run.files().isEmpty() && run.recording().kernels.size() > 1000,
                                 60'000);
        run.process.terminate();
        QVERIFY(run.process.waitForFinished());
        QCOMPARE(run.process.exitStatus(), QProcess::CrashExit);
        QCOMPARE(run.process.exitCode(), SIGTERM);
        QVERIFY(run.recording().kernels.size() > 1000);
    }

    void aForkedChildWritesNothing()
    {
        ProgramRun run;
        QCOMPARE(run.run({ QStringLiteral("forks") }), ProgramRun::ExitCode);
        QCOMPARE(run.files().size(), 1);
        const Recording recording = run.recording();
        QVERIFY(recording.isClosed);
        QCOMPARE(recording.kernels.size(), std::size_t { 2 });
        QCOMPARE(tests::namesOfRanges(recording), std::vector<std::string> { "in both" });
    }

    void aForkedChildThatStartsCudaHasItsOwnFile()
    {
        ProgramRun run;
        run.unset("LONGPOLE_LIBCUPTI"); // the parent records ranges only, as one that may fork
        run.unset("CUDA_INJECTION64_PATH");
        QCOMPARE(run.run({ QStringLiteral("forks"), QStringLiteral("1") }), ProgramRun::ExitCode);
        QCOMPARE(run.files().size(), 2);
        std::set<std::vector<std::string>> all;
        for (int i = 0; i < 2; ++i) {
            QVERIFY(run.recording(i).isClosed);
            all.insert(tests::namesOfRanges(run.recording(i)));
            // The iteration that the parent was in is none of the child's.
            for (const IterationRecord &iteration : run.recording(i).iterations)
                QCOMPARE(iteration.index, std::uint64_t { 2 });
        }
        QCOMPARE(
            all,
            (std::set<std::vector<std::string>> { { "in both" }, { "recorded by the child" } }));
    }

    void errnoStays()
    {
        ProgramRun run;
        QCOMPARE(run.run({ QStringLiteral("errno") }), ProgramRun::ExitCode);
    }

    /// The first range of each thread went to key 0, whoever's that was.
    void withoutKeysOnlyCudaIsRecordedAndNothingOverwritten()
    {
        ProgramRun run;
        QCOMPARE(run.run({ QStringLiteral("keys") }), ProgramRun::ExitCode);
        QVERIFY2(run.errors.contains(QStringLiteral("longpole: ranges are not recorded: ")),
                 qPrintable(run.errors));
        QCOMPARE(run.recording().kernels.size(), std::size_t { 1 });
        QCOMPARE(run.recording().ranges.size(), std::size_t { 0 });
        QVERIFY(run.recording().dropped > 0);
    }

    void anotherProgramOfTheSameProcessHasItsOwnFile()
    {
        ProgramRun run;
        QCOMPARE(run.run({ QStringLiteral("execs") }), ProgramRun::ExitCode);
        QCOMPARE(run.files().size(), 2);
        QCOMPARE(run.recording(0).header.processId, run.recording(1).header.processId);
        const std::size_t first = run.recording(0).kernels.size();
        const std::size_t second = run.recording(1).kernels.size();
        QCOMPARE(std::max(first, second), std::size_t { 5 }); // "...-2.cupti.lp"
        QVERIFY(run.recording(0).isClosed != run.recording(1).isClosed);
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(CuptiProgramTest)
#include "tst_cupti_program.moc"
