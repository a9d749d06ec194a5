#include "core/analyze/diagnosis.h"
#include "core/analyze/diagnosis_json.h"
#include "core/analyze/report/host_gaps.h"
#include "core/fit/links/measured_graph.h"
#include "tests/support/trace_builder.h"

#include <QtTest>

#include <nlohmann/json.hpp>

using namespace core;

namespace {

constexpr std::int64_t Ms = 1'000'000;

/// Two iterations of each rank, one behind the other: forward 10 ms, nothing for `gapMs` and in the
/// second iteration for 20 ms more, backward 10 ms, nothing for 2 ms, update 5 ms.
Trace jobWithGaps(const std::vector<int> &gapMs)
{
    std::string text;
    for (std::size_t rank = 0; rank < gapMs.size(); ++rank) {
        std::string iterations, ops;
        int atMs = 0;
        for (int i = 0; i < 2; ++i) {
            const int gap = gapMs[rank] + i * 20;
            const auto op = [&ops](const std::string &name, int startMs, int ms) {
                ops += name + " " + std::to_string(startMs * 1000) + " " + std::to_string(ms * 1000)
                    + "\n";
            };
            op("forward", atMs, 10);
            op("backward", atMs + 10 + gap, 10);
            op("update", atMs + 22 + gap, 5);
            iterations += "iteration " + std::to_string(i) + " " + std::to_string(atMs * 1000) + " "
                + std::to_string((27 + gap) * 1000) + "\n";
            atMs += 27 + gap;
        }
        text += "rank " + std::to_string(rank) + "\n" + iterations + "thread main\n" + ops;
    }
    return tests::traceFromText(text);
}

Diagnosis diagnosed(const Trace &trace)
{
    return diagnose(trace, std::make_shared<Graph>(measuredGraph(trace, {})), {});
}

const Bottleneck *hostGapIn(const Diagnosis &diagnosis)
{
    for (const Bottleneck &bottleneck : diagnosis.bottlenecks)
        if (bottleneck.kind == "host-gap")
            return &bottleneck;
    return nullptr;
}

bool hasLine(const Bottleneck &bottleneck, const std::string &begin)
{
    return std::any_of(bottleneck.evidence.begin(), bottleneck.evidence.end(),
                       [&](const std::string &line) { return line.starts_with(begin); });
}

} // namespace

class HostGapsTest : public QObject
{
    Q_OBJECT

private slots:
    void theLongestHaveTheirPlaceMeanAndShare();
    void aGapOfAllRanksIsOneAndNamesNone();
    void theBottleneckNamesThem();
    void jsonHasThem();
    void theInputsTimeIsNotTheHosts();
    void whatMakesOneRankLateIsNotTheHosts();
    void hostCodeOfAllRanksIsNotTheStragglers();
};

/// 30 and 50 ms on rank 1, 2 ms twice before its update: 80 of 84 ms.
void HostGapsTest::theLongestHaveTheirPlaceMeanAndShare()
{
    const std::vector<HostGap> gaps = diagnosed(jobWithGaps({ 2, 30 })).hostGaps;
    QCOMPARE(gaps.size(), std::size_t { 2 });
    QCOMPARE(gaps[0].rank, 1);
    QCOMPARE(gaps[0].before, std::string("forward"));
    QCOMPARE(gaps[0].behind, std::string("backward"));
    QCOMPARE(gaps[0].meanNs, 40 * Ms);
    QCOMPARE(gaps[0].othersNs, std::optional<std::int64_t>(12 * Ms)); // 2 and 22
    QVERIFY(std::abs(gaps[0].share - 80.0 / 84) < 1e-6);
    QCOMPARE(gaps[0].times, std::size_t { 2 });
    QCOMPARE(gaps[0].longest.startNs, 67 * Ms); // the second iteration begins at 57
    QCOMPARE(gaps[0].longest.endNs, 117 * Ms);
    QCOMPARE(gaps[1].meanNs, 2 * Ms);
    QCOMPARE(QString::fromStdString(hostGapText(gaps[0], "rank 0")),
             QStringLiteral("rank 1 between forward and backward 40.00 ms (95 % of its time "
                            "between operations; rank 0: 12.00 ms)"));
}

