#include "core/base/error.h"
#include "core/import/tf_ops.h"
#include "core/import/tf_stepstats_importer.h"
#include "tests/support/golden_text.h"
#include "tests/support/memory_entry.h"
#include "tests/support/protobuf_writer.h"
#include "tests/support/recording_sink.h"

#include <QTest>

using tests::ProtobufWriter;
using tests::RecordingSink;

namespace {

const core::TfStepStatsImporter &importer()
{
    static const core::TfStepStatsImporter theImporter;
    return theImporter;
}

RecordingSink imported(const std::string &bytes, std::size_t blockSize = 1 << 20)
{
    tests::MemoryEntry entry(bytes, blockSize);
    RecordingSink sink;
    importer().read(entry, sink, {});
    return sink;
}

constexpr std::uint64_t StepStartUs = 1'500'000'000'000'000;
constexpr const char *Worker0 = "/job:worker/replica:0/task:0/device:GPU:0";
constexpr const char *Worker0Cpu = "/job:worker/replica:0/task:0/device:CPU:0";
constexpr const char *Server = "/job:ps/replica:0/task:0/device:CPU:0";

/// NodeExecStats with microseconds, as versions before 1.10 write them.
ProtobufWriter node(const std::string &name, std::uint64_t offsetUs, std::uint64_t durationUs,
                    const std::string &label, std::uint64_t thread = 0)
{
    return ProtobufWriter()
        .bytes(1, name)
        .number(2, StepStartUs + offsetUs)
        .number(4, 1)
        .number(5, durationUs)
        .bytes(8, label)
        .number(10, thread);
}

ProtobufWriter device(const std::string &name, const std::vector<ProtobufWriter> &nodes)
{
    ProtobufWriter stats;
    stats.bytes(1, name);
    for (const ProtobufWriter &one : nodes)
        stats.message(2, one);
    return stats;
}

ProtobufWriter textAttribute(const std::string &key, const std::string &value)
{
    return ProtobufWriter().bytes(1, key).message(2, ProtobufWriter().bytes(2, value));
}

ProtobufWriter nodeDef(const std::string &name, const std::string &op, const std::string &onDevice,
                       const std::vector<std::string> &inputs)
{
    ProtobufWriter def;
    def.bytes(1, name).bytes(2, op);
    for (const std::string &input : inputs)
        def.bytes(3, input);
    return def.bytes(4, onDevice);
}

/// A _Send or _Recv node of an edge between two devices.
ProtobufWriter cutEdge(const std::string &name, const std::string &op, const std::string &from,
                       const std::string &to, const std::string &tensor, const std::string &input)
{
    ProtobufWriter def
        = nodeDef(name, op, op == "_Send" ? from : to,
                  input.empty() ? std::vector<std::string>() : std::vector<std::string> { input });
    return def.message(5, textAttribute("tensor_name", tensor))
        .message(5, textAttribute("send_device", from))
        .message(5, textAttribute("recv_device", to));
}

/// One step of a worker with a GPU and of a parameter server.
ProtobufWriter stepStats()
{
    ProtobufWriter relu = node("relu", 40, 10, "relu = Relu(dense/MatMul)", 3);
    relu.number(13, (StepStartUs + 40) * 1000 + 7).number(16, 10'003);
    relu.message(6,
                 ProtobufWriter()
                     .bytes(1, "GPU_0_bfc")
                     .number(2, 512)
                     .message(6, ProtobufWriter().number(1, StepStartUs + 41).number(2, 512))
                     .message(6,
                              ProtobufWriter()
                                  .number(1, StepStartUs + 44)
                                  .number(2, static_cast<std::uint64_t>(-512))));
    const std::vector<ProtobufWriter> hostNodes = {
        node("dense/MatMul", 10, 20, "dense/MatMul = MatMul(x:0, w/read, ^init)", 2),
        relu,
        node("g/S1", 60, 2, "g/S1 = _Send(relu)", 2),
        node("RecvTensor", 5, 4, "[4096B] edge_7_w from " + std::string(Server) + " to " + Worker0),
    };
    const std::vector<ProtobufWriter> kernels
        = { node("dense/MatMul:MatMul", 15, 18, "sgemm_128@@dense/MatMul#id=1#") };
    ProtobufWriter stats;
    stats.message(1, device("/device:GPU:0/stream:13", kernels));
    stats.message(1, device("/device:GPU:0/stream:all", kernels));
    stats.message(1,
                  device("/device:GPU:0/memcpy", { node("edge_3_x:MEMCPYHtoD", 12, 1, "4096B") }));
    stats.message(1, device(Worker0, hostNodes));
    stats.message(1, device(Server, { node("g/R1", 70, 5, "g/R1 = _Recv()", 1) }));
    return stats;
}

ProtobufWriter runMetadata()
{
    ProtobufWriter worker;
    worker.message(1, nodeDef("dense/MatMul", "MatMul", Worker0, { "x:0", "w/read", "^init" }));
    worker.message(1, nodeDef("relu", "Relu", Worker0, { "dense/MatMul" }));
    worker.message(1, cutEdge("g/S1", "_Send", Worker0, Server, "edge_9_relu", "relu"));
    worker.message(1, cutEdge("x/S2", "_Send", Worker0Cpu, Worker0, "edge_3_x", "x"));
    worker.message(1, cutEdge("x/S3", "_Recv", Worker0Cpu, Worker0, "edge_3_x", ""));
    ProtobufWriter server;
    server.message(1, cutEdge("g/R1", "_Recv", Worker0, Server, "edge_9_relu", ""));
    server.message(
        1, nodeDef("while/Merge", "Merge", Server, { "while/Enter", "while/NextIteration" }));
    return ProtobufWriter().message(1, stepStats()).message(3, worker).message(3, server);
}

} // namespace

class TfStepStatsImporterTest : public QObject
{
    Q_OBJECT

private slots:
    void everyKindOfRecordBuiltByTheFormatsRulesBecomesWhatItMeans()
    {
        RecordingSink sink = imported(runMetadata().str());
        const QString difference = tests::differenceFromGolden(
            "tensorflow_stepstats/run_metadata.txt", sink.text() + sink.diagnosticsText());
        QVERIFY2(difference.isEmpty(), qPrintable(difference));
    }

