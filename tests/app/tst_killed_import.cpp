#include "core/project/write/project_writer.h"
#include "core/sqlite/database.h"
#include "tests/support/generate/generate_kineto.h"

#include <QElapsedTimer>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <random>

using Json = nlohmann::json;
namespace fs = std::filesystem;

namespace {

constexpr int Ranks = 5;
constexpr int EventsARank = 6000;
constexpr int Kills = 10; ///< of new imports, and as many of appending ones
constexpr int TimeoutMs = 300'000;

struct Run
{
    int code = -1;
    QByteArray out, err;
};

Run run(const QString &program, const QStringList &arguments)
{
    QProcess process;
    process.start(program, arguments);
    if (!process.waitForFinished(TimeoutMs) || process.exitStatus() != QProcess::NormalExit)
        return { -1, {}, "crashed or does not end" };
    return { process.exitCode(), process.readAllStandardOutput(), process.readAllStandardError() };
}

Run longpole(const QStringList &arguments)
{
    return run(QStringLiteral(LONGPOLE_PROGRAM), arguments);
}

std::string integrityOf(const fs::path &project)
{
    core::Database db(project, core::OpenMode::Read);
    core::Statement check(db, "PRAGMA integrity_check");
    return check.step() ? check.text(0) : "";
}

} // namespace

/// An import that is killed, or runs out of disk, at any moment leaves what it had committed, and
/// can go on from there.
class TestKilledImport : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void aKilledImportCanGoOn_data();
    void aKilledImportCanGoOn();
    void aFullDiskLosesNothing_data();
    void aFullDiskLosesNothing();
    void aProjectThatCannotBeCompletedIsNoSuccess();
    void anImportThatStoredNothingSaysSo();
    void anEmptyFileIsAnUnfinishedImport();

private:
    QString bundle() const { return m_folder.filePath(QStringLiteral("bundle")); }
    QString traceOf(int rank) const { return bundle() + QStringLiteral("/rank%1.json").arg(rank); }
    QString firstRank() const { return traceOf(0); }
    QString project() const { return m_folder.filePath(QStringLiteral("p.longpole")); }
    QStringList importing(const QString &input, bool append) const
    {
        QStringList words { QStringLiteral("import"), input, QStringLiteral("-o"), project() };
        if (append)
            words << QStringLiteral("--append");
        return words;
    }
    void removeProject() const
    {
        for (const char *suffix : { "", "-wal", "-shm", "-journal" })
            fs::remove(project().toStdString() + suffix);
    }
    bool isThere() const { return fs::exists(project().toStdString()); }
    /// With files of at most so many blocks of 512 bytes; the program died of SIGXFSZ then.
    Run importWithin(int blocks, bool append) const
    {
        const QString limited = QStringLiteral("ulimit -f %1; exec \"$0\" \"$@\"");
        return run(QStringLiteral("sh"),
                   QStringList { QStringLiteral("-c"), limited.arg(blocks),
                                 QStringLiteral(LONGPOLE_PROGRAM) }
                       + importing(bundle(), append));
    }
    /// The ranks of the project, each of which must be there whole.
    int wholeRanks() const;
    /// What info tells of an import that did not come to its end.
    Json unfinished() const;

    QTemporaryDir m_folder;
    std::mt19937 m_random;
    int m_importMs = 0; ///< what an import takes that nobody disturbs
};

void TestKilledImport::initTestCase()
{
    const int seed = qEnvironmentVariableIntValue("LONGPOLE_SEED");
    qInfo("LONGPOLE_SEED=%d", seed);
    m_random.seed(static_cast<std::uint32_t>(seed));
    fs::create_directory(bundle().toStdString());
    for (int rank = 0; rank < Ranks; ++rank) {
        std::ofstream file(traceOf(rank).toStdString());
        tests::generateKineto(file, { EventsARank, rank, Ranks, 1 });
    }
    QElapsedTimer timer;
    timer.start();
    const Run whole = longpole(importing(bundle(), false));
    QVERIFY2(whole.code == 0, whole.err);
    m_importMs = static_cast<int>(timer.elapsed());
    QCOMPARE(wholeRanks(), Ranks);
}