void HostGapsTest::aGapOfAllRanksIsOneAndNamesNone()
{
    const Diagnosis diagnosis = diagnosed(jobWithGaps({ 30, 31, 30 }));
    QCOMPARE(diagnosis.hostGaps.size(), std::size_t { 2 });
    QCOMPARE(diagnosis.hostGaps[0].rank, 1);
    const Bottleneck *found = hostGapIn(diagnosis);
    QVERIFY(found);
    QCOMPARE(found->reason, std::string("The longest pause is between forward and backward."));
}

/// It named the longest operations only, not what costs the time.
void HostGapsTest::theBottleneckNamesThem()
{
    const Trace trace = jobWithGaps({ 30 });
    const Diagnosis diagnosis = diagnosed(trace);
    const Bottleneck *found = hostGapIn(diagnosis);
    QVERIFY(found);
    QCOMPARE(found->reason,
             std::string("The longest pause is on rank 0 between forward and backward."));
    QVERIFY(hasLine(*found,
                    "Longest between operations per iteration: rank 0 between forward and backward "
                    "40.00 ms (95 % of its time between operations); rank 0 between backward and "
                    "update 2.000 ms (4.8 % of its time between operations)."));
    QCOMPARE(found->range.durationNs(), 50 * Ms);
}

void HostGapsTest::jsonHasThem()
{
    const auto json = toJson(diagnosed(jobWithGaps({ 30 })))["host_gaps"];
    QCOMPARE(json.size(), std::size_t { 2 });
    QCOMPARE(json[0]["before"], "forward");
    QCOMPARE(json[0]["behind"], "backward");
    QCOMPARE(json[0]["mean_ns"], 40 * Ms);
    QCOMPARE(json[0]["rank"], 0);
    QVERIFY(json[0]["others_ns"].is_null());
    QVERIFY(std::abs(json[0]["share"].get<double>() - 80.0 / 84) < 1e-6);
    QCOMPARE(json[0]["longest_end_ns"].get<std::int64_t>()
                 - json[0]["longest_start_ns"].get<std::int64_t>(),
             50 * Ms);
}

