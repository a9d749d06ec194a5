#include "core/predict/interval_reach.h"

#include <QTest>

using namespace core;

/// How what a prediction is unsure for adds up.
class TestIntervalReach : public QObject
{
    Q_OBJECT

private slots:
    /// 3 and 4 are 5; with iterations that are off by 12, 13. A latency of 12 reaches up only.
    void reachesAddUpAsSquares()
    {
        IntervalReach reach;
        reach.add(IntervalSource::Links, 3);
        reach.add(IntervalSource::Overlap, 4);
        IterationSpread spread;
        spread.ofOneDownNs = spread.ofOneUpNs = 12;
        const PredictionInterval interval = reach.around(1000, spread);
        QCOMPARE(interval.lowNs, std::int64_t { 987 });
        QCOMPARE(interval.highNs, std::int64_t { 1013 });
        QCOMPARE(interval.typicalLowNs, std::int64_t { 995 });
        QCOMPARE(interval.typicalHighNs, std::int64_t { 1005 });
        reach.add(IntervalSource::Latency, 12);
        QCOMPARE(reach.around(1000, {}).lowNs, std::int64_t { 995 });
        QCOMPARE(reach.around(1000, {}).highNs, std::int64_t { 1013 });
    }

    /// Fewer ranks on a core are one case or the other, each as unsure as all else.
    void whereTheRanksAreComesOnTop()
    {
        IntervalReach reach;
        reach.add(IntervalSource::Waits, 5);
        reach.cores.include(-20);
        reach.cores.include(10);
        QCOMPARE(reach.around(1000, {}).lowNs, std::int64_t { 975 });
        QCOMPARE(reach.around(1000, {}).highNs, std::int64_t { 1015 });
        reach.batch.include(12);
        QCOMPARE(reach.around(1000, {}).lowNs, std::int64_t { 975 });
        QCOMPARE(reach.around(1000, {}).highNs, std::int64_t { 1023 });
    }

    void theFarthestIsTheWidest()
    {
        IntervalReach reach;
        IterationSpread spread;
        QCOMPARE(reach.widest(spread), IntervalSource::Iterations);
        reach.add(IntervalSource::Links, 3);
        reach.add(IntervalSource::Links, 4); // two readings: 5
        reach.add(IntervalSource::Waits, 4.5);
        QCOMPARE(reach.widest(spread), IntervalSource::Links);
        reach.compute.include(-6);
        QCOMPARE(reach.widest(spread), IntervalSource::Compute);
        reach.longerNs = -7;
        QCOMPARE(reach.widest(spread), IntervalSource::OtherRanks);
        spread.ofOneUpNs = 6;
        reach.replayErrorNs = 6; // 8.5 together
        QCOMPARE(reach.widest(spread), IntervalSource::Iterations);
        QCOMPARE(reach.widest(spread), IntervalSource::Iterations); // asking adds nothing
        reach.batch.include(9);
        QCOMPARE(reach.widest(spread), IntervalSource::Batch);
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestIntervalReach)
#include "tst_interval_reach.moc"
