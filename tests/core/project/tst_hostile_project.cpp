#include "core/project/codec/record_chunks.h"
#include "core/project/read/project_reader.h"
#include "core/project/schema/migration.h"
#include "core/project/write/project_writer.h"
#include "core/sqlite/sqlite_api.h"
#include "random_trace.h"

#include <QTest>

#include <sys/stat.h>

#include <fstream>

using namespace core;
using tests::RandomTrace;
using tests::TemporaryProject;

namespace {

void addRank(const std::filesystem::path &path, int rank, bool append)
{
    CollectedFile file({ "rank" + std::to_string(rank), "kineto", 1 });
    const WorkerId worker = file.addWorker();
    file.describeWorker(worker, { rank, 2, "" });
    const TrackId track = file.track(worker, { TrackKind::HostThread, "1", "1", {} });
    tests::writeRows(file, track, RandomTrace(3).rows(500, 1'000'000));
    file.memory(worker, { 5, 0, 1, 2, 3, 4 });
    file.dependency(worker, { DependencyKind::Data, DependencyKey::Node, 1, 2 });
    ProjectWriter writer(path, append);
    QVERIFY(writer.add(file, tests::noRank, {}) == AddResult::Added);
    writer.finish();
}

/// Uses everything that tampering can reach; the message of the Error, or "read".
QString used(const std::filesystem::path &path)
{
    try {
        const ProjectReader reader(path);
        reader.readTrace({});
        reader.memory(WorkerId(0));
        reader.query("SELECT count(*) FROM memory, dependency", 10, {});
        reader.query("SELECT * FROM slice LEFT JOIN tensor LEFT JOIN transfer", 1000, {});
        return QStringLiteral("read");
    } catch (const Error &error) {
        return QString::fromUtf8(error.what());
    }
}

} // namespace

/// A project file may come from a stranger: tampering is an Error or has no effect.
class TestHostileProject : public QObject
{
    Q_OBJECT
private slots:
    void tamperingIsAnErrorWhenRead_data();
    void tamperingIsAnErrorWhenRead();
    void triggersOfTheFileNeverRun();
    void viewsOfTheFileMayNotCallOut();
    void viewsOfAStrangerAreNotRun_data();
    void viewsOfAStrangerAreNotRun();
    void viewsInCapitalsAreNotRunEither();
    void columnsOfNoWidthClaimNoMoreThanTheFileHolds_data();
    void columnsOfNoWidthClaimNoMoreThanTheFileHolds();
    void noValueIsLargerThanTheLimit();
    void aJournalThatNamesAnotherFileIsRefused();
    void filesBesideItThatAreNoFilesAreRefused_data();
    void filesBesideItThatAreNoFilesAreRefused();
    void aJournalOfAKilledWriteIsTaken();
};

