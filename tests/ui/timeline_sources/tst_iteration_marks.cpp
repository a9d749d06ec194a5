#include "core/model/compared_iterations.h"
#include "ui/timeline_sources/iteration_marks.h"

#include <QTest>

using namespace ui;

namespace {

/// One rank with three iterations of 100 ns.
core::ProjectInfo threeIterations()
{
    core::ProjectInfo info;
    info.workers.emplace_back();
    for (int i = 0; i < 3; ++i) {
        core::Iteration iteration;
        iteration.index = i;
        iteration.range = { i * 100, i * 100 + 100 };
        iteration.isStated = true;
        info.iterations.push_back(iteration);
    }
    info.compared = core::comparedIterations(info.workers, info.iterations);
    return info;
}

} // namespace

class TestIterationMarks : public QObject
{
    Q_OBJECT

private slots:
    void iterationsThatNoFigureIsOfAreLeftOut();
};

/// Iterations that the analysis leaves out were marked as if they counted.
void TestIterationMarks::iterationsThatNoFigureIsOfAreLeftOut()
{
    core::ProjectInfo info = threeIterations();
    QCOMPARE(iterationMarks(info, info.compared).front().label, QStringLiteral("iteration 0"));
    std::vector<core::Iteration> marked = info.iterations;
    marked.front().isWhole = false;
    const auto compared = core::comparedIterations(info.workers, marked);
    const std::vector<TimelineIteration> marks = iterationMarks(info, compared);
    QCOMPARE(marks.size(), std::size_t { 3 });
    QCOMPARE(marks[0].label, QStringLiteral("iteration 0, left out"));
    QCOMPARE(marks[1].label, QStringLiteral("iteration 1"));
    QCOMPARE(marks[2].label, QStringLiteral("iteration 2"));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestIterationMarks)
#include "tst_iteration_marks.moc"
