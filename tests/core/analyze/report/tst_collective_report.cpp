#include "core/analyze/report/collective_report.h"
#include "tests/support/trace_builder.h"

#include <QtTest>

using namespace core;
using tests::traceFromText;

class CollectiveReportTest : public QObject
{
    Q_OBJECT

private slots:
    void waitingEndsWhenTheLastRankComes();
    void latenessCountsWhatOneRankAloneCosts();
    void waitingForSeveralAtOnceCountsOnce();
    void whatIsOutsideOfTheComparedIterationsIsNoPartOfMeans();
};

namespace {

std::vector<CollectiveReport> reportsOf(const Trace &trace)
{
    std::vector<std::string> notes;
    return collectiveReports(trace, possibleCollectives(trace, SliceIndex(trace), notes, {}), {});
}

/// Rank 2 comes last to the first collective (by 30 us), rank 0 to the second (by 5 us). Its clock
/// is 1 ms behind.
Trace threeRanks()
{
    Trace trace = traceFromText(R"(
        rank 0
        comm gloo
        gloo:all_reduce 100 90 kind=all_reduce bytes=8
        gloo:all_reduce 325 35 kind=all_reduce bytes=8
        rank 1
        comm gloo
        gloo:all_reduce 120 71 kind=all_reduce bytes=8
        gloo:all_reduce 300 60 kind=all_reduce bytes=8
        rank 2
        comm gloo
        gloo:all_reduce -850 40 kind=all_reduce bytes=8
        gloo:all_reduce -680 41 kind=all_reduce bytes=8
    )");
    for (std::uint32_t w = 0; w < 3; ++w)
        trace.alignment.workers.push_back(
            { WorkerId(w), w == 2 ? 1'000'000 : 0, 0, 0, 0, w == 0, true });
    return trace;
}

} // namespace

void CollectiveReportTest::waitingEndsWhenTheLastRankComes()
{
    const auto reports = reportsOf(threeRanks());
    QCOMPARE(reports.size(), std::size_t { 2 });
    const CollectiveReport &first = reports[0];
    QCOMPARE(QString::fromStdString(first.name), QStringLiteral("all_reduce"));
    QCOMPARE(first.bytes, std::uint64_t { 8 });
    QCOMPARE(first.lastRank, 2);
    QCOMPARE(first.ranks[0].waitNs, 50'000);
    QCOMPARE(first.ranks[0].transferNs, 40'000);
    QCOMPARE(first.ranks[1].waitNs, 30'000);
    QCOMPARE(first.ranks[1].transferNs, 41'000);
    QCOMPARE(first.ranks[2].waitNs, 0);
    QCOMPARE(first.ranks[2].startNs, 150'000);
    QCOMPARE(reports[1].lastRank, 0);
}

void CollectiveReportTest::latenessCountsWhatOneRankAloneCosts()
{
    const auto late = latenessByRank(reportsOf(threeRanks()));
    QCOMPARE(late.at(2).timesLast, std::size_t { 1 });
    QCOMPARE(late.at(2).lastByNs, 30'000);
    QCOMPARE(late.at(0).lastByNs, 5'000);
    QCOMPARE(late.at(1).timesLast, std::size_t { 0 });
    QCOMPARE(late.at(1).waitNs, 30'000 + 25'000);
}

/// Of collectives that ranks wait for at the same time, waits were added up: 11 ms of an iteration
/// of 7 ms.
void CollectiveReportTest::waitingForSeveralAtOnceCountsOnce()
{
    const auto late = latenessByRank(reportsOf(traceFromText(R"(
        rank 0
        comm a
        all_reduce 100 60 kind=all_reduce bytes=8 group=a
        comm b
        all_reduce 110 50 kind=all_reduce bytes=8 group=b
        rank 1
        comm a
        all_reduce 140 20 kind=all_reduce bytes=8 group=a
        comm b
        all_reduce 150 10 kind=all_reduce bytes=8 group=b
    )")));
    QCOMPARE(late.at(0).waitNs, 50'000);
}

/// Rank 1 recorded an iteration less: the first collective, of which 100 us of lateness were
/// divided by the one iteration that is compared.
void CollectiveReportTest::whatIsOutsideOfTheComparedIterationsIsNoPartOfMeans()
{
    const auto reports = reportsOf(traceFromText(R"(
        rank 0
        iteration 0 0 300
        iteration 1 300 300
        comm gloo
        gloo:all_reduce 100 150 kind=all_reduce bytes=8
        gloo:all_reduce 400 50 kind=all_reduce bytes=8
        rank 1
        iteration 1 300 300
        comm gloo
        gloo:all_reduce 200 50 kind=all_reduce bytes=8
        gloo:all_reduce 420 30 kind=all_reduce bytes=8
    )"));
    QCOMPARE(reports.size(), std::size_t { 2 });
    QVERIFY(!reports[0].isCompared);
    QVERIFY(reports[1].isCompared);
    QCOMPARE(comparedCount(reports), std::size_t { 1 });
    const auto late = latenessByRank(reports);
    QCOMPARE(late.at(1).timesLast, std::size_t { 1 });
    QCOMPARE(late.at(1).lastByNs, 20'000);
    QCOMPARE(late.at(0).waitNs, 20'000);
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(CollectiveReportTest)
#include "tst_collective_report.moc"
