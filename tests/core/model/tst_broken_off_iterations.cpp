#include "core/model/broken_off_iterations.h"
#include "tests/support/trace_builder.h"

#include <QStringList>
#include <QTest>

#include <initializer_list>
#include <string>
#include <vector>

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

/// The ops that each step of one rank has, from its beginning.
using OpsOfSteps = std::vector<int>;

/// Ranks of steps of 100 us with an op every 10 us; of one with fewer than ten ops the mark ends
/// with the last op where `cutsMarks`, and the profiler's own op goes before the next.
Trace ranksOf(const std::vector<OpsOfSteps> &ranks, bool cutsMarks = false)
{
    std::string text;
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
        text += "rank " + std::to_string(rank) + "\n";
        std::string slices = "thread main\n";
        for (std::size_t step = 0; step < ranks[rank].size(); ++step) {
            const int startUs = 100 * static_cast<int>(step), count = ranks[rank][step];
            text += "iteration " + std::to_string(step) + " " + std::to_string(startUs) + " "
                + std::to_string(cutsMarks ? 10 * count : 100) + "\n";
            for (int op = 0; op < count; ++op)
                slices += "op " + std::to_string(startUs + 10 * op) + " 9 cpu_op\n";
            if (cutsMarks)
                slices += "zeros " + std::to_string(startUs + 99) + " 1 cpu_op\n";
        }
        text += slices;
    }
    return tests::traceFromText(text);
}

/// "0/3": of rank 0 iteration 3.
QString leftOut(Trace trace)
{
    markBrokenOff(trace);
    QStringList found;
    for (const Iteration &iteration : trace.iterations)
        if (!iteration.isWhole)
            found += QStringLiteral("%1/%2").arg(iteration.worker.value).arg(iteration.index);
    return found.join(QLatin1Char(' '));
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

    /// The step's events on one rank end half-way, those of the next are there.
    void aStepThatStopsHalfWayOnOneRankGoes_data()
    {
        QTest::addColumn<bool>("cutsMarks");
        QTest::newRow("whole mark") << false;
        QTest::newRow("cut mark") << true;
    }
    void aStepThatStopsHalfWayOnOneRankGoes()
    {
        QFETCH(const bool, cutsMarks);
        const OpsOfSteps whole(6, 10);
        const auto with = [&](const OpsOfSteps &cut) {
            return leftOut(ranksOf({ whole, cut, whole }, cutsMarks));
        };
        QCOMPARE(with({ 10, 10, 10, 5, 10, 10 }), QStringLiteral("1/3"));
        QCOMPARE(with({ 5, 10, 10, 10, 10, 10 }), QStringLiteral("1/0"));
        QCOMPARE(with({ 10, 10, 10, 5, 10, 4 }), QStringLiteral("1/3 1/5"));
        QCOMPARE(with({ 10, 10, 10, 10, 10, 10 }), QStringLiteral(""));
    }

    /// Of Horovod's steps only the reductions are recorded: the last one lasted to the end of its
    /// last reduction, half as long as the others, and counted.
    void aLastStepThatEndsWithItsWorkGoes()
    {
        QVERIFY(dropsLast(stepsOf({ 5, 5, 5, 5 }, 49, "comm_op")));
        QVERIFY(!dropsLast(stepsOf({ 5, 5, 5, 5 }, 49))); // computation ends a step
        QVERIFY(!dropsLast(stepsOf({ 5, 5, 5, 5 }, 50, "comm_op"))); // its mark goes on
        // Others end with their work, too; a long one is whole.
        QVERIFY(!dropsLast(stepsOf({ 10, 10, 10, 10 }, 99, "comm_op")));
        QVERIFY(!dropsLast(stepsOf({ 10, 10, 10, 10 }, 149, "comm_op")));
    }

    void aStepInWhichTheJobDoesLessStays()
    {
        const OpsOfSteps whole(6, 10), less { 10, 10, 10, 5, 10, 10 };
        QCOMPARE(leftOut(ranksOf({ less, less, less })), QStringLiteral(""));
        QCOMPARE(leftOut(ranksOf({ less, less, whole })), QStringLiteral(""));
        QCOMPARE(leftOut(ranksOf({ less })), QStringLiteral("")); // others may have done as much
        // Steps that differ by as much by themselves.
        QCOMPARE(leftOut(ranksOf({ whole, { 10, 9, 10, 8, 10, 9 }, whole })), QStringLiteral(""));
    }

    /// How often a host polls is no work; its last call counts as something that began.
    void callsOfTheHostAreNoWork()
    {
        QVERIFY(!dropsLast(stepsOf({ 10, 10, 10, 4 }, 100, "runtime")));
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(BrokenOffIterationsTest)
#include "tst_broken_off_iterations.moc"