int TestKilledImport::wholeRanks() const
{
    const Run info = longpole({ QStringLiteral("info"), project(), QStringLiteral("--json") });
    if (info.code != 0) {
        qWarning("%s", info.err.constData());
        return -1;
    }
    const Json json = Json::parse(info.out.toStdString());
    for (const Json &rank : json["ranks"])
        if (rank["events"].get<int>() < EventsARank)
            return -1;
    return static_cast<int>(json["ranks"].size());
}

Json TestKilledImport::unfinished() const
{
    const Run info = longpole({ QStringLiteral("info"), project(), QStringLiteral("--json") });
    return Json::parse(info.out.toStdString()).at("unfinished_import");
}

void TestKilledImport::aKilledImportCanGoOn_data()
{
    QTest::addColumn<bool>("append");
    QTest::addColumn<double>("moment"); // 0 is the start of the import, 1 about its end
    std::uniform_real_distribution<double> moment(0, 1.1), beginning(0, 0.1);
    for (int i = 0; i < 3 * Kills; ++i) {
        const bool append = i >= 2 * Kills;
        const double at = i < Kills ? beginning(m_random) : moment(m_random);
        QTest::addRow("%d: %s at %.3f", i, append ? "append" : "new", at) << append << at;
    }
}

void TestKilledImport::aKilledImportCanGoOn()
{
    QFETCH(const bool, append);
    QFETCH(const double, moment);
    removeProject();
    if (append)
        QCOMPARE(longpole(importing(firstRank(), false)).code, 0);
    QProcess process;
    process.start(QStringLiteral(LONGPOLE_PROGRAM), importing(bundle(), append));
    process.waitForFinished(static_cast<int>(moment * m_importMs) + 1);
    process.kill();
    process.waitForFinished(TimeoutMs);

    // What was killed as it began left an empty file, which was told to be no project.
    if (isThere()) {
        const int left = wholeRanks(); // may have to undo what was begun
        QVERIFY2(left >= (append ? 1 : 0), qPrintable(QString::number(left)));
        QCOMPARE(integrityOf(project().toStdString()), std::string("ok"));
        // The user is told, unless nothing had begun or all was done.
        if (left != Ranks && left != (append ? 1 : 0))
            QCOMPARE(unfinished()["inputs"].at(0).get<std::string>(), bundle().toStdString());
        QVERIFY(append || left == Ranks || !unfinished().is_null());
    }
    const Run resumed = longpole(importing(bundle(), isThere()));
    QVERIFY2(resumed.code == 0, resumed.err);
    QVERIFY(unfinished().is_null());
    QCOMPARE(wholeRanks(), Ranks);
    for (const char *suffix : { "-wal", "-shm", "-journal", ".import.part", ".lock" })
        QVERIFY(!fs::exists(project().toStdString() + suffix));
    QCOMPARE(integrityOf(project().toStdString()), std::string("ok"));
}

void TestKilledImport::aFullDiskLosesNothing_data()
{
    QTest::addColumn<bool>("append");
    QTest::newRow("new") << false;
    QTest::newRow("append") << true;
}

/// A limit of the file size stands for the full disk: writing fails in the same way. A new import
/// whose disk was full removed the ranks that it had committed.
void TestKilledImport::aFullDiskLosesNothing()
{
    QFETCH(const bool, append);
    // Larger and larger, so that some of them leave room for some of the ranks.
    bool isEnough = false;
    int kept = 0; // imports that failed and left ranks of theirs
    for (int blocks = 128; !isEnough; blocks += blocks / 4) {
        removeProject();
        if (append)
            QCOMPARE(longpole(importing(firstRank(), false)).code, 0);
        const Run full = importWithin(blocks, append);
        isEnough = full.code == 0;
        if (!isEnough) {
            QCOMPARE(full.code, 1);
            QVERIFY2(full.err.contains("p.longpole") && full.err.contains("disk"), full.err);
        }
        const int ownRanks = append ? 1 : 0;
        const int left = isThere() ? wholeRanks() : 0;
        QVERIFY2(left >= ownRanks, qPrintable(QString::number(blocks)));
        const bool isKept = !isEnough && left > ownRanks;
        kept += isKept ? 1 : 0;
        QCOMPARE(isKept, full.err.contains("What was read before is in the project"));
        if (isKept)
            QCOMPARE(unfinished()["inputs"].at(0).get<std::string>(), bundle().toStdString());
        const Run resumed = longpole(importing(bundle(), isThere()));
        QVERIFY2(resumed.code == 0, resumed.err);
        QCOMPARE(wholeRanks(), Ranks);
        QVERIFY(unfinished().is_null());
    }
    QVERIFY(kept > 0);
}

