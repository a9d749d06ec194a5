#include "core/commands/input_files.h"

#include <QTest>

#include <nlohmann/json.hpp>

using namespace core;

class TestInputFiles : public QObject
{
    Q_OBJECT

private slots:
    /// Events that were left out counted as others do.
    void theHeadlineTellsWhatWasLeftOut()
    {
        ProjectInfo info;
        info.files = { { "a.json", "kineto", 10, FileStatus::Read },
                       { "b.json", "kineto", 10, FileStatus::Read },
                       { "c.json", "", 10, FileStatus::Skipped } };
        info.eventsTotal = 9;
        QCOMPARE(headline(info), std::string("9 events from 2 files"));
        info.diagnostics = { { "bad-duration", Severity::Error, 2, "a.json", {}, "", true },
                             { "bad-timestamp", Severity::Error, 3, "b.json", {}, "", true },
                             { "duplicate-rank", Severity::Error, 1, "c.json", {}, "", false } };
        QCOMPARE(headline(info), std::string("9 events from 2 files (5 were left out)"));
    }

    /// 21,311 of 21,466 events of an Nsight report were samples and the like, and nothing said so.
    void whatNothingShowsIsTold()
    {
        ProjectInfo info;
        info.files = { { "a.sqlite", "nsight", 10, FileStatus::Read },
                       { "b.json", "kineto", 10, FileStatus::Skipped } };
        info.eventsTotal = 9;
        info.diagnostics = { { "not-shown-samples", Severity::Info, 4, "a.sqlite", {}, "" },
                             { "not-shown-scheduling", Severity::Info, 2, "a.sqlite", {}, "" },
                             { "no-sync-events", Severity::Info, 1, "a.sqlite", {}, "" },
                             { "not-shown-counters", Severity::Info, 7, "b.json", {}, "" } };
        QCOMPARE(headline(info), std::string("9 events from 1 file (6 are not on the timeline)"));
        QVERIFY(fileJson(info, info.files[0])["not_shown"] == 6);
        QVERIFY(fileJson(info, info.files[0])["skipped"] == 0);
        QVERIFY(fileJson(info, info.files[1])["not_shown"] == 0);
        info.diagnostics.push_back({ "bad-time", Severity::Error, 1, "a.sqlite", {}, "" });
        QCOMPARE(headline(info),
                 std::string("9 events from 1 file (1 was left out, 6 are not on the timeline)"));
    }

    /// Rank 0 had all 13,012 events of a file of twelve ranks, the others none.
    void ranksWhoseEventsAnotherRankHasAreNamed()
    {
        ProjectInfo info;
        for (const int rank : { 0, 1, 2, 3, 4 }) {
            Worker worker;
            worker.rank = rank;
            if (rank == 0 || rank == 1 || rank == 3)
                worker.eventsByCategory["op"] = rank == 0 ? 3 : 8; // 0: of another file
            info.workers.push_back(worker);
        }
        info.files = { { "a", "trace_viewer" }, { "b", "trace_viewer" }, { "c", "trace_viewer" } };
        info.files[0].ranks = { 0, 1, 2 };
        info.files[0].eventsByCategory["op"] = 8;
        info.files[1].ranks = { 3 };
        info.files[1].eventsByCategory["op"] = 8;
        info.files[2].ranks = { 3, 4 }; // nothing was in it
        const std::map<int, int> expected = { { 2, 1 } };
        QCOMPARE(ranksCountedFor(info), expected);
    }

    /// An execution trace alone was imported without a word of what cannot be done with it.
    void ranksWithoutTimesAreTold()
    {
        ProjectInfo info;
        Track track;
        for (const int rank : { 3, 1, 0 }) {
            Worker worker;
            worker.id = WorkerId(static_cast<std::uint32_t>(info.workers.size()));
            worker.rank = rank;
            worker.eventsByCategory["node"] = 7;
            info.workers.push_back(worker);
            track.worker = worker.id;
        }
        track.sliceCount = 2; // of rank 0, the last
        info.tracks.push_back(track);
        QVERIFY(timelessText(info).starts_with("Without times: ranks 1, 3. "));
        info.workers.erase(info.workers.begin(), info.workers.begin() + 2);
        QVERIFY(timelessText(info).empty());
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestInputFiles)
#include "tst_input_files.moc"
