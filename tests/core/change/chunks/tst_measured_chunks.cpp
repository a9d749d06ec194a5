#include "core/align/message_matching.h"
#include "core/change/change_text.h"
#include "core/change/chunks/expand_collectives.h"
#include "core/change/chunks/measured_chunks.h"
#include "core/change/transfers/link_changes.h"
#include "core/fit/links/link_models.h"
#include "core/graph/collectives/measured_chunks.h"
#include "core/pipeline/pipeline.h"
#include "core/replay/replay.h"
#include "core/replay/replayed_collectives.h"
#include "tests/support/predict.h"

#include <QTemporaryDir>
#include <QTest>

#include <set>

using namespace core;

namespace {

constexpr std::int64_t Us = 1000;

struct ChunkTime
{
    std::size_t from, to;
    std::int64_t startNs, endNs;
    friend bool operator==(const ChunkTime &, const ChunkTime &) = default;
    friend auto operator<=>(const ChunkTime &, const ChunkTime &) = default;
};

} // namespace

/// On tests/data/nccl-ring: NCCL's profiler dumps of two ranks with three all-reduces, one channel
/// and two network steps each; rank 1 is 0, 50 and 100 us late.
class RecordedPlanTest : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void whatTheDumpStatesReachesTheGraph();
    void stepsBelongToTheirCollective();
    void theSearchForStepsCanBeCancelled();
    void stepsAreReplayedAsRecorded();
    void slowerTransfersScaleTheirSteps();
    void anotherAlgorithmHasItsOwnSteps();
    void stepsOfOneChannelFollowOneAnother();
    void aRankWithoutStepsIsDoneAfterTheOthers();

private:
    LoadedProject m_loaded;
};

void RecordedPlanTest::initTestCase()
{
    const QTemporaryDir folder;
    const auto project = std::filesystem::path(folder.path().toStdString()) / "ring.longpole";
    importBundle({ LONGPOLE_SOURCE_DIR "/tests/data/nccl-ring" }, project, {}, {});
    m_loaded = loadProject(project, {});
    QCOMPARE(m_loaded.graph->collectives.size(), std::size_t { 3 });
}

void RecordedPlanTest::whatTheDumpStatesReachesTheGraph()
{
    QCOMPARE(m_loaded.trace->collectives.size(), std::size_t { 6 });
    for (const CollectiveCall &call : m_loaded.trace->collectives)
        QCOMPARE(call.algorithm, std::string("RING"));
    for (const CollectiveNode &node : m_loaded.graph->collectives)
        QCOMPARE(node.algorithm, std::string("RING"));
}

void RecordedPlanTest::stepsBelongToTheirCollective()
{
    const auto found = recordedChunks(*m_loaded.graph, *m_loaded.trace, {});
    QCOMPARE(found.size(), std::size_t { 3 });
    const std::int64_t originNs = m_loaded.graph->collectives[0].parts[0].startNs;
    for (const auto &[index, chunks] : found) {
        std::set<ChunkTime> times;
        for (const RecordedChunk &chunk : chunks)
            times.insert({ chunk.from, chunk.to, chunk.range.startNs - originNs,
                           chunk.range.endNs - originNs });
        // Offered 10 and 130 us after both have come, there 115 and 235 us after.
        const auto both = static_cast<std::int64_t>(2050 * index) * Us;
        QCOMPARE(times,
                 (std::set<ChunkTime> { { 0, 1, both + 10 * Us, both + 115 * Us },
                                        { 0, 1, both + 130 * Us, both + 235 * Us },
                                        { 1, 0, both + 10 * Us, both + 115 * Us },
                                        { 1, 0, both + 130 * Us, both + 235 * Us } }));
    }
}

void RecordedPlanTest::theSearchForStepsCanBeCancelled()
{
    int looks = 0, last = 0; ///< how often it asked; 0: never cancelled
    const JobControl control([&] { return ++looks == last; }, {});
    std::vector<std::string> notes;
    matchMessages(*m_loaded.trace, notes, control);
    last = looks + 1; // the first look behind that
    looks = 0;
    QVERIFY_THROWS_EXCEPTION(Cancelled, recordedChunks(*m_loaded.graph, *m_loaded.trace, control));
}

