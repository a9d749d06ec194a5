#include "core/project/read/project_reader.h"
#include "core/project/write/project_writer.h"
#include "core/sqlite/database.h"
#include "tests/core/project/random_trace.h"

#include <QTest>

#include <string>

using namespace core;

namespace {

/// A rank of three all-reduces; their slices are 0 to 2.
class ThreeCollectives
{
public:
    ThreeCollectives()
    {
        ProjectWriter writer(file.path, false);
        CollectedFile collected({ "rank5", "kineto", 1 });
        const WorkerId worker = collected.addWorker();
        collected.describeWorker(worker, { 5, 8, "host" });
        const TrackId track = collected.track(worker, { TrackKind::HostThread, "1", "5", {} });
        const CollectiveInfo info { "all_reduce", "dp", std::nullopt, 8 };
        for (const std::int64_t startNs : { 1000, 2000, 3000 }) {
            SliceRecord record;
            record.startNs = startNs;
            record.durationNs = 100;
            record.name = collected.intern("nccl:all_reduce");
            record.category = Category::CommKernel;
            record.collective = &info;
            record.bytes = 4096;
            collected.slice(track, record);
        }
        writer.add(collected, tests::noRank, {});
        writer.finish();
    }

    const tests::TemporaryProject file;
};

std::string linesOf(const QueryResult &result)
{
    std::string text;
    for (const auto &row : result.rows) {
        for (const auto &value : row)
            text += value.value_or("NULL") + "|";
        text += " ";
    }
    return text;
}

} // namespace

/// The columns of the view `collective` that are computed.
class TestCollectiveTimes : public QObject
{
    Q_OBJECT

private slots:
    void init()
    {
        m_reader = std::make_unique<ProjectReader>(m_project.file.path);
        m_asked = 0;
        m_reader->offerCollectiveTimes([this](const JobControl &control) {
            ++m_asked;
            throwIfCancelled(control);
            return std::vector<CollectiveTime> { { SliceId(2), 40, 60, "dp", 7, 3 },
                                                 { SliceId(0), 90, 10, "dp", 6, 5 },
                                                 { SliceId(0), 1, 1, "twice", 1, 1 } };
        });
    }

    void theViewHasThemBySlice()
    {
        QCOMPARE(query("SELECT slice, rank, bytes, wait_ns, transfer_ns, matched_group, "
                       "matched_sequence, last_rank FROM collective ORDER BY slice"),
                 std::string("0|5|4096|90|10|dp|6|5| 1|5|4096|NULL|NULL|NULL|NULL|NULL| "
                             "2|5|4096|40|60|dp|7|3| "));
        QCOMPARE(query("SELECT slice FROM collective WHERE wait_ns > 50"), std::string("0| "));
        QCOMPARE(query("SELECT c.slice FROM worker w LEFT JOIN collective c ON c.rank = w.rank "
                       "AND c.last_rank = 3"),
                 std::string("2| "));
        QCOMPARE(query("SELECT slice FROM collective_time WHERE slice = '2' OR slice = 1.5"),
                 std::string("2| "));
        QCOMPARE(m_asked, 1); // kept
    }

    void whoDoesNotAskForThemDoesNotWait()
    {
        QCOMPARE(query("SELECT kind, sum(bytes), count(*) FROM collective GROUP BY kind"),
                 std::string("all_reduce|12288|3| "));
        QCOMPARE(query("SELECT slice FROM collective LIMIT 1"), std::string("0| "));
        const std::string columns = query("SELECT name FROM pragma_table_info('collective')");
        QVERIFY(columns.find("dur_ns| ") != std::string::npos);
        QVERIFY(columns.ends_with(
            "wait_ns| transfer_ns| matched_group| matched_sequence| last_rank| "));
        QCOMPARE(m_asked, 0);
    }

    /// They take as long as an analysis: a reader's lock must not be held for it.
    void whileTheyAreComputedOthersCanWrite()
    {
        bool isWritten = false;
        ProjectReader reader(m_project.file.path);
        reader.offerCollectiveTimes([&](const JobControl &) {
            Database db(m_project.file.path, OpenMode::ReadWrite);
            Statement(db, "BEGIN EXCLUSIVE").step();
            Statement(db, "COMMIT").step();
            isWritten = true;
            return std::vector<CollectiveTime> { { SliceId(1), 4, 6, "dp", 7, 3 } };
        });
        QCOMPARE(linesOf(reader.query("SELECT sum(wait_ns) FROM collective", 9, {})),
                 std::string("4| "));
        QVERIFY(isWritten);
    }

    void rowsBeforeThemAreGivenOnce()
    {
        QCOMPARE(query("SELECT rank FROM worker UNION ALL SELECT wait_ns FROM collective"),
                 std::string("5| 90| NULL| 40| "));
        QCOMPARE(m_asked, 1);
    }

    void aCancelledQueryEndsSilently_data()
    {
        QTest::addColumn<QString>("sql");
        QTest::newRow("before a row") << "SELECT wait_ns FROM collective";
        QTest::newRow("after one")
            << "SELECT rank FROM worker UNION ALL SELECT wait_ns FROM collective";
    }

    void aCancelledQueryEndsSilently()
    {
        QFETCH(const QString, sql);
        const JobControl cancelled([this] { return m_asked > 0; }, {});
        QVERIFY_THROWS_EXCEPTION(Cancelled, m_reader->query(sql.toStdString(), 9, cancelled));
        QCOMPARE(m_asked, 1);
        QCOMPARE(query("SELECT sum(wait_ns) FROM collective"), std::string("130| ")); // later
    }

    void aFaultIsTheQuerys()
    {
        ProjectReader reader(m_project.file.path);
        reader.offerCollectiveTimes([](const JobControl &) -> std::vector<CollectiveTime> {
            throw Error("nothing can be matched");
        });
        for (const char *sql :
             { "SELECT wait_ns FROM collective",
               "SELECT rank FROM worker UNION ALL SELECT wait_ns FROM collective" })
            try {
                reader.query(sql, 9, {});
                QFAIL("no error");
            } catch (const Error &error) {
                QVERIFY(std::string(error.what()).find("nothing can be matched")
                        != std::string::npos);
            }
    }

private:
    std::string query(const std::string &sql) { return linesOf(m_reader->query(sql, 99, {})); }

    const ThreeCollectives m_project;
    std::unique_ptr<ProjectReader> m_reader;
    int m_asked = 0;
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestCollectiveTimes)
#include "tst_collective_times.moc"
