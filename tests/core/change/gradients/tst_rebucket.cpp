#include "core/base/error.h"
#include "core/change/change_text.h"
#include "core/change/gradients/bucket_layout.h"
#include "core/change/gradients/measured_buckets.h"
#include "core/change/gradients/rebucket.h"
#include "core/fit/links/link_models.h"
#include "core/fit/links/measured_graph.h"
#include "core/fit/links/unseen_waits.h"
#include "core/pipeline/pipeline.h"
#include "tests/support/predict.h"
#include "tests/support/trace_builder.h"

#include <QTemporaryDir>
#include <QTest>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <utility>

using namespace core;

namespace {

BucketLimits limits(double capMb)
{
    return { static_cast<std::uint64_t>(DefaultFirstBucketMb * BytesPerMb),
             static_cast<std::uint64_t>(capMb * BytesPerMb) };
}

/// Payload of the collectives of each iteration.
std::map<std::int64_t, std::uint64_t> bytesByIteration(const Graph &graph)
{
    std::map<std::int64_t, std::uint64_t> sums;
    for (const CollectiveNode &node : graph.collectives)
        sums[node.iteration] += node.bytes;
    return sums;
}

bool hasNote(const Graph &graph, std::string_view part)
{
    return std::any_of(graph.notes.begin(), graph.notes.end(), [part](const std::string &note) {
        return note.find(part) != std::string::npos;
    });
}

} // namespace

/// Other bucket sizes of the sample's DDP.
class TestRebucket : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void theMeasuredLayoutLeavesTheGraphAsItIs();
    void smallerBucketsCarryTheSameBytes_data();
    void smallerBucketsCarryTheSameBytes();
    void aTransferStartsWhenAllItsGradientsAreReady();
    void whatIsNotSetIsAsTheRecordedBucketsTell_data();
    void whatIsNotSetIsAsTheRecordedBucketsTell();
    void aCapIsNotMadeUp();
    void waitingForUnseenRanksStaysWithOtherBuckets();
    void bucketsOfModelsInTurnAreRefused();
    void oneRankAloneIsToldToImportTheOthers();
    void withoutDdpBucketSizesAreRefused();
    void statedSizesTakeThePlaceOfMissingOnes();

private:
    Prediction run(const std::vector<std::string> &words) const
    {
        return tests::predict(*m_loaded.trace, m_loaded.graph, parseStrategy(words), {});
    }

    LoadedProject m_loaded;
    LinkModels m_links;
};

void TestRebucket::initTestCase()
{
    const QTemporaryDir folder;
    const auto project = std::filesystem::path(folder.path().toStdString()) / "sample.longpole";
    importBundle({ LONGPOLE_SOURCE_DIR "/resources/samples/vgg-w2-500mbit-b25" }, project, {}, {});
    m_loaded = loadProject(project, {});
    m_links = fitLinks(*m_loaded.graph, *m_loaded.trace);
    QVERIFY(!m_links.empty());
}

void TestRebucket::theMeasuredLayoutLeavesTheGraphAsItIs()
{
    const Graph same = rebucket(*m_loaded.graph, *m_loaded.trace, m_links, limits(25), {});
    QCOMPARE(same.size(), m_loaded.graph->size());
    QVERIFY(same.durationNs == m_loaded.graph->durationNs);
    QCOMPARE(same.collectives.size(), m_loaded.graph->collectives.size());
    QCOMPARE(run({ "bucket_cap_mb=25" }).predictedNs, run({}).predictedNs);
}

void TestRebucket::smallerBucketsCarryTheSameBytes_data()
{
    QTest::addColumn<double>("capMb");
    QTest::addColumn<int>("perIteration");
    QTest::newRow("5 MiB") << 5.0 << 3;
    QTest::newRow("1 MiB") << 1.0 << 5;
    QTest::newRow("one for each layer") << 0.01 << 8;
}

void TestRebucket::smallerBucketsCarryTheSameBytes()
{
    QFETCH(const double, capMb);
    QFETCH(const int, perIteration);
    const Graph graph = rebucket(*m_loaded.graph, *m_loaded.trace, m_links, limits(capMb), {});
    QVERIFY(graph.collectives.size() > m_loaded.graph->collectives.size());
    QCOMPARE(graph.collectives.size(), static_cast<std::size_t>(6 * perIteration));
    QVERIFY(bytesByIteration(graph) == bytesByIteration(*m_loaded.graph));
    for (const GradientStep &step : graph.gradientSteps) {
        QCOMPARE(step.buckets.size(), static_cast<std::size_t>(perIteration));
        for (const GradientStep::Bucket &bucket : step.buckets) {
            std::uint64_t bytes = 0;
            for (std::size_t i = 0; i < bucket.parameterCount; ++i)
                bytes += step.parameterBytes[bucket.firstParameter + i];
            QCOMPARE(graph.collectives[bucket.collective].bytes, bytes);
        }
    }
}