/// It was in both: host code came first, with the input's time.
void HostGapsTest::theInputsTimeIsNotTheHosts()
{
    const Diagnosis diagnosis = diagnosed(tests::traceFromText("rank 0\n"
                                                               "iteration 0 0 100\n"
                                                               "thread main\n"
                                                               "zero 0 5\n"
                                                               "enumerate(DataLoader)#next 5 50 "
                                                               "user_annotation phase=input\n"
                                                               "forward 55 10\n"
                                                               "backward 75 10\n"
                                                               "update 92 8\n"));
    QCOMPARE(diagnosis.bottlenecks.size(), std::size_t { 2 });
    QCOMPARE(diagnosis.bottlenecks[0].kind, std::string("input"));
    QCOMPARE(diagnosis.bottlenecks[0].gainNs, std::int64_t { 50'000 });
    QVERIFY(
        hasLine(diagnosis.bottlenecks[0],
                "Longest on the critical path: enumerate(DataLoader)#next on rank 0, 50.00 us."));
    QCOMPARE(diagnosis.bottlenecks[0].range.durationNs(), std::int64_t { 50'000 });
    const Bottleneck *found = hostGapIn(diagnosis);
    QVERIFY(found);
    QCOMPARE(found->gainNs, std::int64_t { 17'000 });
    QCOMPARE(found->predictedNs, std::int64_t { 33'000 });
    QCOMPARE(found->reason,
             std::string("The longest pause is on rank 0 between forward and backward."));
    QVERIFY(hasLine(*found,
                    "Upper bound: no time passes between operations of a thread. Predicted: 33.00 "
                    "us. With input_scale=0 alone: 50.00 us. The gain is the difference."));
}

namespace {

/// Two ranks, two iterations: forward 10 ms, nothing for `gapMs` (backward comes behind), backward
/// 10 ms, an all-reduce that takes 5 ms from when both have come, update 2 ms.
Trace jobWithLateRank(const std::vector<int> &gapMs)
{
    const int longestMs = *std::max_element(gapMs.begin(), gapMs.end());
    const int iterationMs = 10 + longestMs + 10 + 5 + 2;
    std::string text;
    for (std::size_t rank = 0; rank < gapMs.size(); ++rank) {
        std::string iterations, ops, transfers;
        const auto line = [](const std::string &name, int startMs, int ms) {
            return name + " " + std::to_string(startMs * 1000) + " " + std::to_string(ms * 1000);
        };
        for (int i = 0; i < 2; ++i) {
            const int atMs = i * iterationMs, readyMs = atMs + 20 + gapMs[rank],
                      doneMs = atMs + 25 + longestMs;
            iterations += line("iteration " + std::to_string(i), atMs, iterationMs) + "\n";
            ops += line("forward", atMs, 10) + "\n" + line("backward", atMs + 10 + gapMs[rank], 10)
                + "\n" + line("c10d::allreduce_", readyMs, 0) + "\n" + line("update", doneMs, 2)
                + "\n";
            transfers += line("gloo:all_reduce", readyMs, doneMs - readyMs)
                + " kind=all_reduce bytes=1000000\n";
        }
        text += "rank " + std::to_string(rank) + "\n" + iterations + "thread main\n" + ops
            + "comm gloo\n" + transfers;
    }
    return tests::traceFromText(text);
}

const Bottleneck *stragglerIn(const Diagnosis &diagnosis)
{
    for (const Bottleneck &bottleneck : diagnosis.bottlenecks)
        if (bottleneck.kind == "straggler")
            return &bottleneck;
    return nullptr;
}

} // namespace

/// Rank 2 does nothing for 60 ms: that was told twice, as the straggler's and as what all hosts
/// cost. Beyond it hosts cost the others' 2 ms.
void HostGapsTest::whatMakesOneRankLateIsNotTheHosts()
{
    const Diagnosis diagnosis = diagnosed(jobWithLateRank({ 2, 2, 60 }));
    const Bottleneck *straggler = stragglerIn(diagnosis);
    const Bottleneck *host = hostGapIn(diagnosis);
    QVERIFY(straggler && host);
    QCOMPARE(straggler->gainNs, 58 * Ms);
    QCOMPARE(host->gainNs, 2 * Ms);
    QCOMPARE(host->predictedNs, 27 * Ms); // 87 - 58 - 2
    QCOMPARE(host->strategy.number("ideal_peers"), std::optional<double>(1));
    QCOMPARE(diagnosis.bottlenecks.front().kind, std::string("straggler"));
    QVERIFY(hasLine(*host, "On the critical path the host takes 60.00 ms of "));
    QVERIFY(!hasLine(*host, "Longest between operations")); // the only long one is rank 2's
    QVERIFY(host->reason.empty());
    QVERIFY(host->evidence.back().ends_with(
        " With ideal_peers=1 alone: 29.00 ms. The gain is the difference."));
}

/// What a late rank's operations explain leaves the hosts' gain as it is.
void HostGapsTest::hostCodeOfAllRanksIsNotTheStragglers()
{
    const Diagnosis alone = diagnosed(jobWithLateRank({ 20, 20, 20 }));
    QVERIFY(!stragglerIn(alone) && hostGapIn(alone));
    QCOMPARE(hostGapIn(alone)->gainNs, 20 * Ms);
    QVERIFY(!hostGapIn(alone)->strategy.number("ideal_peers"));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(HostGapsTest)
#include "tst_host_gaps.moc"
