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

/// All-reduces of a rank, one each `everyNs`; groupSize 0: not stated.
void addReductions(Trace &trace, std::uint32_t worker, int groupSize,
                   const std::vector<std::uint64_t> &sizes, std::int64_t everyNs = Second / 10)
{
    Track track;
    track.id = TrackId(static_cast<std::uint32_t>(trace.tracks.size()));
    track.worker = WorkerId(worker);
    track.firstSlice = SliceId(100 * trace.tracks.size());
    track.sliceCount = sizes.size();
    track.range = trace.tracks[worker].range;
    trace.tracks.push_back(track);
    trace.slices.resize(trace.tracks.size());
    trace.slices.back().first = track.firstSlice;
    for (const std::uint64_t bytes : sizes) {
        SliceColumns &slices = trace.slices.back();
        CollectiveCall call;
        call.slice = SliceId(track.firstSlice.value + slices.size());
        call.worker = WorkerId(worker);
        call.kind = "all_reduce";
        call.bytes = bytes;
        if (groupSize > 0)
            call.groupSize = groupSize;
        trace.collectives.push_back(call);
        slices.startNs.push_back(track.range.startNs
                                 + static_cast<std::int64_t>(slices.size()) * everyNs);
        slices.durationNs.push_back(Second / 20);
    }
}

/// One kind of collective instead of another on all of a rank's calls.
void setKind(Trace &trace, std::uint32_t worker, const std::string &kind)
{
    for (CollectiveCall &call : trace.collectives)
        if (call.worker == WorkerId(worker))
            call.kind = kind;
}

