#include "core/analyze/alignment_json.h"
#include "core/analyze/bottlenecks/bottleneck_words.h"
#include "core/analyze/bottlenecks/bottlenecks.h"
#include "core/analyze/bottlenecks/gain_intervals.h"
#include "core/analyze/diagnosis.h"
#include "core/analyze/diagnosis_json.h"
#include "core/base/error.h"
#include "core/change/change_text.h"
#include "core/fit/links/measured_graph.h"
#include "core/model/compared_iterations.h"
#include "tests/core/analyze/ranks/slow_second_rank.h"
#include "tests/support/predict.h"

#include <QTest>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <string_view>
#include <vector>

using namespace core;
using namespace tests;

class DiagnosisTest : public QObject
{
    Q_OBJECT

private slots:
    void theSlowRankIsTheVerdict();
    void progressDoesNotRunBack();
    void aLargerGainElsewhereIsTheVerdictsSecondSentence();
    void aMixtureOfJobsHasNoVerdictButThat();
    void aHostThatIsNotRecordedIsNotBlamed();
    void gainsAreThoseOfTheReplayWithoutTheCause();
    void replayWithABottlenecksSettingsGivesItsGain();
    void gainsHaveIntervals();
    void aGainThatMayBeNothingSaysSo();
    void theVerdictIsOfWhatSurelyCosts();
    void aGainWhoseIntervalFailsLeavesTheOthersTheirs();
    void cancelStopsTheIntervals();
    void gainsThatRestOnABadFitAreTrustedLess();
    void waitingIsAsLongChunkByChunk();
    void bottlenecksPointIntoTheTimeline();
    void jsonHasTheKeysOfTheContract();
    void jsonOfClocksHasTheKeysOfTheContract();
    void cancelStopsIt();
};

void DiagnosisTest::theSlowRankIsTheVerdict()
{
    const Diagnosis diagnosis = diagnosed(slowSecondRank());
    QCOMPARE(QString::fromStdString(verdictText(diagnosis)),
             QStringLiteral("Rank 1 makes the others wait, which costs 18 % of an iteration. Its "
                            "forward takes 80.00 ms (rank 0: 40.00 ms)."));
    QCOMPARE(diagnosis.collectives.size(), std::size_t { 3 });
    QCOMPARE(diagnosis.collectives[0].lastRank, 1);
    QCOMPARE(diagnosis.collectives[0].ranks[0].waitNs, 40 * Ms);
    QCOMPARE(diagnosis.collectives[0].ranks[0].transferNs, 20 * Ms);
}

/// Parts of the work reported their own 0 to 1 as the whole's.
void DiagnosisTest::progressDoesNotRunBack()
{
    std::vector<double> fractions;
    const JobControl control(
        [] { return false; },
        [&fractions](double fraction, std::string_view) { fractions.push_back(fraction); });
    const Trace trace = slowSecondRank();
    diagnose(trace, std::make_shared<const Graph>(measuredGraph(trace, {})), control);
    QVERIFY(fractions.size() > 10);
    QVERIFY(std::is_sorted(fractions.begin(), fractions.end()));
    QCOMPARE(fractions.back(), 1.0);
}

/// Two causes one after the other, each "To gain", looked like a contradiction.
void DiagnosisTest::aLargerGainElsewhereIsTheVerdictsSecondSentence()
{
    const Trace trace = slowSecondRank();
    const Diagnosis diagnosis = diagnosed(trace);
    Bottleneck larger, cause;
    larger.kind = "exposed-communication";
    larger.cost = "Communication costs 30 % of an iteration";
    cause.cost = "Rank 1 is late, which costs 20 % of an iteration";
    cause.kind = "straggler";
    cause.gainFraction = 0.2;
    const auto graph = std::make_shared<const Graph>(measuredGraph(trace, {}));
    Predictor predictor = *diagnosis.predictor;
    const Verdict verdict = verdictOf({ trace, graph, predictor, diagnosis }, { larger, cause });
    QCOMPARE(verdict.sentence, std::string("Rank 1 is late, which costs 20 % of an iteration."));
    QCOMPARE(verdict.remarks,
             std::vector<std::string> {
                 "Communication costs 30 % of an iteration; together both may gain less." });
    // The host's beside a straggler is the gain beyond.
    larger.strategy.set({ "ideal_peers", 1 });
    QVERIFY(verdictOf({ trace, graph, predictor, diagnosis }, { larger, cause })
                .remarks.front()
                .ends_with(" on top of that."));
}