void TestRebucket::aTransferStartsWhenAllItsGradientsAreReady()
{
    const Prediction result = run({ "bucket_cap_mb=1" });
    const Graph &graph = *result.graph;
    std::size_t checked = 0;
    for (const GradientStep &step : graph.gradientSteps)
        for (const GradientStep::Bucket &bucket : step.buckets) {
            const OpId transfer = graph.collectives[bucket.collective].transfer;
            for (std::size_t i = 0; i < bucket.parameterCount; ++i, ++checked)
                QVERIFY(result.replay->startNs[transfer.value]
                        >= result.replay->endNs[step.gradients[bucket.firstParameter + i].value]);
        }
    QCOMPARE(checked, 12U * 18U); // parameters of every rank and iteration
}

void TestRebucket::whatIsNotSetIsAsTheRecordedBucketsTell_data()
{
    QTest::addColumn<double>("firstMb"); ///< of the recorded buckets
    QTest::addColumn<double>("capMb");
    QTest::addColumn<double>("firstBeside16Mb"); ///< of buckets of 16 MiB
    QTest::addColumn<bool>("isCapKnown");
    QTest::newRow("DDP's defaults") << 1.0 << 25.0 << 1.0 << true;
    QTest::newRow("smaller ones") << 1.0 << 0.5 << 1.0 << true;
    QTest::newRow("the first is as large as the others") << 5.0 << 5.0 << 16.0 << true;
    QTest::newRow("all in one") << 25.0 << 25.0 << 16.0 << false; // any larger cap does it, too
}

/// Where no meta.json states the cap, first_bucket_mb=1 made buckets of 25 MiB of recorded ones of
/// 5 MiB; and the first bucket became one of 1 MiB whatever it was.
void TestRebucket::whatIsNotSetIsAsTheRecordedBucketsTell()
{
    QFETCH(const double, firstMb);
    QFETCH(const double, capMb);
    QFETCH(const double, firstBeside16Mb);
    const auto bytes = [](double mb) { return static_cast<std::uint64_t>(mb * BytesPerMb); };
    Trace trace = *m_loaded.trace;
    trace.stated = {};
    const Graph recorded
        = rebucket(*m_loaded.graph, trace, m_links, { bytes(firstMb), bytes(capMb) }, {});
    const BucketChanges first { {}, firstMb };
    const BucketChanges asRecorded { recordedCapMb(recorded, trace), {} };
    QFETCH(const bool, isCapKnown);
    QCOMPARE(asRecorded.capMb.has_value(), isCapKnown);
    for (const BucketChanges &changes : { BucketChanges {}, first, asRecorded }) {
        const Graph again
            = rebucket(recorded, trace, m_links, bucketLimits(recorded, trace, changes), {});
        QCOMPARE(again.collectives.size(), recorded.collectives.size());
        QVERIFY(again.durationNs == recorded.durationNs);
    }
    const BucketLimits limits = bucketLimits(recorded, trace, { 16, {} });
    QCOMPARE(limits.capBytes, bytes(16));
    QCOMPARE(limits.firstBytes, bytes(firstBeside16Mb));
}

/// A job without gradients in buckets, and without a meta.json.
void TestRebucket::aCapIsNotMadeUp()
{
    Trace trace = *m_loaded.trace;
    Graph graph = *m_loaded.graph;
    graph.gradientSteps.clear();
    QCOMPARE(recordedCapMb(graph, trace), std::optional(25.0)); // stated
    trace.stated = {};
    QVERIFY(!recordedCapMb(graph, trace));
    QCOMPARE(recordedCapMb(*m_loaded.graph, trace), std::optional(25.0)); // which explains them
}

/// With buckets of 5 MiB the waiting for a slow rank without a trace was lost, or stretched.
void TestRebucket::waitingForUnseenRanksStaysWithOtherBuckets()
{
    // As if two of four ranks on a faster link: half of each transfer is nothing sent.
    Trace trace = *m_loaded.trace;
    for (Worker &worker : trace.workers)
        worker.worldSize = 4;
    trace.stated.bandwidthMbit = 1500;
    const auto graph = std::make_shared<const Graph>(measuredGraph(trace, {}));
    const Prediction unchanged = tests::predict(trace, graph, {}, {});
    QVERIFY(std::abs(unchanged.replayErrorFraction) < 0.02);
    QCOMPARE(tests::predict(trace, graph, parseStrategy({ "bucket_cap_mb=25" }), {}).predictedNs,
             unchanged.predictedNs);
    QVERIFY(unseenWaitNs(*graph) * 4 > unchanged.measuredNs);

    const Graph smaller = rebucket(*graph, trace, fitLinks(*graph, trace), limits(5), {});
    QVERIFY(smaller.collectives.size() > graph->collectives.size());
    QCOMPARE(smaller.gradientSteps.size(), graph->gradientSteps.size());
    // By iteration, as ranks share the collectives.
    const auto waitsOf = [](const Graph &of, std::int32_t iteration) {
        std::vector<std::int64_t> waits;
        for (const GradientStep &step : of.gradientSteps)
            if (step.worker == WorkerId(0) && step.iteration == iteration)
                for (const auto &bucket : step.buckets)
                    waits.push_back(unseenWaitNs(of, of.collectives[bucket.collective]));
        return waits;
    };
    for (std::int32_t i = 0; i < graph->iterationCount; ++i) {
        const std::vector<std::int64_t> measured = waitsOf(*graph, i), waits = waitsOf(smaller, i);
        QVERIFY(waits.size() > measured.size());
        QCOMPARE(waits.back(), measured.back());
        const auto [least, most] = std::minmax_element(measured.begin(), measured.end());
        for (const std::int64_t wait : waits)
            QVERIFY(*least > 0 && wait >= *least && wait <= *most);
    }
}

