#include "core/scenario/trust.h"

#include <QTest>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

using namespace core;

namespace {

constexpr std::int64_t Noon = 1'700'000'000'000'000'000, Second = 1'000'000'000;

/// Two ranks that record four seconds each; the second starts so much later.
Trace twoRanks(std::int64_t laterNs)
{
    Trace trace;
    for (std::uint32_t i = 0; i < 2; ++i) {
        Worker worker;
        worker.id = WorkerId(i);
        worker.rank = static_cast<int>(i);
        trace.workers.push_back(worker);
        Track track;
        track.id = TrackId(i);
        track.worker = worker.id;
        track.sliceCount = 1;
        const std::int64_t startNs = Noon + i * laterNs;
        track.range = { startNs, startNs + 4 * Second };
        trace.tracks.push_back(track);
    }
    return trace;
}

bool saysOtherTimes(const ScenarioResult &result, const std::string &gap)
{
    return std::any_of(result.trustReasons.begin(), result.trustReasons.end(),
                       [&gap](const std::string &reason) {
                           return reason.find("rank 1 was recorded " + gap) != std::string::npos;
                       });
}

bool says(const ScenarioResult &result, const std::string &words)
{
    return std::any_of(
        result.trustReasons.begin(), result.trustReasons.end(),
        [&words](const std::string &reason) { return reason.find(words) != std::string::npos; });
}

/// Of two ranks, so many bytes each.
Graph allReduces(const std::vector<std::uint64_t> &sizes)
{
    Graph graph;
    for (const std::uint64_t bytes : sizes) {
        CollectiveNode node;
        node.name = "all_reduce";
        node.bytes = bytes;
        for (const std::uint32_t w : { 0U, 1U })
            node.parts.push_back({ WorkerId(w), NoSlice, 0, 0, NoOp });
        graph.collectives.push_back(node);
    }
    return graph;
}

} // namespace

class TestTrust : public QObject
{
    Q_OBJECT

private slots:
    /// Traces of two jobs were compared as ranks of one, and trusted.
    void recordingsThatDoNotOverlapAreNotTrusted()
    {
        const Graph graph;
        ScenarioResult result;
        judgeTrust({ twoRanks(166 * Second), graph, {}, {}, graph }, result);
        QCOMPARE(result.trust, TrustLevel::Poor);
        QVERIFY(saysOtherTimes(result, "2 min 42 s after rank 0"));
        // Seconds apart: clocks that nobody set, which the alignment recovers.
        ScenarioResult soonAfter;
        judgeTrust({ twoRanks(14 * Second), graph, {}, {}, graph }, soonAfter);
        QCOMPARE(soonAfter.trust, TrustLevel::Fair);
        QVERIFY(saysOtherTimes(soonAfter, "10.00 s after rank 0"));
        ScenarioResult together;
        judgeTrust({ twoRanks(Second), graph, {}, {}, graph }, together);
        QVERIFY(together.trust != TrustLevel::Poor);
        QVERIFY(!saysOtherTimes(together, ""));
    }

    void ranksThatTakePartWithoutARecordingAreCounted()
    {
        Graph graph = allReduces({ 1000 });
        ScenarioResult whole;
        judgeTrust({ twoRanks(0), graph, {}, {}, graph }, whole);
        QVERIFY(!says(whole, "in the project"));
        graph.collectives.front().statedRanks = 4;
        ScenarioResult ofGroup;
        judgeTrust({ twoRanks(0), graph, {}, {}, graph }, ofGroup);
        QVERIFY(ofGroup.trust >= TrustLevel::Fair);
        QVERIFY(says(ofGroup, "2 of the 4 ranks that exchange data (all_reduce)"));
        Trace trace = twoRanks(0);
        trace.workers[0].worldSize = trace.workers[1].worldSize = 4;
        ScenarioResult ofJob;
        judgeTrust({ trace, graph, {}, {}, graph }, ofJob);
        QVERIFY(says(ofJob, "2 of the job's 4 ranks"));
        QVERIFY(says(ofJob, "between 4 ranks"));
    }
};

QTEST_GUILESS_MAIN(TestTrust)
#include "tst_trust.moc"
