#include "core/import/importer.h"
#include "core/import/tensorflow/tf_timeline_importer.h"
#include "tests/support/golden_text.h"
#include "tests/support/memory_entry.h"
#include "tests/support/recording_sink.h"
#include "tests/support/shared_data.h"

#include <QTest>

#include <algorithm>

using tests::RecordingSink;

namespace {

const core::TfTimelineImporter &importer()
{
    static const core::TfTimelineImporter theImporter;
    return theImporter;
}

RecordingSink imported(const QByteArray &json)
{
    tests::MemoryEntry entry(json.toStdString());
    RecordingSink sink;
    importer().read(entry, sink, {});
    return sink;
}

QByteArray sample()
{
    return QByteArray::fromStdString(tests::fileText("tensorflow_timeline/step.json"));
}

} // namespace

class TfTimelineImporterTest : public QObject
{
    Q_OBJECT

private slots:
    void everyKindOfRecordBecomesWhatItMeans()
    {
        RecordingSink sink = imported(sample());
        const QString difference = tests::differenceFromGolden(
            "tensorflow_timeline/step.txt", sink.text() + sink.diagnosticsText());
        QVERIFY2(difference.isEmpty(), qPrintable(difference));
    }

    /// Dependencies past the bound were left out without a word.
    void inputsPastTheBoundAreCounted()
    {
        for (const int inputs : { 10'000, 10'001 }) {
            QByteArray json = R"({"traceEvents": [{"name": "process_name", "ph": "M", "pid": 1,
                "args": {"name": "/job:localhost/replica:0/task:0/device:CPU:0 Compute"}},
                {"ph": "X", "cat": "Op", "name": "AddN", "pid": 1, "tid": 0, "ts": 1, "dur": 1,
                 "args": {"name": "sum", "op": "AddN")";
            for (int i = 0; i < inputs; ++i)
                json += ", \"input" + QByteArray::number(i) + "\": \"n" + QByteArray::number(i)
                    + "\"";
            const RecordingSink sink = imported(json + "}}]}");
            QCOMPARE(QByteArray::fromStdString(sink.diagnosticsText()),
                     QByteArray(inputs > 10'000 ? "too-many-inputs warning 1\n" : ""));
        }
    }

    void isRecognisedByItsDevices_data()
    {
        QTest::addColumn<QByteArray>("head");
        QTest::addColumn<bool>("isTimeline");
        QTest::newRow("sample") << sample() << true;
        QTest::newRow("torch.profiler")
            << QByteArray(R"({"schemaVersion": 1, "traceEvents": [{"cat": "cpu_op"}]})") << false;
        QTest::newRow("trace viewer") << QByteArray(
            R"({"metadata":{"highres-ticks":true},"traceEvents":[{"name":"/device:GPU:0"}]})")
                                      << false;
        QTest::newRow("empty") << QByteArray() << false;
    }
    void isRecognisedByItsDevices()
    {
        QFETCH(QByteArray, head);
        QFETCH(bool, isTimeline);
        QCOMPARE(importer().recognizes("x", head.toStdString()), isTimeline);
    }

    void anyCutIsSurvived()
    {
        const QByteArray whole = sample();
        for (qsizetype i = whole.indexOf('['); i < whole.size(); ++i)
            imported(whole.left(i + 1));
    }

    /// Counted by a script with another JSON reader.
    void aRealTimelineHasTheEventsThatAnotherReaderCounts()
    {
        const auto shared = tests::sharedData();
        if (!shared)
            QSKIP("needs the shared traces: set LONGPOLE_SHARED");
        const auto bundle = core::openBundle({ *shared / "data/real/tensorflow-timeline" });
        RecordingSink sink;
        importer().read(*bundle->open(0), sink, {});
        QCOMPARE(sink.counts().at("Op"), 9920U);
        QCOMPARE(sink.counts().at("DataFlow"), 78U);
        QCOMPARE(sink.counts().at("none"), 21U);
        QCOMPARE(sink.sliceCount(), 9920U);
        QCOMPARE(sink.workerCount(), std::size_t(1));
        const auto isDependency
            = [](const std::string &note) { return note.starts_with("dependency "); };
        QCOMPARE(std::count_if(sink.notes().begin(), sink.notes().end(), isDependency), 475);
        QCOMPARE(QByteArray::fromStdString(sink.diagnosticsText()), QByteArray());
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TfTimelineImporterTest)
#include "tst_tf_timeline_importer.moc"
