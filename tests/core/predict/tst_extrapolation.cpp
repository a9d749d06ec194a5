#include "core/change/change_list.h"
#include "core/change/change_text.h"
#include "core/predict/extrapolation.h"
#include "tests/core/predict/trust_jobs.h"
#include "tests/support/predict.h"

#include <QTest>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

using namespace core;
using tests::allReduces;
using tests::doubts;

namespace {

std::shared_ptr<const Graph> gradientReductions()
{
    Graph graph = allReduces({ 1000, 2000 });
    graph.collectives.front().tensor = "w";
    return std::make_shared<const Graph>(std::move(graph));
}

} // namespace

class TestExtrapolation : public QObject
{
    Q_OBJECT

private slots:
    void whatLiesFarFromTheRecordingIsNotTrusted_data()
    {
        QTest::addColumn<QByteArray>("words");
        QTest::addColumn<QByteArray>("level");
        QTest::addColumn<QByteArray>("reason");
        const auto row = [](const char *words, const char *level, const char *reason) {
            QTest::newRow(words) << QByteArray(words) << QByteArray(level) << QByteArray(reason);
        };
        row("bandwidth_mbit=500", "good", "");
        row("bandwidth_mbit=5000", "good", "");
        row("bandwidth_mbit=6000", "fair", "Links 6 times as fast");
        row("bandwidth_mbit:1=10", "poor", "Links 100 times as slow");
        row("bandwidth_scale=20", "poor", "Links 20 times as fast");
        row("world_size=4", "good", "");
        row("world_size=1", "good", ""); // transfers nothing
        row("world_size=8", "fair", "8 ranks from a recording of 2");
        row("world_size=64", "poor", "64 ranks from a recording of 2");
        row("collective=ring", "good", "");
        row("collective=tree", "fair", "No transfer by this algorithm is recorded");
        row("collective=ps:1 world_size=4", "poor", "8 times the bytes");
        row("collective=ps:9", "fair", "More servers than the 2 ranks bring nothing");
        row("collective=ps:9 world_size=4", "fair", "predicted as ps:4.");
        row("compute_scale=0.5", "good", "");
        row("compute_scale:1=3", "fair", "Computation 3 times as slow");
        row("batch_scale=0.1", "poor", "A batch 10 times as small");
        row("comm_scale=0", "good", ""); // a bound
        row("comm_scale=10", "fair", "Transfers 10 times as slow");
        row("comm_scale=1000", "poor", "Transfers 1000 times as slow");
        row("comm_scale:0-1=0.01", "poor", "Transfers 100 times as fast");
        row("host_overhead_scale=0", "good", "");
        row("host_overhead_scale=3", "fair", "Launching and host code 3 times as long");
        row("host_overhead_scale=100", "poor", "compared with no measured job");
        row("input_scale=0.2", "fair", "Loading the input 5 times as short");
        row("latency_us=3", "fair", "Latencies 3 times as long");
        row("latency_us=1000", "poor", "Latencies 1000 times as long");
    }

    void whatLiesFarFromTheRecordingIsNotTrusted()
    {
        QFETCH(const QByteArray, words);
        QFETCH(const QByteArray, level);
        QFETCH(const QByteArray, reason);
        const auto graph = gradientReductions();
        Prediction result;
        std::vector<std::string> list;
        for (const QByteArray &word : words.split(' '))
            list.push_back(word.toStdString());
        result.strategy = parseStrategy(list);
        result.graph = graph;
        LinkModel link;
        link.bandwidthMbit = 1000;
        link.alphaNs = 2000;
        link.steps = 2;
        result.links = { link };
        TrustLevel found = TrustLevel::Good;
        bool isSaid = reason.isEmpty();
        for (const TrustReason &one : doubts(*graph, result)) {
            found = std::max(found, one.level);
            isSaid = isSaid || one.text.find(reason.toStdString()) != std::string::npos;
        }
        QCOMPARE(QByteArray(trustLevelName(found).data()), level);
        QVERIFY(isSaid);
    }

