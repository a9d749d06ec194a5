#include "ui/views/compare/iteration_pair.h"

#include <QTest>

using namespace ui;

namespace {

/// A project whose ranks recorded these iterations: (worker, number, start, duration).
core::ProjectInfo projectOf(
    std::uint32_t workers,
    const std::vector<std::tuple<std::uint32_t, std::int64_t, std::int64_t, std::int64_t>> &rows)
{
    core::ProjectInfo info;
    info.workers.resize(workers);
    for (const auto &[worker, index, startNs, durationNs] : rows) {
        core::Iteration iteration;
        iteration.worker = core::WorkerId(worker);
        iteration.index = index;
        iteration.range = { startNs, startNs + durationNs };
        info.iterations.push_back(iteration);
    }
    return info;
}

} // namespace

class TestIterationPair : public QObject
{
    Q_OBJECT

private slots:
    void iterationsThatARankLacksAreLeftOut();
    void ranksWithoutACommonNumberArePairedInOrder();
    void theTypicalIterationIsNearestToTheMedian();
    void nothingIsTypicalOfNoIterations();
    void replayedIterationsAreCalledAsTheMeasuredOnes();
};

void TestIterationPair::iterationsThatARankLacksAreLeftOut()
{
    const auto common = commonIterations(projectOf(
        2, { { 0, 3, 0, 100 }, { 0, 4, 100, 90 }, { 0, 5, 190, 80 }, { 1, 4, 95, 110 } }));
    QCOMPARE(common.size(), std::size_t(1));
    QCOMPARE(common[0].index, std::int64_t(4));
    QCOMPARE(common[0].slowestNs, std::int64_t(110));
    QCOMPARE(common[0].range.startNs, std::int64_t(95));
    QCOMPARE(common[0].range.endNs, std::int64_t(205));
}

void TestIterationPair::ranksWithoutACommonNumberArePairedInOrder()
{
    const auto common
        = commonIterations(projectOf(2, { { 0, 1, 0, 10 }, { 0, 2, 10, 20 }, { 1, 7, 1, 30 } }));
    QCOMPARE(common.size(), std::size_t(1));
    QCOMPARE(common[0].slowestNs, std::int64_t(30));
}

/// Compare once showed the last iteration under the headline of the median, half as long again.
void TestIterationPair::theTypicalIterationIsNearestToTheMedian()
{
    const auto common = commonIterations(
        projectOf(1, { { 0, 0, 0, 1000 }, { 0, 1, 1000, 990 }, { 0, 2, 1990, 750 } }));
    QCOMPARE(typicalIteration(common, 990), std::optional<std::size_t>(1));
    QCOMPARE(typicalIteration(common, 700), std::optional<std::size_t>(2));
    QCOMPARE(typicalIteration(common, 995), std::optional<std::size_t>(1)); // the later of equals
}

void TestIterationPair::nothingIsTypicalOfNoIterations()
{
    QVERIFY(commonIterations({}).empty());
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
    const auto measured
        = commonIterations(projectOf(1, { { 0, 551, 1000, 99 }, { 0, 552, 1099, 98 } }));
    const auto marks = replayIterations(result, measured);
    QCOMPARE(marks.size(), std::size_t(2));
    QVERIFY(marks[0].label.contains(QStringLiteral("551")));
    QCOMPARE(marks[1].range.startNs, std::int64_t(1100));
    QCOMPARE(marks[1].range.endNs, std::int64_t(1200));
    QVERIFY(replayIterations(result, {})[1].label.endsWith(QStringLiteral(" 1")));
}

QTEST_GUILESS_MAIN(TestIterationPair)
#include "tst_iteration_pair.moc"
