#include "core/measure/replayed_iterations.h"
#include "core/measure/typical_iteration.h"

#include <QTest>

using namespace core;

namespace {

/// Iterations of so many workers: (worker, number, start, duration).
std::vector<CommonIteration>
paired(std::uint32_t workers,
       const std::vector<std::tuple<std::uint32_t, std::int64_t, std::int64_t, std::int64_t>> &rows)
{
    Trace trace;
    trace.workers.resize(workers);
    for (const auto &[worker, index, startNs, durationNs] : rows) {
        Iteration &iteration = trace.compared.iterations.emplace_back();
        iteration.worker = WorkerId(worker);
        iteration.index = index;
        iteration.range = { startNs, startNs + durationNs };
    }
    return commonIterations(trace);
}

/// A replay with these periods, [workers x iterations].
ReplayedJob replayed(const std::vector<std::vector<std::int64_t>> &periodNs,
                     std::int64_t measuredNs, std::int64_t predictedNs)
{
    ReplayedJob result;
    result.measuredNs = measuredNs;
    result.predictedNs = predictedNs;
    result.iterations.resize(periodNs.size());
    for (std::size_t worker = 0; worker < periodNs.size(); ++worker)
        result.iterations[worker].periodNs = periodNs[worker];
    return result;
}

} // namespace

class TestTypicalIteration : public QObject
{
    Q_OBJECT

private slots:
    void anIterationLastsUntilItsLastRankEnds();
    void ranksWithoutACommonNumberArePairedInOrder();
    void theTypicalIterationIsNearestToTheMedian();
    void itIsNearAsMeasuredAndAsReplayed();
    void whatThePredictionLeavesOutIsNotTypical();
    void aReplaysIterationTakesAsLongAsItsSlowestRank();
    void aWhatIfShowsTheIterationOfTheUnchangedReplay();
    void nothingIsTypicalOfNoIterations();
};

void TestTypicalIteration::anIterationLastsUntilItsLastRankEnds()
{
    const auto pairs = paired(2, { { 0, 4, 100, 90 }, { 1, 4, 95, 110 } });
    QCOMPARE(pairs.size(), std::size_t(1));
    QCOMPARE(pairs[0].index, std::int64_t(4));
    QCOMPARE(pairs[0].slowestNs, std::int64_t(110));
    QCOMPARE(pairs[0].range.startNs, std::int64_t(95));
    QCOMPARE(pairs[0].range.endNs, std::int64_t(205));
}

void TestTypicalIteration::ranksWithoutACommonNumberArePairedInOrder()
{
    const auto pairs = paired(2, { { 0, 1, 0, 10 }, { 0, 2, 10, 20 }, { 1, 7, 1, 30 } });
    QCOMPARE(pairs.size(), std::size_t(1));
    QCOMPARE(pairs[0].slowestNs, std::int64_t(30));
}

/// Compare once showed the last iteration under the headline of the median, half as long again.
void TestTypicalIteration::theTypicalIterationIsNearestToTheMedian()
{
    const auto common = paired(1, { { 0, 0, 0, 1000 }, { 0, 1, 1000, 990 }, { 0, 2, 1990, 750 } });
    const auto typicalOf = [&common](std::int64_t medianNs) {
        return typicalIteration(replayed({ { 1000, 990, 750 } }, medianNs, medianNs), common);
    };
    QCOMPARE(typicalOf(990), std::optional<std::size_t>(1));
    QCOMPARE(typicalOf(700), std::optional<std::size_t>(2));
    QCOMPARE(typicalOf(995), std::optional<std::size_t>(1)); // the later of equals
}

/// `diagnose` named another one than Compare showed: one near to the median as measured, and 2 %
/// from it as replayed.
void TestTypicalIteration::itIsNearAsMeasuredAndAsReplayed()
{
    const auto common = paired(1, { { 0, 0, 0, 1000 }, { 0, 1, 1000, 990 }, { 0, 2, 1990, 900 } });
    const ReplayedJob result = replayed({ { 1100, 1000, 995 } }, 1000, 995);
    QCOMPARE(typicalIteration(result, common), std::optional<std::size_t>(1));
    // The parts count, not the lengths: of a what-if that takes a tenth, 20 is much.
    const ReplayedJob shorter = replayed({ { 100, 120, 100 } }, 1000, 100);
    QCOMPARE(typicalIteration(shorter, common), std::optional<std::size_t>(0));
}

void TestTypicalIteration::whatThePredictionLeavesOutIsNotTypical()
{
    ReplayedJob result = replayed({ { 800, 700, 800, 790 } }, 800, 800);
    result.iterations[0].warmUp = 1;
    result.iterations[0].kept = { 2 };
    QCOMPARE(typicalIteration(result, {}), std::optional<std::size_t>(3));
}

/// `diagnose` and the timeline showed iteration 1, Compare of a what-if 3: of an even count the
/// two in the middle tie.
void TestTypicalIteration::aWhatIfShowsTheIterationOfTheUnchangedReplay()
{
    const auto common = paired(1, { { 0, 0, 0, 990 }, { 0, 1, 990, 1010 } });
    const ReplayedJob unchanged = replayed({ { 990, 1011 } }, 1000, 1000);
    QCOMPARE(typicalIteration(unchanged, common), std::optional<std::size_t>(0));
    ReplayedJob whatIf = replayed({ { 480, 500 } }, 1000, 500);
    QCOMPARE(typicalIteration(whatIf, common), std::optional<std::size_t>(1));
    QCOMPARE(shownIteration(whatIf, unchanged, common), std::size_t(0));
    // 870 ms were shown below a headline of 797.
    const ReplayedJob offMedian = replayed({ { 470, 500 } }, 1000, 500);
    QCOMPARE(shownIteration(offMedian, unchanged, common), std::size_t(1));
    whatIf.iterations[0].warmUp = 1; // the first is not in the prediction
    QCOMPARE(shownIteration(whatIf, unchanged, common), std::size_t(1));
    QCOMPARE(shownIteration({}, {}, {}), std::size_t(0));
}

void TestTypicalIteration::nothingIsTypicalOfNoIterations()
{
    QVERIFY(commonIterations({}).empty());
    QVERIFY(!typicalIteration({}, {}));
}

void TestTypicalIteration::aReplaysIterationTakesAsLongAsItsSlowestRank()
{
    // The first of a schedule that fills up is shorter, as P3's is.
    const auto typicalOf = [](std::int64_t medianNs) {
        return typicalIteration(replayed({ { 590, 700, 800 }, { 580, 810, 790 } }, 0, medianNs),
                                {});
    };
    QCOMPARE(typicalOf(800), std::optional<std::size_t>(2));
    QCOMPARE(typicalOf(812), std::optional<std::size_t>(1));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestTypicalIteration)
#include "tst_typical_iteration.moc"
