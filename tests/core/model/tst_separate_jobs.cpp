#include "core/base/ranks_text.h"
#include "core/model/separate_jobs.h"

#include <QTest>

using namespace core;

namespace {

constexpr std::int64_t Noon = 1'700'000'000'000'000'000, Second = 1'000'000'000;

/// A rank that recorded for four seconds.
void addRank(Trace &trace, int rank, std::int64_t startNs, std::optional<int> worldSize = {})
{
    Worker worker;
    worker.id = WorkerId(static_cast<std::uint32_t>(trace.workers.size()));
    worker.rank = rank;
    worker.worldSize = worldSize;
    worker.files = { "rank" + std::to_string(rank) + ".json" };
    Track track;
    track.id = TrackId(static_cast<std::uint32_t>(trace.tracks.size()));
    track.worker = worker.id;
    track.sliceCount = 1;
    track.range = { startNs, startNs + 4 * Second };
    Alignment clock;
    clock.worker = worker.id;
    clock.isReference = trace.workers.empty();
    clock.isKnown = true;
    trace.workers.push_back(worker);
    trace.tracks.push_back(track);
    trace.alignment.workers.push_back(clock);
}

void addReductions(Trace &trace, std::uint32_t worker, int groupSize,
                   std::initializer_list<std::uint64_t> sizes)
{
    for (const std::uint64_t bytes : sizes) {
        CollectiveCall call;
        call.worker = WorkerId(worker);
        call.kind = "all_reduce";
        call.bytes = bytes;
        call.groupSize = groupSize;
        trace.collectives.push_back(call);
    }
}

/// "ranks 0-1 | ranks 2-3".
QString jobsOf(const Trace &trace)
{
    QStringList jobs;
    for (const auto &job : separateJobs(trace).jobs) {
        std::vector<int> ranks;
        for (const WorkerId worker : job)
            ranks.push_back(trace.workers[worker.value].rank);
        jobs.append(QString::fromStdString(ranksText(ranks)));
    }
    return jobs.join(QStringLiteral(" | "));
}

} // namespace

class SeparateJobsTest : public QObject
{
    Q_OBJECT

private slots:
    void ranksThatFitAreOfOneJob()
    {
        QCOMPARE(jobsOf({}), QString());
        Trace trace;
        addRank(trace, 0, Noon, 2);
        addRank(trace, 1, Noon);
        QCOMPARE(jobsOf(trace), QStringLiteral("ranks 0-1"));
    }

    void otherWorldSizesAreOtherJobs()
    {
        Trace trace;
        for (const int rank : { 3, 2, 1, 0 })
            addRank(trace, rank, Noon, rank < 2 ? 2 : 4);
        addRank(trace, 7, Noon); // states none: with most, of as many with the smaller
        QCOMPARE(jobsOf(trace), QStringLiteral("ranks 0, 1, 7 | ranks 2-3"));
    }

    /// Two jobs of as many ranks, one after the other.
    void whatNoClocksFitIsOfOtherJobs()
    {
        Trace trace;
        for (const int rank : { 0, 1, 2, 3 })
            addRank(trace, rank, rank < 2 ? Noon : Noon + 10 * Second, 4);
        QCOMPARE(jobsOf(trace), QStringLiteral("ranks 0-3")); // a clock is off, and that fits
        trace.alignment.violationsAfter = 2;
        QCOMPARE(jobsOf(trace), QStringLiteral("ranks 0-1 | ranks 2-3"));
        for (Track &track : trace.tracks)
            track.range = trace.tracks[0].range;
        QCOMPARE(jobsOf(trace), QStringLiteral("ranks 0-3")); // recorded together
    }

    void whatNothingTiesIsOfOtherJobsIfItRanMuchLater()
    {
        for (const std::int64_t gapNs : { 50 * Second, 70 * Second }) {
            Trace trace;
            addRank(trace, 0, Noon, 4);
            addRank(trace, 2, Noon + 4 * Second + gapNs, 4);
            addRank(trace, 1, Noon, 4);
            addRank(trace, 3, Noon + 4 * Second + gapNs, 4);
            // Also of the job itself: what its ranks share, the others would have to share, too.
            for (std::size_t w = 1; w < 4; ++w)
                trace.alignment.workers[w].isKnown = false;
            QCOMPARE(jobsOf(trace),
                     gapNs < 60 * Second ? QStringLiteral("ranks 0-3")
                                         : QStringLiteral("ranks 0-1 | ranks 2-3"));
        }
    }

