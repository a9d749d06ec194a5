#include "core/commands/input_files.h"

#include <QTest>

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
        QVERIFY(timelessText(info).starts_with("Without times: ranks 1, 3. What is recorded of"));
        info.workers.erase(info.workers.begin(), info.workers.begin() + 2);
        QVERIFY(timelessText(info).empty());
    }
};

QTEST_GUILESS_MAIN(TestInputFiles)
#include "tst_input_files.moc"
