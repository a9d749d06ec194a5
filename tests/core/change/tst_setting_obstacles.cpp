#include "core/base/error.h"
#include "core/change/change_text.h"
#include "core/fit/links/link_models.h"
#include "core/fit/links/measured_graph.h"
#include "core/measure/framework.h"
#include "tests/support/predict.h"
#include "tests/support/trace_builder.h"

#include <QtTest>

using namespace core;

namespace {

std::shared_ptr<const Graph> graphOf(const Trace &trace)
{
    return std::make_shared<const Graph>(measuredGraph(trace, {}));
}

/// Two ranks that send each other messages without a size.
Trace onlyMessages()
{
    return tests::traceFromText(R"(
        rank 0
        iteration 0 0 1000
        comm tcp
        SEND~g 100 800 to=1 tensor=g
        rank 1
        iteration 0 0 1000
        comm tcp
        RECV~g 100 800 from=0 tensor=g
    )");
}

/// Two ranks that all-reduce something of unknown size; a host op of this name before it.
Trace withoutSizes(const std::string &op)
{
    std::string text;
    for (int rank = 0; rank < 2; ++rank)
        text += "rank " + std::to_string(rank) + "\niteration 0 0 100\nthread main\n" + op
            + " 0 20\ncomm gloo\ngloo:all_reduce 30 40 kind=all_reduce seq=1\n";
    return tests::traceFromText(text);
}

/// So many ranks, each with a kernel of sends and receives.
Trace sendsOfAll(int ranks)
{
    std::string text;
    for (int rank = 0; rank < ranks; ++rank)
        text += "rank " + std::to_string(rank)
            + "\niteration 0 0 100\nthread main\naten::mm 0 20\nstream 7 gpu=0\nncclSendRecv 30 40 "
              "comm_kernel kind=send_recv bytes=1000\n";
    return tests::traceFromText(text);
}

QString textOf(const std::optional<std::string> &obstacle)
{
    return QString::fromStdString(obstacle.value_or(""));
}

} // namespace

class SettingObstaclesTest : public QObject
{
    Q_OBJECT

private slots:
    void messagesAreNotCalledMissingCollectives();
    void sendsOfAllRanksAreNoMessages_data();
    void sendsOfAllRanksAreNoMessages();
    void adviceIsForTheRecordingsOwnFramework();
    void ofCommunicationAloneNoDdpIsAskedFor();
    void aTimelineOfTensorsIsSaidToLackComputation();
    void misfitsAreSaid();
    void aForwardPassAloneIsSaidToBeOne();
    void theFrameworkIsToldByNames();
    void whatCannotBeChangedIsSaidToBeSo_data();
    void whatCannotBeChangedIsSaidToBeSo();
};

/// Two ranks that sent each other messages were told to import every rank, with collectives.
void SettingObstaclesTest::messagesAreNotCalledMissingCollectives()
{
    const Trace trace = onlyMessages();
    const auto graph = graphOf(trace);
    QCOMPARE(graph->collectives.size(), std::size_t { 1 });
    const auto bandwidth = tests::obstacle(*graph, "bandwidth_mbit");
    const auto expand = tests::obstacle(*graph, "expand");
    QVERIFY2(textOf(bandwidth).contains(QStringLiteral("1 matched message")),
             qPrintable(textOf(bandwidth)));
    QVERIFY(textOf(bandwidth).contains(QStringLiteral("no size is recorded")));
    QVERIFY(textOf(expand).contains(QStringLiteral("messages")));
    try {
        tests::predict(trace, graph, parseStrategy({ "expand=1" }), {});
        QFAIL("it was accepted");
    } catch (const Error &error) {
        QCOMPARE(QString::fromUtf8(error.what()),
                 QStringLiteral("expand cannot be changed on this trace: ") + textOf(expand));
    }
}

void SettingObstaclesTest::sendsOfAllRanksAreNoMessages_data()
{
    QTest::addColumn<int>("ranks");
    QTest::newRow("two ranks") << 2;
    QTest::newRow("four ranks") << 4;
}

/// An all-to-all of sends and receives was said to be no collective, but as with a parameter
/// server.
void SettingObstaclesTest::sendsOfAllRanksAreNoMessages()
{
    QFETCH(const int, ranks);
    const Trace trace = sendsOfAll(ranks);
    const auto graph = graphOf(trace);
    QCOMPARE(graph->collectives.size(), std::size_t { 1 });
    QCOMPARE(graph->collectives[0].parts.size(), static_cast<std::size_t>(ranks));
    const LinkModels links = fitLinks(*graph, trace);
    QCOMPARE(links.size(), std::size_t { 1 });
    const auto obstacle
        = [&](const char *key) { return textOf(tests::obstacle(*graph, key, links, trace)); };
    for (const char *key : { "bucket_cap_mb", "collective", "bandwidth_mbit" })
        QVERIFY2(!obstacle(key).contains(QLatin1String("message")), qPrintable(obstacle(key)));
    QVERIFY2(obstacle("collective").contains(QLatin1String("no all-reduce")),
             qPrintable(obstacle("collective")));
    QVERIFY2(obstacle("world_size").contains(QLatin1String("not recorded who sends to whom")),
             qPrintable(obstacle("world_size")));
    QVERIFY2(obstacle("ideal_pipeline").startsWith(QLatin1String("no messages")),
             qPrintable(obstacle("ideal_pipeline")));
    QVERIFY(obstacle("expand").isEmpty());
}