    /// Ranks 0-1 count from a start, rank 4 from 1970.
    void unlikeClocksThatNothingTiesAreToldApart()
    {
        Trace trace;
        for (const int rank : { 0, 1, 4 })
            addRank(trace, rank, rank < 4 ? Second : Noon);
        QCOMPARE(jobsOf(trace), QStringLiteral("ranks 0, 1, 4")); // tied: an offset is known
        trace.alignment.violationsAfter = 2; // what else does not fit tells nothing of such clocks
        QCOMPARE(jobsOf(trace), QStringLiteral("ranks 0, 1, 4"));
        trace.alignment.workers[2].isKnown = false;
        QCOMPARE(jobsOf(trace), QStringLiteral("ranks 0-1 | rank 4"));
        const SeparateJobs found = separateJobs(trace);
        QCOMPARE(QString::fromStdString(separateJobsText(trace, found)),
                 QStringLiteral(
                     "The traces are of 2 jobs, or of clocks that nothing relates: ranks 0-1 "
                     "(rank0.json and 1 more); rank 4 (rank4.json). What tells: the times of rank "
                     "4 are times of day, those of ranks 0-1 count from a boot or a start, and "
                     "nothing that they recorded ties them together. Nothing that compares them "
                     "holds; import each job into a project of its own."));
        QVERIFY(
            separateJobsHeadline(trace, found)
                .starts_with("These traces are of 2 jobs, or of clocks that nothing relates ("));
        trace.tracks[2].sliceCount = 0; // no times, none to compare
        QCOMPARE(jobsOf(trace), QStringLiteral("ranks 0, 1, 4"));
    }

    void bootClocksThatNothingTiesAreToldApart()
    {
        for (const std::int64_t gapNs : { 50 * Second, 70 * Second }) {
            Trace trace;
            addRank(trace, 0, Second);
            addRank(trace, 1, Second);
            addRank(trace, 2, 5 * Second + gapNs);
            QCOMPARE(jobsOf(trace), QStringLiteral("ranks 0-2"));
            trace.alignment.workers[2].isKnown = false;
            const bool isFar = gapNs > 60 * Second;
            QCOMPARE(jobsOf(trace),
                     isFar ? QStringLiteral("ranks 0-1 | rank 2") : QStringLiteral("ranks 0-2"));
            if (isFar)
                QCOMPARE(QString::fromStdString(separateJobs(trace).reasons.front()),
                         QStringLiteral("rank 2 recorded 1 min 10 s after ranks 0-1 by clocks that "
                                        "count from a boot or a start, and nothing that they "
                                        "recorded ties them together"));
        }
    }

    /// Tied hosts whose clocks began at different boots stay together beside a larger other run.
    void whatIsTiedStaysTogether()
    {
        Trace trace;
        addRank(trace, 0, Second);
        addRank(trace, 1, 1000 * Second);
        for (const int rank : { 5, 6, 7 }) {
            addRank(trace, rank, Noon);
            trace.alignment.workers.back().isKnown = false;
        }
        QCOMPARE(jobsOf(trace), QStringLiteral("ranks 0-1 | ranks 5-7"));
    }

    void otherSizesOverAllRanksAreOtherJobs()
    {
        Trace trace;
        for (const int rank : { 0, 1, 2, 3 })
            addRank(trace, rank, Noon, 4);
        addReductions(trace, 0, 4, { 100, 200 });
        addReductions(trace, 1, 4, { 200, 8 });
        addReductions(trace, 2, 4, { 300, 300 });
        addReductions(trace, 3, 2, { 7, 7 }); // of a part of the ranks, who may have others
        QCOMPARE(jobsOf(trace), QStringLiteral("ranks 0, 1, 3 | rank 2"));
        addReductions(trace, 2, 4, { 8 });
        QCOMPARE(jobsOf(trace), QStringLiteral("ranks 0-3"));
    }

    void theReasonsAreTold()
    {
        Trace trace;
        for (const int rank : { 0, 1, 2, 3 })
            addRank(trace, rank, rank < 2 ? Noon : Noon + 100 * Second, rank < 2 ? 2 : 4);
        for (const std::size_t w : { 2, 3 })
            trace.alignment.workers[w].isKnown = false;
        const SeparateJobs found = separateJobs(trace);
        QCOMPARE(QString::fromStdString(separateJobsText(trace, found)),
                 QStringLiteral(
                     "The traces are of 2 jobs: ranks 0-1 (rank0.json and 1 more); ranks 2-3 "
                     "(rank2.json and 1 more). What tells: ranks 0-1 state that the job has 2 "
                     "ranks, ranks 2-3 state that the job has 4 ranks; ranks 2-3 recorded 1 min "
                     "36 s after ranks 0-1, and nothing that they recorded ties them together. "
                     "Nothing that compares them holds; import each job into a project of its "
                     "own."));
        QCOMPARE(QString::fromStdString(separateJobsHeadline(trace, found)),
                 QStringLiteral("These traces are of 2 jobs (ranks 0-1; ranks 2-3): no figure "
                                "holds for the mixture. Import each job into a project of its "
                                "own."));
    }
};

QTEST_GUILESS_MAIN(SeparateJobsTest)
#include "tst_separate_jobs.moc"
