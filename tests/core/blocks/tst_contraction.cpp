#include "core/blocks/contraction.h"
#include "core/graph/graph_fault.h"
#include "core/pipeline/pipeline.h"
#include "core/replay/replay.h"
#include "tests/support/graph_text.h"
#include "tests/support/random_graph.h"
#include "tests/support/shared_data.h"

#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <random>

using namespace core;
using tests::graphFromText;

class TestContraction : public QObject
{
    Q_OBJECT

private slots:
    void aRunBecomesOneBlock();
    void otherEdgesEndARun();
    void aDeviceThatMayTakeAnotherOpKeepsItsOps();
    void randomGraphsAreReplayedToTheSameTimes();
    void whatIsStretchedIsNearlyTheSame();
    void recordedJobsAreReplayedToTheSameTimes_data();
    void recordedJobsAreReplayedToTheSameTimes();
};

namespace {

/// "a+b+c": names of the ops of each block that has several.
std::string runsText(const Graph &graph)
{
    const Contraction blocks = contract(graph);
    std::string text;
    for (std::size_t block = 0; block < blocks.blockCount(); ++block) {
        const auto ops = blocks.opsOf(block);
        for (std::size_t i = 0; i < ops.size() && ops.size() > 1; ++i)
            text += (i > 0              ? "+"
                         : text.empty() ? ""
                                        : " ")
                + graph.names[graph.name[ops[i].value].value];
    }
    return text;
}

/// The most that a block ends earlier or later than the last of its ops, in ns.
std::int64_t largestDifferenceNs(const Graph &graph)
{
    const Contraction blocks = contract(graph);
    const Graph contracted = contractedGraph(graph, blocks);
    const std::string fault = graphFault(contracted);
    if (!fault.empty() && graphFault(graph).empty()) { // those without iterations have no ranks
        QTest::qFail(fault.c_str(), __FILE__, __LINE__);
        return 0;
    }
    const ReplayResult whole = replay(graph, {});
    const ReplayResult inBlocks = replay(contracted, {});
    std::int64_t most = 0;
    for (std::size_t block = 0; block < blocks.blockCount(); ++block)
        most = std::max(
            most, std::abs(whole.endNs[blocks.opsOf(block).back().value] - inBlocks.endNs[block]));
    for (std::size_t i = 0; i < whole.iterationEndNs.size(); ++i)
        most = std::max(most, std::abs(whole.iterationEndNs[i] - inBlocks.iterationEndNs[i]));
    return most;
}

} // namespace

void TestContraction::aRunBecomesOneBlock()
{
    const Graph graph = graphFromText("a:10@d -> b:5@d+7 -> c:3@d -> x:4@e");
    QCOMPARE(runsText(graph), std::string("a+b+c"));
    const Graph blocks = contractedGraph(graph, contract(graph));
    QCOMPARE(blocks.durationNs, (std::vector<std::int64_t> { 25, 4 })); // 10, 7 between, 5, 3
    QCOMPARE(tests::timesText(blocks, replay(blocks, {})), std::string("a 0-25, x 25-29"));
}

void TestContraction::otherEdgesEndARun()
{
    QCOMPARE(runsText(graphFromText("a:1@d -> b:1@d -> c:1@d -> e:1@d\nb -> x:1\ny:1 -> e")),
             std::string("a+b"));
}

void TestContraction::aDeviceThatMayTakeAnotherOpKeepsItsOps()
{
    // z can come between a and b: it is ready at 10, b only at 17.
    const Graph graph = graphFromText("a:10@d -> b:5@d+7\nx:10 -> z:3@d");
    QCOMPARE(contract(graph).blockCount(), std::size_t(4));
    QCOMPARE(largestDifferenceNs(graph), 0);
}

void TestContraction::randomGraphsAreReplayedToTheSameTimes()
{
    std::mt19937 random(26);
    std::size_t ops = 0, blocks = 0;
    for (int round = 0; round < 1000; ++round) {
        tests::RandomGraphKind kind;
        kind.mostOps = 200;
        kind.devices = 6;
        kind.hasChains = true;
        kind.hasLinks = kind.hasPriorities = round % 2 == 0;
        kind.iterations = round % 3 == 0 ? 3 : 0;
        const Graph graph = tests::randomGraph(random, kind);
        QVERIFY2(largestDifferenceNs(graph) == 0, ("round " + std::to_string(round)).c_str());
        ops += graph.size();
        blocks += contract(graph).blockCount();
    }
    qInfo("%zu ops, %zu blocks", ops, blocks);
    QVERIFY2(10 * blocks < 9 * ops, "hardly anything became a run"); // else it is no test
}

void TestContraction::whatIsStretchedIsNearlyTheSame()
{
    std::mt19937 random(27);
    for (int round = 0; round < 200; ++round) {
        tests::RandomGraphKind kind;
        kind.mostOps = 200;
        kind.hasChains = true;
        kind.interferes = true;
        const Graph graph = tests::randomGraph(random, kind);
        const Graph blocks = contractedGraph(graph, contract(graph));
        const auto whole = static_cast<double>(replay(graph, {}).makespanNs);
        const auto inBlocks = static_cast<double>(replay(blocks, {}).makespanNs);
        // Ops take some ten ns, of which each rounds half a one away.
        QVERIFY(std::abs(inBlocks - whole) <= 0.05 * whole);
    }
}

void TestContraction::recordedJobsAreReplayedToTheSameTimes_data()
{
    QTest::addColumn<QString>("bundle");
    for (const char *bundle : { "testbed/vgg-w2-500mbit-b25", "testbed/emuvgg-w4-1000mbit-b25",
                                "testbed/resnet-w4-1000mbit-b25", "real/megatron-tp8",
                                "real/torchrec/sst_long_a2a_optimizer" })
        QTest::newRow(bundle) << bundle;
}

void TestContraction::recordedJobsAreReplayedToTheSameTimes()
{
    const auto shared = tests::sharedData();
    if (!shared)
        QSKIP("needs the shared traces: set LONGPOLE_SHARED");
    QFETCH(const QString, bundle);
    const QTemporaryDir folder;
    const std::filesystem::path project
        = std::filesystem::path(folder.path().toStdString()) / "p.longpole";
    importBundle({ *shared / "data" / bundle.toStdString() }, project, {}, {});
    const LoadedProject loaded = loadProject(project, {});
    const Graph &graph = *loaded.graph;
    const Graph blocks = contractedGraph(graph, contract(graph));
    const ReplayResult whole = replay(graph, {});
    const ReplayResult inBlocks = replay(blocks, {});
    qInfo("%zu ops, %zu blocks", graph.size(), blocks.size());
    QCOMPARE(inBlocks.iterationEndNs.size(), whole.iterationEndNs.size());
    const bool isStretched = graph.slowdown > 1;
    for (std::size_t i = 0; i < whole.iterationEndNs.size(); ++i) {
        const auto ns = static_cast<double>(whole.iterationEndNs[i]);
        QVERIFY(std::abs(static_cast<double>(inBlocks.iterationEndNs[i]) - ns)
                <= (isStretched ? 0.005 * ns : 0));
    }
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestContraction)
#include "tst_contraction.moc"
