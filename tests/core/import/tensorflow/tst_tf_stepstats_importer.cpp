#include "core/base/error.h"
#include "core/import/tensorflow/tf_ops.h"
#include "core/import/tensorflow/tf_stepstats_importer.h"
#include "tests/support/golden_text.h"
#include "tests/support/memory_entry.h"
#include "tests/support/recording_sink.h"
#include "tests/support/tf_stepstats_sample.h"

#include <QTest>

using tests::ProtobufWriter;
using tests::RecordingSink;
using namespace tests::tfsample;

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

    void aReceivedTensorWithoutABlankBehindItsSizeKeepsItsWholeName()
    {
        const std::string label = "[8B]\u00e9dge from " + std::string(Server) + " to " + Worker0;
        const std::string bytes
            = ProtobufWriter()
                  .message(1, device(Worker0, { node("RecvTensor", 5, 4, label) }))
                  .str();
        RecordingSink sink = imported(bytes + stepStats().str());
        const std::string text = sink.text();
        QVERIFY2(text.find("\"\u00e9dge\"") != std::string::npos, text.c_str());
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

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TfStepStatsImporterTest)
#include "tst_tf_stepstats_importer.moc"
