// The collector in a program of its own: windows of the recording, and what finds no room in it.
#include "tests/collectors/cupti/program_run.h"

#include <QTest>

#include <set>

using namespace collectors;
using tests::ProgramRun;
using tests::Recording;

class CuptiWindowTest : public QObject
{
    Q_OBJECT

private slots:
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
        ProgramRun run;
        run.set("LONGPOLE_GRAPHS", graphs);
        run.set(qPrintable(variable),
                mode == QLatin1String("signal")     ? QStringLiteral("USR2")
                    : mode == QLatin1String("file") ? run.path("control")
                                                    : QStringLiteral("1000000s"));
        QCOMPARE(run.run({ mode }), ProgramRun::ExitCode);
        const Recording recording = run.recording();
        QCOMPARE(recording.calls.size(), std::size_t { 20 });
        QCOMPARE(recording.kernels.size(), std::size_t { 20 });
        for (const KernelRecord &kernel : recording.kernels)
            QVERIFY(kernel.correlation > 10 && kernel.correlation <= 30);
    }

    void aRelativeControlFileIsThatOfTheBeginning()
    {
        ProgramRun run;
        run.process.setWorkingDirectory(run.path("."));
        run.set("LONGPOLE_CONTROL", QStringLiteral("control"));
        QCOMPARE(run.run({ QStringLiteral("file-elsewhere"), run.path("control") }),
                 ProgramRun::ExitCode);
        QCOMPARE(run.recording().kernels.size(), std::size_t { 20 });
    }

    void aWindowOfIterationsHoldsThose()
    {
        ProgramRun run;
        run.set("LONGPOLE_START", QStringLiteral("3"))
            .set("LONGPOLE_DURATION", QStringLiteral("4"));
        QCOMPARE(run.run({ QStringLiteral("iterations") }), ProgramRun::ExitCode);
        const Recording recording = run.recording();
        std::set<std::uint64_t> launched;
        for (const auto &[thread, call] : recording.calls)
            launched.insert(call.correlation);
        QCOMPARE(launched, (std::set<std::uint64_t> { 4, 5, 6, 7 })); // iterations 3 to 6
        QCOMPARE(recording.kernels.size(), std::size_t { 4 });
        for (const IterationRecord &iteration : recording.iterations)
            QVERIFY(iteration.index >= 3 && iteration.index <= 7);
        QVERIFY(recording.iterations.size() >= 3);
    }

    void whatFindsNoRoomIsCounted()
    {
        ProgramRun run;
        run.set("LONGPOLE_BUFFER_MIB", QStringLiteral("8")); // two buffers for four threads
        QCOMPARE(run.run({ QStringLiteral("flood"), QStringLiteral("30000") }),
                 ProgramRun::ExitCode);
        const Recording recording = run.recording();
        const QStringList words = run.output.simplified().split(QLatin1Char(' '));
        QCOMPARE(words.value(1).toULongLong(), 240'000ULL);
        QVERIFY(words.value(3).toULongLong() > 0);
        QCOMPARE(recording.dropped, std::uint64_t { words.value(3).toULongLong() });
        QCOMPARE(recording.kernels.size() + recording.calls.size() + recording.dropped,
                 std::size_t { 240'000 });
        QVERIFY(recording.isClosed);
    }

    /// With the memory that it takes by default: less suffices only where the writer gets its time.
    void aMillionRecordsASecondAreNotDropped()
    {
        ProgramRun run;
        QCOMPARE(run.run({ QStringLiteral("rate"), QStringLiteral("250000") }),
                 ProgramRun::ExitCode);
        const Recording recording = run.recording();
        QCOMPARE(recording.dropped, std::uint64_t { 0 });
        QCOMPARE(recording.kernels.size(), std::size_t { 250'000 });
        QCOMPARE(recording.calls.size(), std::size_t { 250'000 });
        qInfo("%s", qPrintable(run.output.trimmed()));
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(CuptiWindowTest)
#include "tst_cupti_window.moc"