    void stepStatsAloneHaveTheDependenciesOfTheirLabels()
    {
        RecordingSink sink = imported(stepStats().str());
        QCOMPARE(sink.sliceCount(), 8U);
        QByteArray dependencies;
        for (const std::string &note : sink.notes()) {
            if (note.starts_with("dependency "))
                dependencies += QByteArray::fromStdString(note.substr(11)) + '\n';
        }
        QCOMPARE(dependencies,
                 QByteArray("data \"x\" -> \"dense/MatMul\"\ndata \"w/read\" -> \"dense/MatMul\"\n"
                            "control \"init\" -> \"dense/MatMul\"\n"
                            "data \"dense/MatMul\" -> \"relu\"\ndata \"relu\" -> \"g/S1\"\n"));
    }

    void blocksOfAnySizeGiveTheSame()
    {
        const std::string whole = imported(runMetadata().str()).text();
        QCOMPARE(imported(runMetadata().str(), 1).text(), whole);
        QCOMPARE(imported(runMetadata().str(), 5).text(), whole);
    }

    void isRecognisedByTheFirstDevice()
    {
        const auto recognizes
            = [](const std::string &head) { return importer().recognizes("x", head); };
        QVERIFY(recognizes(runMetadata().str()));
        QVERIFY(recognizes(stepStats().str()));
        QVERIFY(!recognizes(device(Worker0, {}).str()));
        QVERIFY(!recognizes(ProtobufWriter().bytes(1, "0.0.2").str()));
        QVERIFY(!recognizes(std::string(100, '\x0a')));
        QVERIFY(!recognizes(""));
        QVERIFY_THROWS_EXCEPTION(core::Error, imported("x"));
    }

