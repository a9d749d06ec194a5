#include "core/model/iteration_period.h"

#include <QTest>

using namespace core;

namespace {

using Times = std::vector<std::int64_t>;
using Positions = std::vector<std::uint32_t>;

bool all(std::size_t)
{
    return true;
}

} // namespace

/// Figures over a period of iterations.
class IterationPeriodTest : public QObject
{
    Q_OBJECT

private slots:
    void withoutPositionsItIsTheMedian()
    {
        QCOMPARE(typicalOfPeriod(Times { 30, 10, 50 }, Positions {}), 30);
        QCOMPARE(typicalOfPeriod(Times { 30, 10, 50, 40 }, Positions {}), 35);
        QCOMPARE(typicalOfPeriod(Times {}, Positions {}), 0);
    }

    /// Medians of 30, 34, 90 and of 100, 110.
    void itIsTheMeanOfMediansAtPositions()
    {
        QCOMPARE(typicalOfPeriod(Times { 30, 100, 34, 110, 90 }, Positions { 0, 1, 0, 1, 0 }),
                 (34 + 105) / 2);
    }

    /// The first is left out as a warm-up: the others keep their places in the period.
    void positionsStayWithTheirIterations()
    {
        const IterationsAt at
            = iterationsAt(5, { 0, 1, 0, 1, 0 }, [](std::size_t i) { return i > 0; });
        QCOMPARE(at, (IterationsAt { { 2, 4 }, { 1, 3 } }));
    }

    /// Without it the mean would be over a part of the period.
    void aPositionOfWhichNoneCountsHasAll()
    {
        const IterationsAt at
            = iterationsAt(4, { 0, 1, 0, 1 }, [](std::size_t i) { return i % 2 == 0; });
        QCOMPARE(at, (IterationsAt { { 0, 2 }, { 1, 3 } }));
        QVERIFY(iterationsAt(4, { 0, 1, 0, 1 }, [](std::size_t) { return false; }).empty());
        QVERIFY(iterationsAt(0, {}, all).empty());
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(IterationPeriodTest)
#include "tst_iteration_period.moc"
