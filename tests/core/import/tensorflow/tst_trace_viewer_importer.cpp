#include "core/import/tensorflow/trace_viewer_importer.h"
#include "tests/support/golden_text.h"
#include "tests/support/memory_entry.h"
#include "tests/support/recording_sink.h"

#include <QTest>

using tests::RecordingSink;

namespace {

const core::TraceViewerImporter &importer()
{
    static const core::TraceViewerImporter theImporter;
    return theImporter;
}

RecordingSink imported(const std::string &json)
{
    tests::MemoryEntry entry(json);
    entry.setName("run/host-a.trace.json.gz");
    RecordingSink sink;
    importer().read(entry, sink, {});
    return sink;
}

std::string traceOf(std::uint64_t events)
{
    std::string json = R"({"metadata":{"highres-ticks":true},"traceEvents":[)"
                       R"({"ph":"M","pid":1,"name":"process_name","args":{"name":"/host:CPU"}})";
    for (std::uint64_t i = 0; i < events; ++i)
        json += R"(,{"ph":"X","pid":1,"tid":1,"ts":1,"dur":1,"name":"a"})";
    return json + "]}";
}

} // namespace

class TraceViewerImporterTest : public QObject
{
    Q_OBJECT

private slots:
    void everyKindOfRecordBecomesWhatItMeans()
    {
        const std::string json = tests::fileText("trace_viewer/host-a.trace.json");
        QVERIFY(importer().recognizes("x", json));
        RecordingSink sink = imported(json);
        const QString difference = tests::differenceFromGolden(
            "trace_viewer/host-a.txt", sink.text() + sink.diagnosticsText());
        QVERIFY2(difference.isEmpty(), qPrintable(difference));
    }

    /// The writer closes its list with it; it was an event without a phase, with a warning, and a
    /// trace that was cut had one event too many to be told as such.
    void theClosingObjectIsNoEvent()
    {
        const std::string json = traceOf(1);
        const std::string closed = json.substr(0, json.size() - 2) + ",{}]}";
        const RecordingSink sink = imported(closed);
        QCOMPARE(QByteArray::fromStdString(sink.diagnosticsText()), QByteArray());
        QCOMPARE(sink.text(), imported(json).text());
    }

    void aMillionEventsAreATraceThatWasCut()
    {
        const std::uint64_t limit = core::TraceViewerImporter::EventLimit;
        QCOMPARE(QByteArray::fromStdString(imported(traceOf(limit)).diagnosticsText()),
                 QByteArray("capped-trace warning 1\n"));
        QCOMPARE(QByteArray::fromStdString(imported(traceOf(limit - 1)).diagnosticsText()),
                 QByteArray());
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TraceViewerImporterTest)
#include "tst_trace_viewer_importer.moc"
