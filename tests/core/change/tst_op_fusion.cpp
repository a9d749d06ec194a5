#include "core/change/fusion/op_fusion.h"
#include "core/graph/graph_builder.h"
#include "tests/support/random_graph.h"
#include "tests/support/unit_test.h"

#include <QTest>

#include <algorithm>
#include <random>

using namespace core;

namespace {

std::vector<OpId> onStream(const Graph &graph)
{
    std::vector<OpId> ops;
    for (std::uint32_t op = 0; op < graph.size(); ++op)
        if (graph.kind[op] == OpKind::Compute)
            ops.push_back(OpId(op));
    return ops;
}

/// A kernel of the backward pass, and whether its thread waits for the one before.
struct LaunchedKernel
{
    const char *name;
    std::int64_t ns, delayNs;
    bool isWaitedFor = false;
};

constexpr const char *Conv = "ConvolutionBackward0", *Relu = "ReluBackward0";

/// Kernels of one rank in their order, each with its launch; the last one of each tensor makes
/// its gradient.
Graph launchedPass(const std::vector<LaunchedKernel> &kernels,
                   const std::vector<std::size_t> &lastOf)
{
    GraphBuilder builder({ "" });
    OpSpec host, device;
    host.device = builder.addDevice({});
    host.durationNs = 1;
    Device stream;
    stream.isStream = true;
    device.device = builder.addDevice(stream);
    device.kind = OpKind::Compute;
    device.phase = Phase::Backward;
    device.iteration = 0;
    OpId launch = NoOp, op = NoOp;
    for (const LaunchedKernel &kernel : kernels) {
        const OpId launchBefore = launch, before = op;
        host.measuredStartNs = device.measuredStartNs += 10;
        launch = builder.addOp(host);
        device.name = builder.intern(kernel.name);
        device.durationNs = kernel.ns;
        device.delayNs = kernel.delayNs;
        op = builder.addOp(device);
        builder.addEdge(launch, op, EdgeKind::Launch);
        if (before == NoOp)
            continue;
        builder.addEdge(launchBefore, launch, EdgeKind::HostOrder);
        builder.addEdge(before, op, EdgeKind::StreamOrder);
        if (kernel.isWaitedFor)
            builder.addEdge(before, launch, EdgeKind::Sync);
    }
    Graph graph = builder.build();
    graph.iterationBegins = { NoOp };
    GradientStep step;
    const std::vector<OpId> ops = onStream(graph);
    for (const std::size_t last : lastOf) {
        step.parameterBytes.push_back(4);
        step.gradients.push_back(ops[last]);
        step.kernels.push_back(ops[last]);
    }
    graph.gradientSteps.push_back(std::move(step));
    return graph;
}

std::vector<std::int64_t> durations(const Graph &graph)
{
    std::vector<std::int64_t> ns;
    for (const OpId op : onStream(graph))
        ns.push_back(graph.durationNs[op.value]);
    return ns;
}

using Times = std::vector<std::int64_t>;

/// Edges of a random graph of which some are launches, with gradients on its first device.
Graph randomPass(std::mt19937 &random)
{
    tests::RandomGraphKind kind;
    kind.mostOps = 80;
    kind.hasLinks = kind.hasPriorities = kind.hasInstantOps = false;
    kind.hasChains = true;
    Graph graph = tests::randomGraph(random, kind);
    graph.devices[0].isStream = true;
    graph.iterationBegins = { NoOp };
    GradientStep step;
    for (std::uint32_t op = 0; op < graph.size(); ++op) {
        graph.phase[op] = Phase::Backward;
        graph.iteration[op] = 0;
        const std::uint32_t end = graph.predOffset[op + 1];
        for (std::uint32_t edge = graph.predOffset[op]; edge < end; ++edge)
            if (graph.device[graph.preds[edge].op.value] != graph.device[op] && random() % 3 > 0)
                graph.preds[edge].kind = EdgeKind::Launch;
        if (graph.device[op] != DeviceId(0) || random() % 3 > 0)
            continue;
        step.parameterBytes.push_back(4);
        step.gradients.push_back(OpId(op));
        step.kernels.push_back(OpId(op));
    }
    graph.gradientSteps.push_back(std::move(step));
    return graph;
}

/// First op of those that it is joined with.
std::vector<std::uint32_t> groupsOf(const Graph &before, const Graph &after)
{
    std::vector<std::uint32_t> group(before.size());
    std::uint32_t last = 0;
    for (std::uint32_t op = 0; op < before.size(); ++op) {
        const bool isJoined = before.device[op] == DeviceId(0) && after.durationNs[op] == 0;
        group[op] = isJoined ? group[last] : op;
        if (before.device[op] == DeviceId(0))
            last = op;
    }
    return group;
}

/// Whether the groups as ops would wait for one another in a circle. A group is launched with
/// its first op.
bool hasCircle(const Graph &graph, const std::vector<std::uint32_t> &group)
{
    std::vector<std::vector<std::uint32_t>> behind(graph.size());
    std::vector<std::size_t> awaited(graph.size(), 0);
    for (std::uint32_t op = 0; op < graph.size(); ++op)
        for (const Edge &edge : graph.predecessors(OpId(op))) {
            const std::uint32_t from = group[edge.op.value], to = group[op];
            if (from == to || (edge.kind == EdgeKind::Launch && to != op))
                continue;
            behind[from].push_back(to);
            ++awaited[to];
        }
    std::vector<std::uint32_t> ready;
    for (std::uint32_t op = 0; op < graph.size(); ++op)
        if (awaited[op] == 0)
            ready.push_back(op);
    for (std::size_t i = 0; i < ready.size(); ++i)
        for (const std::uint32_t next : behind[ready[i]])
            if (--awaited[next] == 0)
                ready.push_back(next);
    return ready.size() < graph.size();
}

} // namespace

