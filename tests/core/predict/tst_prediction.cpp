#include "core/change/change_list.h"
#include "core/change/change_text.h"
#include "core/fit/links/measured_graph.h"
#include "core/measure/parts.h"
#include "core/pipeline/pipeline.h"
#include "core/predict/prediction_json.h"
#include "tests/core/measure/measured_parts_of.h"
#include "tests/support/predict.h"
#include "tests/support/trace_builder.h"

#include <QTemporaryDir>
#include <QTest>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <utility>

using namespace core;
using tests::measuredPartsOf;

class TestScenario : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void moreBandwidthIsNeverSlower();
    void theLinksOwnBandwidthChangesNothing();
    void whatChangesNothingSaysSo_data();
    void whatChangesNothingSaysSo();
    void whatChangesNothingIsJudgedAsTheUnchangedJob();
    void oneRankAloneHasNoCommunication();
    void farSettingsHaveWideIntervals();
    void theIntervalHoldsThePrediction_data();
    void theIntervalHoldsThePrediction();
    void emptySettingsAreTheSelfReplay();
    void anIterationThatBreaksOffIsNotMeasured();
    void partsAreMeansOverRanksThatHaveAStep();
    void copiesAreNotIdle();
    void oneIterationTellsNoInterval();
    void clocksThatHardlyAgreeLowerTheTrust();
    void theSchedulesEfficiencyIsThatOfTicTac();
    void whatOnlyPollsIsNotBusyInBetween();
    void whatTheCriticalPathIsOnHidesOtherChanges();

private:
    Prediction run(const std::vector<std::string> &words) const
    {
        return tests::predict(*m_loaded.trace, m_loaded.graph, parseStrategy(words), {});
    }

    LoadedProject m_loaded;
};

void TestScenario::initTestCase()
{
    const QTemporaryDir folder;
    const auto project = std::filesystem::path(folder.path().toStdString()) / "sample.longpole";
    importBundle({ LONGPOLE_SOURCE_DIR "/resources/samples/vgg-w2-500mbit-b25" }, project, {}, {});
    m_loaded = loadProject(project, {});
    QVERIFY(m_loaded.graph && !m_loaded.graph->collectives.empty());
}

void TestScenario::moreBandwidthIsNeverSlower()
{
    std::int64_t slowerNs = std::numeric_limits<std::int64_t>::max();
    for (const char *scale : { "0.25", "0.5", "0.75", "1", "1.5", "2", "4", "8" }) {
        const std::int64_t ns = run({ "bandwidth_scale=" + std::string(scale) }).predictedNs;
        QVERIFY2(ns <= slowerNs, scale);
        slowerNs = ns;
    }
    QCOMPARE(run({ "bandwidth_scale=1" }).predictedNs, run({}).predictedNs);
    QVERIFY(run({ "bandwidth_scale=0.25" }).predictedNs > 2 * run({}).predictedNs);
}

/// With the rate that was shown, which had no headers, the iteration was 2 % faster.
void TestScenario::theLinksOwnBandwidthChangesNothing()
{
    const Prediction unchanged = run({});
    QCOMPARE(unchanged.links.front().bandwidthMbit, 500.0);
    Trace unstated = *m_loaded.trace;
    unstated.stated = {};
    for (const Trace *trace : { &*m_loaded.trace, &std::as_const(unstated) }) {
        const Prediction measured = tests::predict(*trace, m_loaded.graph, {}, {});
        const double mbit = measured.links.front().bandwidthMbit;
        Strategy own;
        own.set({ "bandwidth_mbit", static_cast<double>(mbit) });
        const Prediction same = tests::predict(*trace, m_loaded.graph, own, {});
        QCOMPARE(same.predictedNs, unchanged.predictedNs);
        QVERIFY(std::abs(same.ciLowNs - measured.ciLowNs) <= 1);
        QVERIFY(std::abs(same.ciHighNs - measured.ciHighNs) <= 1);
        own.set({ "bandwidth_mbit", static_cast<double>(2 * mbit) });
        Strategy twice;
        twice.set({ "bandwidth_scale", 2 });
        QCOMPARE(tests::predict(*trace, m_loaded.graph, own, {}).predictedNs,
                 tests::predict(*trace, m_loaded.graph, twice, {}).predictedNs);
    }
}

