#include "core/project/read/args_filter.h"
#include "core/project/read/project_reader.h"
#include "core/project/write/project_writer.h"
#include "core/sqlite/database.h"
#include "tests/core/project/random_trace.h"

#include <QTest>

#include <algorithm>

using namespace core;
using tests::RandomTrace;
using tests::TemporaryProject;

namespace {

/// Three ranks with two rows each and more arguments than one block holds.
void writeProject(const std::filesystem::path &path)
{
    ProjectWriter writer(path, false);
    for (int rank = 0; rank < 3; ++rank) {
        CollectedFile file({ "rank" + std::to_string(rank), "kineto", 1 });
        const WorkerId worker = file.addWorker();
        file.describeWorker(worker, { rank, 3, "host" });
        const TrackId host = file.track(worker, { TrackKind::HostThread, "1", "1", {} });
        const TrackId stream = file.track(worker, { TrackKind::Stream, "0", "7", 0 });
        for (int i = 0; i < 15'000; ++i) {
            SliceRecord record;
            record.startNs = 1'000'000 + i * 100;
            record.durationNs = 50;
            record.name = file.intern("op" + std::to_string(i / 500));
            const std::string args = "{\"Shape\": [" + std::to_string(i % 97) + ", "
                + std::to_string(rank * 1'000'000 + i) + "], \"Group\": \"GROUP_"
                + std::to_string(i / 1000) + "\"}";
            if (i % 7 != 0)
                record.args = args;
            file.slice(i % 3 == 0 ? stream : host, record);
        }
        writer.add(file, tests::noRank, {});
    }
    writer.finish();
}

std::vector<std::uint64_t> idsOf(const QueryResult &result)
{
    std::vector<std::uint64_t> ids;
    for (const auto &row : result.rows)
        ids.push_back(std::stoull(*row.front()));
    return ids;
}

} // namespace

/// Searching in arguments, and leaving out chunks that cannot have what is searched.
class SearchTest : public QObject
{
    Q_OBJECT

private:
    TemporaryProject m_project;

    std::vector<std::uint64_t> scanned(const ProjectReader &reader, const QString &text) const
    {
        return idsOf(reader.query("SELECT id FROM slice WHERE instr(lower(args), '"
                                      + text.toLower().toStdString() + "') ORDER BY id",
                                  1'000'000, {}));
    }

    static std::vector<std::uint64_t> found(const ProjectReader &reader, const QString &text)
    {
        std::vector<std::uint64_t> ids;
        for (const SliceId id : reader.findByArgs(text.toStdString(), 1'000'000, {}))
            ids.push_back(id.value);
        std::ranges::sort(ids);
        return ids;
    }

private slots:
    void initTestCase() { writeProject(m_project.path); }

    void argumentsAreFoundAsAScanFindsThem_data()
    {
        QTest::addColumn<QString>("text");
        for (const char *text : { "group_14", "GROUP_1", "[96, 2014", "1014999", "\"}", "7", "[5",
                                  "no such text", "}{", "\"}{\"", "shape\": [0, 0]" })
            QTest::newRow(text) << QString::fromLatin1(text);
    }

    void argumentsAreFoundAsAScanFindsThem()
    {
        QFETCH(QString, text);
        const ProjectReader reader(m_project.path);
        QCOMPARE(found(reader, text), scanned(reader, text));
    }

    void resultsComeWhileTheSearchRuns()
    {
        const ProjectReader reader(m_project.path);
        std::vector<SliceId> streamed;
        int calls = 0;
        const auto all = reader.findByArgs("group_", 1'000'000, {}, [&](auto found) {
            ++calls;
            streamed.insert(streamed.end(), found.begin(), found.end());
        });
        QVERIFY(calls > 5);
        QVERIFY(std::ranges::equal(streamed, all));
    }

    void aSearchIsLimitedAndCancelled()
    {
        const ProjectReader reader(m_project.path);
        QCOMPARE(reader.findByArgs("group_", 10, {}).size(), 10U);
        QVERIFY(reader.findByArgs("group_", 0, {}).empty());
        QVERIFY(reader.findByArgs("", 10, {}).empty());
        int polls = 0;
        const JobControl control([&polls] { return ++polls > 2; }, {});
        QVERIFY_THROWS_EXCEPTION(Cancelled, reader.findByArgs("group_", 1'000'000, control));
    }

    /// Everything is looked at.
    void withoutAnIndexTheSameIsFound()
    {
        const TemporaryProject old;
        std::filesystem::copy_file(m_project.path, old.path);
        Database(old.path, OpenMode::ReadWrite)
            .execute("DELETE FROM slice_index; DELETE FROM args_filter");
        const ProjectReader with(m_project.path), without(old.path);
        QCOMPARE(found(without, QStringLiteral("[5, 2")), found(with, QStringLiteral("[5, 2")));
        QVERIFY(with.findByName("op29", 100'000) == without.findByName("op29", 100'000));
        const std::string sql = "SELECT count(*), min(id) FROM slice WHERE name = 'op29'";
        QVERIFY(with.query(sql, 10, {}).rows == without.query(sql, 10, {}).rows);
    }

    void anIndexThatDoesNotFitIsDamage_data()
    {
        QTest::addColumn<QString>("sql");
        QTest::newRow("no such chunk") << "UPDATE slice_index SET first_slice = 5 "
                                          "WHERE first_slice = 0";
        QTest::newRow("too many names") << "UPDATE slice_index SET name_count = 1000000";
        QTest::newRow("cut") << "UPDATE slice_index SET names = x'01'";
        QTest::newRow("no such name")
            << "UPDATE slice_index SET name_count = 1, names = x'01ffff00000000000001'";
    }

    void anIndexThatDoesNotFitIsDamage()
    {
        QFETCH(QString, sql);
        const TemporaryProject damaged;
        std::filesystem::copy_file(m_project.path, damaged.path);
        Database(damaged.path, OpenMode::ReadWrite).execute(sql.toStdString());
        const ProjectReader reader(damaged.path);
        QVERIFY_THROWS_EXCEPTION(Error, reader.findByName("op2", 10));
    }

    void aFilterNeverMissesAndLeavesOutMost()
    {
        const std::string text = "{\"Input Dims\": [[32, 512]], \"Process Group\": \"DP\"}";
        const ByteBuffer filter
            = makeArgsFilter({ reinterpret_cast<const std::uint8_t *>(text.data()), text.size() });
        QCOMPARE(filter.size(), ArgsFilterBytes);
        for (std::size_t from = 0; from < text.size(); ++from)
            QVERIFY(ArgsPattern(text.substr(from, 9)).mayBeIn(filter));
        QVERIFY(ArgsPattern("process GROUP").mayBeIn(filter));
        QVERIFY(ArgsPattern("x").mayBeIn(filter)); // too short to tell
        QVERIFY(!ArgsPattern("allreduce").mayBeIn(filter));
        QVERIFY(ArgsPattern("allreduce").mayBeIn({})); // no filter
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(SearchTest)
#include "tst_search.moc"
