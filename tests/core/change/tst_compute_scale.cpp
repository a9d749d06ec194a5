#include "core/base/error.h"
#include "core/change/change_list.h"
#include "core/change/change_text.h"
#include "core/change/compute_scale.h"
#include "core/change/graph_edits.h"
#include "core/fit/links/measured_graph.h"
#include "core/graph/graph_builder.h"
#include "tests/support/trace_builder.h"

#include <QTest>

#include <memory>
#include <vector>

using namespace core;

namespace {

struct Op
{
    const char *name;
    OpKind kind;
    Phase phase;
};

const std::vector<Op> Ops {
    { "aten::conv2d", OpKind::Compute, Phase::Forward },
    { "autograd::engine::evaluate_function: ConvBackward", OpKind::Compute, Phase::Backward },
    { "autograd::engine::evaluate_function: torch::autograd::AccumulateGrad", OpKind::Compute,
      Phase::Backward },
    { "aten::add_", OpKind::Compute, Phase::Optimizer },
    { "next batch", OpKind::Host, Phase::Input },
};

/// Ranks 3 and 5, each with all Ops in a chain; every op takes 100 ns and is 10 ns late.
struct Job
{
    Graph graph;
    Trace trace;
};

Job job()
{
    GraphBuilder builder(std::vector<std::string> {});
    Job result;
    std::vector<OpId> begins, ends;
    for (std::uint32_t w = 0; w < 2; ++w) {
        Worker worker;
        worker.id = WorkerId(w);
        worker.rank = w == 0 ? 3 : 5;
        result.trace.workers.push_back(worker);
        const DeviceId device = builder.addDevice({});
        OpId last = NoOp;
        for (const Op &op : Ops) {
            OpSpec spec;
            spec.name = builder.intern(op.name);
            spec.device = device;
            spec.kind = op.kind;
            spec.phase = op.phase;
            spec.worker = WorkerId(w);
            spec.durationNs = 100;
            spec.delayNs = 10;
            spec.measuredStartNs = static_cast<std::int64_t>(builder.size()) * 100;
            const OpId id = builder.addOp(spec);
            if (last != NoOp)
                builder.addEdge(last, id, EdgeKind::HostOrder);
            else
                begins.push_back(id);
            last = id;
        }
        ends.push_back(last);
    }
    builder.setIterations(begins, ends, 1);
    result.graph = builder.build();
    return result;
}

/// Durations of a worker's ops, in the order of Ops.
std::vector<std::int64_t> durations(const Graph &graph, std::uint32_t worker)
{
    std::vector<std::int64_t> ns;
    for (const Op &op : Ops)
        for (std::size_t i = 0; i < graph.size(); ++i)
            if (graph.worker[i] == WorkerId(worker) && graph.names[graph.name[i].value] == op.name)
                ns.push_back(graph.durationNs[i]);
    return ns;
}

using Durations = std::vector<std::int64_t>;

} // namespace

class TestComputeScale : public QObject
{
    Q_OBJECT

private slots:
    void onlyLayersAreScaled();
    void aRanksOwnFactorGoesFirst();
    void aLargerBatchTakesMoreInput();
    void ranksWithoutComputeAreRefused();
    void ofAllRanksThoseAreScaledThatCompute();
    void theHostOfAnAcceleratorIsNotScaled();
    void allKernelsOfAnAcceleratorAreScaled();
    void otherReadingsScaleMoreOrLess();
    void whatALayerSetsAndCopiesIsNotScaled();
    void hostOverheadOfCpuTrainingIsTheTimeBetweenOps();
    void hostOverheadOfAnAcceleratedRankLeavesTheInput();
};

void TestComputeScale::onlyLayersAreScaled()
{
    const Job measured = job();
    const Graph scaled
        = scaleCompute(measured.graph, measured.trace,
                       core::computeChanges(parseStrategy({ "compute_scale=2" })), {});
    QCOMPARE(durations(scaled, 0), (Durations { 200, 200, 100, 100, 100 }));
    QCOMPARE(durations(scaled, 1), (Durations { 200, 200, 100, 100, 100 }));
    QVERIFY(scaled.delayNs == measured.graph.delayNs);
}