/// What is added fits into the write-ahead log, but the project's file cannot grow by it: the
/// import was a success, and the file alone damaged.
void TestKilledImport::aProjectThatCannotBeCompletedIsNoSuccess()
{
    constexpr int BlockBytes = 512;
    removeProject();
    for (int rank = 0; rank + 1 < Ranks; ++rank)
        QCOMPARE(longpole(importing(traceOf(rank), rank > 0)).code, 0);
    const fs::path log = project().toStdString() + "-wal";
    QVERIFY(!fs::exists(log));
    const auto blocks = static_cast<int>(fs::file_size(project().toStdString()) / BlockBytes);
    const Run full = importWithin(blocks + 8, true);
    QCOMPARE(full.code, 1);
    for (const char *part : { "p.longpole", "disk", "is kept in p.longpole-wal", "--append" })
        QVERIFY2(full.err.contains(part), full.err);
    QVERIFY(fs::exists(log));
    QVERIFY(!unfinished().is_null());
    QCOMPARE(wholeRanks(), Ranks);
    const Run resumed = longpole(importing(bundle(), true));
    QVERIFY2(resumed.code == 0, resumed.err);
    QVERIFY(!fs::exists(log));
    QVERIFY(unfinished().is_null());
    QCOMPARE(wholeRanks(), Ranks);
    QCOMPARE(integrityOf(project().toStdString()), std::string("ok"));
}

/// `0 events from 0 files; ` was told, and that what had been read is here.
void TestKilledImport::anImportThatStoredNothingSaysSo()
{
    removeProject();
    core::ProjectWriter(project().toStdString(), false, { bundle().toStdString() });
    const Run info = longpole({ QStringLiteral("info"), project() });
    QCOMPARE(info.code, 0);
    QVERIFY2(info.out.contains("0 events from 0 files\n"), info.out);
    QVERIFY2(info.out.contains("before anything was stored") && info.out.contains("--append"),
             info.out);
    QVERIFY2(!info.out.contains("had read is here"), info.out);
    const Run anew = longpole(importing(bundle(), false));
    QCOMPARE(anew.code, 1);
    for (const char *part : { "unfinished", "--append", "remove the project" })
        QVERIFY2(anew.err.contains(part), anew.err);
    const Run resumed = longpole(importing(bundle(), true));
    QVERIFY2(resumed.code == 0, resumed.err);
    QVERIFY(unfinished().is_null());
    QCOMPARE(wholeRanks(), Ranks);
}

/// As former imports left it that were killed as they began.
void TestKilledImport::anEmptyFileIsAnUnfinishedImport()
{
    removeProject();
    std::ofstream(project().toStdString()).close();
    const Run info = longpole({ QStringLiteral("info"), project() });
    QCOMPARE(info.code, 1);
    QVERIFY2(info.err.contains("interrupted") && info.err.contains("--append"), info.err);
    const Run anew = longpole(importing(bundle(), false));
    QCOMPARE(anew.code, 1);
    QVERIFY2(anew.err.contains("unfinished") && anew.err.contains("--append"), anew.err);
    const Run resumed = longpole(importing(bundle(), true));
    QVERIFY2(resumed.code == 0, resumed.err);
    QCOMPARE(wholeRanks(), Ranks);
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestKilledImport)
#include "tst_killed_import.moc"
