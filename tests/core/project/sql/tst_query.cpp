#include "core/project/read/project_reader.h"
#include "core/project/write/project_writer.h"
#include "core/sqlite/database.h"
#include "tests/core/project/random_trace.h"

#include <QProcess>
#include <QStandardPaths>
#include <QTest>

#include <algorithm>
#include <atomic>
#include <map>
#include <string>
#include <thread>

// g++ tells by a macro, clang by a feature.
#ifdef __SANITIZE_ADDRESS__
#define LONGPOLE_HAS_SANITIZER
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define LONGPOLE_HAS_SANITIZER
#endif
#endif

using namespace core;
using tests::RandomTrace;
using tests::TemporaryProject;

namespace {

constexpr std::int64_t SecondRankOffsetNs = 5'000;

/// Two ranks of one track each, 12,000 slices a rank; rank 3's clock is 5 us behind.
class TwoRanks
{
public:
    TwoRanks()
    {
        ProjectWriter writer(file.path, false);
        addRank(writer, 0);
        addRank(writer, 3);
        AlignmentReport report;
        report.workers = { { WorkerId(0), 0, 0, 0, 0, 0, false, true, true },
                           { WorkerId(1), SecondRankOffsetNs, 0, 0, 10, 0, false, false, true } };
        report.method = "collective-ends";
        writer.setAlignment(report);
        writer.setIterations({ { WorkerId(1), 7, { 1000, 4000 } } });
        writer.finish();
    }

