#include "core/scenario/typical_iteration.h"

#include <QTest>

using namespace core;

namespace {

/// Iterations of so many workers: (worker, number, start, duration).
std::vector<CommonIteration>
paired(std::uint32_t workers,
       const std::vector<std::tuple<std::uint32_t, std::int64_t, std::int64_t, std::int64_t>> &rows)
{
    Trace trace;
    trace.workers.resize(workers);
    std::vector<Iteration> iterations;
    for (const auto &[worker, index, startNs, durationNs] : rows) {
        Iteration &iteration = iterations.emplace_back();
        iteration.worker = WorkerId(worker);
        iteration.index = index;
        iteration.range = { startNs, startNs + durationNs };
    }
    return pairIterations(iterations, trace);
}

} // namespace

class TestTypicalIteration : public QObject
{
    Q_OBJECT

private slots:
    void anIterationLastsUntilItsLastRankEnds();
    void ranksWithoutACommonNumberArePairedInOrder();
    void theTypicalIterationIsNearestToTheMedian();
    void whatThePredictionDoesNotCountIsNotTypical();
    void aReplaysIterationTakesAsLongAsItsSlowestRank();
    void nothingIsTypicalOfNoIterations();
};

void TestTypicalIteration::anIterationLastsUntilItsLastRankEnds()
{
    const auto pairs = paired(2, { { 0, 4, 100, 90 }, { 1, 4, 95, 110 } });
    QCOMPARE(pairs.size(), std::size_t(1));
    QCOMPARE(pairs[0].index, std::int64_t(4));
    QCOMPARE(pairs[0].slowestNs, std::int64_t(110));
    QCOMPARE(pairs[0].range.startNs, std::int64_t(95));
    QCOMPARE(pairs[0].range.endNs, std::int64_t(205));
}

void TestTypicalIteration::ranksWithoutACommonNumberArePairedInOrder()
{
    const auto pairs = paired(2, { { 0, 1, 0, 10 }, { 0, 2, 10, 20 }, { 1, 7, 1, 30 } });
    QCOMPARE(pairs.size(), std::size_t(1));
    QCOMPARE(pairs[0].slowestNs, std::int64_t(30));
}

/// Compare once showed the last iteration under the headline of the median, half as long again.
void TestTypicalIteration::theTypicalIterationIsNearestToTheMedian()
{
    const auto common = paired(1, { { 0, 0, 0, 1000 }, { 0, 1, 1000, 990 }, { 0, 2, 1990, 750 } });
    const std::vector<ReplayedIterations> all(1);
    QCOMPARE(typicalIteration(common, 990, all), std::optional<std::size_t>(1));
    QCOMPARE(typicalIteration(common, 700, all), std::optional<std::size_t>(2));
    // Of equals the later one.
    QCOMPARE(typicalIteration(common, 995, all), std::optional<std::size_t>(1));
}

/// The first iteration of a job that sends slices, as measured the nearest to the median, was shown
/// with a critical path half as long again: replayed, it begins without what one before left over.
void TestTypicalIteration::whatThePredictionDoesNotCountIsNotTypical()
{
    const auto common = paired(1, { { 0, 0, 0, 1000 }, { 0, 1, 1000, 990 }, { 0, 2, 1990, 750 } });
    std::vector<ReplayedIterations> replayed(1);
    replayed[0].warmUp = 1;
    QCOMPARE(typicalIteration(common, 1000, replayed), std::optional<std::size_t>(1));
    replayed[0].kept = { 1 };
    QCOMPARE(typicalIteration(common, 1000, replayed), std::optional<std::size_t>(2));
    replayed[0].periodNs = { 1000, 990, 750 };
    QCOMPARE(typicalIteration(replayed, 1000), std::optional<std::size_t>(2));
}

void TestTypicalIteration::nothingIsTypicalOfNoIterations()
{
    QVERIFY(pairIterations({}, {}).empty());
    QVERIFY(!typicalIteration(std::vector<CommonIteration> {}, 100, {}));
}

void TestTypicalIteration::aReplaysIterationTakesAsLongAsItsSlowestRank()
{
    // The first of a schedule that fills up is shorter, as P3's is.
    std::vector<ReplayedIterations> ranks(2);
    ranks[0].periodNs = { 590, 700, 800 };
    ranks[1].periodNs = { 580, 810, 790 };
    QCOMPARE(typicalIteration(ranks, 800), std::optional<std::size_t>(2));
    QCOMPARE(typicalIteration(ranks, 812), std::optional<std::size_t>(1));
}

QTEST_GUILESS_MAIN(TestTypicalIteration)
#include "tst_typical_iteration.moc"