    /// Eight ranks that divide tensors (Megatron) were predicted as fast with 1 to 16 ranks,
    /// without a word.
    void otherRanksMayDivideSomethingElse()
    {
        const auto graph = std::make_shared<const Graph>(allReduces({ 1000, 2000 }));
        Prediction result;
        result.strategy = parseStrategy({ "world_size=4" });
        result.graph = graph;
        const auto found = doubts(*graph, result);
        QVERIFY(std::any_of(found.begin(), found.end(), [](const TrustReason &one) {
            return one.level == TrustLevel::Fair
                && one.text.starts_with("Data parallelism is assumed");
        }));
    }

    /// A latency that two sizes tell is as well none; here three transfers in one iteration, so
    /// that 10 of 1,000 us, half of 20 and thrice, are 3 % of it, and 2 % is much.
    void whatRestsOnAnUnsureLatencyIsTold()
    {
        const auto graph = gradientReductions();
        const auto reasonsOf = [&](const char *word, double alphaHighNs) {
            Prediction result;
            result.strategy = parseStrategy({ word });
            result.graph = graph;
            result.measuredNs = 1'000'000;
            LinkModel link;
            link.group = "network";
            link.bandwidthMbit = 1000;
            link.betaNsPerByte = 8;
            link.transfers = 3;
            link.isAlphaFitted = true;
            link.alphaNs = alphaHighNs / 2;
            link.alphaHighNs = alphaHighNs;
            link.alphaKinds = 2;
            result.links = { link };
            return doubts(*graph, result);
        };
        for (const char *word : { "world_size=4", "latency_us=5", "bucket_cap_mb=1" }) {
            const auto all = reasonsOf(word, 20'000);
            QCOMPARE(all.size(), std::size_t { 1 });
            QCOMPARE(all.front().level, TrustLevel::Fair);
            QVERIFY(all.front().text.starts_with("The latency of 'network', 10.00 us, is unsure"));
        }
        QCOMPARE(reasonsOf("latency_us=5", 10'000).front().level, TrustLevel::Good); // 1.5 %
        QVERIFY(reasonsOf("bandwidth_mbit=500", 20'000).empty());
    }

    /// 0 ns of latency made rings of any number of ranks free of it, unsaid; then latency_us was
    /// advised, which is refused.
    void moreRanksWithoutKnownLatencyAreToldToBeTooFast()
    {
        const auto graph = std::make_shared<const Graph>(allReduces({ 1000, 2000 }));
        const auto isSaid = [&](const std::vector<std::string> &words, double alphaNs,
                                bool isWithinHost = false) {
            Prediction result;
            result.strategy = parseStrategy(words);
            result.graph = graph;
            LinkModel link;
            link.group = "all_reduce";
            link.isWithinHost = isWithinHost;
            link.bandwidthMbit = 1000;
            link.betaNsPerByte = 8;
            link.alphaNs = alphaNs;
            result.links = { link };
            const auto all = doubts(*graph, result);
            return std::any_of(all.begin(), all.end(), [](const TrustReason &one) {
                return one.level == TrustLevel::Fair
                    && one.text.starts_with("The latency of 'all_reduce' is not known")
                    && one.text.find("latency_us") == std::string::npos; // it is refused
            });
        };
        QVERIFY(isSaid({ "world_size=4" }, 0));
        QVERIFY(!isSaid({ "world_size=4" }, 5000));
        QVERIFY(!isSaid({ "world_size=4" }, 0, true)); // which latency_us does not set
        QVERIFY(!isSaid({ "world_size=4", "latency_us=20" }, 0));
        QVERIFY(!isSaid({ "world_size=1" }, 0));
        QVERIFY(!isSaid({ "compute_scale=2" }, 0));
    }

    void theIntervalReachesToWhatWasChecked()
    {
        const Trace trace = tests::twoRanks(0);
        const Graph graph = allReduces({ 1000 });
        LinkModel link;
        link.bandwidthMbit = 1000;
        const LinkModels links { { LinkClass {}, link } };
        const auto nearer = [&](const std::vector<std::string> &words) {
            return nearestChecked({ trace, graph, links }, parseStrategy(words));
        };
        const std::vector<std::string> near { "bandwidth_mbit=5000", "world_size=4",
                                              "collective=ring", "compute_scale=0.5" };
        QVERIFY(nearer(near) == parseStrategy(near));
        QVERIFY(nearer({ "world_size=1" }) == parseStrategy({ "world_size=1" }));
        QVERIFY(
            nearer({ "bandwidth_mbit=9000", "bandwidth_mbit:1=1", "world_size=64",
                     "collective=ps:2", "batch_scale=3", "compute_scale:1=0.1", "bucket_cap_mb=1" })
            == parseStrategy({ "bandwidth_mbit=5000", "bandwidth_mbit:1=200", "world_size=4",
                               "batch_scale=2", "compute_scale:1=0.5", "bucket_cap_mb=1" }));
    }

    /// By the size of those that carry half of the bytes; single small ones do not matter.
    void transfersOfOtherSizesAreNotTrusted()
    {
        const Graph recorded = allReduces({ 100'000, 400'000 });
        Prediction result;
        result.graph = std::make_shared<const Graph>(allReduces({ 100, 200, 30'000, 30'000 }));
        QVERIFY(doubts(recorded, result).empty());
        result.graph = std::make_shared<const Graph>(allReduces({ 10'000, 10'000, 10'000 }));
        QCOMPARE(doubts(recorded, result).size(), std::size_t { 1 });
        QVERIFY(doubts(recorded, result).front().level == TrustLevel::Fair);
        result.graph = std::make_shared<const Graph>(allReduces({ 9'000'000 }));
        QVERIFY(doubts(recorded, result).front().level == TrustLevel::Poor);
    }

    /// A Horovod timeline's ranks came out 84 % slower if they were equal, with a fair trust.
    void equalRanksThatAreSlowerAreNotTrusted()
    {
        const Graph recorded = allReduces({ 100'000 });
        Prediction result;
        result.graph = std::make_shared<const Graph>(recorded);
        result.measuredNs = 1000;
        result.unchangedNs = 1100;
        result.strategy = parseStrategy({ "ideal_peers=1" });
        result.predictedNs = 1120;
        QVERIFY(doubts(recorded, result).empty()); // of 1100 the noise
        result.predictedNs = 1130;
        QCOMPARE(doubts(recorded, result).size(), std::size_t { 1 });
        QVERIFY(doubts(recorded, result).front().level == TrustLevel::Poor);
        result.strategy = parseStrategy({ "ideal_peers=1", "bandwidth_scale=0.5" });
        QVERIFY(doubts(recorded, result).empty());
    }

    /// What a replay of the unchanged job is off by is no change.
    void otherOverlapOnAcceleratorsIsUnsure()
    {
        const Graph recorded = allReduces({ 100'000 });
        Prediction result;
        result.graph = std::make_shared<const Graph>(recorded);
        result.measuredNs = result.predictedNs = 1000;
        result.measuredParts.overlapNs = 160;
        result.predictedParts.overlapNs = 160;
        result.strategy = parseStrategy({ "comm_scale=2" });
        const ReplayedOverlap unchanged { 100, false }, as { 150, false }, known { 100, true };
        const auto found = doubts(recorded, result, unchanged);
        QCOMPARE(found.size(), std::size_t { 1 });
        QVERIFY(found.front().level == TrustLevel::Fair);
        QVERIFY(doubts(recorded, result, as).empty());
        QVERIFY(doubts(recorded, result, known).empty());
        result.noChange = "Changes nothing.";
        QVERIFY(doubts(recorded, result, unchanged).empty());
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestExtrapolation)
#include "tst_extrapolation.moc"