namespace {

void row(const char *name, const char *sql, const char *message)
{
    QTest::newRow(name) << QString::fromLatin1(sql) << QString::fromLatin1(message);
}

void addClockRows()
{
    row("a clock that fits by no time at all",
        "REPLACE INTO alignment VALUES (0, 0, 0, 0, 9223372036854775807, 1, 1, 0, 0)",
        "an impossible clock offset");
    row("a clock that is uncertain by all of time",
        "REPLACE INTO alignment VALUES (0, 0, 0, 0, 0, 1, 1, 9223372036854775807, 0)",
        "an impossible clock offset");
    row("a drift of a clock that is not there",
        "REPLACE INTO alignment VALUES (0, 0, 0, 0, 0, 1, 1, 0, 0);"
        "REPLACE INTO property VALUES ('alignment.drift_ranges', '9999 0 1')",
        "an impossible clock drift");
    row("a lowest drift above the highest",
        "REPLACE INTO alignment VALUES (0, 0, 0, 0, 0, 1, 1, 0, 0);"
        "REPLACE INTO property VALUES ('alignment.drift_ranges', '0 2 1')",
        "an impossible clock drift");
    row("a contradiction with a rank that is not there",
        "REPLACE INTO alignment VALUES (0, 0, 0, 0, 0, 1, 1, 0, 0);"
        "REPLACE INTO property VALUES ('alignment.contradictions', '0 9999 1')",
        "a rank that is not there");
}

void addSchemaRows()
{
    row("a view in the place of a table",
        "CREATE TABLE w AS SELECT * FROM worker; DROP TABLE worker; CREATE VIEW worker AS SELECT * "
        "FROM w",
        "a table is missing");
    row("a view in the place of a new table",
        "DROP TABLE tensor; CREATE VIEW tensor AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL "
        "SELECT i + 1 FROM n) SELECT i AS id, 0 AS worker, '' AS name, 0 AS bytes, '' AS dtype, "
        "'' AS shape FROM n",
        "a table is missing");
    // Its module, and what that keeps in the file, would be trusted.
    row("a virtual table in the place of a table",
        "DROP TABLE job_metadata; CREATE VIRTUAL TABLE job_metadata USING fts5(id, name, text)",
        "a table is missing");
    row("a generated column",
        "ALTER TABLE name ADD COLUMN more TEXT AS (hex(zeroblob(100000000))) VIRTUAL",
        "a generated column");
    row("a generated column of a stranger's table",
        "CREATE TABLE mine (a, b AS (zeroblob(100000000)) VIRTUAL)", "a generated column");
    row("an unfinished import that is no JSON",
        "REPLACE INTO property VALUES ('import.unfinished', '[\"run')",
        "record of an unfinished import");
    row("an unfinished import that is no list",
        "REPLACE INTO property VALUES ('import.unfinished', '7')",
        "record of an unfinished import");
}

/// Sizes and ids of records.
void addRecordRows()
{
    row("a chunk that claims a terabyte", "UPDATE memory_chunk SET raw_bytes = 1 << 40",
        "too large");
    row("a chunk of few bytes that claims many", "UPDATE memory_chunk SET raw_bytes = 200000000",
        "too large");
    row("more slices than bytes",
        "UPDATE slice_chunk SET row_count = 1000000; UPDATE track SET slice_count = 1000000",
        "more slices than it can hold");
    row("a negative size", "UPDATE dependency_chunk SET raw_bytes = -1", "too large");
    row("a chunk that claims many rows", "UPDATE memory_chunk SET row_count = 1 << 40",
        "more records than it can hold");
    row("more rows than there are", "UPDATE dependency_chunk SET row_count = 70000", "damaged");
    row("no BLOB at all", "UPDATE memory_chunk SET data = 'text'", "damaged");
    row("records of no worker", "UPDATE dependency_chunk SET worker = 9", "an id points nowhere");
    row("a use of no tensor", "INSERT INTO tensor_use VALUES (0, 5)", "an id points nowhere");
    row("a transfer of no name", "INSERT INTO transfer_call VALUES (0, 0, 1, 1, 1, 9999)",
        "an id points nowhere");
    row("a transfer of no slice", "INSERT INTO transfer_call VALUES (-1, 0, 1, 1, 1, 0)",
        "an id points nowhere");
    row("tensors out of order", "INSERT INTO tensor VALUES (7, 0, '', 0, '', '')",
        "a tensor is missing");
    row("a links BLOB that claims a terabyte", "UPDATE slice_links SET raw_bytes = 1 << 40",
        "too large");
    row("a collective that was ready after the end of time",
        "INSERT INTO collective_call VALUES (0, 0, 'all_reduce', '', 0, 8, 1, 9223372036854775807)",
        "an impossible time");
    row("a file's rank that is no worker", "UPDATE worker_file SET source_file = 1, worker = 77",
        "an id points nowhere");
}

} // namespace

void TestHostileProject::tamperingIsAnErrorWhenRead_data()
{
    QTest::addColumn<QString>("sql");
    QTest::addColumn<QString>("message");
    addClockRows();
    addSchemaRows();
    addRecordRows();
}

void TestHostileProject::tamperingIsAnErrorWhenRead()
{
    QFETCH(const QString, sql);
    QFETCH(const QString, message);
    const TemporaryProject project;
    addRank(project.path, 0, false);
    QCOMPARE(used(project.path), QStringLiteral("read"));
    {
        Database db(project.path, OpenMode::ReadWrite);
        db.execute(sql.toStdString());
    }
    const QString error = used(project.path);
    QVERIFY2(error.contains(message), qPrintable(error));
}

void TestHostileProject::triggersOfTheFileNeverRun()
{
    const TemporaryProject project;
    addRank(project.path, 0, false);
    {
        Database db(project.path, OpenMode::ReadWrite);
        db.execute("CREATE TRIGGER evil AFTER INSERT ON worker BEGIN DELETE FROM source_file; END");
    }
    addRank(project.path, 1, true);
    QCOMPARE(ProjectReader(project.path).info().files.size(), 2U);
}

