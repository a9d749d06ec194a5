#include "core/change/gradients/gradient_rewriter.h"
#include "core/change/gradients/whole_iterations.h"
#include "core/fit/links/link_models.h"
#include "core/pipeline/pipeline.h"
#include "core/replay/replay.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

using namespace core;

/// On the bundled sample: two ranks of DDP on the CPU.
class GradientPlanTest : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void theRecordedBucketsAreTheSamePlan();
    void iterationsThatAreNotNamedStay();
    void piecesOfAGroupAreAwaitedTogether();
    void tensorsOfAGroupAreUpdatedWhenAllOfItHasCome();
    void theLinkServesByPriorityWithinTheCredit();
    void piecesMayDifferInSizeAndUrgency();

private:
    Graph rewritten(const GradientPlan &plan) const
    {
        return withGradientPlan({ *m_loaded.graph, *m_loaded.trace, m_links, plan, {} });
    }
    /// In every iteration one group of all tensors.
    GradientPlan inOneGroup() const
    {
        GradientPlan plan;
        for (const auto &[iteration, ranks] : m_steps)
            plan.iterations[iteration] = { { 0, ranks.front()->parameterBytes.size() } };
        return plan;
    }
    std::uint64_t bytesOfStep() const
    {
        const std::vector<std::uint64_t> &bytes = m_loaded.graph->gradientSteps[0].parameterBytes;
        return std::accumulate(bytes.begin(), bytes.end(), std::uint64_t { 0 });
    }

    LoadedProject m_loaded;
    LinkModels m_links;
    StepsByIteration m_steps;
};

namespace {

std::set<std::uint32_t> transfersOf(const Graph &graph)
{
    std::set<std::uint32_t> ops;
    for (const CollectiveNode &node : graph.collectives)
        if (graph.isPredicted(node.transfer))
            ops.insert(node.transfer.value);
    return ops;
}

std::size_t awaited(const Graph &graph, OpId op, const std::set<std::uint32_t> &transfers)
{
    const auto preds = graph.predecessors(op);
    return static_cast<std::size_t>(
        std::count_if(preds.begin(), preds.end(),
                      [&](const Edge &edge) { return transfers.contains(edge.op.value); }));
}

} // namespace

void GradientPlanTest::initTestCase()
{
    const QTemporaryDir folder;
    const auto project = std::filesystem::path(folder.path().toStdString()) / "sample.longpole";
    importBundle({ LONGPOLE_SOURCE_DIR "/resources/samples/vgg-w2-500mbit-b25" }, project, {}, {});
    m_loaded = loadProject(project, {});
    m_links = fitLinks(*m_loaded.graph, *m_loaded.trace);
    m_steps = stepsOf(*m_loaded.graph, wholeIterations(*m_loaded.graph));
    QVERIFY(m_steps.size() > 2);
}

void GradientPlanTest::theRecordedBucketsAreTheSamePlan()
{
    GradientPlan plan;
    for (const auto &[iteration, ranks] : m_steps)
        plan.iterations[iteration] = measuredGroups(*ranks.front());
    const Graph graph = rewritten(plan);
    QCOMPARE(graph.collectives.size(), m_loaded.graph->collectives.size());
    QCOMPARE(graph.gradientSteps.size(), m_loaded.graph->gradientSteps.size());
    for (const GradientStep &step : graph.gradientSteps)
        QVERIFY(measuredGroups(step) == plan.iterations.at(step.iteration));
}

void GradientPlanTest::iterationsThatAreNotNamedStay()
{
    GradientPlan plan = inOneGroup();
    plan.iterations.erase(plan.iterations.begin()->first);
    const Graph graph = rewritten(plan);
    QCOMPARE(transfersOf(graph).size(), plan.iterations.size());
}

void GradientPlanTest::piecesOfAGroupAreAwaitedTogether()
{
    GradientPlan plan = inOneGroup();
    constexpr std::uint64_t Pieces = 5;
    for (auto &[iteration, groups] : plan.iterations)
        groups.front().partitionBytes = (bytesOfStep() + Pieces - 1) / Pieces;
    const Graph graph = rewritten(plan);
    const std::set<std::uint32_t> transfers = transfersOf(graph);
    QCOMPARE(transfers.size(), std::size_t { Pieces * m_steps.size() });
    for (const GradientStep &step : graph.gradientSteps)
        QCOMPARE(awaited(graph, step.copyStarts.front(), transfers), std::size_t { Pieces });
}

void GradientPlanTest::tensorsOfAGroupAreUpdatedWhenAllOfItHasCome()
{
    GradientPlan plan = inOneGroup();
    plan.waitsForOwnTensors = true;
    for (auto &[iteration, groups] : plan.iterations) {
        const std::size_t tensors = groups.front().tensorCount;
        groups = { { 0, 2 }, { 2, tensors - 2 } };
    }
    const Graph graph = rewritten(plan);
    const std::set<std::uint32_t> transfers = transfersOf(graph);
    QCOMPARE(transfers.size(), 2 * m_steps.size());
    std::size_t updates = 0;
    for (std::uint32_t i = 0; i < graph.size(); ++i)
        if (graph.names[graph.name[i].value] == "update") {
            ++updates;
            QCOMPARE(awaited(graph, OpId(i), transfers), std::size_t { 1 });
        }
    QCOMPARE(updates,
             m_loaded.graph->gradientSteps.size()
                 * m_loaded.graph->gradientSteps.front().parameterBytes.size());
    for (const GradientStep &step : graph.gradientSteps)
        QVERIFY(step.buckets.empty());
}

void GradientPlanTest::theLinkServesByPriorityWithinTheCredit()
{
    GradientPlan plan = inOneGroup();
    plan.isByPriority = true;
    plan.creditBytes = 1;
    for (auto &[iteration, groups] : plan.iterations) {
        groups.front().partitionBytes = bytesOfStep() / 4;
        groups.front().priority = 3;
    }
    const Graph graph = rewritten(plan);
    for (const CollectiveNode &node : graph.collectives) {
        const Device &link = graph.devices[graph.device[node.transfer.value].value];
        QCOMPARE(link.discipline, Discipline::Priority);
        QCOMPARE(link.creditBytes, std::uint64_t { 1 });
        QCOMPARE(graph.priorityOf(node.transfer), 3);
    }
    QVERIFY(!replay(graph, {}).endNs.empty());
}

/// The last piece takes what the others leave.
void GradientPlanTest::piecesMayDifferInSizeAndUrgency()
{
    GradientPlan plan = inOneGroup();
    plan.isByPriority = plan.waitsForOwnTensors = true;
    for (auto &[iteration, groups] : plan.iterations) {
        groups.front().partitionBytes = 1;
        groups.front().pieces = { { 1000, 5 }, { 2000, 2 }, { 1, 9 } };
    }
    const Graph graph = rewritten(plan);
    std::map<std::int32_t, std::set<std::uint64_t>> sizes; // by priority
    for (const CollectiveNode &node : graph.collectives)
        sizes[graph.priorityOf(node.transfer)].insert(node.bytes);
    const std::map<std::int32_t, std::set<std::uint64_t>> expected {
        { 2, { 2000 } }, { 5, { 1000 } }, { 9, { bytesOfStep() - 3000 } }
    };
    QCOMPARE(sizes, expected);
    QCOMPARE(graph.collectives.size(), 3 * m_steps.size());
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(GradientPlanTest)
#include "tst_gradient_plan.moc"
