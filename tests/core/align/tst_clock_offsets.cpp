#include "clock_evidence_lists.h"
#include "core/align/clock_bounds.h"

#include <QtTest>

using namespace core;
using tests::evidenceOf;
using tests::Ms;
using tests::PartUs;
using tests::solved;
using tests::unknownHosts;
using tests::Us;

class ClockOffsetsTest : public QObject
{
    Q_OBJECT

private slots:
    void endsOfTwoWorkersGiveTheOffset();
    void aWorkerIsTiedThroughAnother();
    void aStragglerDoesNotPull();
    void causeComesBeforeEffect();
    void oneInFiftyBoundsIsIgnored();
    void recordsThatContradictEachOtherDoNotMoveClocks();
    void clocksMayBeYearsApart();
    void messagesGiveTheOffset();
    void messagesGiveTheDrift();
    void whatMessagesLeaveOpenHoldsTheTruth();
    void aClockThatMessagesAllowStaysAsRecorded();
    void aRankOfTheReferencesHostIsNotMoved();
    void matesDriftAsTheWorkerThatMessagesTie();
    void workersOfOneHostGetOneOffset();
    void aMessageMatchedWronglyIsNoDrift();
    void messagesOneWayLeaveTheClockUnknown();
    void collectivesOfAWorkerThatMessagesTieAreUsed();
    void oneDriftingHostOfManyIsFound();
    void manyWorkersInAChainTakeNoTime();
};

namespace {

std::uint64_t violationsAsRecorded(const ClockEvidence &evidence, std::size_t workers)
{
    return countViolations(evidence, std::vector<std::optional<ClockOffset>>(workers));
}

} // namespace

void ClockOffsetsTest::endsOfTwoWorkersGiveTheOffset()
{
    // Worker 1's clock is 500 us ahead; one end is an outlier.
    const ClockEvidence seen = evidenceOf({ { { 0, 0, 100 }, { 1, 520, 600 } },
                                            { { 0, 200, 300 }, { 1, 710, 800 } },
                                            { { 0, 400, 900 }, { 1, 910, 1500 } } });
    const ClockSolution solution = solved(seen, 2);
    QCOMPARE(solution.workers[0]->offsetNs, 0);
    QVERIFY(std::abs(solution.workers[1]->offsetNs + 500 * Us) <= Us);
    QVERIFY(!solution.workers[1]->isAsRecorded);
    QVERIFY(solution.contradictions.empty());
    // Unaligned: in each of the three, worker 1 enters after worker 0 has left.
    QCOMPARE(violationsAsRecorded(seen, 2), std::uint64_t { 3 });
    QCOMPARE(countViolations(seen, solution.workers), std::uint64_t { 0 });
}

void ClockOffsetsTest::aWorkerIsTiedThroughAnother()
{
    // 0 and 1 meet, 1 and 2 meet; 3 meets nobody.
    const ClockSolution solution = solved(evidenceOf({ { { 0, 0, 100 }, { 1, 9000, 9150 } },
                                                       { { 1, 9200, 9300 }, { 2, 200, 270 } } }),
                                          4);
    QVERIFY(std::abs(solution.workers[1]->offsetNs + 9050 * Us) <= Us);
    QVERIFY(std::abs(solution.workers[2]->offsetNs + 20 * Us) <= Us);
    QVERIFY(!solution.workers[3]);
}

