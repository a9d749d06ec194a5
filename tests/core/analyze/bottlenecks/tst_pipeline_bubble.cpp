#include "core/analyze/diagnosis.h"
#include "core/change/change_text.h"
#include "core/fit/links/measured_graph.h"
#include "tests/support/predict.h"
#include "tests/support/trace_builder.h"

#include <QtTest>

using namespace core;

namespace {

constexpr std::int64_t Ms = 1'000'000;

/// Two stages and one micro-batch in each of three iterations of 100 ms, each stage on a stream of
/// its own. What is sent takes 10 ms:
///
///     rank 0  forward 0-20 | send 20-30 | wait 30-50, receive 50-60 | backward 60-80 | update -100
///     rank 1  wait 0-20, receive 20-30 | both passes 30-50 | send 50-60 | update 60-100
Trace twoStages(const std::string &group)
{
    std::string stages[2] = { "rank 0\n", "rank 1\n" };
    std::string streams[2] = { "stream 7 gpu=0\n", "stream 7 gpu=0\n" };
    for (int i = 0; i < 3; ++i) {
        const auto at = [i](int ms, int durationMs) {
            return " " + std::to_string((i * 100 + ms) * 1000) + " "
                + std::to_string(durationMs * 1000);
        };
        const auto message = [&](const char *kind, const std::string &end, int ms, int durationMs,
                                 const std::string &tensor) {
            return "ncclSendRecv" + at(ms, durationMs) + " comm_kernel kind=" + kind + " group="
                + group + " " + end + " tensor=" + tensor + std::to_string(i) + " bytes=1000000\n";
        };
        for (std::string &stage : stages)
            stage += "iteration " + std::to_string(i) + at(0, 100) + "\n";
        streams[0] += "forward" + at(0, 20) + "\n" + message("send", "to=1", 20, 10, "a")
            + message("recv", "from=1", 30, 30, "g") + "backward" + at(60, 20) + "\nupdate"
            + at(80, 20) + "\n";
        streams[1] += message("recv", "from=0", 0, 30, "a") + "both" + at(30, 20) + "\n"
            + message("send", "to=0", 50, 10, "g") + "update" + at(60, 40) + "\n";
    }
    return tests::traceFromText(stages[0] + streams[0] + stages[1] + streams[1]);
}

Diagnosis diagnosed(const Trace &trace)
{
    return diagnose(trace, std::make_shared<Graph>(measuredGraph(trace, {})), {});
}

const Bottleneck *bubbleIn(const Diagnosis &diagnosis)
{
    for (const Bottleneck &found : diagnosis.bottlenecks)
        if (found.kind == "pipeline-bubble")
            return &found;
    return nullptr;
}

} // namespace

class PipelineBubbleTest : public QObject
{
    Q_OBJECT

private slots:
    void stagesThatDoNotWaitWorkAtTheirOwnPace();
    void withoutMessagesThereIsNoPipeline();
    void whatStagesWaitForEachOtherIsNamed();
    void adviceIsOnTheStagesOfAPipeline();
};

void PipelineBubbleTest::stagesThatDoNotWaitWorkAtTheirOwnPace()
{
    const Trace trace = twoStages("pp");
    const auto graph = std::make_shared<const Graph>(measuredGraph(trace, {}));
    const auto run = [&](const std::vector<std::string> &words) {
        return tests::predict(trace, graph, parseStrategy(words), {});
    };
    QCOMPARE(run({}).predictedNs, 100 * Ms);
    // Each works for 60 ms, and what it receives takes 10 ms.
    const Prediction ideal = run({ "ideal_pipeline=1" });
    QCOMPARE(ideal.ranks[0].predictedNs, 70 * Ms);
    QCOMPARE(ideal.ranks[1].predictedNs, 70 * Ms);
    QCOMPARE(run({ "ideal_pipeline=1", "comm_scale=0" }).predictedNs, 60 * Ms);
    QCOMPARE(run({ "ideal_pipeline=0" }).predictedNs, 100 * Ms);
}

void PipelineBubbleTest::withoutMessagesThereIsNoPipeline()
{
    const Trace trace = tests::traceFromText("rank 0\niteration 0 0 100\niteration 1 100 100\n"
                                             "stream 7 gpu=0\nforward 0 90\nforward 100 90\n");
    const Graph graph = measuredGraph(trace, {});
    const auto reason = tests::obstacle(graph, "ideal_pipeline");
    QVERIFY(reason && reason->find("no messages") != std::string::npos);
    QVERIFY(bubbleIn(diagnosed(trace)) == nullptr);
}

/// The bubble of a pipeline was told as communication that smaller buckets would hide.
void PipelineBubbleTest::whatStagesWaitForEachOtherIsNamed()
{
    const Diagnosis diagnosis = diagnosed(twoStages("pp"));
    const Bottleneck *found = bubbleIn(diagnosis);
    QVERIFY(found != nullptr);
    QCOMPARE(found->gainNs, 30 * Ms);
    QVERIFY2(found->evidence[0].find("20.00 ms of an iteration on average") != std::string::npos,
             found->evidence[0].c_str());
    QVERIFY2(found->evidence[1].starts_with("2 stages; 1 message of activations"),
             found->evidence[1].c_str());
    QVERIFY2(found->evidence[1].find("50 %") < found->evidence[1].find("33 %"),
             found->evidence[1].c_str());
    QVERIFY(found->advice.find("micro-batches") != std::string::npos);
    QCOMPARE(found->range.durationNs(), 20 * Ms);
}

void PipelineBubbleTest::adviceIsOnTheStagesOfAPipeline()
{
    const Diagnosis diagnosis = diagnosed(twoStages("pp"));
    const auto exposed
        = std::find_if(diagnosis.bottlenecks.begin(), diagnosis.bottlenecks.end(),
                       [](const auto &one) { return one.kind == "exposed-communication"; });
    QVERIFY(exposed != diagnosis.bottlenecks.end());
    QVERIFY2(exposed->advice.starts_with("Pipeline parallel: send activations"),
             exposed->advice.c_str());
    QVERIFY(exposed->advice.find("bucket") == std::string::npos);
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(PipelineBubbleTest)
#include "tst_pipeline_bubble.moc"