void TestHostileProject::viewsOfTheFileMayNotCallOut()
{
    const TemporaryProject project;
    addRank(project.path, 0, false);
    {
        Database db(project.path, OpenMode::ReadWrite);
        db.execute("CREATE VIEW dependency AS SELECT load_extension('evil') AS x");
    }
    const QString error = used(project.path);
    QVERIFY2(error.contains(QStringLiteral("load_extension")), qPrintable(error));
}

/// One that never ends took the query with it.
void TestHostileProject::viewsOfAStrangerAreNotRun_data()
{
    QTest::addColumn<QString>("sql");
    QTest::newRow("all of it") << QStringLiteral("SELECT * FROM clock");
    QTest::newRow("no column of it") << QStringLiteral("SELECT count(*) FROM clock");
    QTest::newRow("through an own view") << QStringLiteral("SELECT * FROM step");
    QTest::newRow("where it lies") << QStringLiteral("SELECT * FROM main.clock");
    QTest::newRow("another name") << QStringLiteral("SELECT * FROM mine");
}

void TestHostileProject::viewsOfAStrangerAreNotRun()
{
    QFETCH(const QString, sql);
    const TemporaryProject project;
    addRank(project.path, 0, false);
    const auto rows = [&](const char *text) {
        return ProjectReader(project.path).query(text, 10, {}).rows.size();
    };
    QCOMPARE(rows("SELECT * FROM clock"), 0U); // an own one: nothing is aligned
    {
        Database db(project.path, OpenMode::ReadWrite);
        db.execute("DROP VIEW clock;"
                   "CREATE VIEW clock AS WITH RECURSIVE n(worker) AS (SELECT 0 UNION ALL SELECT "
                   "worker + 1 FROM n) SELECT worker, 0 AS offset_ns, 0 AS drift_ppm, 0 AS "
                   "drift_from_ns FROM n;"
                   "CREATE VIEW mine AS SELECT * FROM clock;");
    }
    try {
        rows(sql.toStdString().c_str());
        QFAIL("it ran");
    } catch (const Error &error) {
        QVERIFY2(std::string_view(error.what()).find("is not Longpole's") != std::string_view::npos,
                 error.what());
    }
    QCOMPARE(rows("SELECT * FROM worker"), 1U);
}

/// SQLite reads "VIEW" and "MINE" of its schema as "view" and "mine".
void TestHostileProject::viewsInCapitalsAreNotRunEither()
{
    const TemporaryProject project;
    addRank(project.path, 0, false);
    {
        Database db(project.path, OpenMode::ReadWrite);
        db.execute("CREATE VIEW mine AS SELECT * FROM worker");
        sqlite3_db_config(db.handle(), SQLITE_DBCONFIG_DEFENSIVE, 0, nullptr);
        db.execute("PRAGMA writable_schema = ON;"
                   "UPDATE sqlite_schema SET type = 'VIEW', name = 'MINE', tbl_name = 'MINE' "
                   "WHERE name = 'mine'");
    }
    QVERIFY_THROWS_EXCEPTION(Error,
                             ProjectReader(project.path).query("SELECT * FROM mine", 10, {}));
    QCOMPARE(ProjectReader(project.path).query("SELECT * FROM worker", 10, {}).rows.size(), 1U);
}

/// Ends as a journal of a transaction over several databases does; `named` is the file that
/// SQLite's recovery deletes.
void writeNamingJournal(const std::filesystem::path &journal, const std::string &named)
{
    const auto number = [](std::uint32_t value) {
        std::string bytes;
        for (int shift = 24; shift >= 0; shift -= 8)
            bytes += static_cast<char>(value >> shift);
        return bytes;
    };
    const std::string magic = "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7";
    std::uint32_t checksum = 0;
    for (const char c : named)
        checksum += static_cast<std::uint32_t>(static_cast<signed char>(c));
    constexpr std::uint32_t SectorBytes = 512, PageBytes = 16384, LockByte = 0x40000000;
    std::string header
        = magic + number(0) + number(0x1234) + number(1) + number(SectorBytes) + number(PageBytes);
    header.resize(SectorBytes);
    std::ofstream(journal, std::ios::binary)
        << header << number(LockByte / PageBytes + 1) << named
        << number(static_cast<std::uint32_t>(named.size())) << number(checksum) << magic;
}

void TestHostileProject::columnsOfNoWidthClaimNoMoreThanTheFileHolds_data()
{
    QTest::addColumn<QString>("insert");
    QTest::addColumn<int>("columns");
    QTest::newRow("dependencies") << QStringLiteral(
        "INSERT INTO dependency_chunk VALUES (NULL, 0, 65536, ?1, ?2)")
                                  << 4;
    QTest::newRow("memory") << QStringLiteral(
        "INSERT INTO memory_chunk VALUES (NULL, 0, 65536, 0, 0, ?1, ?2, NULL)")
                            << 6;
}