void TestComputeScale::aRanksOwnFactorGoesFirst()
{
    const Job measured = job();
    const Graph scaled = scaleCompute(
        measured.graph, measured.trace,
        core::computeChanges(parseStrategy({ "compute_scale=2", "compute_scale:5=0.5" })), {});
    QCOMPARE(durations(scaled, 0), (Durations { 200, 200, 100, 100, 100 }));
    QCOMPARE(durations(scaled, 1), (Durations { 50, 50, 100, 100, 100 }));
}

void TestComputeScale::aLargerBatchTakesMoreInput()
{
    const Job measured = job();
    const Graph scaled = scaleCompute(
        measured.graph, measured.trace,
        core::computeChanges(parseStrategy({ "batch_scale=3", "compute_scale=2" })), {});
    QCOMPARE(durations(scaled, 0), (Durations { 600, 600, 100, 100, 300 }));
}

void TestComputeScale::ranksWithoutComputeAreRefused()
{
    Job measured = job();
    QVERIFY(strategyObstacle({ measured.trace, measured.graph, {} },
                             parseStrategy({ "compute_scale:1=2" })));
    for (OpKind &kind : measured.graph.kind)
        kind = OpKind::Host;
    QVERIFY(strategyObstacle({ measured.trace, measured.graph, {} },
                             parseStrategy({ "compute_scale=2" })));
}

void TestComputeScale::ofAllRanksThoseAreScaledThatCompute()
{
    Job measured = job();
    for (std::size_t op = 0; op < measured.graph.size(); ++op)
        if (measured.graph.worker[op] == WorkerId(0)) // a parameter server
            measured.graph.kind[op] = OpKind::Host;
    const Graph scaled
        = scaleCompute(measured.graph, measured.trace,
                       core::computeChanges(parseStrategy({ "compute_scale=2" })), {});
    QCOMPARE(durations(scaled, 0), (Durations { 100, 100, 100, 100, 100 }));
    QCOMPARE(durations(scaled, 1), (Durations { 200, 200, 100, 100, 100 }));
    QVERIFY(strategyObstacle({ measured.trace, measured.graph, {} },
                             parseStrategy({ "compute_scale:3=2" })));
}

/// Framework ops of the host, which launch kernels, were scaled with them.
void TestComputeScale::theHostOfAnAcceleratorIsNotScaled()
{
    Job measured = job();
    const auto ofSecond = [&](std::size_t op) { return measured.graph.worker[op] == WorkerId(1); };
    Device stream;
    stream.worker = WorkerId(1);
    stream.isStream = true;
    measured.graph.devices.push_back(stream);
    for (std::size_t op = 0; op < measured.graph.size(); ++op)
        if (ofSecond(op) && measured.graph.phase[op] == Phase::Backward)
            measured.graph.device[op]
                = DeviceId(static_cast<std::uint32_t>(measured.graph.devices.size() - 1));
    const Graph scaled
        = scaleCompute(measured.graph, measured.trace,
                       core::computeChanges(parseStrategy({ "compute_scale=2" })), {});
    QCOMPARE(durations(scaled, 0), (Durations { 200, 200, 100, 100, 100 }));
    QCOMPARE(durations(scaled, 1), (Durations { 100, 200, 200, 100, 100 }));
}

/// The second rank's ops but its input are kernels.
Job acceleratedJob()
{
    Job measured = job();
    Device stream;
    stream.worker = WorkerId(1);
    stream.isStream = true;
    measured.graph.devices.push_back(stream);
    for (std::size_t op = 0; op < measured.graph.size(); ++op)
        if (measured.graph.worker[op] == WorkerId(1) && measured.graph.kind[op] == OpKind::Compute)
            measured.graph.device[op]
                = DeviceId(static_cast<std::uint32_t>(measured.graph.devices.size() - 1));
    return measured;
}