void TestScenario::whatChangesNothingSaysSo_data()
{
    QTest::addColumn<std::vector<std::string>>("settings");
    QTest::addColumn<QString>("text"); // empty: it changes something
    using Words = std::vector<std::string>;
    const auto row = [](const char *name, const Words &words, const char *text) {
        QTest::newRow(name) << words << QString::fromLatin1(text);
    };
    row("none", {}, "");
    row("DDP's buckets", { "bucket_cap_mb=25" },
        "Changes nothing: the job already has these buckets.");
    row("the link's bandwidth", { "bandwidth_mbit=500" },
        "Changes nothing: its links already have this bandwidth.");
    row("factors of 1", { "compute_scale=1", "batch_scale=1" },
        "Changes nothing: compute_scale=1 is the job as recorded; batch_scale=1 is the job as "
        "recorded.");
    row("as many ranks", { "world_size=2" }, "Changes nothing: the job already has so many ranks.");
    row("no input", { "host_overhead_scale=1" },
        "Changes nothing: host_overhead_scale=1 is the job as recorded.");
    row("no chunks", { "expand=0" }, "Changes nothing: expand=0 is the job as recorded.");
    row("other buckets", { "bucket_cap_mb=5" }, "");
    row("buckets as they are, and less compute", { "bucket_cap_mb=25", "compute_scale=0.5" }, "");
}

void TestScenario::whatChangesNothingSaysSo()
{
    QFETCH(const std::vector<std::string>, settings);
    QFETCH(const QString, text);
    const Prediction result = run(settings);
    QCOMPARE(QString::fromStdString(result.noChange.value_or("")), text);
    const nlohmann::ordered_json json = toJson(result);
    QVERIFY(text.isEmpty() ? json["no_change"].is_null() : json["no_change"] == text.toStdString());
    if (text.isEmpty())
        return;
    QCOMPARE(result.predictedNs, run({}).predictedNs);
    QVERIFY(result.trustReasons == run({}).trustReasons);
}

/// It was said to wait for 5 ms, for a rank that was not there.
void TestScenario::oneRankAloneHasNoCommunication()
{
    const Prediction alone = run({ "world_size=1" }), free = run({ "comm_scale=0" });
    QVERIFY(alone.graph->collectives.empty());
    QCOMPARE(alone.predictedParts.exposedCommNs, std::int64_t { 0 });
    QCOMPARE(alone.predictedParts.overlapNs, std::int64_t { 0 });
    QVERIFY(alone.predictedNs > 0 && alone.predictedNs <= free.predictedNs);
    QVERIFY(alone.ciLowNs > 0);
}

/// 64 ranks and another algorithm were as sure as what was recorded.
void TestScenario::farSettingsHaveWideIntervals()
{
    const auto widthOf = [](const Prediction &result) {
        return static_cast<double>(result.ciHighNs - result.ciLowNs)
            / static_cast<double>(result.predictedNs);
    };
    const Prediction near = run({ "world_size=4" }), far = run({ "world_size=64" });
    // Of more ranks' cores the trace tells little, which is fair and not good.
    QVERIFY(near.trust == TrustLevel::Fair && far.trust == TrustLevel::Poor);
    QVERIFY(widthOf(far) > widthOf(near));
    const Prediction ring = run({}), tree = run({ "collective=tree" });
    QVERIFY(tree.trust == TrustLevel::Fair);
    QVERIFY(tree.ciLowNs <= ring.predictedNs && ring.predictedNs <= tree.ciHighNs);
}

void TestScenario::theIntervalHoldsThePrediction_data()
{
    QTest::addColumn<std::vector<std::string>>("settings");
    using Words = std::vector<std::string>;
    QTest::newRow("self-replay") << Words {};
    QTest::newRow("smaller buckets") << Words { "bucket_cap_mb=5" };
    QTest::newRow("faster") << Words { "bandwidth_scale=2" };
    QTest::newRow("both") << Words { "bucket_cap_mb=1", "bandwidth_mbit=2000" };
}

