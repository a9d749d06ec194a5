#include "core/model/unrelated_clocks.h"

#include <QTest>

using namespace core;

namespace {

constexpr std::int64_t Noon = 1'700'000'000'000'000'000, Second = 1'000'000'000;

/// Rank 0 is the reference and runs at Noon for ten seconds; the others are not known.
class Ranks
{
public:
    Ranks() { add(Noon, true); }
    void add(std::int64_t startNs, bool isKnown = false)
    {
        Worker worker;
        worker.id = WorkerId(static_cast<std::uint32_t>(workers.size()));
        worker.rank = static_cast<int>(workers.size());
        Alignment clock;
        clock.worker = worker.id;
        clock.isReference = workers.empty();
        clock.isKnown = isKnown;
        workers.push_back(worker);
        clocks.workers.push_back(clock);
        addTrack(worker.id, startNs);
    }
    void addTrack(WorkerId worker, std::int64_t startNs)
    {
        Track track;
        track.worker = worker;
        track.sliceCount = 1;
        track.range = { startNs, startNs + 10 * Second };
        tracks.push_back(track);
    }
    std::int64_t offsetOf(std::size_t worker) const { return clocks.workers[worker].offsetNs; }

    std::vector<Worker> workers;
    std::vector<Track> tracks;
    AlignmentReport clocks;
};

} // namespace

class UnrelatedClocksTest : public QObject
{
    Q_OBJECT

private slots:
    /// Two hosts' clocks since boot, half an hour apart, and a time of day.
    void eachGroupBeginsWhereTheReferenceDoes()
    {
        Ranks ranks;
        ranks.add(5 * Second); // 1
        ranks.add(8 * Second); // 2, beside 1
        ranks.add(1800 * Second); // 3
        ranks.add(Noon + 3 * Second); // 4, as recorded
        placeUnrelatedClocks(ranks.tracks, ranks.clocks);
        QCOMPARE(ranks.offsetOf(0), 0);
        QCOMPARE(ranks.offsetOf(1), Noon - 5 * Second);
        QCOMPARE(ranks.offsetOf(2), Noon - 5 * Second);
        QCOMPARE(ranks.offsetOf(3), Noon - 1800 * Second);
        QCOMPARE(ranks.offsetOf(4), 0);
        QVERIFY(isPlaced(ranks.clocks.workers[3]) && !isPlaced(ranks.clocks.workers[4]));
        QVERIFY(!isPlaced(ranks.clocks.workers[0]));

        const AlignmentReport once = ranks.clocks;
        placeUnrelatedClocks(ranks.tracks, ranks.clocks);
        for (std::size_t w = 0; w < 5; ++w)
            QCOMPARE(ranks.offsetOf(w), once.workers[w].offsetNs);
    }

    /// What rank 2's clock is to rank 1's is kept.
    void relatedClocksMoveTogether()
    {
        Ranks ranks;
        ranks.add(500 * Second);
        ranks.add(9000 * Second);
        ranks.clocks.workers[2].offsetNs = -8499 * Second;
        placeUnrelatedClocks(ranks.tracks, ranks.clocks);
        QCOMPARE(ranks.offsetOf(1), Noon - 500 * Second);
        QCOMPARE(ranks.offsetOf(2), Noon - 8999 * Second);
    }

    void knownClocksStayWhereverTheyAre()
    {
        Ranks ranks;
        ranks.add(7 * Second, true);
        placeUnrelatedClocks(ranks.tracks, ranks.clocks);
        QCOMPARE(ranks.offsetOf(1), 0);
        QVERIFY(placedClockText(ranks.workers, ranks.clocks, WorkerId(1)).empty());
    }

    void withoutSlicesNothingMoves()
    {
        Ranks ranks;
        ranks.add(7 * Second);
        for (Track &track : ranks.tracks)
            track.sliceCount = 0;
        placeUnrelatedClocks(ranks.tracks, ranks.clocks);
        QCOMPARE(ranks.offsetOf(1), 0);
        // A reference without slices: the others stand beside the first of them.
        ranks.add(7000 * Second);
        ranks.tracks[1].sliceCount = 1;
        placeUnrelatedClocks(ranks.tracks, ranks.clocks);
        QCOMPARE(ranks.offsetOf(1), 0);
        QCOMPARE(ranks.offsetOf(2), -6993 * Second);
    }

    /// As far apart as times may be, and further than 64 bits hold.
    void timesOfADamagedTraceStayWithinWhatMayBe()
    {
        constexpr std::int64_t Farthest = 4'000'000'000'000'000'000;
        constexpr std::int64_t Longest = 2'300'000'000'000'000'000;
        Ranks ranks;
        ranks.add(-Farthest);
        ranks.add(Farthest);
        for (Track &track : ranks.tracks)
            track.range.endNs += Longest;
        ranks.clocks.workers[1].offsetNs = -Longest;
        ranks.clocks.workers[2].offsetNs = Longest;
        placeUnrelatedClocks(ranks.tracks, ranks.clocks);
        QCOMPARE(ranks.offsetOf(1), Longest);
        QCOMPARE(ranks.offsetOf(2), Noon - Farthest);
    }

    void theStatusSaysItOnce()
    {
        Ranks ranks;
        ranks.add(5 * Second);
        ranks.add(6 * Second);
        tellPlacedClocks(ranks.workers, ranks.clocks);
        QVERIFY(ranks.clocks.status.empty());
        placeUnrelatedClocks(ranks.tracks, ranks.clocks);
        tellPlacedClocks(ranks.workers, ranks.clocks);
        tellPlacedClocks(ranks.workers, ranks.clocks);
        QCOMPARE(QString::fromStdString(ranks.clocks.status),
                 QStringLiteral("Moved only to be shown beside the others, by no measured offset: "
                                "ranks 1-2."));
        QCOMPARE(QString::fromStdString(placedClockText(ranks.workers, ranks.clocks, WorkerId(2))),
                 QStringLiteral("not aligned: no common clock with rank 0"));
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(UnrelatedClocksTest)
#include "tst_unrelated_clocks.moc"