/// A bottleneck over two jobs was told as if they were one.
void DiagnosisTest::aMixtureOfJobsHasNoVerdictButThat()
{
    Trace trace = slowSecondRank();
    trace.workers[0].worldSize = 2;
    trace.workers[1].worldSize = 4;
    trace.compared = comparedIterations(trace);
    const Diagnosis diagnosis = diagnosed(trace);
    QCOMPARE(QString::fromStdString(diagnosis.verdict),
             QStringLiteral("These traces are of 2 jobs (rank 0; rank 1): no figure holds for "
                            "the mixture. Import each job into a project of its own."));
    QVERIFY(!diagnosis.isOfOneJob);
    QVERIFY(diagnosis.bottlenecks.empty());
    QVERIFY(diagnosis.criticalPath.ops.empty());
    QCOMPARE(diagnosis.selfReplay.trust, TrustLevel::Poor);
    QCOMPARE(diagnosis.ranks.size(), std::size_t { 2 }); // what one rank did holds
    QVERIFY(diagnosis.collectives.empty() && diagnosis.groups.empty());
    const nlohmann::ordered_json json = toJson(diagnosis);
    QCOMPARE(json["one_job"].get<bool>(), false);
    QVERIFY(json["trust"]["replay_error_fraction"].is_null() && json["scheduling"].is_null());
    // Nor a prediction.
    QVERIFY_THROWS_EXCEPTION(
        Error,
        tests::predict(trace, std::make_shared<const Graph>(measuredGraph(trace, {})), {}, {}));
}

