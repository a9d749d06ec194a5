#include "core/change/change_text.h"
#include "core/change/compute_scale.h"
#include "core/fit/layers/batch_growth.h"
#include "core/fit/links/measured_graph.h"
#include "tests/support/predict.h"
#include "tests/support/trace_builder.h"

#include <QTest>

#include <cmath>
#include <map>

using namespace core;
using tests::traceFromText;

namespace {

/// Shapes of the ops of a name; 64 samples, a layer of 1,000 x 1,000 weights of 4 bytes.
const std::map<std::string, Shapes> ShapesOf {
    { "aten::addmm", { { 1000 }, { 64, 1000 }, { 1000, 1000 }, {}, {} } },
    { "aten::mm", { { 1000, 64 }, { 64, 1000 } } },
    { "aten::gelu", { { 64, 1000 } } },
    { "aten::mul_", { { 1000, 1000 }, {} } },
    { "aten::zero_", { { 1000, 1000 } } },
};

/// Memory takes 0.1 ns a byte. On a host mul_ passes over 8 MB, zero_ too; addmm over the weights
/// three times, 1.2 ms of its 4; mm over their gradient twice, 0.8 ms of its 2.
std::string rankText(int rank)
{
    std::string text = "rank " + std::to_string(rank) + "\n", ops = "thread main\n";
    std::string comm = "comm gloo\n";
    for (int i = 0; i < 3; ++i) {
        const int at = i * 20'000;
        const auto op
            = [&](const char *name, int startUs, int us, const char *bytes, const char *phase) {
                  ops += std::string(name) + " " + std::to_string(at + startUs) + " "
                      + std::to_string(us) + " bytes=" + bytes + " phase=" + phase + "\n";
              };
        text += "iteration " + std::to_string(i) + " " + std::to_string(at) + " 20000\n";
        op("aten::linear", 0, 4000, "4260000", "forward");
        op("aten::addmm", 0, 4000, "4260000", "forward");
        op("aten::gelu", 4000, 100, "256000", "forward");
        op("aten::mm", 5000, 2000, "512000", "backward");
        op("aten::mul_", 18'000, 800, "4000000", "optimizer");
        op("aten::zero_", 19'000, 800, "4000000", "optimizer");
        comm += "gloo:all_reduce " + std::to_string(at + 8000)
            + " 9000 kind=all_reduce bytes=4000000\n";
    }
    return text + ops + comm;
}

OpShapes shapesOf(const Trace &trace, const std::map<std::string, Shapes> &byName = ShapesOf)
{
    OpShapes shapes;
    shapes.distinct.emplace_back();
    shapes.ofRow.resize(trace.tracks.size());
    for (const Track &track : trace.tracks) {
        if (track.kind != TrackKind::HostThread)
            continue;
        const SliceColumns &slices = trace.slices[track.id.value];
        shapes.ofRow[track.id.value].resize(slices.size(), 0);
        for (std::size_t row = 0; row < slices.size(); ++row)
            if (const auto found = byName.find(trace.nameOf(slices.name[row]));
                found != byName.end()) {
                shapes.ofRow[track.id.value][row]
                    = static_cast<std::uint32_t>(shapes.distinct.size());
                shapes.distinct.push_back(found->second);
            }
    }
    return shapes;
}

struct Job
{
    Trace trace = traceFromText(rankText(0) + rankText(1));
    std::shared_ptr<const Graph> graph = std::make_shared<const Graph>(measuredGraph(trace, {}));
    BatchModel model { std::make_shared<const BatchGrowth>(
        batchGrowth(trace, shapesOf(trace), *graph)) };

    Graph scaled(const BatchModel &by, double factor) const
    {
        Strategy settings;
        settings.set({ "batch_scale", static_cast<double>(factor) });
        return scaleCompute(*graph, trace, core::computeChanges(settings), { by, nullptr });
    }
};

/// Of the first op of that name.
std::int64_t microseconds(const Graph &graph, const std::string &name)
{
    for (std::size_t op = 0; op < graph.size(); ++op)
        if (graph.names[graph.name[op].value] == name)
            return graph.durationNs[op] / 1000;
    return -1;
}

std::int64_t sumNs(const Graph &graph)
{
    std::int64_t sum = 0;
    for (const std::int64_t ns : graph.durationNs)
        sum += ns;
    return sum;
}

bool hasReason(const Prediction &result, const std::string &part)
{
    for (const std::string &reason : result.trustReasons)
        if (reason.find(part) != std::string::npos)
            return true;
    return false;
}

} // namespace

class TestBatchGrowth : public QObject
{
    Q_OBJECT

private slots:
    void bytesOfWeightsStay();
    void kernelsHaveTheShapesOfTheirOps();
    void theSameBatchChangesNothing();
    void timeGrowsWithTheBatch();
    void whatHasNoShapesGrowsAndIsNotKnown();
    void workOnWeightsAloneStays();
    void theIntervalHoldsBothReadings();
    void withoutShapesTheIntervalHoldsTheUnchangedJob();
};

void TestBatchGrowth::bytesOfWeightsStay()
{
    const Job job;
    const Graph twice = job.scaled(job.model, 2);
    QCOMPARE(microseconds(twice, "aten::linear"), 1200 + 2 * 2800);
    QCOMPARE(microseconds(twice, "aten::mm"), 800 + 2 * 1200);
    QCOMPARE(microseconds(twice, "aten::gelu"), 200);
    QCOMPARE(microseconds(twice, "aten::mul_"), 800);
    const Graph half = job.scaled(job.model, 0.5);
    QCOMPARE(microseconds(half, "aten::linear"), 1200 + 2800 / 2);
    // All patterns have one rate: nothing is unsure but whether bytes are hidden.
    const FixedTime fixed = fixedTimeOf(*job.graph, job.model);
    QVERIFY(std::abs(fixed.likely - 2.0 / 6.1) < 1e-3);
    QVERIFY(std::abs(fixed.most - fixed.likely) < 1e-6);
}

void TestBatchGrowth::kernelsHaveTheShapesOfTheirOps()
{
    // Passes: mul_ two, zero_ one, the product over its weights one: 0.4 ms of 2 in two kernels.
    const Trace trace = traceFromText("rank 0\n"
                                      "iteration 0 0 10000\n"
                                      "thread main\n"
                                      "aten::addmm 0 5 bytes=4260000 ext=1 phase=forward\n"
                                      "cudaLaunchKernel 1 1 runtime corr=4\n"
                                      "aten::mul_ 10 5 bytes=4000000 ext=2 phase=optimizer\n"
                                      "aten::zero_ 20 5 bytes=4000000 ext=3 phase=optimizer\n"
                                      "stream 7 gpu=0\n"
                                      "gemm 100 1500 ext=1 phase=forward\n"
                                      "splitK 1700 500 corr=4 phase=forward\n"
                                      "other 2500 100 phase=forward\n"
                                      "elementwise 3000 800 ext=2 phase=optimizer\n"
                                      "fill 4000 400 ext=3 phase=optimizer\n");
    const Graph graph = measuredGraph(trace, {});
    const BatchModel model { std::make_shared<const BatchGrowth>(
        batchGrowth(trace, shapesOf(trace), graph)) };
    Strategy settings;
    settings.set({ "batch_scale", 2 });
    const Graph twice
        = scaleCompute(graph, trace, core::computeChanges(settings), { model, nullptr });
    QCOMPARE(microseconds(twice, "gemm"), 300 + 2 * 1200);
    QCOMPARE(microseconds(twice, "splitK"), 100 + 2 * 400);
    QCOMPARE(microseconds(twice, "other"), 200);
    const Graph least = scaleCompute(graph, trace, core::computeChanges(settings),
                                     { model.read(BatchReading::LeastGrows), nullptr });
    QCOMPARE(microseconds(least, "gemm"), 300 + 2 * 1200);
    QCOMPARE(microseconds(least, "other"), 100); // its shapes are not known
}

void TestBatchGrowth::theSameBatchChangesNothing()
{
    const Job job;
    for (const BatchReading reading :
         { BatchReading::Likely, BatchReading::AllGrows, BatchReading::LeastGrows })
        QVERIFY(job.scaled(job.model.read(reading), 1).durationNs == job.graph->durationNs);
    QVERIFY(job.scaled({}, 1).durationNs == job.graph->durationNs);
}

void TestBatchGrowth::timeGrowsWithTheBatch()
{
    const Job job;
    std::int64_t last = 0;
    for (const double factor : { 0.01, 0.1, 0.5, 0.9, 1.0, 1.1, 2.0, 10.0, 100.0 }) {
        const std::int64_t likely = sumNs(job.scaled(job.model, factor));
        QVERIFY(likely > last);
        last = likely;
        const auto least = sumNs(job.scaled(job.model.read(BatchReading::LeastGrows), factor));
        const auto all = sumNs(job.scaled(job.model.read(BatchReading::AllGrows), factor));
        QVERIFY(factor < 1 ? all < likely : least <= likely);
        QVERIFY(factor > 1 ? all > likely : least >= likely);
    }
}

void TestBatchGrowth::whatHasNoShapesGrowsAndIsNotKnown()
{
    const Job job;
    QCOMPARE(microseconds(job.scaled({}, 2), "aten::linear"), 8000);
    const BatchModel least = BatchModel {}.read(BatchReading::LeastGrows);
    QCOMPARE(microseconds(job.scaled(least, 2), "aten::linear"), 4000);
    // Without ops that only pass over memory its rate is not known.
    const BatchGrowth none = batchGrowth(
        job.trace, shapesOf(job.trace, { *ShapesOf.find("aten::addmm") }), *job.graph);
    QVERIFY(none.empty());
}

void TestBatchGrowth::workOnWeightsAloneStays()
{
    Job job;
    std::map<std::string, Shapes> shapes = ShapesOf;
    shapes["aten::gelu"] = { { 1000, 1000 } }; // a cast of the weights, say
    job.model.growth = std::make_shared<const BatchGrowth>(
        batchGrowth(job.trace, shapesOf(job.trace, shapes), *job.graph));
    QCOMPARE(microseconds(job.scaled(job.model, 2), "aten::gelu"), 100);
}

void TestBatchGrowth::theIntervalHoldsBothReadings()
{
    Job job;
    job.trace.shapes = std::make_shared<const OpShapes>(shapesOf(job.trace));
    const Prediction result
        = tests::predict(job.trace, job.graph, parseStrategy({ "batch_scale=2" }), {});
    const Job linear;
    const Prediction all
        = tests::predict(linear.trace, linear.graph, parseStrategy({ "batch_scale=2" }), {});
    QVERIFY(result.predictedNs < all.predictedNs);
    QVERIFY(result.ciHighNs >= all.predictedNs);
    QVERIFY(hasReason(result, "spent on weights"));
}

void TestBatchGrowth::withoutShapesTheIntervalHoldsTheUnchangedJob()
{
    const Job job;
    const Prediction unchanged = tests::predict(job.trace, job.graph, {}, {});
    for (const char *word : { "batch_scale=2", "batch_scale=0.5" }) {
        const Prediction result = tests::predict(job.trace, job.graph, parseStrategy({ word }), {});
        QVERIFY(result.ciLowNs <= unchanged.predictedNs);
        QVERIFY(result.ciHighNs >= unchanged.predictedNs);
        QVERIFY(hasReason(result, "is not known"));
        QVERIFY(result.trust >= TrustLevel::Fair);
    }
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestBatchGrowth)
#include "tst_batch_growth.moc"
