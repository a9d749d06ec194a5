#include "core/measure/iteration_time.h"
#include "core/optimize/folded_ranks.h"
#include "core/predict/predictor.h"
#include "core/replay/replay.h"
#include "tests/core/optimize/sample_project.h"
#include "tests/support/generate/gpu_ddp_job.h"
#include "tests/support/unit_test.h"

#include <QTemporaryDir>
#include <QTest>

#include <set>

using namespace core;

namespace {

tests::GpuDdpJob jobOf(int ranks)
{
    tests::GpuDdpJob job;
    job.ranks = ranks;
    for (int layer = 0; layer < 12; ++layer)
        job.layerBytes.push_back(static_cast<std::uint64_t>(1 + layer) << 18);
    job.firstBucketBytes = job.bucketBytes = 4 << 20;
    return job;
}

tests::SampleProject recordedJob(const tests::GpuDdpJob &job)
{
    const QTemporaryDir folder;
    tests::writeGpuDdpJob(job, folder.path().toStdString());
    return tests::SampleProject(folder.path().toStdString());
}

std::size_t standInCount(const std::vector<WorkerId> &standIns)
{
    std::set<std::uint32_t> drawn;
    for (const WorkerId worker : standIns)
        drawn.insert(worker.value);
    return drawn.size();
}

} // namespace

class FoldedRanksTest : public QObject
{
    Q_OBJECT

private slots:
    void fewRanksAreNotFolded()
    {
        const auto job = recordedJob(jobOf(4));
        QVERIFY(alikeRanks(*job.predictor().base().graph).empty());
    }

    void ranksThatAreAlikeAreReplayedAsOne()
    {
        const auto job = recordedJob(jobOf(8));
        const Predictor predictor = job.predictor();
        const Graph &whole = *predictor.base().graph;
        const std::vector<WorkerId> standIns = alikeRanks(whole);
        QCOMPARE(standInCount(standIns), std::size_t { 1 });
        const Graph folded = foldedGraph(whole, standIns, {});
        QCOMPARE(folded.workerCount(), std::size_t { 8 });
        QCOMPARE(folded.ownWorkerCount(), std::size_t { 1 });
        QVERIFY(folded.size() < whole.size() / 6);
        for (const CollectiveNode &node : folded.collectives) {
            QCOMPARE(node.parts.size(), std::size_t { 1 });
            QCOMPARE(node.rankCount(), std::size_t { 8 });
        }
        const std::vector<ReplayedIterations> &unchanged = predictor.base().iterations;
        QCOMPARE(slowestRankNs(folded, replay(folded, {}), unchanged),
                 slowestRankNs(whole, replay(whole, {}), unchanged));
    }

    /// Two that are slower by a twentieth stand for themselves.
    void othersKeepTheirOps()
    {
        tests::GpuDdpJob slow = jobOf(8);
        slow.slowness = { 1, 1, 1.05, 1, 1, 1.05, 1, 1 };
        const auto job = recordedJob(slow);
        const Predictor predictor = job.predictor();
        const Graph &whole = *predictor.base().graph;
        const std::vector<WorkerId> standIns = alikeRanks(whole);
        QCOMPARE(standInCount(standIns), std::size_t { 2 });
        QCOMPARE(standIns[2], standIns[5]);
        QVERIFY(standIns[2] != standIns[0]);
        const Graph folded = foldedGraph(whole, standIns, {});
        const std::vector<ReplayedIterations> &unchanged = predictor.base().iterations;
        QCOMPARE(slowestRankNs(folded, replay(folded, {}), unchanged),
                 slowestRankNs(whole, replay(whole, {}), unchanged));
    }

    void theFirstIterationsEndWhenTheyDid()
    {
        const auto job = recordedJob(jobOf(2));
        const Predictor predictor = job.predictor();
        const Graph &whole = *predictor.base().graph;
        const Graph few = firstIterations(whole, 2, {});
        QCOMPARE(few.iterationCount, 2);
        QCOMPARE(few.gradientSteps.size(), std::size_t { 4 });
        QVERIFY(few.size() < whole.size() / 2);
        const ReplayResult ofFew = replay(few, {}), ofWhole = replay(whole, {});
        for (std::size_t worker = 0; worker < 2; ++worker)
            for (std::size_t i = 0; i < 2; ++i)
                QCOMPARE(ofFew.iterationEndNs[worker * 2 + i],
                         ofWhole.iterationEndNs[worker * 5 + i]);
        for (const GradientStep &step : few.gradientSteps)
            for (const GradientStep::Bucket &bucket : step.buckets)
                QCOMPARE(few.collectives[bucket.collective].iteration,
                         std::int64_t { step.iteration });
    }
};

LONGPOLE_TEST(FoldedRanksTest)
#include "tst_folded_ranks.moc"
