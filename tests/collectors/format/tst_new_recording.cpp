#include "collectors/format/new_recording.h"

#include <QDir>
#include <QTemporaryDir>
#include <QTest>

#include <unistd.h>

using namespace collectors;

/// Where a process's file is, and what it is called.
class NewRecordingTest : public QObject
{
    Q_OBJECT

private slots:
    void init()
    {
        for (const char *name : { "RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID" })
            qunsetenv(name);
    }

    void theFolderIsMadeWithThoseAboveIt()
    {
        const QTemporaryDir folder;
        const std::string wanted = folder.filePath(QStringLiteral("a/b/c")).toStdString();
        const NewRecording made = createRecording(wanted, CollectorNccl, "nccl");
        QVERIFY2(made.file != nullptr, made.error.c_str());
        QVERIFY(made.path.starts_with(wanted + '/'));
    }

    void theNameHasTheRankWhereALauncherTellsIt_data()
    {
        QTest::addColumn<QByteArray>("variable");
        QTest::addColumn<QByteArray>("value");
        QTest::addColumn<QByteArray>("rank");
        QTest::newRow("torchrun") << QByteArray("RANK") << QByteArray("12") << QByteArray("-12-");
        QTest::newRow("Open MPI") << QByteArray("OMPI_COMM_WORLD_RANK") << QByteArray("3")
                                  << QByteArray("-3-");
        QTest::newRow("MPICH") << QByteArray("PMI_RANK") << QByteArray("4") << QByteArray("-4-");
        QTest::newRow("Slurm") << QByteArray("SLURM_PROCID") << QByteArray("5")
                               << QByteArray("-5-");
        QTest::newRow("not a number") << QByteArray("RANK") << QByteArray("one") << QByteArray("-");
        QTest::newRow("none") << QByteArray("NOTHING") << QByteArray("1") << QByteArray("-");
    }
    void theNameHasTheRankWhereALauncherTellsIt()
    {
        QFETCH(QByteArray, variable);
        QFETCH(QByteArray, value);
        QFETCH(QByteArray, rank);
        qputenv(variable.constData(), value);
        const QTemporaryDir folder;
        const NewRecording made
            = createRecording(folder.path().toStdString(), CollectorCupti, "cupti");
        qunsetenv(variable.constData());
        std::array<char, 64> host {};
        gethostname(host.data(), host.size() - 1);
        const std::string name = std::string(host.data()) + rank.toStdString()
            + std::to_string(getpid()) + ".cupti.lp";
        QCOMPARE(made.path, folder.filePath(QString::fromStdString(name)).toStdString());
    }

    void aNumberIsAddedWhereThereIsAFile()
    {
        const QTemporaryDir folder;
        const std::string in = folder.path().toStdString();
        const NewRecording first = createRecording(in, CollectorNccl, "nccl");
        const NewRecording second = createRecording(in, CollectorNccl, "nccl");
        QVERIFY(first.file != nullptr && second.file != nullptr);
        const std::string stem = first.path.substr(0, first.path.size() - 8);
        QCOMPARE(second.path, stem + "-2.nccl.lp");
    }

    void aRelativeFolderIsNamedInFull()
    {
        const QTemporaryDir folder;
        const QString before = QDir::currentPath();
        QVERIFY(QDir::setCurrent(folder.path()));
        const NewRecording made = createRecording("./traces/", CollectorNccl, "nccl");
        QVERIFY(QDir::setCurrent(before));
        QVERIFY(made.file != nullptr);
        const QString wanted = QDir(folder.path()).canonicalPath() + QStringLiteral("/traces/");
        QVERIFY2(QString::fromStdString(made.path).startsWith(wanted), made.path.c_str());
    }

    void whyThereIsNoneIsSaid()
    {
        const NewRecording none = createRecording("/proc/none", CollectorNccl, "nccl");
        QVERIFY(none.file == nullptr);
        QVERIFY2(none.error.find("/proc/none/") == 0
                     && none.error.find(" cannot be created: ") != std::string::npos,
                 none.error.c_str());
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(NewRecordingTest)
#include "tst_new_recording.moc"