    const TemporaryProject file;

private:
    static void addRank(ProjectWriter &writer, int rank)
    {
        CollectedFile file({ "rank" + std::to_string(rank), "kineto", 1 });
        const WorkerId worker = file.addWorker();
        file.describeWorker(worker, { rank, 2, "host" });
        const TrackId track
            = file.track(worker, { TrackKind::HostThread, "1", std::to_string(rank), {} });
        file.nameTrack(track, "thread of rank " + std::to_string(rank));
        tests::writeRows(file, track,
                         RandomTrace(static_cast<std::uint32_t>(rank)).rows(12'000, 100'000'000));
        const CollectiveInfo info { "all_reduce", "dp", 4, 2 };
        SliceRecord record;
        record.startNs = 1'700'000'000'000'000'500;
        record.durationNs = 100;
        record.name = file.intern("nccl:all_reduce");
        record.category = Category::CommKernel;
        record.collective = &info;
        record.bytes = 4096;
        file.slice(track, record);
        writer.add(file, tests::noRank, {});
    }
};

std::string asText(const QueryResult &result)
{
    std::string text;
    for (const auto &row : result.rows) {
        for (const auto &value : row)
            text += value.value_or("NULL") + "|";
        text += "\n";
    }
    return text;
}

} // namespace

class TestQuery : public QObject
{
    Q_OBJECT
private slots:
    void columnsSayWhatTheReaderSays();
    void constraintsFindWhatAScanFinds_data();
    void constraintsFindWhatAScanFinds();
    void groupsAreTheSameHoweverTheyAreOrdered_data();
    void groupsAreTheSameHoweverTheyAreOrdered();
    void totalsAreTheSumsOfSlices();
    void aReaderThatHasTotalledLetsOthersWrite();
    void viewsJoinSlices();
    void onlyOneReadingStatementIsAllowed_data();
    void onlyOneReadingStatementIsAllowed();
    void anUnknownNameIsToldTheKnownOnes();
    void aQueryIsLimitedAndCancelled();
    void namesAreFoundByAlignedStart();
    void theExtensionShowsTheSameSlices();
    void whatRecordsSayOfClocksIsKept();
    void aLongStatementGivesWayToAWriter();

private:
    std::string query(const std::string &sql) { return asText(m_reader.query(sql, 100'000, {})); }

    TwoRanks m_project;
    ProjectReader m_reader { m_project.file.path };
};

void TestQuery::columnsSayWhatTheReaderSays()
{
    for (const std::uint64_t id : { 0ULL, 5'000ULL, 12'000ULL, 12'001ULL, 24'001ULL }) {
        const SliceInfo slice = m_reader.slice(SliceId(id)).value();
        const Track &track = m_reader.info().tracks[slice.track.value];
        const bool isSecond = slice.worker.value == 1;
        const auto link = [](std::uint64_t value) {
            return value == 0 ? std::string("NULL")
                              : std::to_string(static_cast<std::int64_t>(value));
        };
        const std::string expected = std::to_string(id) + "|" + std::to_string(slice.track.value)
            + (isSecond ? "|3|" : "|0|") + track.name + "|" + slice.name + "|"
            + std::string(categoryName(slice.category)) + "|" + std::string(phaseName(slice.phase))
            + "|" + std::string(roleName(roleOf(slice.category, slice.phase))) + "|"
            + std::to_string(slice.depth) + "|"
            + std::to_string(slice.startNs + (isSecond ? SecondRankOffsetNs : 0)) + "|"
            + std::to_string(slice.startNs) + "|" + std::to_string(slice.durationNs) + "|"
            + link(slice.correlation) + "|" + link(slice.externalId) + "|"
            + (slice.sequence ? std::to_string(slice.sequence - 1) : "NULL") + "|NULL|"
            + link(slice.bytes) + "|" + (slice.args.empty() ? "NULL" : slice.args) + "|"
            + link(slice.node) + "|\n";
        QCOMPARE(query("SELECT * FROM slice WHERE id = " + std::to_string(id)), expected);
    }
}

void TestQuery::constraintsFindWhatAScanFinds_data()
{
    QTest::addColumn<QString>("condition");
    const char *const conditions[]
        = { "name = 'op7'",
            "name = 'no such name'",
            "name = 'OP7' COLLATE NOCASE",
            "name IN ('op1', 'op2', 'op39')",
            "rank = 3",
            "rank = 3.0",
            "track = 0 AND id > 11000",
            "id BETWEEN 8190 AND 8195",
            "id < 10.5",
            "id = -1",
            "id = NULL",
            "start_ns < 1700000000000500000",
            "start_ns >= 1700000000050000000 AND start_ns <= 1700000000050100000",
            "start_ns > 1.70000000005e18",
            "raw_start_ns BETWEEN 1700000000050000000 AND 1700000000051000000 AND name = 'op3'",
            "rank = 0 AND raw_start_ns > 1700000000099000000 AND dur_ns > 10000" };
    for (const char *condition : conditions)
        QTest::newRow(condition) << QString::fromUtf8(condition);
}

void TestQuery::constraintsFindWhatAScanFinds()
{
    QFETCH(const QString, condition);
    std::string unpushed = condition.toStdString();
    // A unary plus keeps SQLite from handing a condition to the table.
    for (const std::string column : { "start_ns", "name", "rank", "track", "id" })
        for (std::size_t at = 0; (at = unpushed.find(column, at)) != std::string::npos;
             at += column.size() + 1) {
            const bool isWord = at == 0 || unpushed[at - 1] == ' ';
            if (isWord)
                unpushed.insert(at, "+");
        }
    if (const auto at = unpushed.find("raw_start_ns"); at != std::string::npos)
        unpushed.insert(at, "+");
    const std::string columns = "SELECT id, name, rank, start_ns FROM slice WHERE ";
    const std::string found = query(columns + condition.toStdString() + " ORDER BY id");
    QCOMPARE(found, query(columns + unpushed + " ORDER BY +id"));
}

void TestQuery::groupsAreTheSameHoweverTheyAreOrdered_data()
{
    QTest::addColumn<QString>("column");
    for (const char *column :
         { "name", "category", "phase", "role", "rank", "track_name", "track", "depth" })
        QTest::newRow(column) << QString::fromUtf8(column);
}

void TestQuery::groupsAreTheSameHoweverTheyAreOrdered()
{
    QFETCH(const QString, column);
    const std::string name = column.toStdString();
    const std::string select = "SELECT " + name + ", count(*), sum(dur_ns) FROM slice ";
    const std::string plain = select + "GROUP BY +" + name;
    QVERIFY(!query(plain).empty());
    QCOMPARE(query(select + "GROUP BY " + name + " ORDER BY 1"), query(plain + " ORDER BY 1"));
    QCOMPARE(query(select + "GROUP BY " + name + " ORDER BY 1 DESC"),
             query(plain + " ORDER BY 1 DESC"));
    QCOMPARE(query(select + "GROUP BY " + name + " ORDER BY 3 DESC, 1"),
             query(plain + " ORDER BY 3 DESC, 1"));
    QCOMPARE(query("SELECT DISTINCT " + name + " FROM slice ORDER BY 1"),
             query("SELECT DISTINCT +" + name + " FROM slice ORDER BY 1"));
    QCOMPARE(query("SELECT " + name + " FROM slice ORDER BY 1 DESC LIMIT 5000"),
             query("SELECT " + name + " FROM slice ORDER BY +" + name + " DESC LIMIT 5000"));
}

void TestQuery::aReaderThatHasTotalledLetsOthersWrite()
{
    QVERIFY(!query("SELECT count(*) FROM slice_total").empty());
    Database other(m_project.file.path, OpenMode::ReadWrite);
    other.execute("CREATE TABLE scribble (text TEXT)");
    QVERIFY(other.tryExecute("DROP TABLE scribble"));
}

void TestQuery::viewsJoinSlices()
{
    QCOMPARE(query("SELECT rank, name, kind, process_group, sequence, bytes, group_size, dur_ns "
                   "FROM collective ORDER BY rank"),
             std::string("0|nccl:all_reduce|all_reduce|dp|4|4096|2|100|\n"
                         "3|nccl:all_reduce|all_reduce|dp|4|4096|2|100|\n"));
    QCOMPARE(query("SELECT rank, number, start_ns, dur_ns, raw_start_ns FROM step"),
             std::string("3|7|6000|3000|1000|\n"));
    QCOMPARE(query("SELECT rank, host FROM worker ORDER BY rank"),
             std::string("0|host|\n3|host|\n"));
}

void TestQuery::totalsAreTheSumsOfSlices()
{
    const std::string columns = "rank, track, track_name, name, category, phase, role, ";
    const std::string order = " ORDER BY track, name, category, phase";
    const std::string expected
        = query("SELECT " + columns + "count(*), sum(dur_ns), min(dur_ns), max(dur_ns) FROM slice "
                + "GROUP BY track, name, category, phase" + order);
    QVERIFY(expected.size() > 1000);
    QCOMPARE(query("SELECT " + columns + "slice_count, dur_ns, min_dur_ns, max_dur_ns FROM "
                   + "slice_total" + order),
             expected);
    QCOMPARE(query("SELECT a.rank, count(*) FROM slice_total a JOIN slice_total b USING (track, "
                   "name, category, phase) GROUP BY a.rank"),
             query("SELECT rank, count(*) FROM slice_total GROUP BY rank"));
}

void TestQuery::onlyOneReadingStatementIsAllowed_data()
{
    QTest::addColumn<QString>("sql");
    QTest::addColumn<QString>("message");
    const QString readOnly = QStringLiteral("only reading is allowed");
    const QString one = QStringLiteral("one statement");
    QTest::newRow("delete") << QStringLiteral("DELETE FROM worker") << readOnly;
    QTest::newRow("temporary table") << QStringLiteral("CREATE TEMP TABLE t (a)") << readOnly;
    QTest::newRow("attach") << QStringLiteral("ATTACH '/tmp/other' AS o") << readOnly;
    QTest::newRow("pragma") << QStringLiteral("PRAGMA journal_mode = WAL") << readOnly;
    QTest::newRow("extension") << QStringLiteral("SELECT load_extension('x')") << QString();
    QTest::newRow("two") << QStringLiteral("SELECT 1; SELECT 2") << one;
    QTest::newRow("read, then write") << QStringLiteral("SELECT 1; DELETE FROM worker") << readOnly;
    QTest::newRow("empty") << QStringLiteral(" -- nothing") << QStringLiteral("empty");
    QTest::newRow("wrong") << QStringLiteral("SELEC 1") << QStringLiteral("syntax error");
    QTest::newRow("no column") << QStringLiteral("SELECT colour FROM slice")
                               << QStringLiteral("no such column: colour");
}

void TestQuery::onlyOneReadingStatementIsAllowed()
{
    QFETCH(const QString, sql);
    QFETCH(const QString, message);
    try {
        m_reader.query(sql.toStdString(), 10, {});
        QFAIL("the statement was accepted");
    } catch (const Error &error) {
        QVERIFY2(QString::fromUtf8(error.what()).contains(message), error.what());
    }
    QCOMPARE(asText(m_reader.query("SELECT 1; -- done", 10, {})), std::string("1|\n"));
}

/// "no such table: event" left the user to look into the program's source.
void TestQuery::anUnknownNameIsToldTheKnownOnes()
{
    const auto said = [this](const std::string &sql) {
        try {
            query(sql);
        } catch (const Error &error) {
            return QString::fromUtf8(error.what());
        }
        return QString();
    };
    const QString table = said("SELECT * FROM event");
    for (const char *word : { "no such table: event. The tables are: ", " slice, slice_total,",
                              " worker, ", "PRAGMA table_info(NAME)" })
        QVERIFY2(table.contains(QLatin1String(word)), qPrintable(table));
    QVERIFY2(!table.contains(QLatin1String("slice_chunk")), qPrintable(table));
    const QString column = said("SELECT nane FROM Worker w JOIN track ON track.worker = w.id");
    for (const char *word :
         { "no such column: nane. Columns of track: id, worker", "Columns of worker: id, rank" })
        QVERIFY2(column.contains(QLatin1String(word)), qPrintable(column));
    QVERIFY2(!column.contains(QLatin1String("of slice")), qPrintable(column));
    QVERIFY(query("PRAGMA table_info(worker)").find("rank") != std::string::npos);
    QVERIFY(query("PRAGMA table_list").find("slice") != std::string::npos);
}

void TestQuery::aQueryIsLimitedAndCancelled()
{
    const QueryResult result = m_reader.query("SELECT id FROM slice", 10, {});
    QCOMPARE(result.rows.size(), 10U);
    QVERIFY(result.isTruncated);
    QVERIFY(!m_reader.query("SELECT id FROM slice LIMIT 10", 10, {}).isTruncated);
    const JobControl cancelled([] { return true; }, {});
    QVERIFY_THROWS_EXCEPTION(
        Cancelled, m_reader.query("SELECT count(*) FROM slice a, slice b", 10, cancelled));
}

void TestQuery::namesAreFoundByAlignedStart()
{
    const auto found = m_reader.findByName("OP3", 1'000'000); // op3 and op30 to op39
    QCOMPARE(std::to_string(found.size()) + "|\n",
             query("SELECT count(*) FROM slice WHERE name LIKE '%op3%'"));
    const auto first = m_reader.findByName("op3", 50);
    QVERIFY(std::equal(first.begin(), first.end(), found.begin()));
    std::string ids;
    for (const SliceId id : first)
        ids += std::to_string(id.value) + "|\n";
    QCOMPARE(ids,
             query("SELECT id FROM slice WHERE name LIKE '%op3%' ORDER BY start_ns, id LIMIT 50"));
    QVERIFY(m_reader.findByName("no such name", 10).empty());
    QVERIFY(m_reader.findByName("op3", 0).empty());
}

void TestQuery::theExtensionShowsTheSameSlices()
{
#ifdef LONGPOLE_HAS_SANITIZER
    QSKIP("an uninstrumented sqlite3 cannot load an instrumented library");
#endif
    const QString shell = QStandardPaths::findExecutable(QStringLiteral("sqlite3"));
    if (shell.isEmpty())
        QSKIP("sqlite3 is not installed");
    const std::string sql = "SELECT name, count(*), sum(dur_ns), min(start_ns) FROM slice "
                            "WHERE rank = 3 GROUP BY name ORDER BY name";
    QProcess process;
    process.start(shell,
                  { QStringLiteral("-readonly"), QString::fromStdString(m_project.file.path),
                    QStringLiteral(".load " LONGPOLE_BINARY_DIR "/lib/longpole"),
                    QString::fromStdString(sql) });
    QVERIFY(process.waitForFinished());
    QCOMPARE(process.readAllStandardError(), QByteArray());
    std::string output = process.readAllStandardOutput().toStdString();
    for (std::size_t at = 0; (at = output.find('\n', at)) != std::string::npos; at += 2)
        output.insert(at, "|");
    QCOMPARE(output, query(sql));
}

void TestQuery::whatRecordsSayOfClocksIsKept()
{
    const TwoRanks project;
    AlignmentReport report = ProjectReader(project.file.path).info().alignment;
    QVERIFY(!report.workers[1].driftRange);
    QVERIFY(report.contradictions.empty());
    report.workers[1].driftRange = DriftRange { -12.5, 1.0 / 3 };
    report.contradictions = { { WorkerId(1), WorkerId(0), 5300 }, { WorkerId(0), WorkerId(1), 2 } };
    const auto store = [&] {
        ProjectWriter writer(project.file.path, true);
        writer.setAlignment(report);
        writer.finish();
        return ProjectReader(project.file.path).info().alignment;
    };
    const AlignmentReport kept = store();
    QVERIFY(kept.workers[1].driftRange == report.workers[1].driftRange);
    QVERIFY(!kept.workers[0].driftRange);
    QVERIFY(kept.contradictions == report.contradictions);
    report.workers[1].driftRange.reset();
    report.contradictions.clear();
    const AlignmentReport later = store();
    QVERIFY(!later.workers[1].driftRange);
    QVERIFY(later.contradictions.empty());
}

/// The window's own write waited for five seconds, and failed.
void TestQuery::aLongStatementGivesWayToAWriter()
{
    std::thread writer;
    std::atomic<bool> isWriting = false;
    std::string fault;
    const auto write = [&] {
        try {
            Database db(m_project.file.path, OpenMode::ReadWrite);
            Transaction transaction(db);
            db.execute("REPLACE INTO property VALUES ('kept.test', 'written')");
            isWriting = true;
            transaction.commit();
        } catch (const Error &error) {
            fault = error.what();
            isWriting = true;
        }
    };
    // Asked while the statement runs, which from then on keeps the writer from ending.
    const JobControl control(
        [&] {
            if (!writer.joinable())
                writer = std::thread(write);
            while (!isWriting)
                std::this_thread::yield();
            return false;
        },
        {});
    const std::string rows
        = asText(m_reader.query("WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c "
                                "WHERE n < 300000) SELECT count(*), (SELECT value FROM property "
                                "WHERE key = 'kept.test') FROM c, worker",
                                10, control));
    writer.join();
    QCOMPARE(fault, std::string());
    QCOMPARE(rows, std::string("600000|written|\n"));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestQuery)
#include "tst_query.moc"
