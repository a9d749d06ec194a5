#include "core/change/change_text.h"
#include "core/graph/graph_builder.h"
#include "core/model/compared_iterations.h"
#include "core/predict/trust.h"
#include "tests/core/predict/trust_jobs.h"

#include <QTest>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

using namespace core;
using tests::allReduces;
using tests::judge;
using tests::Noon;
using tests::says;
using tests::Second;
using tests::twoRanks;

namespace {

/// Two ranks; in the first of the iterations, which ends after a second, a backend sends until
/// then.
Graph withTransferUntil(std::int64_t endNs, std::int32_t iterations)
{
    GraphBuilder builder({ "" });
    Device link;
    link.isLink = link.isHostLink = true;
    const DeviceId host = builder.addDevice({}), network = builder.addDevice(link);
    OpSpec spec;
    spec.device = host;
    spec.kind = OpKind::Virtual;
    std::vector<OpId> begins, ends;
    for (const std::uint32_t w : { 0U, 1U }) {
        spec.worker = WorkerId(w);
        spec.measuredStartNs = 0;
        begins.push_back(builder.addOp(spec));
        for (std::int32_t i = 0; i < iterations; ++i) {
            spec.measuredStartNs = (i + 1) * Second;
            ends.push_back(builder.addOp(spec));
        }
    }
    spec.device = network;
    spec.measuredStartNs = 0;
    CollectiveNode node;
    node.name = "all_reduce";
    node.arrival = builder.addOp(spec);
    spec.kind = OpKind::Communication;
    node.transfer = builder.addOp(spec);
    for (const std::uint32_t w : { 0U, 1U })
        node.parts.push_back({ WorkerId(w), NoSlice, 0, endNs, begins[w] });
    builder.addCollective(node);
    builder.setIterations(begins, ends, iterations);
    return builder.build();
}

} // namespace

class TestTrust : public QObject
{
    Q_OBJECT

private slots:
    /// "good" with an interval of 20 % either way, and nothing said why; then it did, and was
    /// "good" still.
    void aWideIntervalHasItsReason()
    {
        Trace trace = twoRanks(Second);
        std::int64_t atNs = 0;
        std::int64_t index = 0;
        for (const std::int64_t ms : { 100, 101, 140, 102 }) {
            const TimeRange range { Noon + atNs, Noon + atNs + ms * 1'000'000 };
            trace.iterations.push_back({ WorkerId(0), index++, range });
            atNs += range.durationNs();
        }
        PartTimes parts;
        parts.computeNs = Second;
        Graph graph;
        graph.iterationCount = 4;
        const auto judged = [&](std::int64_t ms, const std::vector<std::string> &settings) {
            trace.compared = comparedIterations(trace);
            Prediction result;
            result.strategy = parseStrategy(settings);
            result.widest = IntervalSource::Links;
            result.measuredNs = result.predictedNs = 101'000'000;
            result.ciLowNs = result.predictedNs - ms * 1'000'000;
            result.ciHighNs = result.predictedNs + ms * 1'000'000;
            judge({ trace, graph, parts, parts, graph }, result);
            return result;
        };
        QVERIFY(!says(judged(8, {}), "interval"));
        QCOMPARE(judged(8, {}).trust, TrustLevel::Good);
        QCOMPARE(judged(20, {}).trust, TrustLevel::Fair);
        QCOMPARE(judged(60, {}).trust, TrustLevel::Poor);
        QVERIFY(
            says(judged(20, {}),
                 "The 95 % interval is wide (40 % of the prediction): iteration 2 took 140.0 ms, "
                 "the others 100.0 ms to 102.0 ms."));
        QVERIFY(says(judged(20, { "compute_scale=2" }), ": iteration 2 took 140.0 ms"));
        QCOMPARE(judged(45, { "compute_scale=2" }).trust, TrustLevel::Fair);
        QVERIFY(says(judged(45, { "compute_scale=2" }),
                     "the trace tells little of what its transfers take"));
        trace.iterations[1].range.endNs += 20'000'000;
        trace.iterations[2].range.startNs += 20'000'000;
        QVERIFY(says(judged(20, {}), ": the 4 iterations took 100.0 ms to 121.0 ms."));
        // "good" stood beside that the trace tells little.
        trace.iterations.clear();
        QVERIFY(
            says(judged(12, { "compute_scale=2" }), "(24 % of the prediction): the trace tells "));
        QCOMPARE(judged(12, { "compute_scale=2" }).trust, TrustLevel::Fair);
        QCOMPARE(judged(12, {}).trust, TrustLevel::Fair);
    }

