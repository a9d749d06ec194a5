#include "core/model/clock_share.h"

#include <QtTest>

using namespace core;

class ClockShareTest : public QObject
{
    Q_OBJECT

private slots:
    void theLargestUncertaintyIsAPartOfTheMedianIteration();
    void theMedianOfAnEvenNumberIsTheMeanOfTheTwoInTheMiddle();
    void withoutIterationsThereIsNothingToCompareWith();
    void nothingIsSaidWithoutUncertainty();
};

namespace {

/// A reference, and a clock of this uncertainty.
AlignmentReport alignmentOf(std::int64_t uncertaintyNs)
{
    AlignmentReport report;
    report.workers.resize(2);
    report.workers[0].isReference = report.workers[0].isKnown = report.workers[1].isKnown = true;
    report.workers[1].uncertaintyNs = uncertaintyNs;
    return report;
}

std::vector<Iteration> iterationsOf(const std::vector<std::int64_t> &durations)
{
    std::vector<Iteration> iterations;
    iterations.reserve(durations.size());
    for (const std::int64_t ns : durations) {
        iterations.emplace_back();
        iterations.back().range = { 0, ns };
    }
    return iterations;
}

std::optional<ClockUncertainty> uncertaintyOf(const AlignmentReport &alignment,
                                              const std::vector<std::int64_t> &durations)
{
    return clockUncertainty(alignment, {}, iterationsOf(durations));
}

} // namespace

void ClockShareTest::theLargestUncertaintyIsAPartOfTheMedianIteration()
{
    const auto found = uncertaintyOf(alignmentOf(20), { 1000, 200, 100 });
    QVERIFY(found.has_value());
    QCOMPARE(found->ns, 20);
    QCOMPARE(found->iterationNs, 200);
    QCOMPARE(found->share(), std::optional(0.1));
    QVERIFY(found->hasIterations && !found->isSmall());
    QVERIFY(uncertaintyOf(alignmentOf(1), { 200 })->isSmall());
    QVERIFY(found->isTold() && !found->isLarge());
    QVERIFY(!uncertaintyOf(alignmentOf(29), { 1000 })->isTold());
    QVERIFY(uncertaintyOf(alignmentOf(30), { 1000 })->isTold());
    QVERIFY(uncertaintyOf(alignmentOf(251), { 1000 })->isLarge());
}

/// The window told of an iteration of 677 ms where all other figures were 670 ms: of two in the
/// middle the longer one was taken.
void ClockShareTest::theMedianOfAnEvenNumberIsTheMeanOfTheTwoInTheMiddle()
{
    QCOMPARE(uncertaintyOf(alignmentOf(20), { 100, 200, 300, 900 })->iterationNs, 250);
}

void ClockShareTest::withoutIterationsThereIsNothingToCompareWith()
{
    for (const std::vector<std::int64_t> &durations : { std::vector<std::int64_t> {}, { 0 } }) {
        const auto found = uncertaintyOf(alignmentOf(20), durations);
        QVERIFY(found && !found->share() && !found->isSmall());
    }
}

void ClockShareTest::nothingIsSaidWithoutUncertainty()
{
    QVERIFY(!uncertaintyOf(alignmentOf(0), { 100 }));
    AlignmentReport unknown = alignmentOf(20);
    unknown.workers[1].isKnown = false;
    QVERIFY(!uncertaintyOf(unknown, { 100 }));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(ClockShareTest)
#include "tst_clock_share.moc"