void RecordedPlanTest::stepsAreReplayedAsRecorded()
{
    const Prediction coarse = tests::predict(*m_loaded.trace, m_loaded.graph, {}, {});
    const Prediction chunks
        = tests::predict(*m_loaded.trace, m_loaded.graph, parseStrategy({ "expand=1" }), {});
    QCOMPARE(chunks.predictedNs, coarse.predictedNs);
    for (std::size_t i = 0; i < 3; ++i) {
        const CollectiveNode &node = chunks.graph->collectives[i];
        const std::int64_t transferNs
            = coarse.replay->startNs[coarse.graph->collectives[i].transfer.value];
        for (const CollectiveNode::Part &part : node.parts) {
            QCOMPARE(part.chunks.size(), std::size_t { 4 });
            QCOMPARE(chunks.replay->endNs[part.done.value], transferNs + 250 * Us);
            for (const OpId op : part.chunks) {
                const std::int64_t startNs = chunks.replay->startNs[op.value] - transferNs;
                QVERIFY(startNs == 10 * Us || startNs == 130 * Us);
                QCOMPARE(chunks.replay->endNs[op.value] - transferNs, startNs + 105 * Us);
                QVERIFY(chunks.graph->slice[op.value] != NoSlice);
            }
        }
    }
}

void RecordedPlanTest::slowerTransfersScaleTheirSteps()
{
    const Prediction slower = tests::predict(*m_loaded.trace, m_loaded.graph,
                                             parseStrategy({ "expand=1", "comm_scale=2" }), {});
    const CollectiveNode &node = slower.graph->collectives[0];
    for (const OpId op : node.parts[0].chunks)
        QCOMPARE(slower.graph->durationNs[op.value], 210 * Us);
    const ReplayedPart part = replayedCollectives(*slower.graph, *slower.replay)[0][0];
    QCOMPARE(part.endNs - part.startNs, 500 * Us);
}

void RecordedPlanTest::anotherAlgorithmHasItsOwnSteps()
{
    const LinkModels links = fitLinks(*m_loaded.graph, *m_loaded.trace);
    const Graph graph = withChunks(*m_loaded.graph, *m_loaded.trace, links,
                                   core::linkChanges(parseStrategy({ "collective=ring" })), {});
    const CollectiveNode &node = graph.collectives[0];
    for (const OpId op : node.parts[0].chunks) {
        QCOMPARE(graph.durationNs[op.value], 125 * Us);
        QVERIFY(graph.slice[op.value] == NoSlice);
    }
}

void RecordedPlanTest::stepsOfOneChannelFollowOneAnother()
{
    CollectiveNode node;
    for (std::uint32_t w = 0; w < 2; ++w)
        node.parts.push_back({ WorkerId(w), NoSlice, 100, 200, OpId(w) });
    const GroupPlaces places { { 0, 1 }, { 0, 1 }, true };
    // The second was offered while the first was on its way; the third goes on another channel.
    const PlannedCollective plan = plannedAsRecorded(node, places,
                                                     { { 0, 1, 0, 8, { 110, 140 }, NoSlice },
                                                       { 0, 1, 0, 8, { 120, 150 }, NoSlice },
                                                       { 0, 1, 1, 8, { 120, 150 }, NoSlice } },
                                                     1, 0);
    QCOMPARE(plan.chunks[0].delayNs, 10);
    QCOMPARE(plan.chunks[0].durationNs, 30);
    QCOMPARE(plan.chunks[1].preds, (std::vector<std::uint32_t> { 0 }));
    QCOMPARE(plan.chunks[1].delayNs, 0);
    QCOMPARE(plan.chunks[1].durationNs, 10);
    QVERIFY(plan.chunks[2].preds.empty());
    QCOMPARE(plan.chunks[2].delayNs, 20);
    QCOMPARE(plan.tailNs, (std::vector<std::int64_t> { 50, 50 }));
}

void RecordedPlanTest::aRankWithoutStepsIsDoneAfterTheOthers()
{
    CollectiveNode node;
    for (std::uint32_t w = 0; w < 3; ++w)
        node.parts.push_back({ WorkerId(w), NoSlice, 100, 200 + 10 * std::int64_t { w }, OpId(w) });
    // Parts are not in the order of ranks: rank 0's is the last.
    const GroupPlaces places { { 2, 0, 1 }, { 0, 1, 2 }, true };
    const PlannedCollective plan
        = plannedAsRecorded(node, places, { { 0, 1, 0, 8, { 110, 150 }, NoSlice } }, 2, 7);
    QCOMPARE(plan.chunks[0].from, 1U);
    QCOMPARE(plan.chunks[0].to, 2U);
    QCOMPARE(plan.chunks[0].delayNs, 2 * 10 + 7);
    QCOMPARE(plan.tailNs, (std::vector<std::int64_t> { 140, 100, 120 }));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(RecordedPlanTest)
#include "tst_measured_chunks.moc"