class TestOpFusion : public QObject
{
    Q_OBJECT

private slots:
    /// 10 + (1 + 6) + (2 + 9 - 2 - 9 / 3) + (3 + 20): a ReLU behind a ReLU does not read its input.
    void aPartIsOneOpThatSavesReadsAndLaunches()
    {
        const Graph graph = launchedPass(
            { { Conv, 10, 0 }, { Relu, 6, 1 }, { Relu, 9, 2 }, { Conv, 20, 3 } }, { 0, 3 });
        const Graph fused = withFusedOps(graph, { { 2 }, {} }, {});
        QCOMPARE(durations(fused), (Times { 46, 0, 0, 0 }));
        QVERIFY(fused.gradientSteps.front().kernels == graph.gradientSteps.front().kernels);
        // One launch is left, and that of the op that was saved takes no time.
        std::size_t launches = 0;
        for (const Edge &edge : fused.preds)
            launches += edge.kind == EdgeKind::Launch ? 1 : 0;
        QCOMPARE(launches, std::size_t { 1 });
        QCOMPARE(std::count(fused.durationNs.begin(), fused.durationNs.end(), 1), 3);
    }

    void eachPartEndsWithItsGradient()
    {
        const Graph graph = launchedPass(
            { { Conv, 10, 0 }, { Relu, 6, 1 }, { Relu, 9, 2 }, { Conv, 20, 3 } }, { 0, 3 });
        const Graph fused = withFusedOps(graph, { { 1, 1 }, {} }, {});
        QCOMPARE(durations(fused), (Times { 10, 6 + 6 + 23, 0, 0 }));
        QCOMPARE(fused.delayNs[onStream(fused)[1].value], 1);
    }

    void measuredTimesGoFirst()
    {
        const Graph graph = launchedPass({ { Conv, 10, 0 }, { Relu, 6, 1 } }, { 1 });
        const FusionTimes times("ConvolutionBackward0,ReluBackward0,0.012");
        QCOMPARE(durations(withFusedOps(graph, { { 1 }, times }, {})), (Times { 12, 0 }));
    }

    /// The thread waits for the third kernel before it launches the fourth: a circle otherwise.
    void aWaitOfTheThreadEndsAPart()
    {
        const Graph graph = launchedPass(
            { { Conv, 10, 0 }, { Relu, 6, 1 }, { Relu, 9, 2 }, { Conv, 20, 3, true } }, { 3 });
        QCOMPARE(durations(withFusedOps(graph, { { 1 }, {} }, {})), (Times { 23, 0, 0, 20 }));
    }

    void whatJoiningSavesIsToldByTensor()
    {
        const Graph graph = launchedPass({ { Conv, 10, 0 },
                                           { Relu, 6, 1 },
                                           { Relu, 9, 2 },
                                           { Conv, 20, 3 },
                                           { Conv, 20, 3, true } },
                                         { 0, 1, 2, 3, 4 });
        const auto saved = savedByJoining(graph, graph.gradientSteps.front(), {}, {});
        QCOMPARE(saved.size(), std::size_t { 5 });
        QCOMPARE(saved[0], std::nullopt);
        QCOMPARE(saved[1], std::optional<std::int64_t>(0));
        QCOMPARE(saved[2], std::optional<std::int64_t>(2 + 3));
        QCOMPARE(saved[3], std::optional<std::int64_t>(0));
        QCOMPARE(saved[4], std::nullopt); // it would be a circle
    }

    void noJoinedOpsWaitInACircle()
    {
        std::mt19937 random(11);
        std::size_t joined = 0;
        for (int i = 0; i < 1000; ++i) {
            const Graph graph = randomPass(random);
            const std::size_t tensors = graph.gradientSteps.front().parameterBytes.size();
            const Graph fused = withFusedOps(graph, { { tensors }, {} }, {});
            const auto group = groupsOf(graph, fused);
            for (std::uint32_t op = 0; op < group.size(); ++op)
                joined += group[op] == op ? 0 : 1;
            QVERIFY(!hasCircle(graph, group));
        }
        QVERIFY(joined > 1000);
    }

    void itCanBeCancelled()
    {
        const JobControl cancelled([] { return true; }, {});
        const Graph graph = launchedPass({ { Conv, 10, 0 } }, { 0 });
        QVERIFY_THROWS_EXCEPTION(Cancelled, withFusedOps(graph, { { 1 }, {} }, cancelled));
    }
};

LONGPOLE_TEST(TestOpFusion)
#include "tst_op_fusion.moc"
