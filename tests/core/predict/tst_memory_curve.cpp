#include "core/predict/memory_curve.h"

#include <QTest>

#include <cmath>
#include <optional>
#include <string>
#include <vector>

using namespace core;

namespace {

MemoryEvent allocation(std::int64_t timeNs, std::optional<int> device, std::int64_t deltaBytes,
                       std::uint64_t allocatedBytes = 0)
{
    MemoryEvent made;
    made.timeNs = timeNs;
    made.device = device;
    made.deltaBytes = deltaBytes;
    made.allocatedBytes = allocatedBytes;
    return made;
}

std::string textOf(const MemoryCurve &curve)
{
    std::string text;
    for (const UseStep &step : curve.steps)
        text += std::to_string(step.startNs) + ':' + std::to_string(std::llround(step.value)) + ' ';
    return text + "peak " + std::to_string(curve.peak.startNs) + ':'
        + std::to_string(std::llround(curve.peak.value));
}

Trace movedBy1000()
{
    Trace trace;
    trace.workers.resize(1);
    trace.alignment.workers.resize(1);
    trace.alignment.workers[0].offsetNs = 1000;
    return trace;
}

} // namespace

class TestMemoryCurve : public QObject
{
    Q_OBJECT

private slots:
    /// A total that comes with the second event tells what was there before the first.
    void theLevelIsTheTotalOfWhatIsAllocated()
    {
        const auto curves = memoryCurves({ allocation(10, 0, 50), allocation(20, 0, 100, 450),
                                           allocation(30, 0, -200), allocation(40, 0, 200) },
                                         movedBy1000(), WorkerId(0));
        QCOMPARE(curves.size(), std::size_t { 1 });
        QCOMPARE(textOf(curves[0]),
                 std::string("1010:350 1020:450 1030:250 1040:450 peak 1020:450"));
    }

    void eventsAtOneTimeAreOneStepWithThePeakBetweenThem()
    {
        const auto curves = memoryCurves({ allocation(10, 0, 50, 50), allocation(10, 0, -30, 20) },
                                         {}, WorkerId(0));
        QCOMPARE(textOf(curves.at(0)), std::string("10:20 peak 10:50"));
    }

    void devicesHaveTheirOwnAndTheHostOfAcceleratorsHasNone()
    {
        const auto curves
            = memoryCurves({ allocation(10, 1, 5, 5), allocation(20, std::nullopt, 7, 7),
                             allocation(30, 0, 6, 6) },
                           {}, WorkerId(0));
        QCOMPARE(curves.size(), std::size_t { 2 });
        QCOMPARE(curves[0].device, std::optional<int>(0));
        QCOMPARE(curves[1].device, std::optional<int>(1));
        QCOMPARE(memoryCurves({ allocation(20, std::nullopt, 7, 7) }, {}, WorkerId(0)).size(),
                 std::size_t { 1 });
    }

    void withoutTotalsNothingIsKnown()
    {
        QVERIFY(memoryCurves({ allocation(10, 0, 50), allocation(20, 0, -50) }, {}, WorkerId(0))
                    .empty());
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestMemoryCurve)
#include "tst_memory_curve.moc"