/// Nine bytes a column hold any number of rows: a file of a megabyte took gigabytes.
void TestHostileProject::columnsOfNoWidthClaimNoMoreThanTheFileHolds()
{
    QFETCH(QString, insert);
    QFETCH(int, columns);
    constexpr int ColumnBytes = 9, Chunks = 1000;
    const TemporaryProject project;
    addRank(project.path, 0, false);
    const ByteBuffer raw(static_cast<std::size_t>(columns) * ColumnBytes);
    {
        Compressor compressor;
        const ByteSpan data = compressor.compress(raw);
        Database db(project.path, OpenMode::ReadWrite);
        Transaction adding(db);
        Statement add(db, insert.toStdString());
        for (int i = 0; i < Chunks; ++i)
            add.bindAll(raw.size(), data).run();
        adding.commit();
    }
    const QString message = used(project.path);
    QVERIFY2(message.contains(QStringLiteral("more records than it can hold")),
             qPrintable(message));
}

/// The limit held for databases of other programs only.
void TestHostileProject::noValueIsLargerThanTheLimit()
{
    const TemporaryProject project;
    addRank(project.path, 0, false);
    const ProjectReader reader(project.path);
    QCOMPARE(reader.query("SELECT length(zeroblob(1000000))", 1, {}).rows.size(), 1U);
    QVERIFY_THROWS_EXCEPTION(Error, reader.query("SELECT zeroblob(100000000)", 1, {}));
}

void TestHostileProject::aJournalThatNamesAnotherFileIsRefused()
{
    const TemporaryProject project;
    addRank(project.path, 0, false);
    const std::filesystem::path victim = project.path.parent_path() / "victim.txt";
    std::ofstream(victim) << "precious";
    writeNamingJournal(project.path.string() + "-journal", victim.string());
    const QString message = used(project.path);
    QVERIFY2(message.contains(QStringLiteral("names another file")), qPrintable(message));
    QVERIFY(message.contains(QStringLiteral("-journal")));
    QVERIFY_THROWS_EXCEPTION(Error, rollBackKilledWrite(project.path));
    QVERIFY(std::filesystem::exists(victim));
}

void TestHostileProject::filesBesideItThatAreNoFilesAreRefused_data()
{
    QTest::addColumn<QString>("suffix");
    QTest::addColumn<QString>("kind");
    for (const char *suffix : { "-journal", "-wal", "-shm" })
        for (const char *kind : { "pipe", "link", "second name" })
            QTest::addRow("%s %s", suffix, kind)
                << QString::fromLatin1(suffix) << QString::fromLatin1(kind);
}

/// A pipe without a writer would be waited for in an open() that nothing ends.
void TestHostileProject::filesBesideItThatAreNoFilesAreRefused()
{
    QFETCH(const QString, suffix);
    QFETCH(const QString, kind);
    const TemporaryProject project;
    addRank(project.path, 0, false);
    const std::filesystem::path victim = project.path.parent_path() / "victim.txt";
    std::ofstream(victim) << "precious";
    const std::filesystem::path beside = project.path.string() + suffix.toStdString();
    std::filesystem::remove(beside);
    if (kind == QStringLiteral("pipe"))
        QCOMPARE(mkfifo(beside.c_str(), 0600), 0);
    else if (kind == QStringLiteral("link"))
        std::filesystem::create_symlink(victim, beside);
    else
        std::filesystem::create_hard_link(victim, beside);
    const QString message = used(project.path);
    QVERIFY2(message.contains(suffix) && message.contains(QStringLiteral("remove it")),
             qPrintable(message));
    QCOMPARE(std::filesystem::file_size(victim), std::uintmax_t { 8 });
}

void TestHostileProject::aJournalOfAKilledWriteIsTaken()
{
    const TemporaryProject project;
    addRank(project.path, 0, false);
    const std::filesystem::path copy = project.path.parent_path() / "killed.longpole";
    {
        Database db(project.path, OpenMode::ReadWrite);
        db.execute("PRAGMA cache_size = 1");
        const Transaction transaction(db);
        db.execute("UPDATE name SET text = text || 'x'");
        std::filesystem::copy(project.path, copy);
        std::filesystem::copy(project.path.string() + "-journal", copy.string() + "-journal");
    }
    QCOMPARE(used(copy), QStringLiteral("read"));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestHostileProject)
#include "tst_hostile_project.moc"