void ClockOffsetsTest::aStragglerDoesNotPull()
{
    // Three of four leave together, every time another one is 5 ms late.
    std::vector<std::vector<PartUs>> collectives;
    for (int i = 0; i < 12; ++i) {
        std::vector<PartUs> parts;
        for (std::size_t w = 0; w < 4; ++w) {
            const std::int64_t late = static_cast<std::size_t>(i) % 4 == w ? 5000 : 0;
            const std::int64_t ahead = w == 2 ? 40'000 : 0;
            parts.push_back({ w, i * 100'000 + ahead, i * 100'000 + 20'000 + late + ahead });
        }
        collectives.push_back(parts);
    }
    const ClockSolution solution = solved(evidenceOf(collectives), 4);
    QVERIFY(std::abs(solution.workers[2]->offsetNs + 40 * Ms) < 10 * Us);
    QCOMPARE(solution.workers[1]->offsetNs, 0);
    QCOMPARE(solution.workers[3]->offsetNs, 0);
}

void ClockOffsetsTest::causeComesBeforeEffect()
{
    // Ends say 0 (twice), but once worker 1 entered at 160 where worker 0 had left at 100 already:
    // worker 1's clock must be at least 60 us ahead.
    const ClockEvidence seen = evidenceOf({ { { 0, 0, 1000 }, { 1, 0, 1000 } },
                                            { { 0, 0, 2000 }, { 1, 0, 2000 } },
                                            { { 0, 0, 100 }, { 1, 160, 170 } } });
    const ClockSolution solution = solved(seen, 2);
    QVERIFY(std::abs(solution.workers[1]->offsetNs + 60 * Us) <= 2 * Us);
    QVERIFY(!solution.workers[1]->isAsRecorded);
}

void ClockOffsetsTest::oneInFiftyBoundsIsIgnored()
{
    const AlignedTime asRecorded
        = [](std::size_t, std::int64_t rawNs) { return static_cast<double>(rawNs); };
    for (const std::int64_t outliers : { 2, 3 }) {
        std::vector<std::vector<PartUs>> collectives;
        for (std::int64_t k = 0; k < 100; ++k) {
            const bool isOutlier = k % 40 == 7 && k / 40 < outliers;
            const std::int64_t at = k * 1'000'000, endUs = at + k + (isOutlier ? 1000 : 50'000);
            collectives.push_back({ { 0, at, at + 60'000 }, { 1, at, endUs } });
        }
        const std::vector<ClockBound> bounds
            = clockBounds(evidenceOf(collectives), asRecorded, { true, true }, true, {});
        QCOMPARE(bounds.size(), std::size_t { 2 });
        QCOMPARE(bounds[0].i, std::size_t { 0 });
        QCOMPARE(bounds[0].boundNs, outliers == 2 ? 50e6 : 1087e3);
        QCOMPARE(bounds[1].boundNs, 60e6);
    }
}

void ClockOffsetsTest::recordsThatContradictEachOtherDoNotMoveClocks()
{
    // Ends agree in nine of eleven; two say that worker 1 is 60 us ahead at least, and 60 behind.
    std::vector<std::vector<PartUs>> collectives(9, { { 0, 0, 1000 }, { 1, 0, 1000 } });
    collectives.push_back({ { 0, 0, 100 }, { 1, 160, 170 } });
    collectives.push_back({ { 0, 360, 370 }, { 1, 0, 300 } });
    const ClockEvidence seen = evidenceOf(collectives);
    const ClockSolution solution = solved(seen, 2);
    QVERIFY(std::abs(solution.workers[1]->offsetNs) <= Us);
    QCOMPARE(countViolations(seen, solution.workers), std::uint64_t { 2 });
    QCOMPARE(solution.contradictions.size(), std::size_t { 2 });
    QVERIFY(std::abs(solution.contradictions[0].byNs - 60 * Us) <= Us);
}

void ClockOffsetsTest::clocksMayBeYearsApart()
{
    const std::int64_t epoch = 1'795'173'383'256'350'123;
    ClockEvidence seen;
    seen.collectives
        = { { { { 0, 0, 100 * Us }, { 1, epoch, epoch + 77 * Us } } },
            { { { 0, 200 * Us, 300 * Us }, { 1, epoch + 200 * Us, epoch + 277 * Us } } } };
    QVERIFY(std::abs(solved(seen, 2).workers[1]->offsetNs + (epoch - 23 * Us)) <= Us);
}

void ClockOffsetsTest::messagesGiveTheOffset()
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
    QVERIFY(violationsAsRecorded(seen, 2) > 0);
    QCOMPARE(countViolations(seen, solution.workers), std::uint64_t { 0 });
}

void ClockOffsetsTest::messagesGiveTheDrift()
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

void ClockOffsetsTest::workersOfOneHostGetOneOffset()
{
    // Workers 2 and 3 are on another host, whose clock is 5 ms ahead; their ends scatter.
    std::vector<std::vector<PartUs>> collectives;
    std::mt19937 random(3);
    std::normal_distribution<double> scatter(0, 300);
    for (int i = 0; i < 16; ++i) {
        const std::int64_t at = i * 100'000;
        std::vector<PartUs> parts;
        for (std::size_t w = 0; w < 4; ++w) {
            const std::int64_t shift
                = (w > 1 ? 5000 : 0) + static_cast<std::int64_t>(scatter(random));
            parts.push_back({ w, at + shift, at + 50'000 + shift });
        }
        collectives.push_back(parts);
    }
    const ClockSolution solution
        = solveOffsets(evidenceOf(collectives), { "a", "a", "b", "b" }, 0, {});
    QCOMPARE(solution.workers[1]->offsetNs, 0);
    QCOMPARE(solution.workers[2]->offsetNs, solution.workers[3]->offsetNs);
    QVERIFY(std::abs(solution.workers[2]->offsetNs + 5 * Ms) < 500 * Us);
}

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

void ClockOffsetsTest::whatMessagesLeaveOpenHoldsTheTruth()
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

void ClockOffsetsTest::aClockThatMessagesAllowStaysAsRecorded()
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

/// Of one host, a rank that leaves all collectives 13 ms early is the one after a slow one: its
/// clock is the reference's, and was moved by that.
void ClockOffsetsTest::aRankOfTheReferencesHostIsNotMoved()
{
    const auto clockOf = [](std::int64_t earlyUs, const char *host) {
        std::vector<std::vector<PartUs>> collectives;
        for (int i = 0; i < 8; ++i) {
            const std::int64_t at = i * 400'000, scatter = i * i % 6 * 10;
            const std::int64_t early = earlyUs + scatter;
            collectives.push_back(
                { { 0, at, at + 170'000 }, { 1, at - early, at + 170'000 - early } });
        }
        return *solveOffsets(evidenceOf(collectives), { "a", host }, 0, {}).workers[1];
    };
    const ClockOffset other = clockOf(13'000, "b");
    QVERIFY(!other.isAsRecorded && std::abs(other.offsetNs - 13 * Ms) < Ms);
    const ClockOffset same = clockOf(13'000, "a");
    QVERIFY(same.isAsRecorded && same.offsetNs == 0);
    QVERIFY(same.uncertaintyNs >= 13 * Ms && same.uncertaintyNs < 14 * Ms);
    QCOMPARE(clockOf(0, "a").uncertaintyNs, 0);
    // Nobody leaves before the last has come: the name tells another host's clock.
    const ClockOffset impossible = clockOf(180'000, "a");
    QVERIFY(!impossible.isAsRecorded && std::abs(impossible.offsetNs - 180 * Ms) < Ms);
}

void ClockOffsetsTest::matesDriftAsTheWorkerThatMessagesTie()
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

void ClockOffsetsTest::aMessageMatchedWronglyIsNoDrift()
{
    ClockEvidence seen;
    addMessages(seen, 0, 1, 0);
    seen.messages.push_back({ { 0, 305 * Ms, 305 * Ms }, { 1, 300 * Ms, 300 * Ms } });
    const ClockOffset clock = *solved(seen, 2).workers[1];
    QCOMPARE(clock.driftPpm, 0.0);
    QVERIFY(clock.uncertaintyNs >= 2 * Ms);
}

void ClockOffsetsTest::messagesOneWayLeaveTheClockUnknown()
{
    ClockEvidence seen;
    for (std::int64_t i = 0; i < 20; ++i)
        seen.messages.push_back(
            { { 0, i * Ms, i * Ms }, { 1, i * Ms + 50 * Ms, i * Ms + 50 * Ms + 100 * Us } });
    QVERIFY(!solved(seen, 2).workers[1]);
}

void ClockOffsetsTest::collectivesOfAWorkerThatMessagesTieAreUsed()
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

void ClockOffsetsTest::oneDriftingHostOfManyIsFound()
{
    constexpr std::size_t Workers = 32;
    ClockEvidence seen;
    std::mt19937 random(11);
    std::normal_distribution<double> noise(0, 20e3);
    for (std::int64_t i = 0; i < 60; ++i) {
        ObservedCollective &collective = seen.collectives.emplace_back();
        for (std::size_t w = 0; w < Workers; ++w) {
            std::int64_t end = i * 250 * Ms + 50 * Ms + std::llround(noise(random));
            if (w == 1)
                end += std::llround(25e-6 * static_cast<double>(end));
            collective.parts.push_back({ w, end - 50 * Ms, end });
        }
    }
    const ClockSolution solution = solved(seen, Workers);
    QVERIFY2(std::abs(solution.workers[1]->driftPpm + 25) < 3,
             qPrintable(QString::number(solution.workers[1]->driftPpm)));
    for (std::size_t w = 2; w < Workers; ++w)
        QCOMPARE(solution.workers[w]->driftPpm, 0.0);
}

void ClockOffsetsTest::manyWorkersInAChainTakeNoTime()
{
    constexpr std::size_t Workers = 256;
    ClockEvidence seen;
    for (std::size_t w = Workers; w-- > 1;) // the far ones first
        addMessages(seen, w == Workers - 1 ? 0 : w + 1, w, 0);
    const ClockSolution solution = solved(seen, Workers);
    for (std::size_t w = 0; w < Workers; ++w)
        QVERIFY(solution.workers[w] && solution.workers[w]->isAsRecorded != (w == 0));
}

QTEST_GUILESS_MAIN(ClockOffsetsTest)
#include "tst_clock_offsets.moc"
