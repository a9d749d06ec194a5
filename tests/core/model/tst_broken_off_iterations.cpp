#include "core/model/broken_off_iterations.h"
#include "tests/support/trace_builder.h"

#include <QTest>

#include <initializer_list>
#include <string>

using namespace core;

namespace {

/// Steps of 100 us with an op every 10 us; `ops` says how many of the ten each has, and `lastUs`
/// how long the last one takes.
Trace stepsOf(std::initializer_list<int> ops, int lastUs = 100, const char *category = "cpu_op")
{
    std::string text = "rank 0\n", slices = "thread main\n";
    int index = 0;
    for (const int count : ops) {
        const bool isLast = index + 1 == static_cast<int>(ops.size());
        text += "iteration " + std::to_string(index) + " " + std::to_string(100 * index) + " "
            + std::to_string(isLast ? lastUs : 100) + "\n";
        // The first lacks its beginning, others their end.
        const int first = index == 0 ? 10 - count : 0;
        for (int op = first; op < first + count; ++op)
            slices += "op " + std::to_string(100 * index + 10 * op) + " 9 " + category + "\n";
        ++index;
    }
    return tests::traceFromText(text + slices);
}

bool dropsLast(Trace trace)
{
    markBrokenOff(trace);
    return !trace.iterations.back().isWhole;
}

} // namespace

class BrokenOffIterationsTest : public QObject
{
    Q_OBJECT

private slots:
    void whatWasCutGoes()
    {
        QVERIFY(dropsLast(stepsOf({ 10, 10, 10, 4 })));
        QVERIFY(dropsLast(stepsOf({ 10, 10, 10, 0 })));
        QVERIFY(dropsLast(stepsOf({ 10, 3 })));
        QVERIFY(!dropsLast(stepsOf({ 10, 10, 10, 10 })));
        // The first may lack what ran before the recording began.
        QVERIFY(dropsLast(stepsOf({ 2, 10, 10, 4 })));
        QVERIFY(!dropsLast(stepsOf({ 4 }))); // nothing to compare it with
    }

    /// It was dropped as soon as a tenth of it was idle at its end.
    void aHiccupAtTheEndOfAWholeOneStays_data()
    {
        QTest::addColumn<int>("lastUs");
        for (const int lastUs : { 115, 200, 5000 })
            QTest::addRow("%d us", lastUs) << lastUs;
    }
    void aHiccupAtTheEndOfAWholeOneStays()
    {
        QFETCH(const int, lastUs);
        QVERIFY(!dropsLast(stepsOf({ 10, 10, 10, 10 }, lastUs)));
        QVERIFY(!dropsLast(stepsOf({ 10, 9, 10, 9 }, lastUs))); // steps differ by themselves
        QVERIFY(dropsLast(stepsOf({ 10, 10, 10, 9 }, 5 * lastUs)));
    }

    /// How often a host polls is no work; its last call counts as something that began.
    void callsOfTheHostAreNoWork()
    {
        QVERIFY(!dropsLast(stepsOf({ 10, 10, 10, 4 }, 100, "runtime")));
    }
};

QTEST_GUILESS_MAIN(BrokenOffIterationsTest)
#include "tst_broken_off_iterations.moc"
