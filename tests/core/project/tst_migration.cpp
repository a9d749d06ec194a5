#include "core/project/column_codec.h"
#include "core/project/compression.h"
#include "core/project/migration.h"
#include "core/project/project_reader.h"
#include "core/project/project_writer.h"
#include "core/project/schema.h"
#include "core/project/slice_codec.h"
#include "random_trace.h"

#include <QElapsedTimer>
#include <QTest>

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <iterator>

using namespace core;
using tests::TemporaryProject;

namespace {

namespace fs = std::filesystem;

fs::path schemaOfVersion(int version)
{
    return LONGPOLE_SOURCE_DIR "/tests/data/project/schema_version_" + std::to_string(version)
        + ".sql";
}

std::string readBytes(const fs::path &path)
{
    std::ifstream file(path, std::ios::binary);
    return { std::istreambuf_iterator<char>(file), {} };
}

SliceColumns threeSlices()
{
    SliceColumns slices;
    slices.startNs = { 1000, 1100, 1500 };
    slices.durationNs = { 400, 100, 50 };
    slices.name = { NameId(1), NameId(2), NameId(1) };
    slices.category = { Category::CpuOp, Category::Runtime, Category::CpuOp };
    slices.phase = { Phase::Forward, Phase::Forward, Phase::None };
    slices.depth = { 0, 1, 0 };
    return slices;
}

/// The columns of a chunk's links: version 1 has no node.
ByteBuffer linksOf(int version)
{
    using Column = std::vector<std::uint64_t>;
    ByteBuffer out;
    for (const Column &column : { Column { 0, 77, 0 }, Column { 5, 5, 6 }, Column { 1, 0, 0 },
                                  Column { 0, 0, 0 }, Column { 64, 0, 0 }, Column { 1, 0, 0 } })
        encodeColumn(column, out);
    if (version > 1)
        encodeColumn(Column { 0, 0, 0 }, out);
    return out;
}

void insertSlices(Database &db, int version)
{
    const SliceColumns slices = threeSlices();
    ByteBuffer hot;
    encodeHot(slices, 0, slices.size(), hot);
    const ByteBuffer carried = encodeCarried({});
    Statement(db, "INSERT INTO slice_hot VALUES (0, ?, ?)")
        .bindAll(ByteSpan(carried), ByteSpan(hot))
        .run();
    Compressor compressor;
    const ByteBuffer links = linksOf(version);
    Statement(db, "INSERT INTO slice_links VALUES (0, ?, ?)")
        .bindAll(static_cast<std::uint64_t>(links.size()), compressor.compress(links))
        .run();
    const std::string text = "{\"n\": 1}";
    ByteBuffer args = { 8, 0, 0, 0 };
    args.insert(args.end(), text.begin(), text.end());
    Statement(db, "INSERT INTO args_block VALUES (0, 1, ?, ?)")
        .bindAll(static_cast<std::uint64_t>(args.size()), compressor.compress(args))
        .run();
}

/// A project as an older version wrote it: one rank with one thread of three slices.
void writeVersion(int version, const fs::path &path)
{
    Database db(path, OpenMode::Create);
    db.execute(readBytes(schemaOfVersion(version)));
    db.execute("PRAGMA user_version = " + std::to_string(version));
    const std::string source = version == 2
        ? "INSERT INTO source_file VALUES (NULL, 'rank4.json', 'kineto', 500, 'read', '');"
        : "INSERT INTO source_file VALUES (NULL, 'rank4.json', 'kineto', 500, 'read', '', 7, 'f');";
    db.execute(
        version == 1
            ? "INSERT INTO source_file VALUES (NULL, 'rank4.json', 'kineto', 500);"
              "INSERT INTO worker_file VALUES (0, 'rank4.json');"
              "INSERT INTO track VALUES (0, 0, 'host_thread', '1', '2', 'thread 2', NULL, 0, 3, 2, "
              "1000, 1550);"
              "INSERT INTO iteration VALUES (0, 3, 1000, 1550)"
            : source
                + "INSERT INTO worker_file VALUES (0, 'rank4.json', 1);"
                  "INSERT INTO track VALUES (0, 0, 'host_thread', '1', '2', 'thread 2', NULL, 0, "
                  "3, 2, "
                  "1000, 1550, 1);"
                  "INSERT INTO iteration VALUES (0, 3, 1000, 1550, 0);"
                  "INSERT INTO file_event_count VALUES (1, 'cpu_op', 2), (1, 'cuda_runtime', 1);"
                  "DELETE FROM property");
    db.execute("INSERT INTO worker VALUES (0, 4, 'node1', 8);"
               "INSERT INTO name VALUES (0, ''), (1, 'aten::mm'), (2, 'cudaLaunchKernel');"
               "INSERT INTO event_count VALUES (0, 'cpu_op', 2), (0, 'cuda_runtime', 1);"
               "INSERT INTO slice_chunk VALUES (0, 0, 3, 1000, 1500, 1550);");
    db.execute(std::string("INSERT INTO alignment VALUES (0, 5, 0.5, 1000, 1, 0, 1")
               + (version > 3 ? ", 0, 0)" : ")"));
    db.execute(
        std::string("INSERT INTO collective_call VALUES (1, 0, 'all_reduce', '', NULL, 64, 8")
        + (version > 4 ? ", NULL)" : ")"));
    const std::string diagnostic = "('bad-time', 'error', 2, 'rank4.json', 9, 'odd'";
    db.execute("INSERT INTO diagnostic VALUES " + diagnostic + (version > 2 ? ", 1)" : ")"));
    insertSlices(db, version);
}

void checkContent(const ProjectReader &reader)
{
    QCOMPARE(reader.info().workers.at(0).rank, 4);
    QCOMPARE(reader.info().workers[0].files, std::vector<std::string> { "rank4.json" });
    QCOMPARE(reader.info().tracks.at(0).file, FileId(1));
    QCOMPARE(reader.info().files.at(0).name, std::string("rank4.json"));
    QCOMPARE(reader.info().files[0].status, FileStatus::Read);
    QCOMPARE(reader.info().files[0].ranks, std::vector<int> { 4 });
    QCOMPARE(reader.info().files[0].eventsByCategory.at("cpu_op"), 2U);
    QCOMPARE(reader.info().formats, std::vector<std::string> { "kineto" });
    QCOMPARE(reader.info().diagnostics.at(0).code, std::string("bad-time"));
    QVERIFY(reader.info().diagnostics[0].losesRecords);
    const Alignment &alignment = reader.info().alignment.workers.at(0);
    QCOMPARE(alignment.toAligned(3'000'000), 3'000'006);
    QCOMPARE(alignment.uncertaintyNs, 0);
    QVERIFY(alignment.isKnown && !alignment.isAsRecorded);
    const Trace trace = reader.readTrace({});
    QCOMPARE(trace.slices.at(0).correlation, (std::vector<std::uint64_t> { 0, 77, 0 }));
    QCOMPARE(trace.slices[0].node, (std::vector<std::uint64_t> { 0, 0, 0 }));
    QCOMPARE(trace.iterations.at(0).index, 3);
    QVERIFY(!trace.iterations[0].isStated);
    QCOMPARE(trace.collectives.at(0).bytes, 64U);
    QVERIFY(!trace.collectives[0].readyNs);
    QVERIFY(trace.transfers.empty() && trace.tensors.empty() && trace.dependencies.empty());
    QVERIFY(reader.memory(WorkerId(0)).empty());
    QCOMPARE(reader.slice(SliceId(0))->args, std::string("{\"n\": 1}"));
    const auto rows = reader.query(
        "SELECT (SELECT group_concat(name) FROM slice), (SELECT count(*) FROM step), (SELECT "
        "count(*) FROM transfer), (SELECT count(*) FROM memory), (SELECT file FROM track), "
        "(SELECT coalesce(raw_ready_ns, 1) FROM collective), "
        "(SELECT offset_ns - 4 + is_by_hand FROM clock)",
        1, {});
    QCOMPARE(rows.rows.at(0).at(0).value(), std::string("aten::mm,cudaLaunchKernel,aten::mm"));
    for (const std::size_t column : { 1U, 4U, 5U, 6U })
        QCOMPARE(rows.rows[0].at(column).value(), std::string("1"));
    for (const std::size_t column : { 2U, 3U })
        QCOMPARE(rows.rows[0].at(column).value(), std::string("0"));
}

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
