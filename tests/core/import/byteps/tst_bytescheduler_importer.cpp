#include "core/import/byteps/bytescheduler_importer.h"
#include "tests/support/golden_text.h"
#include "tests/support/memory_entry.h"
#include "tests/support/recording_sink.h"
#include "tests/support/shared_data.h"

#include <QTest>

#include <algorithm>

using tests::MemoryEntry;
using tests::RecordingSink;

namespace {

const core::ByteSchedulerImporter &importer()
{
    static const core::ByteSchedulerImporter theImporter;
    return theImporter;
}

std::ptrdiff_t notesOf(const RecordingSink &sink, std::string_view what)
{
    return std::count_if(sink.notes().begin(), sink.notes().end(),
                         [what](const std::string &note) { return note.starts_with(what); });
}

} // namespace

class ByteSchedulerImporterTest : public QObject
{
    Q_OBJECT

private slots:
    void communicationAndQueueingOfATensorAreKeptApart()
    {
        const std::string json = tests::fileText("bytescheduler/worker.json");
        QVERIFY(importer().recognizes("timeline.json", json));
        MemoryEntry entry(json);
        RecordingSink sink;
        importer().read(entry, sink, {});
        const QString difference = tests::differenceFromGolden(
            "bytescheduler/worker.txt", sink.text() + sink.diagnosticsText());
        QVERIFY2(difference.isEmpty(), qPrintable(difference));
    }

    void otherTracesAreNotTaken()
    {
        QVERIFY(!importer().recognizes("a.json", ""));
        QVERIFY(!importer().recognizes("a.json", R"([{"ph": "B", "name": "PUSH"}])"));
    }

    void realTimelinesAreReadWhole_data()
    {
        // Counted with Python's json module; the second file ends inside of an event's span.
        QTest::addColumn<QString>("file");
        QTest::addColumn<int>("events");
        QTest::addColumn<int>("slices");
        QTest::addColumn<QByteArray>("lost");
        QTest::newRow("2 rounds") << QStringLiteral("timeline_worker.json") << 2302 << 986
                                  << QByteArray();
        QTest::newRow("60 rounds") << QStringLiteral("timeline_priority.json.gz") << 40585 << 20127
                                   << QByteArray("begin-without-end error 1");
    }
    void realTimelinesAreReadWhole()
    {
        const auto shared = tests::sharedData();
        if (!shared)
            QSKIP("needs the shared traces: set LONGPOLE_SHARED");
        QFETCH(QString, file);
        QFETCH(QByteArray, lost);
        const auto bundle
            = core::openBundle({ *shared / "data/real/byteps/bytescheduler" / file.toStdString() });
        const auto entry = bundle->open(0);
        RecordingSink sink;
        importer().read(*entry, sink, {});
        QTEST(static_cast<int>(sink.counts().at("none")), "events");
        QTEST(static_cast<int>(sink.sliceCount()), "slices");
        QCOMPARE(notesOf(sink, "tensor "), std::ptrdiff_t { 165 });
        QCOMPARE(sink.diagnosticsText().substr(0, static_cast<std::size_t>(lost.size())),
                 lost.toStdString());
        QCOMPARE(sink.diagnostics().hasSkippedInput(), !lost.isEmpty());
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(ByteSchedulerImporterTest)
#include "tst_bytescheduler_importer.moc"