    void anyCutAndAnyChangedByteIsSurvived()
    {
        const std::string whole = runMetadata().str();
        for (std::size_t i = 0; i < whole.size(); ++i) {
            for (const char byte : { '\x00', '\x7f', '\xff' }) {
                std::string changed = whole;
                changed[i] = byte;
                for (const std::string &text : { changed, whole.substr(0, i) }) {
                    try {
                        imported(text);
                    } catch (const core::Error &) {
                        QVERIFY(i < 16); // of the head only
                    }
                }
            }
        }
    }

    void devicesAreNamedByTaskAndStream_data()
    {
        QTest::addColumn<QByteArray>("name");
        QTest::addColumn<QByteArray>("says");
        const auto row = [](const char *name, const char *says) {
            QTest::newRow(name) << QByteArray(name) << QByteArray(says);
        };
        row("/job:worker/replica:0/task:3/device:GPU:1", "worker 3 host 1 ");
        row("/job:ps/replica:0/task:1/device:CPU:0", "ps 1 host - ");
        row("/job:localhost/replica:0/task:0/device:XLA_CPU:0", "localhost 0 host - ");
        row("/device:GPU:2/stream:13", " 0 stream 2 13");
        row("/device:GPU:2/stream:all", " 0 collected 2 ");
        row("/gpu:0/memcpy", " 0 collected 0 ");
        row("/job:worker/task:99999999999/gpu:x", "worker 0 host - ");
        row("", " 0 host - ");
        row("////", " 0 host - ");
    }
    void devicesAreNamedByTaskAndStream()
    {
        QFETCH(QByteArray, name);
        QFETCH(QByteArray, says);
        const core::TfDevice device = core::tfDevice(name.toStdString());
        const QByteArray row = device.row == core::TfDevice::Row::Host ? "host"
            : device.row == core::TfDevice::Row::Stream                ? "stream"
                                                                       : "collected";
        const QByteArray accelerator
            = device.accelerator ? QByteArray::number(*device.accelerator) : "-";
        QCOMPARE(QByteArray::fromStdString(device.job) + ' ' + QByteArray::number(device.task) + ' '
                     + row + ' ' + accelerator + ' ' + QByteArray::fromStdString(device.stream),
                 says);
    }

    void collectivesAreKnownByTheirOperator_data()
    {
        QTest::addColumn<QByteArray>("op");
        QTest::addColumn<QByteArray>("kind");
        const auto row = [](const char *op, const char *kind) {
            QTest::newRow(op) << QByteArray(op) << QByteArray(kind);
        };
        row("HorovodAllreduce", "all_reduce");
        row("HorovodGroupedAllreduce", "all_reduce");
        row("HorovodBroadcast", "broadcast");
        row("HorovodReducescatter", "reduce_scatter");
        row("HorovodSize", "");
        row("NcclAllReduce", "all_reduce");
        row("_NcclBroadcastSend", "broadcast");
        row("CollectiveReduceV2", "all_reduce");
        row("CollectiveReduceScatterV2", "reduce_scatter");
        row("CollectiveGather", "all_gather");
        row("CollectiveBcastRecv", "broadcast");
        row("CollectiveInitializeCommunicator", "");
        row("BytepsPushPull", "all_reduce");
        row("XlaAllReduce", "all_reduce");
        row("XlaSend", "");
        row("AllReduceSum", "");
        row("MatMul", "");
    }
    void collectivesAreKnownByTheirOperator()
    {
        QFETCH(QByteArray, op);
        QFETCH(QByteArray, kind);
        const std::string name = op.toStdString();
        QCOMPARE(QByteArray::fromStdString(std::string(core::tfCollective(name).value_or(""))),
                 kind);
    }
};

QTEST_GUILESS_MAIN(TfStepStatsImporterTest)
#include "tst_tf_stepstats_importer.moc"