    /// Transfers that were replayed 18 % too long, 1.5 % of an iteration, were not mentioned.
    void partsThatAreOffAreTold()
    {
        const Trace trace = twoRanks(Second);
        Graph graph;
        graph.iterationCount = 4;
        constexpr std::int64_t Ms = 1'000'000;
        PartTimes measured;
        measured.computeNs = 600 * Ms;
        measured.exposedCommNs = 400 * Ms;
        measured.exposedWaitNs = 350 * Ms;
        const auto judged = [&](std::int64_t transferMs, std::int64_t waitMs) {
            PartTimes replayed = measured;
            replayed.exposedCommNs = (transferMs + waitMs) * Ms;
            replayed.exposedWaitNs = waitMs * Ms;
            Prediction result;
            result.measuredNs = result.predictedNs = Second;
            result.ciLowNs = result.ciHighNs = Second;
            judge({ trace, graph, measured, replayed, graph }, result);
            return result;
        };
        QVERIFY(!says(judged(50, 350), "Replayed"));
        QVERIFY(!says(judged(55, 345), "Replayed")); // 0.5 % of an iteration
        QVERIFY(says(judged(65, 335),
                     "Replayed exposed transfer is 65.00 ms where 50.00 ms were measured (1.5 % of "
                     "an iteration)."));
        QVERIFY(!says(judged(65, 335), "waiting for other ranks is"));
        QCOMPARE(judged(65, 335).trust, judged(50, 350).trust);
        // The sum is right.
        QVERIFY(says(judged(130, 270), "Replayed waiting for other ranks is 270.0 ms"));
        QVERIFY(judged(130, 270).trust >= TrustLevel::Fair);
    }

    /// Only the slowest rank's median was looked at.
    void ranksAndMeansThatAreOffAreTold()
    {
        const Trace trace = twoRanks(Second);
        Graph graph;
        graph.iterationCount = 4;
        PartTimes parts;
        parts.computeNs = Second;
        const auto judged = [&](std::int64_t rankMs, std::int64_t meanMs) {
            constexpr std::int64_t Ms = 1'000'000;
            Prediction result;
            result.measuredNs = result.predictedNs = Second;
            result.ciLowNs = result.ciHighNs = Second;
            tests::Judged evidence { trace, graph, parts, parts, graph };
            evidence.totals = { { 900 * Ms, rankMs * Ms, "rank 1" },
                                { 1000 * Ms, meanMs * Ms, "the mean of all iterations" } };
            judge(evidence, result);
            return result;
        };
        QCOMPARE(judged(900, 1000).trust, TrustLevel::Good);
        QVERIFY(!says(judged(915, 1015), " is off by "));
        QVERIFY(says(judged(927, 1015), "is off by 3.0 % for rank 1."));
        QVERIFY(says(judged(927, 1040), "is off by 4.0 % for the mean of all iterations."));
        QCOMPARE(judged(927, 1000).trust, TrustLevel::Fair);
    }

    /// Of one recorded iteration nothing is left over to another: a what-if was too fast.
    void whatTooFewIterationsLeaveOverIsNotTrusted()
    {
        const Trace trace = twoRanks(Second);
        const auto judged = [&](std::int32_t iterations, std::int64_t endNs,
                                const std::vector<std::string> &settings) {
            const Graph graph = withTransferUntil(endNs, iterations);
            Prediction result;
            result.strategy = parseStrategy(settings);
            judge({ trace, graph, {}, {}, graph }, result);
            return result;
        };
        const char *const words = "goes on into the next iteration";
        const Prediction late = judged(2, Second + 1, { "bandwidth_scale=2" });
        QCOMPARE(late.trust, TrustLevel::Poor);
        QVERIFY(says(late, words));
        QVERIFY(says(judged(1, Second + 1, { "bandwidth_scale=2" }), words));
        QVERIFY(!says(judged(2, Second, { "bandwidth_scale=2" }), words));
        QVERIFY(!says(judged(3, Second + 1, { "bandwidth_scale=2" }), words));
        QVERIFY(!says(judged(2, Second + 1, {}), words));
    }

