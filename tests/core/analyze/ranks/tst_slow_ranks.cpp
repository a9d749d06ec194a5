#include "core/analyze/bottlenecks/straggler.h"
#include "core/analyze/diagnosis_json.h"
#include "core/fit/links/measured_graph.h"
#include "tests/core/analyze/ranks/slow_second_rank.h"
#include "tests/core/analyze/ranks_of.h"

#include <QTest>

#include <nlohmann/json.hpp>

#include <cmath>

using namespace core;
using namespace tests;

/// Which rank is late, and what of it.
class SlowRanksTest : public QObject
{
    Q_OBJECT

private slots:
    void aRankIsNotBlamedForWhatTheClocksCannotTell();
    void theOpThatMadeARankLateIsNamed();
    void whyNoOpIsNamedIsSaid();
    void slowRanksAreToldByTypeOfOp();
    void anOpIsNotBlamedForTheGapBeforeIt();
    void meansLeaveOutWhatIsNotCompared();
};

void SlowRanksTest::aRankIsNotBlamedForWhatTheClocksCannotTell()
{
    Trace trace = slowSecondRank();
    trace.alignment.workers.resize(2);
    for (std::uint32_t w = 0; w < 2; ++w) {
        trace.alignment.workers[w].worker = WorkerId(w);
        trace.alignment.workers[w].isKnown = true;
    }
    QVERIFY(find(diagnosed(trace), "straggler"));
    trace.alignment.workers[1].residualNs = 50 * Ms; // it comes 40 ms late
    QVERIFY(!find(diagnosed(trace), "straggler"));
}

void SlowRanksTest::theOpThatMadeARankLateIsNamed()
{
    const Diagnosis diagnosis = diagnosed(slowSecondRank());
    for (const CollectiveReport &collective : diagnosis.collectives) {
        QCOMPARE(collective.lateNs, 40 * Ms);
        QVERIFY(collective.blame);
        QCOMPARE(collective.blame->endNs - collective.ranks[1].startNs, 0);
    }
    const auto json = toJson(diagnosis)["collectives"][0];
    QCOMPARE(json["blame"]["rank"].get<int>(), 1);
    QCOMPARE(json["late_ns"].get<std::int64_t>(), 40 * Ms);
}

/// Their blame was null without a word.
void SlowRanksTest::whyNoOpIsNamedIsSaid()
{
    std::string text;
    for (int rank = 0; rank < 2; ++rank) {
        std::string iterations, ops, transfers = "gloo:all_reduce 0 10 kind=all_reduce bytes=8\n";
        for (int i = 0; i < 3; ++i) {
            const int begin = i * 100;
            iterations += "iteration " + std::to_string(i) + " " + std::to_string(begin) + " 100\n";
            ops += "forward " + std::to_string(begin + 10) + " 50\n";
            transfers += "gloo:all_reduce " + std::to_string(begin + 60 + rank)
                + " 30 kind=all_reduce bytes=1000\n";
        }
        text += "rank " + std::to_string(rank) + "\n" + iterations + "thread main\n" + ops
            + "comm gloo\n" + transfers + "gloo:all_reduce 320 10 kind=all_reduce bytes=8\n";
    }
    const Diagnosis diagnosis = diagnosed(tests::traceFromText(text));
    QCOMPARE(diagnosis.collectives.size(), std::size_t { 5 });
    for (std::size_t i = 1; i < 4; ++i)
        QVERIFY(diagnosis.collectives[i].blame && diagnosis.collectives[i].unknownBlame.empty());
    const CollectiveReport &first = diagnosis.collectives.front();
    const CollectiveReport &last = diagnosis.collectives.back();
    QVERIFY(!first.blame && !last.blame);
    QVERIFY(first.unknownBlame.starts_with("Nothing that it waited for is recorded before it"));
    QVERIFY(last.unknownBlame.starts_with("It is not replayed"));
    const auto json = toJson(diagnosis)["collectives"];
    QCOMPARE(json[4]["blame_unknown"].get<std::string>(), last.unknownBlame);
    QVERIFY(json[4]["blame"].is_null() && json[1]["blame_unknown"].is_null());
}

