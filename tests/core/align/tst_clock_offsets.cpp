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
    void aRankOfTheReferencesHostIsNotMoved();
    void workersOfOneHostGetOneOffset();
    void oneDriftingHostOfManyIsFound();
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

#include "tests/support/unit_test.h"
LONGPOLE_TEST(ClockOffsetsTest)
#include "tst_clock_offsets.moc"