    /// A prediction that rests on waits that nothing tells was as good as any.
    void unknownWaitsAreNotTrusted()
    {
        const Trace trace = twoRanks(Second);
        PartTimes parts;
        parts.computeNs = Second;
        Graph graph;
        graph.iterationCount = 3;
        const auto judged = [&](const std::vector<std::string> &settings) {
            Prediction result;
            result.strategy = parseStrategy(settings);
            result.hasIterations = true;
            judge({ trace, graph, parts, parts, graph }, result);
            return result;
        };
        QCOMPARE(judged({ "compute_scale=2" }).trust, TrustLevel::Good);
        graph.possibleWaits.resize(3);
        const Prediction unknown = judged({ "compute_scale=2" });
        QCOMPARE(unknown.trust, TrustLevel::Fair);
        QVERIFY(says(unknown, "not recorded in 3 cases. The interval holds"));
        const Prediction asItWas = judged({});
        QCOMPARE(asItWas.trust, TrustLevel::Good);
        QVERIFY(says(asItWas, "not recorded in 3 cases"));
    }

    /// From 0 ns to 7 s around 2.7 s was "fair".
    void anIntervalThatSaysNothingIsNotTrusted()
    {
        const Graph graph;
        const auto judged
            = [&graph](std::int64_t lowNs, std::int64_t highNs, const Strategy &settings = {}) {
                  Prediction result;
                  result.strategy = settings;
                  result.widest = IntervalSource::Overlap;
                  result.predictedNs = 4 * Second;
                  result.ciLowNs = lowNs;
                  result.ciHighNs = highNs;
                  judge({ twoRanks(0), graph, {}, {}, graph }, result);
                  return result;
              };
        QVERIFY(!says(judged(4 * Second, 4 * Second + Second / 2), "95 % interval"));
        QVERIFY(says(judged(3 * Second, 6 * Second), "interval is wide ("));
        Strategy settings;
        settings.set({ "bandwidth_scale", 2 });
        QVERIFY(says(judged(3 * Second, 6 * Second, settings),
                     "of the prediction): the trace tells little of how much transfers slow down"));
        const Prediction useless = judged(Second, 7 * Second);
        QCOMPARE(useless.trust, TrustLevel::Poor);
        QVERIFY(says(useless, "wider than the predicted time itself"));
    }

    /// A trace of which 167 events could not be read was "good".
    void eventsThatWereLostLowerTrust()
    {
        Graph graph;
        graph.iterationCount = 3;
        const PartTimes parts { 1000, 0, 0, 0, 0 };
        Trace trace = twoRanks(0);
        Prediction whole;
        judge({ trace, graph, parts, parts, graph }, whole);
        QVERIFY(!says(whole, "lost in import"));
        trace.lostRecords = { { { 0 }, 160 }, { { 0 }, 7 } };
        Prediction damaged;
        judge({ trace, graph, parts, parts, graph }, damaged);
        QVERIFY(says(damaged, "167 damaged events of rank 0 were lost in import"));
        QVERIFY(says(damaged, "may lack their time"));
        QVERIFY(damaged.trust >= TrustLevel::Fair);
        trace.lostRecords = { { { 0 }, 1 } };
        Prediction one;
        judge({ trace, graph, parts, parts, graph }, one);
        QVERIFY(says(one, "1 damaged event of rank 0 was lost"));
        QVERIFY(says(one, "may lack its time"));
    }

