#include "core/change/transfers/link_changes.h"
#include "core/change/transfers/transfers.h"
#include "core/fit/links/link_bandwidth.h"
#include "core/fit/links/link_models.h"
#include "core/fit/links/link_readings.h"
#include "core/fit/links/link_text.h"
#include "core/measure/job_metadata.h"
#include "core/predict/prediction_json.h"
#include "tests/core/fit/links/link_jobs.h"

#include <QTest>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

using namespace core;
using namespace tests;

class TestLinkBandwidth : public QObject
{
    Q_OBJECT

private slots:
    void aRateThatTransfersContradictIsNotCountedOn();
    void metadataTellsTheNominalRate();
    void allKindsOnANetworkCountItAsTheLargest();
};

/// A link that runs below its rate: setting it to that rate was said to change nothing.
void TestLinkBandwidth::aRateThatTransfersContradictIsNotCountedOn()
{
    const auto transfers = [](std::uint32_t ranks) {
        Graph graph
            = linkGraph({ { 0, 2500, 1000 }, { 10000, 18500, 4000 }, { 20000, 21500, 500 } });
        for (CollectiveNode &node : graph.collectives)
            node.statedRanks = ranks;
        return graph;
    };
    Trace trace = twoRanks();
    const auto state = [&trace](const nlohmann::json &meta) {
        trace.stated = statedJob({ { "meta.json", meta.dump() } });
    };
    const double lineMbit = std::round(4000 / TcpPayloadShare); // 2 ns a byte
    state({ { "bandwidth_mbit", 2 * lineMbit } });
    const LinkModels doubted = fitLinks(transfers(2), trace);
    const LinkModel &model = doubted.begin()->second;
    QVERIFY(!model.nominalMbit);
    QCOMPARE(model.doubtedMbit, 2 * lineMbit);
    QCOMPARE(model.bandwidthMbit, lineMbit);
    QCOMPARE(doubtText(model),
             std::string("Transfers had 4000 of the 8364 Mbit/s that meta.json "
                         "states (48 %)"));
    Strategy settings;
    settings.set({ "bandwidth_mbit", static_cast<double>(2 * lineMbit) });
    const auto setNs = [&](const LinkModels &links) {
        return transferNs(rewriteTransfers(transfers(2), trace, links, core::linkChanges(settings)),
                          0);
    };
    QCOMPARE(setNs(doubted), std::int64_t { 500 + 1000 });
    // That the hosts cannot drive it is a reading of the same times.
    const std::vector<LinkModels> readings = otherReadings(doubted);
    QVERIFY(std::any_of(readings.begin(), readings.end(),
                        [&](const LinkModels &reading) { return setNs(reading) == 500 + 2000; }));
    state({ { "bandwidth_mbit", 1.3 * lineMbit } });
    QCOMPARE(fitted(transfers(2), trace).doubtedMbit, 0.0);
    // A slow link is stated, or is waiting for a rank that is not seen.
    state({ { "link_mbit", { 2 * lineMbit, 2 * lineMbit } } });
    QCOMPARE(fitted(transfers(2), trace).doubtedMbit, 0.0);
    state({ { "bandwidth_mbit", 2 * lineMbit } });
    QCOMPARE(fitted(transfers(3), trace).doubtedMbit, 0.0);
    // Of small transfers without a known latency, that may be all.
    const Graph alike = linkGraph({ { 0, 2000, 1000 }, { 5000, 7000, 1000 } });
    QCOMPARE(fitted(alike, trace).doubtedMbit, 0.0);
}