/// A GAN: the second model's backward pass begins when the first one's gradients are reduced. Their
/// buckets were mixed.
void TestRebucket::bucketsOfModelsInTurnAreRefused()
{
    Graph graph = *m_loaded.graph;
    QVERIFY(!rebucketObstacle(graph));
    for (GradientStep &step : graph.gradientSteps)
        std::swap(graph.measuredStartNs[step.gradients.back().value],
                  graph.measuredStartNs[step.copies.front().value]);
    const auto obstacle = rebucketObstacle(graph);
    QVERIFY(obstacle.has_value());
    QVERIFY2(obstacle->find("several models") != std::string::npos, obstacle->c_str());
}

/// It was told that no rank shows DDP's reduction, which it does.
void TestRebucket::oneRankAloneIsToldToImportTheOthers()
{
    const Graph graph
        = measuredGraph(tests::traceFromText("rank 0\niteration 0 0 100\nthread main\n"
                                             "aten::mm 10 20\n"),
                        {});
    const auto obstacle = rebucketObstacle(graph);
    QVERIFY(obstacle && obstacle->starts_with("only one rank is recorded"));
}

void TestRebucket::withoutDdpBucketSizesAreRefused()
{
    std::string text;
    for (int rank = 0; rank < 2; ++rank)
        text += "rank " + std::to_string(rank)
            + "\niteration 0 0 100\niteration 1 100 100\nthread main\n"
              "aten::mm 0 40 phase=backward\naten::mm 100 40 phase=backward\ncomm gloo\n"
              "gloo:all_reduce 40 50 kind=all_reduce bytes=1000\n"
              "gloo:all_reduce 140 50 kind=all_reduce bytes=1000\n";
    const Trace trace = tests::traceFromText(text);
    const auto graph = std::make_shared<const Graph>(measuredGraph(trace, {}));
    try {
        tests::predict(trace, graph, parseStrategy({ "bucket_cap_mb=5" }), {});
        QFAIL("it was accepted");
    } catch (const Error &error) {
        const QByteArray message(error.what());
        for (const char *word : { "DDP", "AccumulateGrad", "DistributedDataParallel" })
            QVERIFY2(message.contains(word), error.what());
    }
    const Prediction unchanged = tests::predict(trace, graph, {}, {});
    const ChangeObstacles obstacles = Predictor(trace, graph, JobControl {}).obstacles();
    const std::string *buckets = obstacleOf(obstacles, "bucket_cap_mb");
    QVERIFY(buckets && buckets->find("AccumulateGrad") != std::string::npos);
    const std::string *bandwidth = obstacleOf(obstacles, "bandwidth_mbit");
    QVERIFY(bandwidth && bandwidth->find("one size") != std::string::npos);
    QVERIFY(tests::obstacle(*graph, "bandwidth_mbit").has_value());
}

void TestRebucket::statedSizesTakeThePlaceOfMissingOnes()
{
    Trace trace = *m_loaded.trace;
    for (std::size_t track = 0; track < trace.slices.size(); ++track)
        if (trace.tracks[track].kind == TrackKind::HostThread) {
            CompactColumn &bytes = trace.slices[track].bytes;
            const std::vector<std::uint64_t> none(bytes.size(), 0);
            bytes.clear();
            bytes.append(none);
        }
    const std::vector<std::uint64_t> sizes = m_loaded.graph->gradientSteps.front().parameterBytes;

    trace.stated.gradientBytes.clear();
    const Graph without = measuredGraph(trace, {});
    QVERIFY(rebucketObstacle(without).value_or("").find("gradient_sizes") != std::string::npos);

    trace.stated.gradientBytes = { 1, 2 }; // there are 18
    const Graph other = measuredGraph(trace, {});
    QVERIFY(rebucketObstacle(other).has_value());
    QVERIFY(hasNote(other, "gradient_sizes states 2 sizes"));

    trace.stated.gradientBytes = sizes;
    const Graph stated = measuredGraph(trace, {});
    QCOMPARE(rebucketObstacle(stated), std::nullopt);
    QVERIFY(hasNote(stated, "as stated"));
    QVERIFY(stated.gradientSteps.front().parameterBytes == sizes);
    QCOMPARE(rebucket(stated, trace, m_links, limits(5), {}).collectives.size(),
             rebucket(*m_loaded.graph, trace, m_links, limits(5), {}).collectives.size());
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestRebucket)
#include "tst_rebucket.moc"
