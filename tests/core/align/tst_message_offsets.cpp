#include "clock_evidence_lists.h"

#include <QtTest>

#include <algorithm>
#include <cmath>
#include <random>

using namespace core;
using tests::Ms;
using tests::solved;
using tests::Us;

/// What messages between ranks tell of their clocks.
class MessageOffsetsTest : public QObject
{
    Q_OBJECT

private slots:
    void messagesGiveTheOffset();
    void messagesGiveTheDrift();
    void whatMessagesLeaveOpenHoldsTheTruth();
    void aClockThatMessagesAllowStaysAsRecorded();
    void matesDriftAsTheWorkerThatMessagesTie();
    void aMessageMatchedWronglyIsNoDrift();
    void messagesOneWayLeaveTheClockUnknown();
    void collectivesOfAWorkerThatMessagesTieAreUsed();
    void manyWorkersInAChainTakeNoTime();
};

namespace {

/// A message each way every 10 ms, 100 us long, of a clock that is `aheadNs` ahead.
void addMessages(ClockEvidence &seen, std::size_t from, std::size_t to, std::int64_t aheadNs,
                 double driftPpm = 0)
{
    const auto other = [&](std::int64_t ns) {
        return ns + aheadNs + std::llround(driftPpm * 1e-6 * static_cast<double>(ns));
    };
    for (std::int64_t i = 0; i < 100; ++i) {
        const std::int64_t at = i * 100 * Ms, later = at + 5 * Ms;
        seen.messages.push_back({ { from, at, at }, { to, other(at), other(at + 100 * Us) } });
        seen.messages.push_back(
            { { to, other(later), other(later) }, { from, later, later + 100 * Us } });
    }
}

} // namespace

void MessageOffsetsTest::messagesGiveTheOffset()
{
    // Worker 1 is 3 ms ahead; the fastest message takes 100 us each way.
    ClockEvidence seen;
    for (std::int64_t i = 0; i < 20; ++i) {
        const std::int64_t at = i * 10 * Ms, takes = (100 + 40 * (i % 5)) * Us;
        seen.messages.push_back(
            { { 0, at, at + 50 * Us }, { 1, at + 3 * Ms, at + 3 * Ms + takes } });
        seen.messages.push_back({ { 1, at + 8 * Ms, at + 8 * Ms },
                                  { 0, at + 5 * Ms - 200 * Us, at + 5 * Ms + takes } });
    }
    const ClockSolution solution = solved(seen, 2);
    QVERIFY(std::abs(solution.workers[1]->offsetNs + 3 * Ms) < 20 * Us);
    // And a tick, and what a drift that the messages allow moves until the end.
    QVERIFY(solution.workers[1]->uncertaintyNs >= 101 * Us);
    QVERIFY(solution.workers[1]->uncertaintyNs < 300 * Us);
    QVERIFY(countViolations(seen, std::vector<std::optional<ClockOffset>>(2)) > 0);
    QCOMPARE(countViolations(seen, solution.workers), std::uint64_t { 0 });
}

