#include "core/analyze/summary_data.h"

#include <QTest>

using namespace core;

namespace {

IterationBreakdown iteration(std::int64_t index, std::int64_t computeNs, std::int64_t commNs)
{
    IterationBreakdown result;
    result.index = index;
    result.range = { 1000, 1000 + computeNs + commNs };
    result.time.computeNs = computeNs;
    result.time.exposedCommNs = commNs;
    result.time.overlapNs = 10;
    return result;
}

RankDiagnosis rank(int number, std::vector<IterationBreakdown> iterations)
{
    RankDiagnosis result;
    result.rank = number;
    result.iterations = std::move(iterations);
    return result;
}

} // namespace

class TestSummaryData : public QObject
{
    Q_OBJECT

private slots:
    void theFiguresAreOfTheMedianIteration();
    void averagesRanksWithoutAReplay();
    void marksMissingIterationsWithZero();
    void showsTheRecordingWhereThereAreNoIterations();
    void namesTheRankThatOthersWaitForMost();
    void aServerIsNotInTheMean();
};

/// The parts were of the mean iteration, into which a rare slow one counts, and added up to another
/// time than the one beside them.
void TestSummaryData::theFiguresAreOfTheMedianIteration()
{
    Diagnosis diagnosis;
    diagnosis.ranks
        = { rank(0, { iteration(1, 100, 50), iteration(2, 900, 50), iteration(3, 104, 50) }),
            rank(1, { iteration(1, 110, 40), iteration(2, 120, 40) }) };
    diagnosis.selfReplay.measuredNs = 170;
    SummaryData data = summarize(diagnosis);
    QCOMPARE(data.iterationNs, 170);
    QCOMPARE(data.parts.computeNs, (104 + 115) / 2);
    QCOMPARE(data.parts.exposedCommNs, 45);
    QVERIFY(!data.parts.exposedWaitNs);
    diagnosis.selfReplay.iterations.resize(1);
    diagnosis.selfReplay.iterations.front().positions = { 0, 1 }; // kinds: each counts
    data = summarize(diagnosis);
    QCOMPARE(data.parts.computeNs, (368 + 115) / 2);
}

void TestSummaryData::averagesRanksWithoutAReplay()
{
    Diagnosis diagnosis;
    diagnosis.ranks = { rank(0, { iteration(1, 100, 50), iteration(2, 200, 70) }),
                        rank(1, { iteration(1, 300, 10), iteration(2, 300, 10) }) };
    const SummaryData data = summarize(diagnosis);
    QVERIFY(data.hasIterations);
    QCOMPARE(data.ranks[0].computeNs, 150);
    QCOMPARE(data.ranks[0].exposedCommNs, 60);
    QCOMPARE(data.parts.computeNs, 225);
    QCOMPARE(data.parts.overlapNs, 10);
    QCOMPARE(data.iterationNs, 310); // the slower rank
}

void TestSummaryData::marksMissingIterationsWithZero()
{
    Diagnosis diagnosis;
    diagnosis.ranks = { rank(0, { iteration(1, 100, 0) }),
                        rank(1, { iteration(1, 110, 0), iteration(2, 120, 0) }) };
    const SummaryData data = summarize(diagnosis);
    QCOMPARE(data.iterationNumbers, (std::vector<std::int64_t> { 1, 2 }));
    QCOMPARE(data.iterationTimeNs(0, 0), 100);
    QCOMPARE(data.iterationTimeNs(0, 1), 0);
    QCOMPARE(data.iterationTimeNs(1, 1), 120);
}

void TestSummaryData::showsTheRecordingWhereThereAreNoIterations()
{
    Diagnosis diagnosis;
    RankDiagnosis only = rank(3, {});
    DeviceBreakdown gpu;
    gpu.time.computeNs = 40;
    gpu.time.idleNs = 60;
    only.devices = { gpu };
    diagnosis.ranks = { only };
    const SummaryData data = summarize(diagnosis);
    QVERIFY(!data.hasIterations);
    QCOMPARE(data.iterationNs, 100);
    QCOMPARE(data.parts.idleNs, 60);
    QVERIFY(summarize(Diagnosis {}).ranks.empty());
}

void TestSummaryData::namesTheRankThatOthersWaitForMost()
{
    Diagnosis diagnosis;
    diagnosis.ranks = { rank(0, { iteration(1, 100, 50) }), rank(1, { iteration(1, 100, 50) }) };
    QVERIFY(!summarize(diagnosis).hasWaits);
    DeviceBreakdown device;
    device.time.exposedWaitNs = 40;
    diagnosis.ranks[0].devices.push_back(device);
    diagnosis.ranks[0].iterations[0].time.exposedWaitNs = 40;
    diagnosis.ranks[0].waits = { { 1, 30 }, { 2, 10 } };
    diagnosis.ranks[1].waits = { { 2, 10 } };
    const SummaryData data = summarize(diagnosis);
    QVERIFY(data.hasWaits);
    QCOMPARE(data.ranks[0].exposedWaitNs, 40);
    QCOMPARE(data.ranks[0].totalNs(), 150);
    QCOMPARE(data.ranks[1].exposedWaitNs, 0);
    QCOMPARE(data.waitedFor, std::optional<int>(1));
    QVERIFY(!data.isOnlyWaitedFor);
    diagnosis.ranks[1].waits = { { 2, 20 } };
    QVERIFY(!summarize(diagnosis).waitedFor); // as long for one as for the other
    diagnosis.ranks[1].waits = {};
    diagnosis.ranks[0].waits = { { 2, 40 } };
    QVERIFY(summarize(diagnosis).isOnlyWaitedFor);
}

/// The server's waiting for the latest worker named that beside the workers' mean, who wait for the
/// server.
void TestSummaryData::aServerIsNotInTheMean()
{
    Diagnosis diagnosis;
    diagnosis.ranks = { rank(0, { iteration(0, 0, 100) }), rank(1, { iteration(0, 50, 50) }),
                        rank(2, { iteration(0, 60, 40) }) };
    diagnosis.ranks[0].waits = { { 2, 60 } };
    diagnosis.ranks[1].waits = { { 0, 20 } };
    diagnosis.ranks[2].waits = { { 0, 10 } };
    QCOMPARE(summarize(diagnosis).waitedFor, std::optional<int>(2));
    QVERIFY(!summarize(diagnosis).hasServers);
    diagnosis.selfReplay.serverRanks = { 0 };
    const SummaryData data = summarize(diagnosis);
    QVERIFY(data.hasServers);
    QCOMPARE(data.waitedFor, std::optional<int>(0));
    QVERIFY(data.isOnlyWaitedFor);
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestSummaryData)
#include "tst_summary_data.moc"