void TestScenario::theIntervalHoldsThePrediction()
{
    QFETCH(const std::vector<std::string>, settings);
    const Prediction result = run(settings);
    QVERIFY(result.ciLowNs < result.predictedNs && result.predictedNs < result.ciHighNs);
    const double errorNs
        = std::abs(result.replayErrorFraction) * static_cast<double>(result.predictedNs);
    QVERIFY(static_cast<double>(result.ciHighNs - result.ciLowNs) > errorNs / 2);
    QVERIFY(result.replayErrorFraction == run({}).replayErrorFraction);
}

void TestScenario::emptySettingsAreTheSelfReplay()
{
    const Prediction result = run({});
    QVERIFY(std::abs(result.replayErrorFraction) <= 0.02);
    QCOMPARE(static_cast<double>(result.predictedNs - result.measuredNs)
                 / static_cast<double>(result.measuredNs),
             result.replayErrorFraction);
    QCOMPARE(result.ranks.size(), 2U);
}

/// Rank 0's recording ends early in its third iteration, which the replay has of no rank.
void TestScenario::anIterationThatBreaksOffIsNotMeasured()
{
    const Trace trace = tests::traceFromText(R"(
        rank 0
        iteration 0 0 100
        iteration 1 100 120
        iteration 2 220 10
        thread main
        aten::mm 0 95
        aten::add 95 5
        aten::mm 100 115
        aten::add 215 5
        rank 1
        iteration 0 0 90
        iteration 1 90 100
        iteration 2 190 300
        thread main
        aten::mm 0 85
        aten::add 85 5
        aten::mm 90 95
        aten::add 185 5
        aten::mm 190 295
        aten::add 485 5
    )");
    const auto graph = std::make_shared<const Graph>(measuredGraph(trace, {}));
    const Prediction result = tests::predict(trace, graph, {}, {});
    QCOMPARE(result.ranks.size(), 2U);
    QCOMPARE(result.ranks[0].measuredNs, 110'000);
    QCOMPARE(result.ranks[1].measuredNs, 95'000);
    QCOMPARE(result.measuredNs, 110'000);
    QCOMPARE(result.predictedNs, 110'000);
}

/// A rank without times counted as one that does nothing, and halved what the other one does.
void TestScenario::partsAreMeansOverRanksThatHaveAStep()
{
    const std::string busy = "rank 0\niteration 0 0 100\nthread main\nforward 10 40\n";
    const Trace alone = tests::traceFromText(busy);
    const Trace both = tests::traceFromText(busy + "rank 1\niteration 0 0 100\nthread main\n");
    const PartTimes wanted = measuredPartsOf(alone, measuredGraph(alone, {}));
    QCOMPARE(wanted.computeNs, 40'000);
    const auto graph = std::make_shared<const Graph>(measuredGraph(both, {}));
    const PartTimes measured = measuredPartsOf(both, *graph);
    QCOMPARE(measured.computeNs, wanted.computeNs);
    QCOMPARE(measured.idleNs, wanted.idleNs);
    QCOMPARE(tests::predict(both, graph, {}, {}).predictedParts.computeNs, wanted.computeNs);
}

/// Copies were idle time in a replay's parts, and not in a diagnosis'.
void TestScenario::copiesAreNotIdle()
{
    const Trace trace = tests::traceFromText("rank 0\niteration 0 0 100\nthread main\nforward 0 5\n"
                                             "stream 7 gpu=0\nkernel 10 40\ncopy 50 20 memcpy\n");
    const PartTimes parts = measuredPartsOf(trace, measuredGraph(trace, {}));
    QCOMPARE(parts.computeNs, 40'000);
    QCOMPARE(parts.memOnlyNs, 20'000);
    QCOMPARE(parts.idleNs, 40'000);
    QCOMPARE(wholeNs(parts), 100'000);
}

/// It was called an interval from the prediction to the prediction.
void TestScenario::oneIterationTellsNoInterval()
{
    const auto resultOf = [](const std::string &text) {
        const Trace trace = tests::traceFromText(text);
        return tests::predict(trace, std::make_shared<const Graph>(measuredGraph(trace, {})), {},
                              {});
    };
    const std::string ops = "thread main\naten::mm 0 60\naten::mm 60 40\n";
    const Prediction one = resultOf("rank 0\niteration 0 0 60\n" + ops);
    QVERIFY(one.unknownInterval && one.unknownInterval->find("one iteration") != std::string::npos);
    const auto json = toJson(one);
    QVERIFY(json.contains("ci95_ns") && json["ci95_ns"].is_null());
    QVERIFY(json["ci95_unknown"].is_string());
    const Prediction two = resultOf("rank 0\niteration 0 0 60\niteration 1 60 40\n" + ops);
    QVERIFY(!two.unknownInterval && two.ciHighNs > two.ciLowNs);
    QCOMPARE(toJson(two)["ci95_ns"].size(), std::size_t { 2 });
    QVERIFY(toJson(two)["ci95_unknown"].is_null());
}

/// Who waits for whom is not known of such clocks.
void TestScenario::clocksThatHardlyAgreeLowerTheTrust()
{
    std::string text;
    for (int rank = 0; rank < 2; ++rank)
        text += "rank " + std::to_string(rank)
            + "\niteration 0 0 100\niteration 1 100 100\niteration 2 200 100\n"
              "thread main\naten::mm 0 100\naten::mm 100 100\naten::mm 200 100\n";
    Trace trace = tests::traceFromText(text);
    trace.alignment.workers.resize(2);
    for (std::uint32_t w = 0; w < 2; ++w) {
        trace.alignment.workers[w].worker = WorkerId(w);
        trace.alignment.workers[w].isKnown = true;
        trace.alignment.workers[w].isReference = w == 0;
    }
    const auto trustWith = [&trace](std::int64_t uncertaintyNs) {
        trace.alignment.workers[1].uncertaintyNs = uncertaintyNs;
        return tests::predict(trace, std::make_shared<const Graph>(measuredGraph(trace, {})), {},
                              {});
    };
    QVERIFY(trustWith(1000).trust == TrustLevel::Good); // of 100 us
    QVERIFY(trustWith(9000).trust == TrustLevel::Good);
    const Prediction fair = trustWith(30'000);
    QVERIFY(fair.trust == TrustLevel::Fair);
    QVERIFY(std::any_of(fair.trustReasons.begin(), fair.trustReasons.end(),
                        [](const std::string &reason) {
                            return reason.find("30 % of an iteration") != std::string::npos;
                        }));
}

/// Rank 0: 60 us on its thread, then 40 us on the link, with nothing at the same time.
void TestScenario::theSchedulesEfficiencyIsThatOfTicTac()
{
    std::string text;
    for (int rank = 0; rank < 2; ++rank)
        text += "rank " + std::to_string(rank)
            + "\niteration 0 0 100\nthread main\nforward 0 60\ncomm gloo\n"
              "gloo:all_reduce 60 40 kind=all_reduce bytes=1000\n";
    const Trace trace = tests::traceFromText(text);
    const Prediction result
        = tests::predict(trace, std::make_shared<const Graph>(measuredGraph(trace, {})), {}, {});
    const RankEfficiency &rank = result.rankScheduling.at(0);
    QCOMPARE(rank.makespanNs, 100'000);
    // U = 100, L = 60, m = 100.
    QCOMPARE(rank.scheduling.efficiency, 0.0);
    QVERIFY(std::abs(rank.scheduling.speedup - 2.0 / 3) < 1e-9);
    QCOMPARE(rank.devices.size(), std::size_t { 2 });
    QCOMPARE(rank.devices[0].loadNs, 60'000);
    QVERIFY(std::abs(rank.devices[1].scheduling.speedup - 1.5) < 1e-9);
    // Both ranks: U = 60 + 60 + 40, L = 60, m = 100.
    QVERIFY(std::abs(result.scheduling.efficiency - 0.6) < 1e-9);
}

/// A watchdog that asked an accelerator twice, with a second in between, was the busiest device.
void TestScenario::whatOnlyPollsIsNotBusyInBetween()
{
    const Trace trace
        = tests::traceFromText("rank 0\niteration 0 0 100\n"
                               "thread main\nlaunch 0 10 corr=1\nother 40 30\n"
                               "thread watchdog\ncudaEventQuery 5 1\ncudaEventQuery 95 1\n"
                               "stream 7 gpu=0\ngemm 10 50 kernel corr=1\n");
    const Prediction result
        = tests::predict(trace, std::make_shared<const Graph>(measuredGraph(trace, {})), {}, {});
    std::map<std::string, std::int64_t> loadNs;
    for (const DeviceEfficiency &device : result.rankScheduling.at(0).devices)
        loadNs[device.device] = device.loadNs;
    QCOMPARE(loadNs.at("thread watchdog"), 2'000);
    // Of one that launches kernels the time between two operations is its own.
    QCOMPARE(loadNs.at("thread main"), 70'000);
    QCOMPARE(loadNs.at("stream 7"), 50'000);
}

/// Good as it is, fair "as the trace tells little of what this changes" with a factor of 1.
void TestScenario::whatChangesNothingIsJudgedAsTheUnchangedJob()
{
    std::string text = "rank 0\n", work = "thread main\n";
    for (int i = 0, at = 0; i < 5; ++i) {
        const int us = i % 2 == 0 ? 100 : 110;
        const std::string range = std::to_string(at) + " " + std::to_string(us) + "\n";
        text += "iteration " + std::to_string(i) + " " + range;
        work += "forward " + range;
        at += us;
    }
    const Trace trace = tests::traceFromText(text + work);
    const auto graph = std::make_shared<const Graph>(measuredGraph(trace, {}));
    const Prediction unchanged = tests::predict(trace, graph, {}, {});
    QCOMPARE(unchanged.trust, TrustLevel::Good);
    const Prediction same = tests::predict(trace, graph, parseStrategy({ "compute_scale=1" }), {});
    QVERIFY(same.noChange.has_value());
    QCOMPARE(same.strategy.list().size(), std::size_t { 1 });
    QCOMPARE(same.trust, unchanged.trust);
    QVERIFY(same.trustReasons == unchanged.trustReasons);
    QCOMPARE(same.ciHighNs, unchanged.ciHighNs);
}

/// A prediction of exactly what was recorded, for slower transfers, came without a word of why.
void TestScenario::whatTheCriticalPathIsOnHidesOtherChanges()
{
    std::string text;
    for (int rank = 0; rank < 2; ++rank)
        text += "rank " + std::to_string(rank)
            + "\niteration 0 0 100\nthread main\nforward 0 10\nbackward 10 90\ncomm gloo\n"
              "gloo:all_reduce 10 20 kind=all_reduce bytes=1000\n";
    const Trace trace = tests::traceFromText(text);
    const auto textOf = [&trace](const std::vector<std::string> &words) {
        const auto json
            = toJson(tests::predict(trace, std::make_shared<const Graph>(measuredGraph(trace, {})),
                                    parseStrategy(words), {}));
        return json["no_effect"].is_null() ? std::string() : json["no_effect"].get<std::string>();
    };
    const std::string hidden = textOf({ "comm_scale=2" });
    QVERIFY2(hidden.starts_with("No effect: 100 % of the critical path is on 'thread main' of "
                                "rank "),
             hidden.c_str());
    // Chunks are asked for to be seen: that they are beside the path was said as if they were not.
    QCOMPARE(textOf({ "comm_scale=2", "expand=1" }), std::string());
    QCOMPARE(textOf({ "expand=1" }),
             std::string("Changes what is shown, not how long it takes: collectives chunk by "
                         "chunk."));
    QCOMPARE(textOf({ "compute_scale=2" }), std::string());
    QCOMPARE(textOf({ "comm_scale=1" }), std::string()); // noChangeText() tells
    QCOMPARE(textOf({}), std::string());
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestScenario)
#include "tst_prediction.moc"
