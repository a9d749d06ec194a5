#include "core/align/align.h"
#include "tests/support/trace_builder.h"

#include <QtTest>

using namespace core;
using tests::traceFromText;

class AlignTest : public QObject
{
    Q_OBJECT

private slots:
    void theLowestRankIsTheReference();
    void broadcastsDoNotAlignClocks();
    void oneRankNeedsNoAlignment();
    void aRankWithoutCommonCollectivesIsNamed();
    void ranksThatOnlyTieEachOtherAreBroughtTogether();
    void cancelStopsIt();
};

void AlignTest::theLowestRankIsTheReference()
{
    const Trace trace = traceFromText(R"(
        rank 1
        comm gloo
        gloo:all_reduce 1000 100 kind=all_reduce bytes=8
        gloo:all_reduce 3000 100 kind=all_reduce bytes=8
        gloo:all_reduce 7000 100 kind=all_reduce bytes=8
        rank 0
        comm gloo
        gloo:all_reduce 4700 110 kind=all_reduce bytes=8
        gloo:all_reduce 6690 100 kind=all_reduce bytes=8
        gloo:all_reduce 10650 160 kind=all_reduce bytes=8
    )");
    // end_0 - end_1 = 3710, 3690, 3710: rank 1 is 3.71 ms behind, residuals 0, 20, 0.
    const AlignmentReport report = align(trace, {});
    QVERIFY(report.workers[1].isReference);
    QCOMPARE(report.workers[1].offsetNs, 0);
    QVERIFY(std::abs(report.workers[0].offsetNs - 3'710'000) < 10'000);
    QVERIFY(report.workers[0].residualNs < 10'000);
    QCOMPARE(report.violationsBefore, std::uint64_t { 3 });
    QCOMPARE(report.violationsAfter, std::uint64_t { 0 });
    QCOMPARE(QString::fromStdString(report.method), QStringLiteral("collective-ends"));
    QVERIFY2(report.status.starts_with("Clocks aligned on 3 collectives. The largest offset is "
                                       "rank 1's: its clock is 3.7"),
             report.status.c_str());
}

void AlignTest::broadcastsDoNotAlignClocks()
{
    const Trace trace = traceFromText(R"(
        rank 0
        comm gloo
        gloo:broadcast 100 10 kind=broadcast bytes=8
        rank 1
        comm gloo
        gloo:broadcast 900 10 kind=broadcast bytes=8
    )");
    const AlignmentReport report = align(trace, {});
    QVERIFY(!report.workers[1].isKnown);
    QCOMPARE(report.workers[1].offsetNs, 0);
    QCOMPARE(QString::fromStdString(report.method), QStringLiteral("none"));
}

void AlignTest::oneRankNeedsNoAlignment()
{
    const AlignmentReport report = align(traceFromText("rank 0\nthread main\nop 1 2\n"), {});
    QCOMPARE(report.workers.size(), std::size_t { 1 });
    QVERIFY(report.workers[0].isReference && report.workers[0].isKnown);
    QVERIFY(report.status.starts_with("One rank"));
}

void AlignTest::aRankWithoutCommonCollectivesIsNamed()
{
    const AlignmentReport report
        = align(traceFromText("rank 0\nthread a\nop 1 2\nrank 5\nthread a\nop 1 2\n"), {});
    QVERIFY(!report.workers[1].isKnown);
    QVERIFY2(report.status.ends_with("offsets are not known: rank 5."), report.status.c_str());
}

/// Another job's two ranks: 300 us apart by their own collectives, and far from rank 0.
void AlignTest::ranksThatOnlyTieEachOtherAreBroughtTogether()
{
    std::string text = "rank 0\nthread a\nop 1700000000000000 50\n";
    for (const int rank : { 4, 5 }) {
        text += "rank " + std::to_string(rank) + "\ncomm gloo\n";
        for (const int startUs : { 1000, 2000, 5000, 9000, 9500 })
            text += "gloo:all_reduce " + std::to_string(startUs + (rank == 5 ? 300 : 0))
                + " 100 kind=all_reduce bytes=8\n";
    }
    const AlignmentReport report = align(traceFromText(text), {});
    for (const std::size_t w : { 1, 2 })
        QVERIFY(!report.workers[w].isKnown);
    QCOMPARE(report.workers[1].offsetNs, (1'700'000'000'000'000 - 1000) * 1000);
    QCOMPARE(report.workers[2].offsetNs, report.workers[1].offsetNs - 300'000);
}

void AlignTest::cancelStopsIt()
{
    const Trace trace = traceFromText(R"(
        rank 0
        comm gloo
        gloo:all_reduce 100 10 kind=all_reduce bytes=8
        rank 1
        comm gloo
        gloo:all_reduce 100 10 kind=all_reduce bytes=8
    )");
    const JobControl cancelled([] { return true; }, {});
    QVERIFY_THROWS_EXCEPTION(Cancelled, align(trace, cancelled));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(AlignTest)
#include "tst_align.moc"