/// A faster accelerator was taken to run its optimizer as slowly.
void TestComputeScale::allKernelsOfAnAcceleratorAreScaled()
{
    const Job measured = acceleratedJob();
    const Graph scaled
        = scaleCompute(measured.graph, measured.trace,
                       core::computeChanges(parseStrategy({ "compute_scale=2" })), {});
    QCOMPARE(durations(scaled, 0), (Durations { 200, 200, 100, 100, 100 }));
    QCOMPARE(durations(scaled, 1), (Durations { 200, 200, 200, 200, 100 }));
    const Graph larger = scaleCompute(measured.graph, measured.trace,
                                      core::computeChanges(parseStrategy({ "batch_scale=2" })), {});
    QCOMPARE(durations(larger, 1), (Durations { 200, 200, 100, 100, 200 }));
}

void TestComputeScale::otherReadingsScaleMoreOrLess()
{
    const Job measured = acceleratedJob();
    const Graph scaled = scaleCompute(measured.graph, measured.trace,
                                      core::computeChanges(parseStrategy({ "compute_scale=2" })),
                                      { {}, nullptr, ComputeReading::Other });
    QCOMPARE(durations(scaled, 0), (Durations { 200, 200, 200, 200, 100 }));
    QCOMPARE(durations(scaled, 1), (Durations { 200, 200, 100, 100, 100 }));
}

/// A layer whose backward pass sleeps for 3 ms and zeroes its gradient in 1 ms took 16 ms at a
/// quarter of the speed; 13 ms is what such a run takes.
void TestComputeScale::whatALayerSetsAndCopiesIsNotScaled()
{
    const Trace trace = tests::traceFromText("rank 0\niteration 0 0 20000\nthread main\n"
                                             "SleepBackward 1000 4000 phase=backward\n"
                                             "aten::zeros_like 3000 1000 phase=backward\n"
                                             "aten::zero_ 3100 800 phase=backward\n"
                                             "MmBackward 6000 4000 phase=backward\n"
                                             "aten::mm 7000 1000 phase=backward\n");
    const Graph graph = measuredGraph(trace, {});
    const auto memory = std::make_shared<const MemoryShares>(graph, trace, JobControl {});
    const auto msOf = [&](const ComputeModel &model, const char *name) {
        const Graph scaled = scaleCompute(
            graph, trace, core::computeChanges(parseStrategy({ "compute_scale=4" })), model);
        double ms = 0;
        for (std::size_t op = 0; op < scaled.size(); ++op)
            if (scaled.names[scaled.name[op].value] == name)
                ms += static_cast<double>(scaled.durationNs[op]) / 1e6;
        return ms;
    };
    QCOMPARE(msOf({ {}, memory }, "SleepBackward"), 13.0);
    QCOMPARE(msOf({ {}, memory }, "MmBackward"), 16.0);
    QCOMPARE(msOf({ {}, memory, ComputeReading::Other }, "SleepBackward"), 16.0);
}

void TestComputeScale::hostOverheadOfCpuTrainingIsTheTimeBetweenOps()
{
    const Graph measured = job().graph;
    const Graph doubled = withHostOverhead(measured, 2, measured);
    QVERIFY(doubled.durationNs == measured.durationNs);
    const Graph none = withHostOverhead(measured, 0, measured);
    for (std::size_t op = 0; op < measured.size(); ++op) {
        const bool isInput = measured.phase[op] == Phase::Input; // has a setting of its own
        QCOMPARE(doubled.delayNs[op], std::int64_t { isInput ? 10 : 20 });
        QCOMPARE(none.delayNs[op], std::int64_t { isInput ? 10 : 0 });
    }
}

/// Without launching the input was loaded in no time, too: host_overhead_scale=0 gained the same
/// alone as together with input_scale=0.
void TestComputeScale::hostOverheadOfAnAcceleratedRankLeavesTheInput()
{
    Graph measured = job().graph;
    Device stream;
    stream.worker = WorkerId(1);
    stream.isStream = true;
    measured.devices.push_back(stream);
    const Graph none = withHostOverhead(measured, 0, measured);
    QCOMPARE(durations(none, 0), (Durations { 100, 100, 100, 100, 100 }));
    QCOMPARE(durations(none, 1), (Durations { 0, 0, 0, 0, 100 }));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestComputeScale)
#include "tst_compute_scale.moc"
