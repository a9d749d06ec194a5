#include "core/project/write/project_writer.h"
#include "ui/views/timeline/timeline_search.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

/// What the timeline's search field finds, step by step.
class TestTimelineSearch : public QObject
{
    Q_OBJECT

private:
    QTemporaryDir m_dir;
    std::filesystem::path m_project;

private slots:
    void initTestCase()
    {
        m_project = m_dir.filePath(QStringLiteral("p.longpole")).toStdString();
        core::ProjectWriter writer(m_project, false);
        core::CollectedFile file({ "rank0.json", "kineto", 1 });
        const core::WorkerId worker = file.addWorker();
        file.describeWorker(worker, { 0, 1, "host" });
        const core::TrackId track
            = file.track(worker, { core::TrackKind::HostThread, "1", "1", {} });
        for (int i = 0; i < 1000; ++i) {
            core::SliceRecord record;
            record.startNs = 1000 * (1000 - i);
            record.durationNs = 10;
            record.name = file.intern(i % 100 == 0 ? "has dp_group in its name" : "plain");
            if (i % 2 == 0)
                record.args = "{\"Process Group\": \"dp_group\"}";
            file.slice(track, record);
        }
        writer.add(file, [] { return std::optional<int>(); }, {});
        writer.finish();
    }

    void namesComeFirstAndArgumentsOnlyIfWished()
    {
        const ui::SearchResult names = ui::runSearch({ m_project, "DP_group", false, 0 }, {});
        QCOMPARE(names.hits->size(), 10U);
        QVERIFY(!names.isCut && !names.next);
        const ui::SearchResult first = ui::runSearch({ m_project, "DP_group", true, 0 }, {});
        QCOMPARE(first.hits->size(), 10U);
        QVERIFY(first.next);
    }

    void theStepsEndWithEverySliceOnce()
    {
        ui::SearchResult result = ui::runSearch({ m_project, "dp_group", true, 0 }, {});
        std::vector<std::size_t> counts { result.hits->size() };
        while (result.next) {
            result = ui::runSearch(*result.next, {});
            counts.push_back(result.hits->size());
        }
        QCOMPARE(counts.size(), 4U);
        QVERIFY(counts[1] == 10 || counts[1] == 11); // the first hit by arguments, soon
        QVERIFY(counts[2] >= 100 && counts[2] <= 110);
        QCOMPARE(counts[3], 500U); // the ten with the name have the argument as well
        QVERIFY(std::ranges::is_sorted(ui::timelineHits(*result.hits), {},
                                       &ui::TimelineSearchHit::startNs));
    }

    void aHitSaysWhereItIs()
    {
        const ui::SearchResult result
            = ui::runSearch({ m_project, "/^has/ rank:0 dur<1us ", false, 0 }, {});
        QCOMPARE(result.hits->size(), 10U);
        const ui::SearchHit &first = result.hits->front();
        QCOMPARE(first.name, QStringLiteral("has dp_group in its name"));
        QCOMPARE(first.rank, 0);
        QCOMPARE(first.range.durationNs(), std::int64_t(10));
    }

    void ofMoreThanAreShownAllAreCounted()
    {
        const std::filesystem::path project
            = m_dir.filePath(QStringLiteral("many.longpole")).toStdString();
        core::ProjectWriter writer(project, false);
        core::CollectedFile file({ "rank0.json", "kineto", 1 });
        const core::WorkerId worker = file.addWorker();
        file.describeWorker(worker, { 0, 1, "host" });
        const core::TrackId track
            = file.track(worker, { core::TrackKind::HostThread, "1", "1", {} });
        constexpr int Count = 12'000;
        for (int i = 0; i < Count; ++i) {
            core::SliceRecord record;
            record.startNs = 100 * i;
            record.durationNs = 10;
            record.name = file.intern("many");
            file.slice(track, record);
        }
        writer.add(file, [] { return std::optional<int>(); }, {});
        writer.finish();
        const ui::SearchResult found = ui::runSearch({ project, "many", false, 0 }, {});
        QCOMPARE(found.hits->size(), 10'000U);
        QVERIFY(found.isCut && found.next && found.next->isCounting);
        const ui::SearchResult counted = ui::runSearch(*found.next, {});
        QVERIFY(counted.hits == nullptr && !counted.next);
        QCOMPARE(counted.total.value_or(0), std::uint64_t(Count));
    }

    void blanksFindNothing()
    {
        const ui::SearchResult result = ui::runSearch({ m_project, "  ", false, 0 }, {});
        QVERIFY(result.hits->empty() && !result.next);
    }

    void aSearchThatFoundAllAtOnceEndsThere()
    {
        ui::SearchResult result = ui::runSearch({ m_project, "nothing has this", true, 0 }, {});
        QVERIFY(result.next);
        result = ui::runSearch(*result.next, {});
        QVERIFY(result.hits->empty() && !result.next && !result.isCut);
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestTimelineSearch)
#include "tst_timeline_search.moc"