void SlowRanksTest::slowRanksAreToldByTypeOfOp()
{
    const Diagnosis diagnosis = diagnosed(slowSecondRank());
    const StragglerReport &report = diagnosis.stragglers;
    QCOMPARE(report.ranks.size(), std::size_t { 2 });
    // 50 ms of work on one, 90 on the other: the median is 70.
    QCOMPARE(report.ranks[1].ownWorkNs, 90 * Ms);
    QCOMPARE(report.ranks[1].medianNs, 70 * Ms);
    QVERIFY(report.ranks[0].ops.empty());
    QCOMPARE(report.ranks[1].ops.size(), std::size_t { 1 });
    QCOMPARE(QString::fromStdString(report.ranks[1].ops[0].name), QStringLiteral("forward"));
    QCOMPARE(report.ranks[1].ops[0].ns, 80 * Ms);
    QCOMPARE(report.ranks[1].ops[0].othersNs, 40 * Ms);
    QVERIFY(report.idealNs.has_value());
    QCOMPARE(*report.idealNs, find(diagnosis, "straggler")->predictedNs);
    const auto json = toJson(diagnosis)["stragglers"];
    QVERIFY(std::abs(json["ranks"][1]["slowdown"].get<double>() - 2.0 / 7) < 1e-3);
    QCOMPARE(json["gain_ns"].get<std::int64_t>(), find(diagnosis, "straggler")->gainNs);
}

/// A sleep of 50 ms before an operation was told as the work of the call inside of it.
void SlowRanksTest::anOpIsNotBlamedForTheGapBeforeIt()
{
    std::string text;
    for (int rank = 0; rank < 3; ++rank) {
        const int gap = rank == 2 ? 50'000 : 1'000;
        text += "rank " + std::to_string(rank) + "\niteration 0 0 " + std::to_string(gap + 22'000)
            + "\nthread main\nforward 0 10000\nalltoall " + std::to_string(10'000 + gap)
            + " 2000\ncudaLaunchKernel " + std::to_string(11'500 + gap)
            + " 100 runtime corr=7\nupdate " + std::to_string(12'000 + gap) + " 10000\n";
    }
    const Trace trace = tests::traceFromText(text);
    const StragglerReport report = diagnosed(trace).stragglers;
    QCOMPARE(report.ranks.size(), std::size_t { 3 });
    QCOMPARE(report.ranks[2].ops.size(), std::size_t { 1 });
    QCOMPARE(QString::fromStdString(report.ranks[2].ops[0].name),
             QStringLiteral("no operation between forward and alltoall"));
    QCOMPARE(report.ranks[2].ops[0].ns, 50 * Ms);
    QCOMPARE(report.ranks[2].ops[0].medianNs, 1 * Ms);
}

/// An iteration that other ranks lack was in the means of what ranks compute and are idle for.
void SlowRanksTest::meansLeaveOutWhatIsNotCompared()
{
    const Trace trace = traceFromText(R"(
        rank 0
        iteration 0 0 100
        iteration 1 100 100
        stream 7 gpu=0
        gemm 10 80
        gemm 110 20
        rank 1
        iteration 1 100 100
        stream 7 gpu=0
        gemm 110 20
    )");
    const std::vector<RankDiagnosis> ranks = ranksOf(trace);
    QVERIFY(!ranks[0].iterations[0].isCompared);
    const OwnTime ownTime(trace, measuredGraph(trace, {}), ranks);
    const std::vector<std::string> lines = ownTime.lines(0, IterationWords(trace, 2));
    QCOMPARE(
        lines.front(),
        std::string("Computation and copies per iteration: rank 0 20.00 us, rank 1 20.00 us."));
    QVERIFY(!ownTime.canExplain(0));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(SlowRanksTest)
#include "tst_slow_ranks.moc"