void TestLinkBandwidth::metadataTellsTheNominalRate()
{
    const Graph graph = linkGraph({ { 0, 2000, 1000 } });
    Trace trace;
    trace.stated
        = statedJob({ { "run/meta.json", R"({"bandwidth_mbit": 500, "link_mbit": [500, 200]})" } });
    QCOMPARE(fitted(graph, trace).bandwidthMbit, 200.0);
    trace.stated = statedJob({ { "run/meta.json", "{ broken" } });
    QVERIFY(!fitted(graph, trace).nominalMbit);
    // Without a stated rate: 2 ns a byte of payload are 4 Gbit/s, of which TCP's headers take their
    // share; in whole Mbit/s, as it is shown.
    QCOMPARE(fitted(graph).bandwidthMbit, std::round(4000 / TcpPayloadShare));
    LinkModel slow;
    QCOMPARE(derivedBandwidthMbit(slow), 0.0);
    slow.betaNsPerByte = 8e3 / 12.345;
    QCOMPARE(derivedBandwidthMbit(slow), 12.3);
    // It was 46.800000000000004, said so, and the setting 46.8 was another rate.
    slow.betaNsPerByte = 8e3 / 46.83;
    slow.bandwidthMbit = derivedBandwidthMbit(slow);
    QVERIFY(slow.bandwidthMbit == 46.8);
    slow.isAlphaFitted = slow.hasSizes = true;
    QCOMPARE(linkRateText(slow), std::string("5.85 MB/s of data (bandwidth_mbit=46.8)"));
}

/// A broadcast of few bytes made its network another, slower one: setting the rate that was shown
/// of the all-reduces made it many times as fast.
void TestLinkBandwidth::allKindsOnANetworkCountItAsTheLargest()
{
    Graph graph = linkGraph({ { 0, 2500, 1000 },
                              { 10'000, 18'500, 4000 },
                              { 20'000, 29'000, 10 },
                              { 30'000, 39'000, 11 } });
    graph.collectives[2].name = graph.collectives[3].name = "broadcast";
    const LinkModels links = fitLinks(graph, twoRanks());
    QCOMPARE(links.size(), std::size_t { 2 });
    const LinkModel &reduced = links.begin()->second;
    const LinkModel &broadcast = std::next(links.begin())->second;
    QVERIFY(reduced.rateMbit() > 100 * broadcast.rateMbit());
    QCOMPARE(reduced.bandwidthMbit, derivedBandwidthMbit(reduced));
    QCOMPARE(broadcast.bandwidthMbit, reduced.bandwidthMbit);
    Strategy settings;
    settings.set({ "bandwidth_mbit", static_cast<double>(reduced.bandwidthMbit) });
    QCOMPARE(rewriteTransfers(graph, twoRanks(), links, core::linkChanges(settings)).durationNs,
             graph.durationNs);
    // A stated rate that the broadcast contradicts counted without a word.
    Trace trace = twoRanks();
    trace.stated.bandwidthMbit = 4184;
    graph.collectives[3].bytes = graph.collectives[2].bytes; // nothing tells their latency
    std::vector<LinkModel> stated;
    for (const auto &[key, model] : fitLinks(graph, trace))
        stated.push_back(model);
    QCOMPARE(stated[1].bandwidthMbit, 4184.0);
    QCOMPARE(keptRateText(stated[0], stated), std::string());
    const std::string kept = keptRateText(stated[1], stated);
    QVERIFY2(kept.starts_with("4184 Mbit/s count although these had ")
                 && kept.find(stated[0].group + "', with more bytes, had ") != std::string::npos,
             kept.c_str());
    Prediction result;
    result.graph = std::make_shared<const Graph>(graph);
    result.replay = std::make_shared<const ReplayResult>();
    result.links = stated;
    const auto json = toJson(result)["links"];
    QVERIFY(json.at(0).at("kept_rate").is_null());
    QCOMPARE(json.at(1).at("kept_rate").get<std::string>(), kept);
    const std::string text = linkRateText(reduced);
    QVERIFY(text.find("bandwidth_mbit=" + std::to_string(std::llround(reduced.bandwidthMbit)))
            != std::string::npos);
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestLinkBandwidth)
#include "tst_link_bandwidth.moc"
