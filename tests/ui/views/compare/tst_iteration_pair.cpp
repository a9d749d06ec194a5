#include "ui/views/compare/iteration_pair.h"

#include <QTest>

using namespace ui;

namespace {

/// Iterations of so many workers: (worker, number, start, duration).
std::vector<CommonIteration>
paired(std::uint32_t workers,
       const std::vector<std::tuple<std::uint32_t, std::int64_t, std::int64_t, std::int64_t>> &rows)
{
    core::Trace trace;
    trace.workers.resize(workers);
    std::vector<core::Iteration> iterations;
    for (const auto &[worker, index, startNs, durationNs] : rows) {
        core::Iteration &iteration = iterations.emplace_back();
        iteration.worker = core::WorkerId(worker);
        iteration.index = index;
        iteration.range = { startNs, startNs + durationNs };
    }
    return pairIterations(iterations, trace);
}

} // namespace

class TestIterationPair : public QObject
{
    Q_OBJECT

private slots:
    void anIterationLastsUntilItsLastRankEnds();
    void ranksWithoutACommonNumberArePairedInOrder();
    void theTypicalIterationIsNearestToTheMedian();
    void nothingIsTypicalOfNoIterations();
    void replayedIterationsAreCalledAsTheMeasuredOnes();
};

void TestIterationPair::anIterationLastsUntilItsLastRankEnds()
{
    const auto pairs = paired(2, { { 0, 4, 100, 90 }, { 1, 4, 95, 110 } });
    QCOMPARE(pairs.size(), std::size_t(1));
    QCOMPARE(pairs[0].index, std::int64_t(4));
    QCOMPARE(pairs[0].slowestNs, std::int64_t(110));
    QCOMPARE(pairs[0].range.startNs, std::int64_t(95));
    QCOMPARE(pairs[0].range.endNs, std::int64_t(205));
}

void TestIterationPair::ranksWithoutACommonNumberArePairedInOrder()
{
    const auto pairs = paired(2, { { 0, 1, 0, 10 }, { 0, 2, 10, 20 }, { 1, 7, 1, 30 } });
    QCOMPARE(pairs.size(), std::size_t(1));
    QCOMPARE(pairs[0].slowestNs, std::int64_t(30));
}

/// Compare once showed the last iteration under the headline of the median, half as long again.
void TestIterationPair::theTypicalIterationIsNearestToTheMedian()
{
    const auto common = paired(1, { { 0, 0, 0, 1000 }, { 0, 1, 1000, 990 }, { 0, 2, 1990, 750 } });
    QCOMPARE(typicalIteration(common, 990), std::optional<std::size_t>(1));
    QCOMPARE(typicalIteration(common, 700), std::optional<std::size_t>(2));
    QCOMPARE(typicalIteration(common, 995), std::optional<std::size_t>(1)); // the later of equals
}

void TestIterationPair::nothingIsTypicalOfNoIterations()
{
    QVERIFY(pairIterations({}, {}).empty());
    QVERIFY(!typicalIteration({}, 100));
}

void TestIterationPair::replayedIterationsAreCalledAsTheMeasuredOnes()
{
    auto graph = std::make_shared<core::Graph>();
    graph->iterationCount = 2;
    auto replay = std::make_shared<core::ReplayResult>();
    replay->iterationEndNs = { 100, 200 };
    core::ScenarioResult result;
    result.graph = graph;
    result.replay = replay;
    result.timeOriginNs = 1000;
    const auto measured = paired(1, { { 0, 551, 1000, 99 }, { 0, 552, 1099, 98 } });
    const auto marks = replayIterations(result, measured);
    QCOMPARE(marks.size(), std::size_t(2));
    QVERIFY(marks[0].label.contains(QStringLiteral("551")));
    QCOMPARE(marks[1].range.startNs, std::int64_t(1100));
    QCOMPARE(marks[1].range.endNs, std::int64_t(1200));
    QVERIFY(replayIterations(result, {})[1].label.endsWith(QStringLiteral(" 1")));
}

QTEST_GUILESS_MAIN(TestIterationPair)
#include "tst_iteration_pair.moc"