void MessageOffsetsTest::messagesGiveTheDrift()
{
    // 40 ppm over 20 s are 800 us: more than the 200 us that the messages leave open.
    ClockEvidence seen;
    for (std::int64_t i = 0; i < 200; ++i) {
        const std::int64_t at = i * 100 * Ms, takes = (100 + 40 * (i % 5)) * Us;
        const auto other = [](std::int64_t ns) { return ns + 3 * Ms + ns / 25'000; };
        seen.messages.push_back({ { 0, at, at }, { 1, other(at), other(at + takes) } });
        seen.messages.push_back(
            { { 1, other(at + 5 * Ms), other(at + 5 * Ms) }, { 0, at, at + 5 * Ms + takes } });
    }
    const ClockOffset clock = *solved(seen, 2).workers[1];
    QVERIFY2(std::abs(clock.driftPpm + 40) < 2, qPrintable(QString::number(clock.driftPpm)));
    QVERIFY(std::abs(clock.offsetNs + 3 * Ms) < 30 * Us);
}

void MessageOffsetsTest::whatMessagesLeaveOpenHoldsTheTruth()
{
    // A drift that a constant offset hides: messages of some iterations are late both ways, as a
    // congested link makes them.
    std::mt19937 random(11);
    std::uniform_real_distribution<double> drift(-40, 40), offset(-80e6, 80e6);
    std::exponential_distribution<double> late(1 / 300e3);
    int moved = 0;
    for (int round = 0; round < 100; ++round) {
        const double ppm = drift(random);
        const auto ahead = static_cast<std::int64_t>(offset(random));
        const auto other = [&](std::int64_t ns) {
            return ns + ahead + std::llround(ppm * 1e-6 * static_cast<double>(ns));
        };
        ClockEvidence seen;
        for (std::int64_t at = 0; at < 8000 * Ms; at += 500 * Ms) {
            const auto there = 100 * Us + static_cast<std::int64_t>(late(random));
            const auto back = 100 * Us + static_cast<std::int64_t>(late(random));
            seen.messages.push_back({ { 0, at, at + there }, { 1, other(at), other(at + there) } });
            seen.messages.push_back(
                { { 1, other(at + 5 * Ms), other(at + 5 * Ms) }, { 0, at, at + 5 * Ms + back } });
        }
        const ClockOffset clock = *solved(seen, 2).workers[1];
        QVERIFY(clock.driftRange);
        // As recorded raw times count, what is added drifts the other way.
        const double truePpm = -ppm / (1 + ppm * 1e-6);
        QVERIFY(truePpm >= clock.driftRange->leastPpm && truePpm <= clock.driftRange->mostPpm);
        for (const std::int64_t at : { std::int64_t { 0 }, 4000 * Ms, 7500 * Ms }) {
            const auto added = static_cast<double>(clock.offsetNs)
                + clock.driftPpm * 1e-6 * static_cast<double>(other(at) - clock.originNs);
            const double errorNs = added - static_cast<double>(at - other(at));
            QVERIFY2(std::abs(errorNs) <= static_cast<double>(clock.uncertaintyNs),
                     qPrintable(QString::number(errorNs)));
        }
        moved += clock.isAsRecorded ? 0 : 1;
    }
    QVERIFY(moved > 90);
}

void MessageOffsetsTest::aClockThatMessagesAllowStaysAsRecorded()
{
    ClockEvidence seen;
    addMessages(seen, 0, 1, 20 * Us);
    ClockOffset clock = *solved(seen, 2).workers[1];
    QVERIFY(clock.isAsRecorded);
    QCOMPARE(clock.offsetNs, 0);
    QCOMPARE(clock.driftPpm, 0.0);
    QVERIFY(clock.uncertaintyNs >= 120 * Us);
    QVERIFY(clock.driftRange->leastPpm < 0 && clock.driftRange->mostPpm > 0);
    // What is recorded beside the messages counts, too: a drift moves it farther.
    seen.recorded.resize(2);
    seen.recorded[1] = TimeRange { 0, 40'000 * Ms };
    const ClockOffset longer = *solved(seen, 2).workers[1];
    QVERIFY(longer.uncertaintyNs > 2 * clock.uncertaintyNs);
    QCOMPARE(longer.driftRange->mostPpm, clock.driftRange->mostPpm);
    // One host has one clock.
    clock = *solveOffsets(seen, { "a", "a" }, 0, {}).workers[1];
    QVERIFY(!clock.driftRange && clock.isAsRecorded);
    QCOMPARE(clock.uncertaintyNs, 0);
}

void MessageOffsetsTest::matesDriftAsTheWorkerThatMessagesTie()
{
    // 1 drifts by 200 ppm against 0, as its messages prove; 2 does as 1, which it leaves its
    // all-reduces together with.
    ClockEvidence seen;
    addMessages(seen, 0, 1, 3 * Ms, 200);
    for (std::int64_t i = 0; i < 20; ++i) {
        const std::int64_t end = i * 400 * Ms + 50 * Ms;
        seen.collectives.push_back(
            { { { 1, end - 40 * Ms, end }, { 2, end - 33 * Ms, end + 7 * Ms } } });
    }
    const ClockSolution solution = solved(seen, 3);
    QVERIFY(std::abs(solution.workers[1]->driftPpm + 200) < 20);
    QVERIFY(std::abs(solution.workers[2]->driftPpm - solution.workers[1]->driftPpm) < 5);
    for (const std::int64_t raw : { std::int64_t { 0 }, 8000 * Ms }) {
        const auto added = [raw](const ClockOffset &clock) {
            return static_cast<double>(clock.offsetNs)
                + clock.driftPpm * 1e-6 * static_cast<double>(raw - clock.originNs);
        };
        QVERIFY(std::abs(added(*solution.workers[2]) - added(*solution.workers[1]) + 7e6) < 30e3);
    }
}

void MessageOffsetsTest::aMessageMatchedWronglyIsNoDrift()
{
    ClockEvidence seen;
    addMessages(seen, 0, 1, 0);
    seen.messages.push_back({ { 0, 305 * Ms, 305 * Ms }, { 1, 300 * Ms, 300 * Ms } });
    const ClockOffset clock = *solved(seen, 2).workers[1];
    QCOMPARE(clock.driftPpm, 0.0);
    QVERIFY(clock.uncertaintyNs >= 2 * Ms);
}

void MessageOffsetsTest::messagesOneWayLeaveTheClockUnknown()
{
    ClockEvidence seen;
    for (std::int64_t i = 0; i < 20; ++i)
        seen.messages.push_back(
            { { 0, i * Ms, i * Ms }, { 1, i * Ms + 50 * Ms, i * Ms + 50 * Ms + 100 * Us } });
    QVERIFY(!solved(seen, 2).workers[1]);
}

void MessageOffsetsTest::collectivesOfAWorkerThatMessagesTieAreUsed()
{
    // 1 is 3 ms ahead of 0 by messages, 2 is 7 ms ahead of 1 by their all-reduces.
    ClockEvidence seen;
    addMessages(seen, 0, 1, 3 * Ms);
    for (std::int64_t i = 0; i < 20; ++i) {
        const std::int64_t end = i * 100 * Ms + 50 * Ms;
        seen.collectives.push_back(
            { { { 1, end - 40 * Ms, end }, { 2, end - 33 * Ms, end + 7 * Ms } } });
    }
    const ClockSolution solution = solved(seen, 3);
    QVERIFY(std::abs(solution.workers[1]->offsetNs + 3 * Ms) <= 100 * Us);
    QVERIFY(solution.workers[2]);
    QVERIFY(std::abs(solution.workers[2]->offsetNs - solution.workers[1]->offsetNs + 7 * Ms) <= Us);
    QVERIFY(solution.workers[2]->uncertaintyNs >= solution.workers[1]->uncertaintyNs);
}

void MessageOffsetsTest::manyWorkersInAChainTakeNoTime()
{
    constexpr std::size_t Workers = 256;
    ClockEvidence seen;
    for (std::size_t w = Workers; w-- > 1;) // the far ones first
        addMessages(seen, w == Workers - 1 ? 0 : w + 1, w, 0);
    const ClockSolution solution = solved(seen, Workers);
    for (std::size_t w = 0; w < Workers; ++w)
        QVERIFY(solution.workers[w] && solution.workers[w]->isAsRecorded != (w == 0));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(MessageOffsetsTest)
#include "tst_message_offsets.moc"
