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

std::optional<std::size_t> sharedOf(std::size_t measured, std::size_t replayed)
{
    core::Prediction result;
    result.iterations.emplace_back().periodNs.resize(replayed);
    result.typicalIteration = 1;
    return sharedIteration(result, std::vector<core::CommonIteration>(measured));
}

} // namespace

void TestIterationPair::replayedIterationsAreCalledAsTheMeasuredOnes()
{
    core::Prediction result;
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
    QCOMPARE(sharedOf(3, 3), std::optional<std::size_t>(1)); // the result's
}

void TestIterationPair::iterationsThatCannotBePairedAreNotShown()
{
    QVERIFY(!sharedOf(3, 2));
    QVERIFY(!sharedIteration({}, {}));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestIterationPair)
#include "tst_iteration_pair.moc"
