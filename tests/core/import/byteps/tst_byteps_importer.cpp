#include "core/import/byteps/byteps_importer.h"
#include "tests/support/golden_text.h"
#include "tests/support/memory_entry.h"
#include "tests/support/recording_sink.h"
#include "tests/support/shared_data.h"

#include <QTest>

#include <algorithm>

using tests::MemoryEntry;
using tests::RecordingSink;

namespace {

const core::BytePsImporter &importer()
{
    static const core::BytePsImporter theImporter;
    return theImporter;
}

std::ptrdiff_t notesOf(const RecordingSink &sink, std::string_view what)
{
    return std::count_if(sink.notes().begin(), sink.notes().end(),
                         [what](const std::string &note) { return note.starts_with(what); });
}

} // namespace

class BytePsImporterTest : public QObject
{
    Q_OBJECT

private slots:
    void tensorsAreCollectivesAndPushAndPullAreTransfers()
    {
        const std::string json = tests::fileText("byteps/root.json");
        QVERIFY(importer().recognizes("comm.json", json));
        MemoryEntry entry(json);
        entry.setName("traces/1/comm.json");
        RecordingSink sink;
        importer().read(entry, sink, {});
        const QString difference
            = tests::differenceFromGolden("byteps/root.txt", sink.text() + sink.diagnosticsText());
        QVERIFY2(difference.isEmpty(), qPrintable(difference));
    }

    void ranksOfLaterHostsComeAfterThoseOfTheEarlier_data()
    {
        QTest::addColumn<QByteArray>("name");
        QTest::addColumn<int>("rank");
        QTest::newRow("one host") << QByteArray("traces/2/comm.json") << 2;
        QTest::newRow("first host") << QByteArray("run/traces_0/1/comm.json") << 1;
        QTest::newRow("second host, the first has three")
            << QByteArray("run/host1/1/comm.json") << 4;
        QTest::newRow("third host, the second is missing")
            << QByteArray("run/host2/0/comm.json") << 4;
        QTest::newRow("a run with a number is no host") << QByteArray("run7/0/comm.json") << 0;
        QTest::newRow("no local rank") << QByteArray("run/comm.json") << -1;
        QTest::newRow("a date is no local rank") << QByteArray("run/20240101/comm.json") << -1;
    }
    void ranksOfLaterHostsComeAfterThoseOfTheEarlier()
    {
        QFETCH(QByteArray, name);
        QFETCH(int, rank);
        MemoryEntry entry(R"({"traceEvents": []})");
        entry.setName(name.toStdString());
        for (const char *local : { "0", "1", "2" })
            entry.addOther(std::string("../../host0/") + local + "/comm.json", "");
        RecordingSink sink;
        importer().read(entry, sink, {});
        QCOMPARE(sink.worker().rank.value_or(-1), rank);
    }

    void otherTracesAreNotTaken()
    {
        QVERIFY(!importer().recognizes("comm.json", ""));
        QVERIFY(!importer().recognizes("comm.json",
                                       R"({"traceEvents": [{"pid": 1, "name": "Comm.a"}])"));
        QVERIFY(!importer().recognizes("comm.json", R"([{"pid": "Comm.a"}])"));
        QVERIFY(!importer().recognizes("comm.json", R"({"traceEvents": [{"pid")"));
    }

    void damageCostsTheDamagedEvent()
    {
        const std::string json = R"({"traceEvents": [
            {"ph": "X", "pid": "Comm.a", "tid": "total", "ts": 1},
            {"ph": "X", "pid": "Comm.a", "name": "Comm.a.PUSH", "tid": "x", "ts": 1, "dur": 1},
            {"ph": "X", "pid": "Comm.a", "name": "Comm.a", "tid": "total", "ts")";
        MemoryEntry entry(json);
        RecordingSink sink;
        importer().read(entry, sink, {});
        QCOMPARE(sink.sliceCount(), std::uint64_t { 1 });
        QCOMPARE(sink.diagnosticsText(),
                 "bad-time error 1 at=" + std::to_string(json.find("{\"ph\""))
                     + "\ntruncated-file error 1 at=" + std::to_string(json.rfind('{')) + "\n");
    }

    void realTimelinesOfFourLocalRanksAreReadWhole_data()
    {
        // Counted with Python's json module: 8 tensors.
        QTest::addColumn<int>("rank");
        QTest::addColumn<int>("events");
        QTest::newRow("0") << 0 << 704;
        QTest::newRow("1") << 1 << 704;
        QTest::newRow("2") << 2 << 704;
        QTest::newRow("the root") << 3 << 660;
    }
    void realTimelinesOfFourLocalRanksAreReadWhole()
    {
        const auto shared = tests::sharedData();
        if (!shared)
            QSKIP("needs the shared traces: set LONGPOLE_SHARED");
        QFETCH(int, rank);
        const auto bundle = core::openBundle({ *shared / "data/real/byteps/traces" });
        const auto entry = bundle->open(static_cast<std::size_t>(rank));
        RecordingSink sink;
        importer().read(*entry, sink, {});
        QCOMPARE(sink.diagnosticsText(), std::string(rank == 3 ? "" : "no-push-pull info 1\n"));
        QCOMPARE(sink.worker().rank, std::optional<int>(rank));
        QTEST(static_cast<int>(sink.counts().at("Comm")), "events");
        QTEST(static_cast<int>(sink.sliceCount()), "events");
        QCOMPARE(notesOf(sink, "tensor "), std::ptrdiff_t { 8 });
        const std::string text = sink.text();
        std::size_t transfers = 0;
        for (std::size_t at = text.find("/round "); at != std::string::npos;
             at = text.find("/round ", at + 1))
            ++transfers;
        QCOMPARE(transfers, std::size_t { rank == 3 ? 176U : 0U });
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(BytePsImporterTest)
#include "tst_byteps_importer.moc"
