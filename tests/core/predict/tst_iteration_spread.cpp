#include "core/base/median_ns.h"
#include "core/predict/iteration_spread.h"

#include <QTest>

#include <string>

using namespace core;

namespace {

ReplayedIterations iterationsOf(std::vector<std::int64_t> periodsNs, std::size_t warmUp = 0)
{
    ReplayedIterations own;
    own.warmUp = warmUp;
    own.typicalNs
        = medianNs({ periodsNs.begin() + static_cast<std::ptrdiff_t>(warmUp), periodsNs.end() });
    own.periodNs = std::move(periodsNs);
    return own;
}

} // namespace

/// How far iterations lie apart, for a prediction's interval.
class TestIterationSpread : public QObject
{
    Q_OBJECT

private slots:
    void likeIterationsHaveNone();
    void oneIterationTellsNothing();
    void fewIterationsReachFar();
    void theWarmUpIsLeftOut();
    void oneFarOffReachesItsOwnWay();
    void theMedianIsDrawnTowardsWhereIterationsLie();
    void ranksAreDrawnTogether();
    void kindsThatRepeatAreNoSpread();
    void aRankThatIsNotRecordedMayDifferAsTheOthersDo();
};

void TestIterationSpread::likeIterationsHaveNone()
{
    const IterationSpread spread = iterationSpread({ iterationsOf({ 100, 100, 100 }) }, {});
    QCOMPARE(spread.ofOneDownNs, 0.0);
    QCOMPARE(spread.ofOneUpNs, 0.0);
    QCOMPARE(spread.medianDownNs, 0.0);
    QCOMPARE(spread.medianUpNs, 0.0);
}

/// In each iteration the ranks are 3 from their mean: squares of 9 for each of two and three
/// iterations, of three degrees of freedom (t 3.18), sqrt(18) * sqrt(3 / 2). With a rank missing
/// the interval was narrower than with all.
void TestIterationSpread::aRankThatIsNotRecordedMayDifferAsTheOthersDo()
{
    const std::vector<ReplayedIterations> ranks
        = { iterationsOf({ 97, 103, 97 }), iterationsOf({ 103, 97, 103 }) };
    IterationSpread spread;
    spread.ofOneDownNs = 10;
    spread.medianUpNs = 7;
    const IterationSpread wider = withUnseenRank(spread, ranks);
    QVERIFY(std::abs(wider.ofOneUpNs - 3.18 * std::sqrt(27.0)) < 1e-9);
    QCOMPARE(wider.ofOneDownNs, 10 + wider.ofOneUpNs);
    QCOMPARE(wider.medianUpNs, 7.0);
    QCOMPARE(withUnseenRank(spread, { ranks.front() }).ofOneUpNs, 0.0);
    QCOMPARE(withUnseenRank({ 40, 40, 0, 0 }, { ranks.front(), ranks.front() }).ofOneUpNs, 40.0);
}

void TestIterationSpread::oneIterationTellsNothing()
{
    QCOMPARE(iterationSpread({ iterationsOf({ 100 }) }, {}).ofOneUpNs, 0.0);
    QCOMPARE(iterationSpread({ iterationsOf({ 80, 100 }, 1) }, {}).ofOneUpNs, 0.0);
    QCOMPARE(iterationSpread({}, {}).ofOneUpNs, 0.0);
}

/// With two iterations Student's t is 12.7, not the normal distribution's 1.96.
void TestIterationSpread::fewIterationsReachFar()
{
    const IterationSpread two = iterationSpread({ iterationsOf({ 90, 110 }) }, {});
    QVERIFY(std::abs(two.ofOneUpNs - 12.71 * 14.142) < 0.1);
    QCOMPARE(two.ofOneDownNs, two.ofOneUpNs);
    QCOMPARE(two.medianDownNs, 10.0);
    QCOMPARE(two.medianUpNs, 10.0);
    const IterationSpread four = iterationSpread({ iterationsOf({ 90, 110, 90, 110 }) }, {});
    QVERIFY(std::abs(four.ofOneUpNs - 3.18 * 11.547) < 0.1);
}

void TestIterationSpread::theWarmUpIsLeftOut()
{
    QCOMPARE(iterationSpread({ iterationsOf({ 10, 100, 100, 100 }, 1) }, {}).ofOneUpNs, 0.0);
}

/// The interval of a job with one long iteration reached as far below the others as above them.
void TestIterationSpread::oneFarOffReachesItsOwnWay()
{
    const IterationSpread late
        = iterationSpread({ iterationsOf({ 98, 99, 100, 101, 102, 200 }) }, {});
    QVERIFY2(late.ofOneUpNs > 100, std::to_string(late.ofOneUpNs).c_str());
    QVERIFY2(late.ofOneDownNs > 5 && late.ofOneDownNs < 15,
             std::to_string(late.ofOneDownNs).c_str());
    const IterationSpread early
        = iterationSpread({ iterationsOf({ 0, 98, 99, 100, 101, 102 }) }, {});
    QVERIFY(early.ofOneDownNs > 100 && early.ofOneUpNs < 15);
}

/// One long iteration of five: the median of a draw is rarely it, and never less than the others.
void TestIterationSpread::theMedianIsDrawnTowardsWhereIterationsLie()
{
    const IterationSpread spread
        = iterationSpread({ iterationsOf({ 100, 100, 100, 100, 200 }) }, {});
    QCOMPARE(spread.medianDownNs, 0.0);
    QCOMPARE(spread.medianUpNs, 100.0); // in 5.8 % of the draws it is there three times
}

/// Two ranks of which either is slow in turn: the slower one's median is the same in every draw
/// that takes both kinds, which drawing each rank for itself would not give.
void TestIterationSpread::ranksAreDrawnTogether()
{
    const IterationSpread spread
        = iterationSpread({ iterationsOf({ 100, 120 }), iterationsOf({ 120, 100 }) }, {});
    QCOMPARE(spread.medianDownNs, 0.0); // drawn apart both could be 100
    QCOMPARE(spread.medianUpNs, 10.0);
}

/// Spread of the mean of one more period: 98 and 102 are 2 from their mean, of two degrees of
/// freedom (t 4.30), and half of a period. The bootstrap draws 98, 100 or 102 there.
void TestIterationSpread::kindsThatRepeatAreNoSpread()
{
    ReplayedIterations own = iterationsOf({ 100, 300, 100, 300 });
    own.positions = { 0, 1, 0, 1 };
    own.typicalNs = 200;
    const IterationSpread none = iterationSpread({ own }, {});
    QCOMPARE(none.ofOneUpNs, 0.0);
    QCOMPARE(none.medianUpNs, 0.0);
    own.periodNs = { 98, 300, 102, 300 };
    const IterationSpread spread = iterationSpread({ own }, {});
    QVERIFY(std::abs(spread.ofOneUpNs - 4.30 * 2 / std::sqrt(2.0)) < 0.01);
    QCOMPARE(spread.medianDownNs, 1.0);
    QCOMPARE(spread.medianUpNs, 1.0);
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestIterationSpread)
#include "tst_iteration_spread.moc"
