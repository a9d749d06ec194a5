#include "tests/app/longpole_program.h"
#include "tests/support/generate/generate_kineto.h"
#include "tests/support/unit_test.h"

#include <QFile>
#include <QTest>

#include <csignal>
#include <fstream>

using tests::longpole;
using tests::Run;
using tests::start;

class OptimizeCommandTest : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void stoppedItWritesTheBestSoFar_data();
    void stoppedItWritesTheBestSoFar();
    void theSameSeedWritesTheSameBytes();
    void aSeedBelowZeroIsWrongUsage();
    void theAdvisedStrategyIsNotRepeated();
    void nothingTriedIsAnErrorAndWritesNoFile();
    void itTellsWhichTargetsSayIt_data();
    void itTellsWhichTargetsSayIt();

private:
    tests::SampleFolder m_folder;
};

void OptimizeCommandTest::initTestCase()
{
    const Run run = m_folder.import();
    QVERIFY2(run.code == 0, run.text());
}

void OptimizeCommandTest::stoppedItWritesTheBestSoFar_data()
{
    QTest::addColumn<int>("signal");
    QTest::newRow("Ctrl+C") << SIGINT;
    QTest::newRow("the end of a batch job's time") << SIGTERM;
}

/// The job is so large that its search takes longer than the test needs to stop it.
void OptimizeCommandTest::stoppedItWritesTheBestSoFar()
{
    QFETCH(const int, signal);
    tests::Words import { "import" };
    for (int rank = 0; rank < 2; ++rank) {
        tests::KinetoOptions options;
        options.events = 30'000;
        options.rank = rank;
        import.push_back(m_folder.path("job") + std::to_string(rank) + ".json");
        std::ofstream out(import.back(), std::ios::binary);
        tests::generateKineto(out, options);
    }
    const std::string project = m_folder.path("large.longpole"), file = m_folder.path("best.json");
    import.insert(import.end(), { "-o", project });
    if (!QFile::exists(QString::fromStdString(project))) {
        const Run run = longpole(import);
        QVERIFY2(run.code == 0, run.text());
    }
    QProcess process;
    start(process, { "--progress", "optimize", project, "-o", file, "--force" });
    process.setReadChannel(QProcess::StandardError);
    while (!process.readAllStandardError().contains("best so far"))
        QVERIFY(process.waitForReadyRead(120'000));
    ::kill(static_cast<pid_t>(process.processId()), signal);
    QVERIFY(process.waitForFinished(120'000));
    QCOMPARE(process.exitCode(), 0);
    QVERIFY(process.readAllStandardOutput().contains("Stopped: this is the best so far."));
    const Run replay = longpole({ "replay", project, "--strategy", file });
    QVERIFY2(replay.code == 0, replay.text());
}

void OptimizeCommandTest::theSameSeedWritesTheSameBytes()
{
    QByteArray written[2];
    for (QByteArray &bytes : written) {
        const std::string path = m_folder.path("seed.json");
        const Run run
            = longpole({ "optimize", m_folder.project(), "--seed", "3", "-o", path, "--force" });
        QVERIFY2(run.code == 0, run.text());
        QFile file(QString::fromStdString(path));
        QVERIFY(file.open(QIODevice::ReadOnly));
        bytes = file.readAll();
    }
    QVERIFY(written[0].contains("longpole-strategy"));
    QCOMPARE(written[0], written[1]);
}

void OptimizeCommandTest::aSeedBelowZeroIsWrongUsage()
{
    for (const char *seed : { "-1", "1.5", "one" }) {
        const Run run = longpole({ "optimize", m_folder.project(), "--seed", seed });
        QVERIFY2(run.code == 2, run.text());
        QVERIFY2(run.err.contains("--seed"), run.text());
    }
}

void OptimizeCommandTest::theAdvisedStrategyIsNotRepeated()
{
    const Run run = longpole({ "optimize", m_folder.project(), "--verbose" });
    QVERIFY2(run.code == 0, run.text());
    QCOMPARE(run.out.count("\nbucket_cap "), 0);
    QCOMPARE(run.out.count("\nbucket_cuts "), 1);
    QVERIFY2(run.out.contains("Horovod's defaults: a buffer of 128 MiB, cycles of 1 ms"),
             run.text());
}

void OptimizeCommandTest::nothingTriedIsAnErrorAndWritesNoFile()
{
    const std::string path = m_folder.path("none.json");
    const Run run = longpole({ "optimize", m_folder.project(), "--passes", "horovod_fusion",
                               "--set", "bucket_cap_mb=5", "-o", path });
    QVERIFY2(run.code == 1, run.text());
    QVERIFY2(run.err.contains("Nothing could be tried at bucket_cap_mb=5."), run.text());
    QVERIFY2(run.err.contains("horovod_fusion: It would change bucket_cap_mb"), run.text());
    QVERIFY(!QFile::exists(QString::fromStdString(path)));
}

void OptimizeCommandTest::itTellsWhichTargetsSayIt_data()
{
    QTest::addColumn<QByteArray>("pass");
    QTest::addColumn<QByteArray>("target");
    QTest::newRow("buckets") << QByteArray("bucket_cap") << QByteArray("pytorch-ddp");
    QTest::newRow("fusion buffers") << QByteArray("horovod_fusion") << QByteArray("horovod");
    QTest::newRow("no target") << QByteArray("dear") << QByteArray();
}

void OptimizeCommandTest::itTellsWhichTargetsSayIt()
{
    QFETCH(const QByteArray, pass);
    QFETCH(const QByteArray, target);
    const Run run
        = longpole({ "optimize", m_folder.project(), "--passes", pass.toStdString(), "--json" });
    QVERIFY2(run.code == 0, run.text());
    const QByteArray list = run.out.mid(run.out.indexOf("\"export_targets\": ["));
    const QByteArray targets = list.left(list.indexOf(']'));
    QVERIFY2(!targets.isEmpty(), run.text());
    if (target.isEmpty())
        QVERIFY2(!targets.contains('\n'), run.text());
    else
        QVERIFY2(targets.contains("\"" + target + "\""), run.text());
}

LONGPOLE_TEST(OptimizeCommandTest)
#include "tst_optimize_command.moc"
