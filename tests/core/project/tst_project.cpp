#include "core/project/read/project_reader.h"
#include "core/project/write/project_writer.h"
#include "random_trace.h"

#include <QTest>

#include <algorithm>
#include <numeric>

using namespace core;
using tests::RandomTrace;
using tests::TemporaryProject;

namespace {

/// One rank with one track of these rows.
void writeProject(const std::filesystem::path &path, const std::vector<RandomTrace::Row> &rows)
{
    ProjectWriter writer(path, false);
    CollectedFile file({ "rank0.json", "kineto", 1000 });
    const WorkerId worker = file.addWorker();
    file.describeWorker(worker, { 0, 2, "host" });
    const TrackId track = file.track(worker, { TrackKind::HostThread, "1", "2", {} });
    file.nameTrack(track, "thread 2");
    tests::writeRows(file, track, rows);
    file.countEvents(worker, "cpu_op", rows.size());
    QVERIFY(writer.add(file, tests::noRank, {}) == AddResult::Added);
    writer.finish();
}

/// The rows in the order in which the project numbers them.
std::vector<RandomTrace::Row> sorted(std::vector<RandomTrace::Row> rows)
{
    std::stable_sort(rows.begin(), rows.end(), [](const auto &a, const auto &b) {
        if (a.record.startNs != b.record.startNs)
            return a.record.startNs < b.record.startNs;
        return a.record.durationNs > b.record.durationNs;
    });
    return rows;
}

std::vector<SliceId> expectedWindow(const std::vector<RandomTrace::Row> &rows, TimeRange range)
{
    std::vector<SliceId> ids;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::int64_t start = rows[i].record.startNs, end = start + rows[i].record.durationNs;
        if (start < range.endNs && (end > range.startNs || start >= range.startNs))
            ids.push_back(SliceId(i));
    }
    return ids;
}

} // namespace

class TestProject : public QObject
{
    Q_OBJECT
private slots:
    void everySliceComesBackAsItWasWritten();
    void windowsHoldWhatOverlapsThem_data();
    void windowsHoldWhatOverlapsThem();
    void levelsCoverEverySliceOfAWindow();
};

void TestProject::everySliceComesBackAsItWasWritten()
{
    const TemporaryProject file;
    const auto rows = RandomTrace(1).rows(20'000, 1'000'000'000);
    writeProject(file.path, rows);
    const auto expected = sorted(rows);

    const ProjectReader reader(file.path);
    QCOMPARE(reader.info().workers.size(), 1U);
    QCOMPARE(reader.info().eventsTotal, 20'000U);
    QCOMPARE(reader.info().tracks.at(0).sliceCount, 20'000U);
    const SliceColumns columns = reader.readTrack(TrackId(0));
    for (std::size_t i = 0; i < expected.size(); ++i) {
        const SliceRecord &record = expected[i].record;
        QCOMPARE(columns.startNs[i], record.startNs);
        QCOMPARE(columns.durationNs[i], record.durationNs);
        QCOMPARE(reader.nameOf(columns.name[i]), expected[i].name);
        QCOMPARE(columns.category[i], record.category);
        QCOMPARE(columns.correlation[i], record.correlation);
        QCOMPARE(columns.externalId[i], record.externalId);
        QCOMPARE(columns.node[i], record.node);
        QCOMPARE(columns.sequence[i], record.sequence);
        QCOMPARE(columns.bytes[i], record.bytes);
        if (i % 97 == 0)
            QCOMPARE(reader.slice(SliceId(i))->args, expected[i].args);
    }
    QVERIFY(!reader.slice(SliceId(20'000)));
}

void TestProject::windowsHoldWhatOverlapsThem_data()
{
    QTest::addColumn<int>("count");
    QTest::addColumn<qint64>("spanNs");
    QTest::newRow("none") << 0 << qint64(1000);
    QTest::newRow("one chunk") << 5'000 << qint64(50'000'000);
    QTest::newRow("many chunks") << 60'000 << qint64(500'000'000);
    QTest::newRow("all on one heap") << 30'000 << qint64(30'000);
}

void TestProject::windowsHoldWhatOverlapsThem()
{
    QFETCH(const int, count);
    QFETCH(const qint64, spanNs);
    const TemporaryProject file;
    const auto rows = RandomTrace(2).rows(static_cast<std::size_t>(count), spanNs);
    writeProject(file.path, rows);
    const auto expected = sorted(rows);
    const ProjectReader reader(file.path);
    std::mt19937_64 random(3);
    for (int i = 0; i < 100; ++i) {
        const auto from = 1'700'000'000'000'000'000 - 1000
            + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(spanNs + 2000));
        const auto width = static_cast<std::int64_t>(
            random() % static_cast<std::uint64_t>(i % 2 ? spanNs : spanNs / 100 + 1));
        const TimeRange range = { from, from + width };
        const TrackWindow window = reader.readWindow(TrackId(0), range, 0);
        QVERIFY(window.isExact);
        QVERIFY(window.ids == expectedWindow(expected, range));
        QCOMPARE(window.slices.size(), window.ids.size());
    }
}

void TestProject::levelsCoverEverySliceOfAWindow()
{
    const TemporaryProject file;
    const auto rows = RandomTrace(4).rows(100'000, 10'000'000'000);
    writeProject(file.path, rows);
    const ProjectReader reader(file.path);
    const SliceColumns all = reader.readTrack(TrackId(0));
    const std::int64_t origin = 1'700'000'000'000'000'000;
    for (const std::int64_t widthNs : { 500'000'000LL, 2'000'000'000LL, 20'000'000'000LL }) {
        const TimeRange range = { origin + 1'000'000'000, origin + 1'000'000'000 + widthNs };
        const std::int64_t resolutionNs = widthNs / 1000;
        const TrackWindow window = reader.readWindow(TrackId(0), range, resolutionNs);
        QVERIFY(!window.isExact);
        QVERIFY(!window.bins.empty());
        for (std::size_t i = 1; i < window.bins.size(); ++i) {
            const auto &a = window.bins[i - 1], &b = window.bins[i];
            QVERIFY(a.depth < b.depth || (a.depth == b.depth && a.startNs <= b.startNs));
        }
        for (const LevelBin &bin : window.bins) {
            QVERIFY(bin.count == 1 || bin.endNs - bin.startNs <= resolutionNs);
            QVERIFY(bin.busyNs <= bin.endNs - bin.startNs);
            QCOMPARE(all.depth[bin.longest], bin.depth);
            QVERIFY(all.startNs[bin.longest] >= bin.startNs);
        }
        // Every slice lies in a bin of its depth; a whole window counts every slice once.
        for (std::size_t row = 0; row < all.size(); row += 37) {
            if (all.startNs[row] < range.startNs || all.startNs[row] >= range.endNs)
                continue;
            const bool isCovered
                = std::any_of(window.bins.begin(), window.bins.end(), [&](const LevelBin &bin) {
                      return bin.depth == all.depth[row] && bin.startNs <= all.startNs[row]
                          && bin.endNs >= all.endNs(row);
                  });
            QVERIFY(isCovered);
        }
    }
    const TrackWindow whole
        = reader.readWindow(TrackId(0), { origin, origin + 30'000'000'000 }, 50'000'000);
    const auto total
        = std::accumulate(whole.bins.begin(), whole.bins.end(), std::uint64_t(0),
                          [](std::uint64_t sum, const LevelBin &bin) { return sum + bin.count; });
    QCOMPARE(total, 100'000U);
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestProject)
#include "tst_project.moc"
