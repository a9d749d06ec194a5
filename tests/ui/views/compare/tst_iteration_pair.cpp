#include "ui/views/compare/iteration_pair.h"

#include <QTest>

using namespace ui;

class TestIterationPair : public QObject
{
    Q_OBJECT

private slots:
    void replayedIterationsAreCalledAsTheMeasuredOnes();
    void bothTimelinesShowOneIteration();
    void iterationsThatCannotBePairedAreNotShown();
};

namespace {

/// Iterations of these times as measured and as replayed, with their medians.
struct Times
{
    std::vector<std::int64_t> measuredNs, replayedNs;
    std::int64_t measuredMedianNs = 0, replayedMedianNs = 0;
    std::size_t warmUp = 0;
};

std::optional<std::size_t> sharedOf(const Times &times)
{
    core::ScenarioResult result;
    result.measuredNs = times.measuredMedianNs;
    result.predictedNs = times.replayedMedianNs;
    result.iterations.emplace_back().periodNs = times.replayedNs;
    result.iterations.front().warmUp = times.warmUp;
    std::vector<core::CommonIteration> measured;
    for (const std::int64_t ns : times.measuredNs)
        measured.push_back({ .index = 0, .slowestNs = ns, .range = {} });
    return sharedIteration(result, measured);
}

} // namespace

void TestIterationPair::replayedIterationsAreCalledAsTheMeasuredOnes()
{
    core::ScenarioResult result;
    result.iterations.emplace_back().endNs = { 100, 200 };
    result.timeOriginNs = 1000;
    std::vector<core::CommonIteration> measured(2);
    measured[0].index = 551;
    measured[1].index = 552;
    const auto marks = replayIterations(result, measured);
    QCOMPARE(marks.size(), std::size_t(2));
    QVERIFY(marks[0].label.contains(QStringLiteral("551")));
    QVERIFY(marks[0].shortLabel.contains(QStringLiteral("551")));
    QCOMPARE(marks[1].range.startNs, std::int64_t(1100));
    QCOMPARE(marks[1].range.endNs, std::int64_t(1200));
    QVERIFY(replayIterations(result, {})[1].label.endsWith(QStringLiteral(" 1")));
}

/// Iteration 2 as measured stood above iteration 5 as predicted, each the nearest to its own
/// median.
void TestIterationPair::bothTimelinesShowOneIteration()
{
    // The first is the measured median and far from the other; the last is the other way round.
    QCOMPARE(sharedOf({ { 100, 103, 120 }, { 300, 206, 200 }, 100, 200 }),
             std::optional<std::size_t>(1));
    // Of equals the last: a schedule that fills up while it runs begins with shorter ones.
    QCOMPARE(sharedOf({ { 100, 100 }, { 200, 200 }, 100, 200 }), std::optional<std::size_t>(1));
    // The nearest one is left out of what is predicted.
    QCOMPARE(sharedOf({ { 100, 120, 130 }, { 200, 220, 230 }, 100, 200, 1 }),
             std::optional<std::size_t>(1));
}

void TestIterationPair::iterationsThatCannotBePairedAreNotShown()
{
    QVERIFY(!sharedOf({ { 100, 100 }, { 200 }, 100, 200 }));
    QVERIFY(!sharedIteration({}, {}));
}

QTEST_GUILESS_MAIN(TestIterationPair)
#include "tst_iteration_pair.moc"