/// Recordings of BytePS were told how to record with PyTorch's profiler.
void SettingObstaclesTest::adviceIsForTheRecordingsOwnFramework()
{
    const QString ofTorch
        = textOf(tests::obstacle(*graphOf(withoutSizes("aten::mm")), "bandwidth_mbit"));
    QVERIFY2(ofTorch.contains(QStringLiteral("torch.profiler: record_shapes=True")),
             qPrintable(ofTorch));
    for (const char *op : { "solve", "ExecutorState::Process" }) {
        const auto graph = graphOf(withoutSizes(op));
        const QString bandwidth = textOf(tests::obstacle(*graph, "bandwidth_mbit"));
        QVERIFY2(bandwidth.contains(QStringLiteral("no size is recorded")), qPrintable(bandwidth));
        for (const char *key : { "bandwidth_mbit", "collective", "host_overhead_scale",
                                 "input_scale", "latency_us", "world_size" }) {
            const QString text = textOf(tests::obstacle(*graph, key));
            QVERIFY2(!text.contains(QStringLiteral("torch")), qPrintable(text));
        }
        QVERIFY(!tests::obstacle(*graph, "expand"));
    }
}

/// A timeline of Horovod was told to be recorded as a job of DDP.
void SettingObstaclesTest::ofCommunicationAloneNoDdpIsAskedFor()
{
    std::string text;
    for (const char *rank : { "0", "1" })
        text += std::string("rank ") + rank
            + "\niteration 0 0 100\ncomm horovod\nALLREDUCE 30 40 kind=all_reduce bytes=1000 "
              "seq=1\n";
    const QString obstacle
        = textOf(tests::obstacle(*graphOf(tests::traceFromText(text)), "cycle_time_ms"));
    QVERIFY2(obstacle.contains(QLatin1String("no computation is recorded")), qPrintable(obstacle));
    QVERIFY2(!obstacle.contains(QLatin1String("DDP")), qPrintable(obstacle));
}

/// A timeline of Horovod that names tensors was said to have no buckets, "as the program chooses".
void SettingObstaclesTest::aTimelineOfTensorsIsSaidToLackComputation()
{
    Graph graph = *graphOf(withoutSizes("solve"));
    graph.collectives.front().tensor = "w";
    QVERIFY(textOf(tests::obstacle(graph, "cycle_time_ms"))
                .contains(QLatin1String("tensor by tensor")));
    std::replace(graph.kind.begin(), graph.kind.end(), OpKind::Compute, OpKind::Host);
    QVERIFY(textOf(tests::obstacle(graph, "cycle_time_ms"))
                .startsWith(QLatin1String("no computation is recorded")));
}

/// What did not fit stood in a note, and the refusal said that nothing was there.
void SettingObstaclesTest::misfitsAreSaid()
{
    Graph graph = *graphOf(withoutSizes("aten::mm"));
    graph.gradientMisfit = "an all-reduce begins too early (rank 0, iteration 4)";
    QCOMPARE(textOf(tests::obstacle(graph, "bucket_cap_mb")),
             QStringLiteral("its gradients and all-reduces do not fit together as PyTorch DDP's "
                            "buckets: an all-reduce begins too early (rank 0, iteration 4)."));
}

/// Recordings of TorchRec's forward pass were told to be recorded with DistributedDataParallel.
void SettingObstaclesTest::aForwardPassAloneIsSaidToBeOne()
{
    const QString text = textOf(tests::obstacle(
        *graphOf(withoutSizes("DistributedDataParallel.forward")), "bucket_cap_mb"));
    QVERIFY2(text.contains(QLatin1String("no backward pass is recorded")), qPrintable(text));
}

void SettingObstaclesTest::theFrameworkIsToldByNames()
{
    QVERIFY(frameworkOf({ "main", "aten::mm" }) == Framework::PyTorch);
    QVERIFY(frameworkOf({ "ExecutorState::Process" }) == Framework::TensorFlowOrJax);
    QVERIFY(frameworkOf({ "Comm.byteps.gradient_0.PUSH" }) == Framework::Unknown);
}

void SettingObstaclesTest::whatCannotBeChangedIsSaidToBeSo_data()
{
    QTest::addColumn<QString>("setting");
    for (const char *setting :
         { "schedule=wfbp", "schedule=p3", "bucket_cap_mb=5", "fusion_threshold_bytes=1000000",
           "cycle_time_ms=2", "first_bucket_mb=2", "bandwidth_mbit:1=300", "partition_bytes=1000",
           "bandwidth_scale=2", "latency_us=5", "world_size=4", "collective=tree" })
        QTest::newRow(setting) << QString::fromLatin1(setting);
}

/// "schedule: there are no DDP buckets." told a fact, and not that nothing was predicted; "The
/// network cannot be changed" did not name the setting.
void SettingObstaclesTest::whatCannotBeChangedIsSaidToBeSo()
{
    QFETCH(const QString, setting);
    const Trace trace = withoutSizes("aten::mm");
    try {
        tests::predict(trace, graphOf(trace), parseStrategy({ setting.toStdString() }), {});
        QFAIL("it was accepted");
    } catch (const Error &error) {
        const QString text = QString::fromUtf8(error.what());
        const QString key = setting.section(QLatin1Char('='), 0, 0);
        QVERIFY2(text.startsWith(key + QStringLiteral(" cannot be changed ")), qPrintable(text));
        QVERIFY2(text.contains(QStringLiteral(" on this trace: ")), qPrintable(text));
    }
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(SettingObstaclesTest)
#include "tst_setting_obstacles.moc"