/// A recording of NCCL's plug-in was told that its host takes 100 % of an iteration.
void DiagnosisTest::aHostThatIsNotRecordedIsNotBlamed()
{
    const Diagnosis diagnosis = diagnosed(tests::traceFromText(R"(
        rank 0
        iteration 0 0 100
        iteration 1 100 100
        stream 7 gpu=0
        gemm 10 20
        gemm 110 20
    )"));
    QCOMPARE(diagnosis.criticalPath.hostNs, 0);
    QCOMPARE(diagnosis.criticalPath.totalNs(), 100'000);
    QVERIFY(!find(diagnosis, "host-gap"));
}

void DiagnosisTest::gainsAreThoseOfTheReplayWithoutTheCause()
{
    const Diagnosis diagnosis = diagnosed(slowSecondRank());
    QVERIFY(isNear(diagnosis.selfReplay.predictedNs, 110 * Ms));
    // Both ranks at 60 ms: 60 + 20 + 10. Free transfers: 80 + 10. Half of them: 80 + 10 + 10.
    const Bottleneck *straggler = find(diagnosis, "straggler");
    const Bottleneck *exposed = find(diagnosis, "exposed-communication");
    const Bottleneck *bandwidth = find(diagnosis, "bandwidth");
    QVERIFY(straggler && exposed && bandwidth);
    QVERIFY2(isNear(straggler->gainNs, 20 * Ms), straggler->evidence.back().c_str());
    QVERIFY(isNear(exposed->gainNs, 20 * Ms));
    QVERIFY(isNear(bandwidth->gainNs, 10 * Ms));
    // Rank 0 waits for rank 1, so the mean exposed is more than the gain: both are told apart.
    const auto tellsApart = [](const std::string &line) {
        return line.find("on the slowest rank") != std::string::npos;
    };
    QVERIFY(std::any_of(exposed->evidence.begin(), exposed->evidence.end(), tellsApart));
    QVERIFY(std::abs(straggler->gainFraction - 20.0 / 110) < 0.001);
    QVERIFY(std::is_sorted(diagnosis.bottlenecks.begin(), diagnosis.bottlenecks.end(),
                           [](const auto &a, const auto &b) { return a.gainNs > b.gainNs; }));
    QVERIFY(!find(diagnosis, "bucket-size")); // the trace shows no DDP buckets
}

/// The gain of the host was told by another function than `replay --set host_overhead_scale=0`.
void DiagnosisTest::replayWithABottlenecksSettingsGivesItsGain()
{
    const Trace trace = slowSecondRank();
    const auto graph = std::make_shared<const Graph>(measuredGraph(trace, {}));
    const Diagnosis diagnosis = diagnose(trace, graph, {});
    QVERIFY(diagnosis.bottlenecks.size() >= 3);
    for (const Bottleneck &bottleneck : diagnosis.bottlenecks) {
        QVERIFY(!bottleneck.strategy.isEmpty());
        const Prediction replayed = tests::predict(trace, graph, bottleneck.strategy, {});
        QCOMPARE(bottleneck.predictedNs, replayed.predictedNs);
        QCOMPARE(bottleneck.gainNs, diagnosis.selfReplay.predictedNs - replayed.predictedNs);
        const auto set = bottleneck.strategy.list();
        QVERIFY(tryCommand(bottleneck)
                    .starts_with("longpole replay PROJECT --set " + set.front().first + "="
                                 + set.front().second));
    }
    const Bottleneck *straggler = find(diagnosis, "straggler");
    QVERIFY(straggler->evidence.front().find("40.00 ms per iteration") != std::string::npos);
}

/// Every prediction has an interval, and gains had none. They count without what one iteration may
/// be off the typical one.
void DiagnosisTest::gainsHaveIntervals()
{
    const Trace trace = slowSecondRank();
    const auto graph = std::make_shared<const Graph>(measuredGraph(trace, {}));
    Diagnosis diagnosis = diagnose(trace, graph, {});
    QVERIFY(toJson(diagnosis)["bottlenecks"][0]["gain_ci95_ns"].is_null());
    setGainIntervals(gainIntervals(diagnosis, {}), diagnosis);
    for (const Bottleneck &found : diagnosis.bottlenecks) {
        QVERIFY2(found.gainInterval, found.kind.c_str());
        QVERIFY(0 <= found.gainInterval->lowNs);
        QVERIFY(found.gainInterval->lowNs <= found.gainNs);
        QVERIFY(found.gainNs <= found.gainInterval->highNs);
        const Prediction whole = tests::predict(trace, graph, found.strategy, {});
        QVERIFY(found.gainInterval->highNs - found.gainInterval->lowNs
                <= whole.ciHighNs - whole.ciLowNs + 1);
    }
    const Bottleneck *exposed = find(diagnosis, "exposed-communication");
    QVERIFY(isNear(exposed->gainInterval->lowNs, 20 * Ms)); // of iterations that are all alike
    QVERIFY(isNear(exposed->gainInterval->highNs, 20 * Ms));
    QCOMPARE(toJson(diagnosis)["bottlenecks"][0]["gain_ci95_ns"][1].get<std::int64_t>(),
             diagnosis.bottlenecks[0].gainInterval->highNs);
}

/// Advice that may bring nothing was listed like advice that surely helps.
void DiagnosisTest::aGainThatMayBeNothingSaysSo()
{
    Bottleneck found;
    QVERIFY(gainIntervalText(found).empty());
    found.gainInterval = GainInterval { 2 * Ms, 5 * Ms };
    QCOMPARE(gainIntervalText(found), std::string("95 % interval 2.000 ms to 5.000 ms"));
    for (const std::int64_t lowNs : { std::int64_t { 0 }, -2 * Ms }) {
        found.gainInterval->lowNs = lowNs;
        QVERIFY(gainIntervalText(found).starts_with("may be nothing: "));
    }
    found.unknownInterval = "it is too large.";
    QCOMPARE(gainIntervalText(found), std::string("interval not known: it is too large."));
}

/// A cause that may cost nothing headed the page.
void DiagnosisTest::theVerdictIsOfWhatSurelyCosts()
{
    Diagnosis diagnosis;
    diagnosis.verdict = "Rank 3 makes the others wait, which costs 12 % of an iteration.";
    diagnosis.verdictRemarks = { "Its matmul takes 4 ms." };
    diagnosis.verdictKind = "straggler";
    diagnosis.bottlenecks.resize(3);
    diagnosis.bottlenecks[0].kind = "bandwidth";
    diagnosis.bottlenecks[1].kind = "straggler";
    diagnosis.bottlenecks[2].kind = "copies";
    diagnosis.bottlenecks[2].cost = "Copies cost 2 % of an iteration";
    GainIntervals intervals(3);
    intervals[1].interval = { 1, 5 };
    QCOMPARE(settledVerdict(diagnosis, intervals).sentence, diagnosis.verdict);
    QCOMPARE(settledVerdict(diagnosis, {}).sentence, diagnosis.verdict); // not judged yet
    intervals[1].interval = { -1, 5 };
    Verdict settled = settledVerdict(diagnosis, intervals);
    QCOMPARE(settled.sentence, std::string("No cause stands out: iterations differ by more."));
    QVERIFY(settled.remarks.front().starts_with("Rank 3 makes"));
    QVERIFY(settled.kind.empty());
    intervals[2].interval = { 2, 3 };
    settled = settledVerdict(diagnosis, intervals);
    QCOMPARE(settled.sentence, std::string("Copies cost 2 % of an iteration."));
    setGainIntervals(intervals, diagnosis);
    QCOMPARE(diagnosis.verdict, settled.sentence);
    QCOMPARE(settledVerdict(diagnosis, intervals).sentence, settled.sentence); // stays
}

/// All intervals were lost, and on the command line the whole diagnosis.
void DiagnosisTest::aGainWhoseIntervalFailsLeavesTheOthersTheirs()
{
    const Trace trace = slowSecondRank();
    const auto graph = std::make_shared<const Graph>(measuredGraph(trace, {}));
    Diagnosis diagnosis = diagnose(trace, graph, {});
    const std::size_t last = diagnosis.bottlenecks.size() - 1;
    QVERIFY(last >= 2);
    diagnosis.bottlenecks[0].strategy = parseStrategy({ "compute_scale:9=2" });
    diagnosis.bottlenecks[1].strategy = {}; // measured
    setGainIntervals(gainIntervals(diagnosis, {}), diagnosis);
    QVERIFY(!diagnosis.bottlenecks[0].gainInterval);
    QVERIFY(diagnosis.bottlenecks[0].unknownInterval.find("has no rank 9") != std::string::npos);
    QVERIFY(diagnosis.bottlenecks[1].unknownInterval.empty());
    QVERIFY(diagnosis.bottlenecks[last].gainInterval);
    const nlohmann::json json = toJson(diagnosis)["bottlenecks"];
    QCOMPARE(json[0]["gain_ci95_unknown"].get<std::string>(),
             diagnosis.bottlenecks[0].unknownInterval);
    QVERIFY(json[1].at("gain_ci95_unknown").is_null());
}

void DiagnosisTest::cancelStopsTheIntervals()
{
    const Trace trace = slowSecondRank();
    const auto graph = std::make_shared<const Graph>(measuredGraph(trace, {}));
    const Diagnosis diagnosis = diagnose(trace, graph, {});
    const JobControl cancelled([] { return true; }, {});
    QVERIFY_THROWS_EXCEPTION(Cancelled, gainIntervals(diagnosis, cancelled));
}

/// `longpole replay` warned of a what-if what diagnose told as a gain without a word.
void DiagnosisTest::gainsThatRestOnABadFitAreTrustedLess()
{
    // Transfers of 1 MB and of 3 MB, three times as long, one of each behind 10 ms of computation.
    const auto transferTakes = [](int evenUs, int oddUs) {
        std::string iterations, main = "thread main\n", comm = "comm gloo\n";
        int beginUs = 0;
        for (int i = 0; i < 6; ++i) {
            const int smallUs = i % 2 == 0 ? evenUs : oddUs, periodUs = 10'000 + 4 * smallUs;
            const std::string kind = " kind=all_reduce bytes=";
            iterations += "iteration " + std::to_string(i) + " " + std::to_string(beginUs) + " "
                + std::to_string(periodUs) + "\n";
            main += "aten::mm " + std::to_string(beginUs) + " 10000 phase=backward\n";
            comm += "gloo:all_reduce " + std::to_string(beginUs + 10'000) + " "
                + std::to_string(smallUs) + kind + "1000000\ngloo:all_reduce "
                + std::to_string(beginUs + 10'000 + smallUs) + " " + std::to_string(3 * smallUs)
                + kind + "3000000\n";
            beginUs += periodUs;
        }
        const std::string rank = iterations + main + comm;
        Trace trace = tests::traceFromText("rank 0\n" + rank + "rank 1\n" + rank);
        trace.stated.bandwidthMbit = 2000;
        return diagnosed(trace);
    };
    const auto remarkOf = [](const Diagnosis &diagnosis) {
        for (const std::string &reason : diagnosis.selfReplay.trustReasons)
            if (reason.starts_with("The fit of"))
                return reason;
        return std::string();
    };
    const Diagnosis even = transferTakes(15'000, 15'000);
    QVERIFY(find(even, "bandwidth"));
    QCOMPARE(remarkOf(even), std::string());
    const Diagnosis uneven = transferTakes(6'000, 20'000);
    QVERIFY(find(uneven, "bandwidth"));
    QVERIFY2(remarkOf(uneven).ends_with("what-ifs of links, buckets and schedules rest on it."),
             remarkOf(uneven).c_str());
    QVERIFY(uneven.selfReplay.trust >= TrustLevel::Fair);
}

/// Rank 0's first chunk does not need rank 1: what it waits for the others was called transfer.
void DiagnosisTest::waitingIsAsLongChunkByChunk()
{
    const Trace trace = slowSecondRank();
    const auto graph = std::make_shared<const Graph>(measuredGraph(trace, {}));
    Strategy settings;
    settings.set({ "expand", 1 });
    const Prediction result = tests::predict(trace, graph, settings, {});
    QCOMPARE(result.measuredParts.exposedWaitNs, std::optional<std::int64_t>(20 * Ms)); // 40 and 0
    QVERIFY(result.predictedParts.exposedWaitNs);
    QVERIFY(isNear(*result.predictedParts.exposedWaitNs, 20 * Ms));
}

void DiagnosisTest::bottlenecksPointIntoTheTimeline()
{
    const Trace trace = slowSecondRank();
    const Diagnosis diagnosis = diagnosed(trace);
    for (const Bottleneck &bottleneck : diagnosis.bottlenecks) {
        QVERIFY2(!bottleneck.range.isEmpty(), bottleneck.title.c_str());
        QVERIFY2(!bottleneck.evidence.empty() && !bottleneck.advice.empty(),
                 bottleneck.title.c_str());
    }
    // The first time that rank 0 waits: from its own arrival to the end of the transfer.
    QVERIFY((find(diagnosis, "straggler")->range == TimeRange { 40 * Ms, 100 * Ms }));
}

void DiagnosisTest::jsonHasTheKeysOfTheContract()
{
    const auto json = toJson(diagnosed(slowSecondRank()));
    QCOMPARE(json["ranks"].size(), std::size_t { 2 });
    const auto &device = json["ranks"][0]["devices"][0];
    QCOMPARE(QString::fromStdString(device["device"]), QStringLiteral("CPU"));
    QCOMPARE(device["window_ns"].get<std::int64_t>(), 330 * Ms);
    QCOMPARE(device["compute_ns"].get<std::int64_t>(), 150 * Ms);
    QCOMPARE(device["exposed_comm_ns"].get<std::int64_t>(), 180 * Ms);
    QCOMPARE(device["exposed_transfer_ns"].get<std::int64_t>(), 60 * Ms);
    QCOMPARE(device["exposed_wait_ns"].get<std::int64_t>(), 120 * Ms);
    QCOMPARE(device["iteration_mean"]["exposed_wait_ns"].get<std::int64_t>(), 40 * Ms);
    QCOMPARE(json["ranks"][0]["exposed_wait_for"][0]["rank"].get<int>(), 1);
    QCOMPARE(json["ranks"][0]["exposed_wait_for"][0]["ns"].get<std::int64_t>(), 40 * Ms);
    for (const char *key : { "comm_ns", "overlap_ns", "mem_only_ns", "idle_ns" })
        QVERIFY2(device.contains(key), key);
    QCOMPARE(json["ranks"][1]["iterations"][2]["dur_ns"].get<std::int64_t>(), 110 * Ms);
    for (const char *key : { "compute_ns", "comm_ns", "host_ns", "launch_ns", "input_ns", "wait_ns",
                             "idle_ns", "ops", "iterations", "steady_state" })
        QVERIFY2(json["critical_path"].contains(key), key);
    for (const char *key : { "name", "rank", "device", "start_ns", "dur_ns", "kind" })
        QVERIFY2(json["critical_path"]["ops"][0].contains(key), key);
    const auto &collective = json["collectives"][0];
    for (const char *key : { "name", "group", "seq", "last_rank", "bytes" })
        QVERIFY2(collective.contains(key), key);
    QCOMPARE(collective["ranks"][0]["wait_ns"].get<std::int64_t>(), 40 * Ms);
    for (const char *key : { "title", "kind", "evidence", "gain_ns", "gain_fraction", "advice",
                             "settings", "predicted_ns" })
        QVERIFY2(json["bottlenecks"][0].contains(key), key);

    for (const char *key : { "trust", "near_critical", "scheduling", "stragglers" })
        QVERIFY2(json.contains(key), key);
    QCOMPARE(json["critical_path"]["measured_ns"].get<std::int64_t>(), 110 * Ms);
}

void DiagnosisTest::jsonOfClocksHasTheKeysOfTheContract()
{
    AlignmentReport alignment;
    alignment.workers.push_back({ WorkerId(0), 5, 1.5, 0, 7, true, true });
    alignment.contradictions = { { WorkerId(0), WorkerId(0), 5300 } };
    Worker worker;
    worker.rank = 3;
    const auto aligned = toJson(alignment, {}, alignment, { worker }, {});
    QCOMPARE(aligned["ranks"][0]["rank"].get<int>(), 3);
    for (const char *key : { "offset_ns", "drift_ppm", "drift_known", "drift_most_ppm",
                             "drift_range_ppm", "residual_ns", "reference" })
        QVERIFY2(aligned["ranks"][0].contains(key), key);
    for (const char *key : { "violations_before", "violations_after", "method", "status" })
        QVERIFY2(aligned.contains(key), key);
    QCOMPARE(aligned["contradictions"].dump(),
             std::string("[{\"entering_rank\":3,\"leaving_rank\":3,\"by_ns\":5300}]"));
    QVERIFY(aligned["identifiable_to_ns"].is_null()); // no other rank
    alignment.workers[0].isReference = true;
    for (const std::uint32_t w : { 1U, 2U }) {
        alignment.workers.push_back({ WorkerId(w) });
        alignment.workers.back().isKnown = true;
        alignment.workers.back().uncertaintyNs = 900 * w;
    }
    const std::vector<Worker> workers { worker, worker, worker };
    const auto toNs
        = [&] { return toJson(alignment, {}, alignment, workers, {})["identifiable_to_ns"]; };
    QCOMPARE(toNs().get<int>(), 1800); // the least sure
    alignment.workers[1].isKnown = false;
    QVERIFY(toNs().is_null());
}

void DiagnosisTest::cancelStopsIt()
{
    const Trace trace = slowSecondRank();
    const auto graph = std::make_shared<Graph>(measuredGraph(trace, {}));
    const JobControl cancelled([] { return true; }, {});
    QVERIFY_THROWS_EXCEPTION(Cancelled, diagnose(trace, graph, cancelled));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(DiagnosisTest)
#include "tst_diagnosis.moc"