/// As many steps of a rank, that a profiler numbers from `first`.
void addSteps(Trace &trace, std::uint32_t worker, std::int64_t count, std::int64_t first = 0)
{
    for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t startNs = trace.tracks[worker].range.startNs + i * Second / 2;
        trace.iterations.push_back(
            { WorkerId(worker), first + i, { startNs, startNs + Second / 2 }, true });
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

    /// A rank that shards its weights among those that reduce gradients: nothing was said, and as
    /// it had no all-reduce in common with them, no clock was aligned and no collective matched.
    void whatCallsNoKindOfTheOthersIsOfAnotherJob()
    {
        Trace trace;
        for (int rank = 0; rank < 4; ++rank) {
            addRank(trace, rank, Noon, 4);
            addReductions(trace, static_cast<std::uint32_t>(rank), 4, { 100, 200, 100, 200 });
        }
        setKind(trace, 2, "all_gather");
        QCOMPARE(jobsOf(trace), QStringLiteral("ranks 0-3")); // of whole steps nothing is known
        for (std::uint32_t worker = 0; worker < 4; ++worker)
            addSteps(trace, worker, 2);
        QCOMPARE(jobsOf(trace), QStringLiteral("ranks 0, 1, 3 | rank 2"));
        const std::string text = separateJobsText(trace, separateJobs(trace));
        QVERIFY2(text.find("rank 2 and rank 0 call no collective of one kind over all ranks "
                           "(all_gather; all_reduce)")
                     != std::string::npos,
                 text.c_str());
        // One of both kinds is of the others' job, by the sizes that it reduces.
        addReductions(trace, 2, 4, { 100, 200 });
        QCOMPARE(jobsOf(trace), QStringLiteral("ranks 0-3"));
        // On groups that are not of all ranks a pipeline's stages call what they like.
        for (CollectiveCall &call : trace.collectives)
            call.groupSize = 2;
        setKind(trace, 2, "reduce_scatter");
        QCOMPARE(jobsOf(trace), QStringLiteral("ranks 0-3"));
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
    }

    /// A bucket of one size in two runs with other buckets, one after the other: clocks fit these.
    void mostSizesTellJobsApart()
    {
        Trace trace;
        addRank(trace, 0, Noon, 2);
        addRank(trace, 1, Noon + 10 * Second, 2);
        addReductions(trace, 0, 0, { 28, 4, 28, 4 }); // of two ranks no group has fewer
        addReductions(trace, 1, 0, { 16, 5, 6, 4, 16, 5, 6, 4 });
        QCOMPARE(jobsOf(trace), QStringLiteral("rank 0 | rank 1"));
        QCOMPARE(QString::fromStdString(separateJobs(trace).reasons.front()),
                 QStringLiteral("rank 0 and rank 1 reduce other sizes over all ranks: 8 of their "
                                "12 all-reduces have none of that size on the other side"));
        // Some more steps of one of them, whose first has other sizes, as DDP's has.
        trace.collectives.clear();
        addReductions(trace, 0, 0, { 16, 4, 28, 4, 28, 4 });
        addReductions(trace, 1, 0, { 28, 4, 28, 4 });
        QCOMPARE(jobsOf(trace), QStringLiteral("ranks 0-1"));
    }

    /// Which ranks reduce together is not stated. At the same time they may be two stages of a
    /// pipeline; so they may with messages between them, whatever the clocks say.
    void sizesWithoutGroupsTellOnlyOfRunsAtOtherTimes()
    {
        for (const std::int64_t gapNs : { std::int64_t { 0 }, 10 * Second }) {
            Trace trace;
            for (const int rank : { 0, 1, 2, 3 })
                addRank(trace, rank, rank < 2 ? Noon : Noon + gapNs, 4);
            for (const std::uint32_t worker : { 0U, 1U, 2U, 3U })
                addReductions(trace, worker, 0,
                              worker < 2 ? std::vector<std::uint64_t> { 28, 4 }
                                         : std::vector<std::uint64_t> { 16, 12, 4 });
            QCOMPARE(jobsOf(trace),
                     gapNs == 0 ? QStringLiteral("ranks 0-3")
                                : QStringLiteral("ranks 0-1 | ranks 2-3"));
            trace.transfers.emplace_back();
            QCOMPARE(jobsOf(trace), QStringLiteral("ranks 0-3"));
        }
    }

    /// The same sizes, but the steps of one take twice as long.
    void otherPacesAreOtherJobs()
    {
        Trace trace;
        addRank(trace, 0, Noon, 2);
        addRank(trace, 1, Noon, 2);
        const std::vector<std::uint64_t> sizes { 8, 8, 8, 8, 8, 8 };
        addReductions(trace, 0, 2, sizes, Second / 2);
        addReductions(trace, 1, 2, sizes, Second);
        QCOMPARE(jobsOf(trace), QStringLiteral("ranks 0-1")); // how many a step is not known
        addSteps(trace, 0, 6);
        addSteps(trace, 1, 6);
        QCOMPARE(jobsOf(trace), QStringLiteral("rank 0 | rank 1"));
        QCOMPARE(QString::fromStdString(separateJobs(trace).reasons.front()),
                 QStringLiteral("steps take 1.000 s on rank 1 and 500.0 ms on rank 0, but ranks "
                                "that reduce over all ranks wait for each other in each"));
        // Other steps may have taken longer.
        trace.iterations.clear();
        addSteps(trace, 0, 6);
        addSteps(trace, 1, 6, 100);
        QCOMPARE(jobsOf(trace), QStringLiteral("ranks 0-1"));
    }

    /// One of them was recorded from the fourth step on, and slower ones came after the sixth.
    void partsOfOneRunHaveItsPace()
    {
        Trace trace;
        addRank(trace, 0, Noon, 2);
        addRank(trace, 1, Noon, 2);
        const std::vector<std::uint64_t> sizes { 8, 8, 8, 8, 8, 8 };
        addReductions(trace, 0, 2, sizes, Second / 2);
        addReductions(trace, 1, 2, sizes, Second / 2);
        for (const std::size_t i : { 3, 4, 5 })
            trace.slices.back().startNs[i] += static_cast<std::int64_t>(i - 2) * Second;
        addSteps(trace, 0, 6);
        addSteps(trace, 1, 6);
        QCOMPARE(jobsOf(trace), QStringLiteral("ranks 0-1"));
    }

    /// Nothing of the clocks that were solved on what only looks alike is told.
    void clocksOfOtherJobsAreNotTold()
    {
        Trace trace;
        addRank(trace, 0, Noon, 2);
        addRank(trace, 1, Noon, 2);
        trace.alignment.status = "Clocks aligned on 6 collectives.";
        AlignmentReport clocks = trace.alignment;
        tellSeparateJobs(trace, separateJobs(trace), clocks);
        QCOMPARE(clocks.status, trace.alignment.status);
        trace.workers[1].worldSize = 4;
        tellSeparateJobs(trace, separateJobs(trace), clocks);
        QCOMPARE(QString::fromStdString(clocks.status),
                 QStringLiteral("These traces are of 2 jobs (rank 0; rank 1): their clocks are not "
                                "aligned, as what looks alike in them are not the same "
                                "collectives. Import each job into a project of its own."));
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

#include "tests/support/unit_test.h"
LONGPOLE_TEST(SeparateJobsTest)
#include "tst_separate_jobs.moc"
