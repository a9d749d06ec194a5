#include "core/model/clock_share.h"

#include <QtTest>

using namespace core;

class ClockShareTest : public QObject
{
    Q_OBJECT

private slots:
    void theLargestUncertaintyIsAPartOfTheMedianIteration();
    void nothingIsSaidWithoutUncertaintyOrIterations();
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

} // namespace

void ClockShareTest::theLargestUncertaintyIsAPartOfTheMedianIteration()
{
    const auto found = clockUncertainty(alignmentOf(20), iterationsOf({ 1000, 200, 100 }));
    QVERIFY(found.has_value());
    QCOMPARE(found->ns, 20);
    QCOMPARE(found->ofIteration, 0.1);
}

void ClockShareTest::nothingIsSaidWithoutUncertaintyOrIterations()
{
    QVERIFY(!clockUncertainty(alignmentOf(0), iterationsOf({ 100 })));
    QVERIFY(!clockUncertainty(alignmentOf(20), {}));
    QVERIFY(!clockUncertainty(alignmentOf(20), iterationsOf({ 0 })));
    AlignmentReport unknown = alignmentOf(20);
    unknown.workers[1].isKnown = false;
    QVERIFY(!clockUncertainty(unknown, iterationsOf({ 100 })));
}

QTEST_GUILESS_MAIN(ClockShareTest)
#include "tst_clock_share.moc"
