#include "core/base/error.h"
#include "core/project/read/search_terms.h"
#include "core/project/write/project_writer.h"
#include "tests/core/project/random_trace.h"

#include <QTest>

using namespace core;
using tests::TemporaryProject;

namespace {

/// Ranks 0 to 3, each with a host thread and two streams of one slice a name.
void writeRanks(const std::filesystem::path &path)
{
    ProjectWriter writer(path, false);
    for (int rank = 0; rank < 4; ++rank) {
        CollectedFile file({ "rank" + std::to_string(rank), "kineto", 1 });
        const WorkerId worker = file.addWorker();
        file.describeWorker(worker, { rank, 4, "host" });
        const TrackId host = file.track(worker, { TrackKind::HostThread, "1", "7", {} });
        const TrackId seven = file.track(worker, { TrackKind::Stream, "0", "7", 0 });
        const TrackId other = file.track(worker, { TrackKind::Stream, "0", "17", 0 });
        file.nameTrack(host, "thread 7 (python)");
        file.nameTrack(seven, "stream 7");
        file.nameTrack(other, "stream 17");
        const auto add = [&file](TrackId track, const char *name, Category category,
                                 std::int64_t startNs, std::int64_t durationNs, const char *args) {
            SliceRecord record;
            record.startNs = startNs;
            record.durationNs = durationNs;
            record.name = file.intern(name);
            record.category = category;
            record.args = args;
            file.slice(track, record);
        };
        add(host, "aten::add", Category::CpuOp, 0, 1'000, "{\"Input Dims\": [[7, 9]]}");
        add(host, "c10d::allreduce_", Category::CpuOp, 2'000, 2'000, "{\"Group\": \"dp\"}");
        add(seven, "ncclDevKernel_AllReduce_Sum", Category::CommKernel, 5'000, 7'000'000, "");
        add(other, "gemm (f32)", Category::Kernel, 5'000, 500'000 * (rank + 1), "");
        writer.add(file, tests::noRank, {});
    }
    writer.finish();
}

} // namespace

/// The language of searches: how it is read and what it finds.
class SearchTermsTest : public QObject
{
    Q_OBJECT

private:
    TemporaryProject m_project;

private slots:
    void initTestCase() { writeRanks(m_project.path); }

    void slicesThatAllTermsHoldForAreFound_data()
    {
        QTest::addColumn<QString>("search");
        QTest::addColumn<std::uint64_t>("count");
        const auto row = [](const char *search, std::uint64_t count) {
            QTest::newRow(search) << QString::fromLatin1(search) << count;
        };
        row("allreduce", 8);
        row("allreduce ", 8);
        row("  ALLREDUCE kernel", 4);
        row("/all.*reduce/", 8);
        row("/^aten|gemm \\(/", 8);
        row("/all.*reduce/ rank:3", 2);
        row("rank:0-2", 12);
        row("rank:0,2-3", 12);
        row("RANK:0 rank:1", 0);
        row("dur>5ms", 4);
        row("dur>=7ms", 4);
        row("dur>7000us", 0);
        row("dur<=1\xc2\xb5s", 4);
        row("dur<2us", 4);
        row("gemm dur>0.6ms dur<1.6ms", 2);
        row("kind:comm", 4);
        row("kind:communication", 4);
        row("kind:kernel,Framework-Op", 12);
        row("track:\"stream 7\"", 4);
        row("track:stream", 8);
        row("stream:7", 4);
        row("stream:1", 0);
        row("\"gemm (f32)\"", 4);
        row("\"gemm  (\"", 0);
        row("::", 8);
        row("nothing", 0);
    }

    void slicesThatAllTermsHoldForAreFound()
    {
        QFETCH(QString, search);
        QFETCH(std::uint64_t, count);
        const ProjectReader reader(m_project.path);
        const SearchTerms terms = parseSearch(search.toLatin1().toStdString());
        QCOMPARE(reader.countByName(terms, {}), count);
        const auto found = reader.findByName(terms, 100, {});
        QCOMPARE(std::uint64_t(found.size()), count);
        for (const FoundSlice &slice : found) {
            const auto stored = reader.slice(slice.id);
            QVERIFY(stored);
            QCOMPARE(stored->startNs, slice.startNs);
            QCOMPARE(stored->durationNs, slice.durationNs);
            QCOMPARE(stored->name, reader.nameOf(slice.name));
            QCOMPARE(stored->track, slice.track);
        }
        QCOMPARE(reader.findByName(terms, 1, {}).size(), std::size_t(count > 0 ? 1 : 0));
    }

    void aTextMayBeInTheArgumentsInstead_data()
    {
        QTest::addColumn<QString>("search");
        QTest::addColumn<int>("count");
        QTest::newRow("one") << "dims" << 4;
        QTest::newRow("both in arguments") << "dims 7," << 4;
        QTest::newRow("one in the name") << "aten dims" << 4;
        QTest::newRow("in two slices") << "dims dp" << 0;
        QTest::newRow("fields") << "dims rank:1" << 1;
        QTest::newRow("kind") << "dims kind:comm" << 0;
        QTest::newRow("duration") << "\"group\" dur>1us" << 4;
        QTest::newRow("expression") << "group /^c10d/" << 4;
        QTest::newRow("no text") << "rank:1" << 0;
    }

    void aTextMayBeInTheArgumentsInstead()
    {
        QFETCH(QString, search);
        QFETCH(int, count);
        const ProjectReader reader(m_project.path);
        const SearchTerms terms = parseSearch(search.toStdString());
        QCOMPARE(int(reader.findByArgs(terms, 100, {}).size()), count);
        QCOMPARE(int(reader.findByArgs(terms, 2, {}).size()), std::min(count, 2));
    }

    void aFaultHasAPositionAndACause_data()
    {
        QTest::addColumn<QString>("search");
        QTest::addColumn<QString>("message");
        const auto row = [](const char *search, const char *message) {
            QTest::newRow(search) << QString::fromLatin1(search) << QString::fromLatin1(message);
        };
        row("/a(b/", "position 3: a parenthesis ( or ) has no partner");
        row("x /(a)b)/", "position 8: a parenthesis ( or ) has no partner");
        row("/a[b/", "position 3: a bracket [ is not closed");
        row("/*a/", "position 2: nothing stands before * + or ?");
        row("/[z-a]/", "position 2: a range in brackets [] is not valid");
        row("/(a)\\1/", "position 5: the expression is too large, or refers back to a group");
        row("/open", "position 1: a closing / is missing; or quote the text");
        row("a \"open", "position 3: a closing \" is missing");
        row("rank:", "position 6: a value is missing");
        row("rank:x", "position 6: ranks are a number, 0-7 or 0,3");
        row("rank:0-", "position 8: ranks are a number, 0-7 or 0,3");
        row("rank:7-0", "position 6: the lower rank first: 0-7");
        row("rank:2,5-3", "position 8: the lower rank first: 3-5");
        row("dur>5", "position 6: a duration needs a unit: ns, us, ms or s");
        row("dur>ms", "position 5: a duration is a number and a unit, such as 5ms");
        row("dur>=5xs", "position 7: a duration needs a unit: ns, us, ms or s");
    }

    void aFaultHasAPositionAndACause()
    {
        QFETCH(QString, search);
        QFETCH(QString, message);
        try {
            parseSearch(search.toStdString());
            QFAIL("nothing is thrown");
        } catch (const Error &error) {
            QCOMPARE(QString::fromStdString(error.message()), message);
        }
    }

    void anUnknownKindNamesThoseThatAre()
    {
        try {
            parseSearch("kind:sum");
            QFAIL("nothing is thrown");
        } catch (const Error &error) {
            QCOMPARE(error.message(),
                     std::string("position 6: no such kind; kinds are kernel, communication, "
                                 "copy, framework-op, runtime-call, python, annotation"));
        }
    }

    void aLongNameDoesNotOverflowTheStack()
    {
        const TemporaryProject project;
        {
            ProjectWriter writer(project.path, false);
            CollectedFile file({ "rank0", "kineto", 1 });
            const WorkerId worker = file.addWorker();
            file.describeWorker(worker, { 0, 1, "host" });
            SliceRecord record;
            record.durationNs = 1;
            record.name = file.intern(std::string(20'000, 'a'));
            file.slice(file.track(worker, { TrackKind::HostThread, "1", "1", {} }), record);
            writer.add(file, tests::noRank, {});
            writer.finish();
        }
        const ProjectReader reader(project.path);
        QCOMPARE(reader.countByName(parseSearch("/(x|a+)b/"), {}), std::uint64_t(0));
        QCOMPARE(reader.countByName(parseSearch("/(.|x)*a/"), {}), std::uint64_t(1));
    }

    void aSearchIsCancelled()
    {
        const ProjectReader reader(m_project.path);
        const JobControl control([] { return true; }, {});
        QVERIFY_THROWS_EXCEPTION(Cancelled, reader.findByName(parseSearch("/a/"), 10, control));
        QVERIFY_THROWS_EXCEPTION(Cancelled, reader.countByName(parseSearch("rank:1"), control));
    }

    void blanksAreNoTerms()
    {
        QVERIFY(parseSearch("").isEmpty());
        QVERIFY(parseSearch("   ").isEmpty());
        QVERIFY(!parseSearch("dur>1ns").isEmpty());
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(SearchTermsTest)
#include "tst_search_terms.moc"