    void ranksThatTakePartWithoutARecordingAreCounted()
    {
        Graph graph = allReduces({ 1000 });
        Prediction whole;
        judge({ twoRanks(0), graph, {}, {}, graph }, whole);
        QVERIFY(!says(whole, "in the project"));
        graph.collectives.front().statedRanks = 4;
        Prediction ofGroup;
        judge({ twoRanks(0), graph, {}, {}, graph }, ofGroup);
        QVERIFY(ofGroup.trust >= TrustLevel::Fair);
        QVERIFY(says(ofGroup, "2 of the 4 ranks that exchange data (all_reduce)"));
        Trace trace = twoRanks(0);
        trace.workers[0].worldSize = trace.workers[1].worldSize = 4;
        Prediction ofJob;
        judge({ trace, graph, {}, {}, graph }, ofJob);
        QVERIFY(says(ofJob, "2 of the job's 4 ranks"));
        QVERIFY(says(ofJob, "between 4 ranks"));
        QVERIFY(says(ofJob, "bandwidth_mbit in a meta.json"));
        // Which was advised, too, where there is one.
        trace.stated.bandwidthMbit = 500;
        Prediction ofStated;
        judge({ trace, graph, {}, {}, graph }, ofStated);
        QVERIFY(says(ofStated, "2 of the job's 4 ranks"));
        QVERIFY(says(ofStated, "is counted as transfer"));
        QVERIFY(!says(ofStated, "bandwidth_mbit in a meta.json"));
        graph.collectives.front().parts.resize(1);
        Prediction one;
        judge({ twoRanks(0), graph, {}, {}, graph }, one);
        QVERIFY(says(one, "1 of the 4 ranks that exchange data (all_reduce) is in the project: "));
    }

    /// The window leaves out what is known of the unchanged trace: that the what-if rests on a bad
    /// fit was lost there.
    void aBadFitIsAReasonOfItsOwnWhereItIsUsed()
    {
        const Trace trace = twoRanks(0);
        const Graph graph = allReduces({ 1000 });
        const auto judged = [&](const std::vector<std::string> &words, bool isChange = true) {
            Prediction result;
            if (!isChange)
                result.noChange = "Changes nothing.";
            LinkModel link;
            link.group = "network";
            link.transfers = 10;
            link.betaNsPerByte = 1;
            link.meanBytes = 1000;
            link.medianErrorFraction = 0.26;
            LinkModel rare = link; // moves 1 % of the bytes
            rare.group = "buffers";
            rare.meanBytes = 10;
            result.links = { link, rare };
            result.strategy = parseStrategy(words);
            result.graph = std::make_shared<const Graph>(graph);
            judge({ trace, graph, {}, {}, graph }, result);
            return result;
        };
        const auto reason = [](const Prediction &result, const std::string &group) {
            for (const std::string &one : result.trustReasons)
                if (one.starts_with("The fit of '" + group + "' is off by 26"))
                    return one;
            return std::string();
        };
        // What a job is predicted from is told of it as it is, too: "replay" said good where
        // "diagnose", which shows what changes of the network gain, said fair.
        const Prediction unchanged = judged({});
        const std::string ofOthers = reason(unchanged, "network");
        QVERIFY(ofOthers.ends_with("and what-ifs of links, buckets and schedules rest on it."));
        QVERIFY(reason(unchanged, "buffers").ends_with("latency and bytes."));
        QCOMPARE(reason(judged({ "compute_scale=2" }), "network"), ofOthers);
        QCOMPARE(reason(judged({ "bandwidth_scale=1" }, false), "network"), ofOthers);
        // 333 times as fast, of which nothing is used: it is the job as it is.
        QCOMPARE(judged({ "bandwidth_scale=333" }, false).trust, unchanged.trust);
        QCOMPARE(judged({ "bandwidth_scale=333" }).trust, TrustLevel::Poor);
        QVERIFY(reason(judged({ "bandwidth_scale=2" }), "network")
                    .ends_with("and the prediction rests on it."));
    }

    /// "0 %", "<0.1 %" and "0.0 %" stood side by side.
    void theReplaysErrorIsWrittenInOneWay()
    {
        QCOMPARE(replayErrorText(0), std::string("<0.1 %"));
        QCOMPARE(replayErrorText(-0.0004), std::string("<0.1 %"));
        QCOMPARE(replayErrorText(-0.005), std::string("0.5 %"));
        QCOMPARE(replayErrorText(0.12), std::string("12 %"));
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestTrust)
#include "tst_trust.moc"
