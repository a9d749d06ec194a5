#include "core/project/read/project_reader.h"
#include "core/project/schema/migration.h"
#include "core/project/schema/schema.h"
#include "core/project/write/project_writer.h"
#include "older_project.h"
#include "tests/core/project/random_trace.h"

#include <QElapsedTimer>
#include <QTest>

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <iterator>

using namespace core;
using tests::checkContent;
using tests::readBytes;
using tests::schemaOfVersion;
using tests::TemporaryProject;
using tests::writeVersion;

namespace {

namespace fs = std::filesystem;

/// Appends a rank, which brings the project up to date.
void appendRank(const fs::path &path, int rank)
{
    CollectedFile file({ "rank" + std::to_string(rank) + ".json", "kineto", 1 });
    const WorkerId worker = file.addWorker();
    file.describeWorker(worker, { rank, 8, "" });
    const TrackId track = file.track(worker, { TrackKind::HostThread, "1", "1", {} });
    SliceRecord record;
    record.startNs = 2000;
    record.name = file.intern("aten::add");
    record.node = 12;
    file.slice(track, record);
    ProjectWriter writer(path, true);
    QVERIFY(writer.add(file, [] { return std::optional<int>(); }, {}) == AddResult::Added);
    writer.finish();
}

/// Rows of tables that the migration rebuilds or copies, so that it takes a while.
void addRows(const fs::path &path)
{
    Database db(path, OpenMode::ReadWrite);
    db.execute("WITH RECURSIVE n(i) AS (SELECT 3 UNION ALL SELECT i + 1 FROM n WHERE i < 10000) "
               "INSERT INTO name SELECT i, 'name ' || i FROM n");
}

fs::path backupOf(int version, const fs::path &path)
{
    return path.string() + ".v" + std::to_string(version) + ".bak";
}

/// Brings a project up to date in a process that is killed when `limit` is over. False if it was
/// done before.
bool isKilled(const fs::path &path, std::chrono::nanoseconds limit)
{
    const pid_t child = fork();
    if (child == 0) {
        try {
            Database db(path, OpenMode::ReadWrite);
            bringUpToDate(db);
        } catch (...) {
            _exit(1);
        }
        _exit(0);
    }
    const auto end = std::chrono::steady_clock::now() + limit;
    int status = 0;
    while (waitpid(child, &status, WNOHANG) == 0) {
        if (std::chrono::steady_clock::now() >= end)
            kill(child, SIGKILL);
    }
    return WIFSIGNALED(status);
}

std::int64_t versionOf(const fs::path &path)
{
    Database db(path, OpenMode::Read);
    return db.integer("PRAGMA user_version");
}

/// After a migration that may have been killed: nothing is lost, and the next one succeeds.
void checkGoesOn(int version, const fs::path &path)
{
    checkContent(ProjectReader(path)); // rolls back what was half done
    const fs::path copy = backupOf(version, path);
    {
        Database db(path, OpenMode::Read);
        Statement check(db, "PRAGMA integrity_check");
        QVERIFY(check.step());
        QCOMPARE(check.text(0), std::string("ok"));
    }
    QVERIFY(versionOf(path) == version || fs::exists(copy));
    appendRank(path, 5);
    QCOMPARE(versionOf(path), ProjectVersion);
    QCOMPARE(ProjectReader(path).info().workers.size(), 2U);
    checkContent(ProjectReader(copy));
}

std::string schemaOf(const fs::path &path)
{
    Database db(path, OpenMode::Read);
    std::string text;
    Statement columns(db,
                      "SELECT s.name, c.name, c.type, c.pk FROM sqlite_schema s, "
                      "pragma_table_xinfo(s.name) c WHERE s.type = 'table' ORDER BY 1, c.cid");
    while (columns.step())
        text += columns.text(0) + "." + columns.text(1) + " " + columns.text(2)
            + std::to_string(columns.integer(3)) + "\n";
    Statement views(db, "SELECT name, sql FROM sqlite_schema WHERE type = 'view' ORDER BY 1");
    while (views.step())
        text += views.text(0) + " " + views.text(1) + "\n";
    return text;
}

} // namespace

class TestMigration : public QObject
{
    Q_OBJECT
private slots:
    void anOlderProjectIsReadAsItIs_data() { versions(); }
    void anOlderProjectIsReadAsItIs();
    void appendingBringsItUpToDateAndKeepsACopy_data() { versions(); }
    void appendingBringsItUpToDateAndKeepsACopy();
    void aMigratedProjectHasTheTablesOfANewOne_data() { versions(); }
    void aMigratedProjectHasTheTablesOfANewOne();
    void anEarlierCopyIsNeverTouched_data() { versions(); }
    void anEarlierCopyIsNeverTouched();
    void withoutTheCopyNothingIsChanged_data() { versions(); }
    void withoutTheCopyNothingIsChanged();
    void migratingTwiceIsHarmless_data() { versions(); }
    void migratingTwiceIsHarmless();
    void killedAtAnyMomentItGoesOnLater_data() { versions(); }
    void killedAtAnyMomentItGoesOnLater();
    void aVersionThatIsNotThatOfTheTablesIsRefused_data() { versions(); }
    void aVersionThatIsNotThatOfTheTablesIsRefused();

private:
    static void versions();
};

void TestMigration::versions()
{
    QTest::addColumn<int>("version");
    for (int version = 1; version < ProjectVersion; ++version)
        QTest::addRow("version %d", version) << version;
}

