#include "ui/views/compare/iteration_pair.h"

#include <QTest>

using namespace ui;

class TestIterationPair : public QObject
{
    Q_OBJECT

private slots:
    void replayedIterationsAreCalledAsTheMeasuredOnes();
};

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
    QCOMPARE(marks[1].range.startNs, std::int64_t(1100));
    QCOMPARE(marks[1].range.endNs, std::int64_t(1200));
    QVERIFY(replayIterations(result, {})[1].label.endsWith(QStringLiteral(" 1")));
}

QTEST_GUILESS_MAIN(TestIterationPair)
#include "tst_iteration_pair.moc"