void TestMigration::anOlderProjectIsReadAsItIs()
{
    QFETCH(const int, version);
    const TemporaryProject file;
    writeVersion(version, file.path);
    const std::string before = readBytes(file.path);
    checkContent(ProjectReader(file.path));
    QVERIFY(readBytes(file.path) == before);
    const fs::directory_iterator folder(file.path.parent_path());
    QCOMPARE(std::distance(begin(folder), end(folder)), 1);
}

void TestMigration::appendingBringsItUpToDateAndKeepsACopy()
{
    QFETCH(const int, version);
    const TemporaryProject file;
    writeVersion(version, file.path);
    appendRank(file.path, 5);
    QCOMPARE(versionOf(file.path), ProjectVersion);
    const ProjectReader reader(file.path);
    QCOMPARE(reader.info().workers.size(), 2U);
    QCOMPARE(reader.slice(SliceId(3))->node, 12U);
    QCOMPARE(reader.info().tracks[1].file, FileId(2));
    const fs::path copy = backupOf(version, file.path);
    QCOMPARE(versionOf(copy), version);
    checkContent(ProjectReader(copy));
}

void TestMigration::aMigratedProjectHasTheTablesOfANewOne()
{
    QFETCH(const int, version);
    const TemporaryProject older, newer;
    writeVersion(version, older.path);
    {
        Database db(older.path, OpenMode::ReadWrite);
        bringUpToDate(db);
        Database created(newer.path, OpenMode::Create);
        createSchema(created);
    }
    QCOMPARE(schemaOf(older.path), schemaOf(newer.path));
    checkContent(ProjectReader(older.path));
}

void TestMigration::anEarlierCopyIsNeverTouched()
{
    QFETCH(const int, version);
    const TemporaryProject file;
    const fs::path copy = backupOf(version, file.path);
    std::ofstream(copy) << "precious";
    writeVersion(version, file.path);
    appendRank(file.path, 5);
    QCOMPARE(readBytes(copy), std::string("precious"));
    QCOMPARE(versionOf(copy.string() + "-2"), version);
}

void TestMigration::withoutTheCopyNothingIsChanged()
{
    QFETCH(const int, version);
    const TemporaryProject file;
    writeVersion(version, file.path);
    fs::create_directories(backupOf(version, file.path).string() + ".part/in the way");
    const std::string before = readBytes(file.path);
    QString message;
    try {
        appendRank(file.path, 5);
    } catch (const Error &error) {
        message = QString::fromUtf8(error.what());
    }
    for (const QString &words : { QStringLiteral("older Longpole (file version %1)").arg(version),
                                  QStringLiteral("you may write to it") })
        QVERIFY2(message.contains(words), qPrintable(message));
    QVERIFY(readBytes(file.path) == before);
}

void TestMigration::migratingTwiceIsHarmless()
{
    QFETCH(const int, version);
    const TemporaryProject file;
    writeVersion(version, file.path);
    Database first(file.path, OpenMode::ReadWrite), second(file.path, OpenMode::ReadWrite);
    migrate(first, version, migrations());
    migrate(second, version, migrations()); // which looked at the version before the first was done
    QCOMPARE(versionOf(file.path), ProjectVersion);
}

void TestMigration::killedAtAnyMomentItGoesOnLater()
{
    QFETCH(const int, version);
    const TemporaryProject older, whole;
    writeVersion(version, older.path);
    addRows(older.path);
    fs::copy_file(older.path, whole.path);
    QElapsedTimer timer;
    timer.start();
    QVERIFY(!isKilled(whole.path, std::chrono::minutes(1)));
    const qint64 wholeNs = timer.nsecsElapsed();
    // On a loaded machine each takes a different time, which only moves the moment.
    for (const int percent : { 1, 10, 20, 30, 45, 60, 70, 80, 90, 100 }) {
        const TemporaryProject killed;
        fs::copy_file(older.path, killed.path);
        isKilled(killed.path, std::chrono::nanoseconds(wholeNs * percent / 100));
        checkGoesOn(version, killed.path);
        if (QTest::currentTestFailed())
            QFAIL(qPrintable(QString::number(percent) + QLatin1String(" %")));
    }
}

/// Another program had changed the number: an append said `table transfer_call already exists`.
void TestMigration::aVersionThatIsNotThatOfTheTablesIsRefused()
{
    QFETCH(const int, version);
    const TemporaryProject tooLow, tooHigh;
    writeVersion(version, tooHigh.path);
    ProjectWriter(tooLow.path, false).finish();
    const auto changeVersion = [](const fs::path &path, int changed) {
        Database(path, OpenMode::ReadWrite)
            .execute("PRAGMA user_version = " + std::to_string(changed));
    };
    changeVersion(tooLow.path, version);
    changeVersion(tooHigh.path, version + 1);
    for (const fs::path &path : { tooLow.path, tooHigh.path }) {
        const std::string before = readBytes(path);
        QVERIFY_THROWS_EXCEPTION(Error, ProjectReader { path });
        try {
            ProjectWriter(path, true).finish();
            QFAIL("no error");
        } catch (const Error &error) {
            const std::string text = error.what();
            QVERIFY2(text.find("is damaged") != text.npos, text.c_str());
            QVERIFY2(text.find("import the bundle again") != text.npos, text.c_str());
        }
        QVERIFY(readBytes(path) == before);
    }
}

QTEST_GUILESS_MAIN(TestMigration)
#include "tst_migration.moc"
