#include "core/import/horovod/horovod_importer.h"
#include "tests/support/golden_text.h"
#include "tests/support/memory_entry.h"
#include "tests/support/recording_sink.h"
#include "tests/support/shared_data.h"

#include <QTest>

#include <algorithm>

using tests::MemoryEntry;
using tests::RecordingSink;

namespace {

const core::HorovodImporter &importer()
{
    static const core::HorovodImporter theImporter;
    return theImporter;
}

RecordingSink imported(const std::string &json, const std::string &name = "timeline.json")
{
    MemoryEntry entry(json);
    entry.setName(name);
    RecordingSink sink;
    importer().read(entry, sink, {});
    return sink;
}

std::size_t occurrences(const std::string &text, const std::string &word)
{
    std::size_t count = 0;
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
        ++count;
    return count;
}

constexpr const char *Prefix = R"([{"ph":"B","name":"NEGOTIATE_ALLREDUCE","ts":1,"pid":1})";

std::string beginEvent(const char *name, int us)
{
    return std::string(R"(,{"ph":"B","name":")") + name + R"(","ts":)" + std::to_string(us)
        + R"(,"pid":1})";
}

std::string endEvent(int us)
{
    return R"(,{"ph":"E","ts":)" + std::to_string(us) + R"(,"pid":1})";
}

/// One of a tensor, without the end of that number.
std::string allReduce(int us, int lostEnd = -1)
{
    const auto end = [lostEnd](int number, int endUs) {
        return number == lostEnd ? std::string() : endEvent(endUs);
    };
    return beginEvent("NEGOTIATE_ALLREDUCE", us) + end(0, us + 5) + beginEvent("ALLREDUCE", us + 10)
        + beginEvent("WAIT_FOR_DATA", us + 10) + end(1, us + 11)
        + beginEvent("NCCL_ALLREDUCE", us + 11) + end(2, us + 20) + end(3, us + 21);
}

} // namespace

class HorovodImporterTest : public QObject
{
    Q_OBJECT

private slots:
    void fusedTensorsAreOneCollectiveOfAllRanksThatWereReady()
    {
        const std::string json = tests::fileText("horovod/two_ranks.json");
        QVERIFY(importer().recognizes("two_ranks.json", json));
        const RecordingSink sink = imported(json);
        const QString difference = tests::differenceFromGolden(
            "horovod/two_ranks.txt", sink.text() + sink.diagnosticsText());
        QVERIFY2(difference.isEmpty(), qPrintable(difference));
    }

    void blueFogNamesItsRankInTheFile()
    {
        const std::string json = tests::fileText("horovod/bluefog3.json");
        QVERIFY(importer().recognizes("bluefog3.json", json));
        const RecordingSink sink = imported(json, "run/bluefog3.json");
        const QString difference = tests::differenceFromGolden(
            "horovod/bluefog3.txt", sink.text() + sink.diagnosticsText());
        QVERIFY2(difference.isEmpty(), qPrintable(difference));
    }

    /// BlueFog's gradients all begin with the backward pass and end layer by layer; they were taken
    /// for stages of communication, and the time as idle.
    void whatBlueFogComputesIsARowOfItsOwn()
    {
        std::string json = "[\n";
        const auto event = [&json](int pid, const char *phase, const char *name, int us) {
            json += "{\"ph\": \"" + std::string(phase) + "\", \"name\": \"" + name + "\", \"ts\": "
                + std::to_string(us) + ", \"pid\": " + std::to_string(pid) + ", \"tid\": 3},\n";
        };
        for (const int pid : { 1, 2, 3 })
            json += "{\"name\": \"process_name\", \"ph\": \"M\", \"pid\": " + std::to_string(pid)
                + ", \"args\": {\"name\": \"allreduce.layer" + std::to_string(pid) + "\"}},\n";
        for (const int pid : { 1, 2, 3 })
            event(pid, "B", "GRADIENT COMPT.", 10 + pid);
        for (const auto &[pid, us] : { std::pair(3, 20), std::pair(2, 50), std::pair(1, 50) })
            event(pid, "E", "", us);
        const RecordingSink sink = imported(json, "bluefog0.json");
        QVERIFY(sink.text().find("host_thread pid=horovod tid=computation \"computation\"\n"
                                 "  13000+7000 cpu_op \"GRADIENT COMPT. allreduce.layer3\"\n"
                                 "  20000+30000 cpu_op \"GRADIENT COMPT. allreduce.layer2\"\n"
                                 "  50000+0 cpu_op \"GRADIENT COMPT. allreduce.layer1\"\n")
                != std::string::npos);
    }

    void aTimelineOfEachRankSpeaksForThatRankOnly()
    {
        const RecordingSink sink
            = imported(tests::fileText("horovod/two_ranks.json"), "run/host0/1/comm.json");
        QCOMPARE(sink.workerCount(), std::size_t { 1 });
        QCOMPARE(sink.worker().rank, std::optional<int>(1));
        QVERIFY(!sink.worker().worldSize);
        QCOMPARE(occurrences(sink.text(), "collective("), std::size_t { 3 });
        QCOMPARE(occurrences(sink.text(), "seq="), std::size_t { 0 });
    }

    void otherTracesAreNotTaken()
    {
        QVERIFY(!importer().recognizes("a.json", ""));
        QVERIFY(!importer().recognizes("a.json", R"([{"name": "ALLREDUCE", "ph": "B"}])"));
        QVERIFY(!importer().recognizes("a.txt", "NEGOTIATE_ALLREDUCE"));
    }

    void damageCostsTheDamagedEvent_data()
    {
        QTest::addColumn<QByteArray>("rest");
        QTest::addColumn<QByteArray>("diagnostics");
        const auto row = [](const char *title, const char *rest, const char *diagnostics) {
            QTest::newRow(title) << QByteArray(rest) << QByteArray(diagnostics);
        };
        const char *const cut = "truncated-file info 1";
        row("end without a begin", R"(,{"ph":"E","ts":2,"pid":1},{"ph":"E","ts":3,"pid":1}])",
            "end-without-begin warning 1");
        row("begin without an end", "]", "begin-without-end error 1");
        row("not closed", R"(,{"ph":"E","ts":2,"pid":1},)", cut);
        row("the end is before the begin", R"(,{"ph":"E","ts":0,"pid":1}])", "bad-time error 1");
        row("a time beyond all bounds", R"(,{"ph":"E","ts":99999999999999999,"pid":1}])",
            "bad-time error 1");
        row("no number", R"(,{"ph":"E","ts":"x","pid":1}])", "bad-time error 1");
        row("an unknown kind", R"(,{"ph":"E","ts":2,"pid":1},{"ph":"?"}])",
            "unknown-phase warning 1");
        row("no event", R"(,{"ph":"E","ts":2,"pid":1},7])", "not-an-event warning 1");
        row("an epoch beyond all bounds",
            R"(,{"ph":"M","name":"process_name","pid":0,"args":{"start_time_since_epoch_in_micros":9223372036854775807}},{"ph":"E","ts":2,"pid":1}])",
            "no-epoch info 1");
    }
    void damageCostsTheDamagedEvent()
    {
        QFETCH(QByteArray, rest);
        QFETCH(QByteArray, diagnostics);
        const RecordingSink sink = imported(Prefix + rest.toStdString());
        QVERIFY2(sink.diagnosticsText().find(diagnostics.toStdString()) != std::string::npos,
                 sink.diagnosticsText().c_str());
    }

    void aLostEndCostsNoLaterOperation_data()
    {
        QTest::addColumn<int>("lost"); ///< of the ends of the first operation
        QTest::addColumn<int>("collectives"); ///< of the first operation
        QTest::newRow("of the negotiation") << 0 << 1;
        QTest::newRow("of an activity") << 1 << 1;
        QTest::newRow("of the transfer") << 2 << 0;
        QTest::newRow("of the operation") << 3 << 0;
    }

    /// Each further operation on the tensor was taken for a part of the activity that had not
    /// ended, and for no collective; or its transfer began with the one before.
    void aLostEndCostsNoLaterOperation()
    {
        QFETCH(const int, lost);
        QFETCH(const int, collectives);
        const std::string begin = Prefix + endEvent(9);
        const auto linesOf = [](const RecordingSink &sink) {
            QStringList lines;
            for (const QString &line : QString::fromStdString(sink.text()).split(u'\n'))
                if (line.contains(QStringLiteral("collective(all_reduce")))
                    lines += line;
            return lines;
        };
        const QStringList alone = linesOf(imported(begin + allReduce(200) + "]"));
        QVERIFY(!alone.isEmpty());
        const RecordingSink sink = imported(begin + allReduce(100, lost) + allReduce(200) + "]");
        const QStringList all = linesOf(sink);
        QCOMPARE(all.size(), alone.size() * (1 + collectives));
        QCOMPARE(all.mid(all.size() - alone.size()), alone);
        QVERIFY2(sink.diagnosticsText().find("begin-without-end error 1") != std::string::npos,
                 sink.diagnosticsText().c_str());
    }

    void realTimelinesAreReadWhole_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<int>("events");
        QTest::addColumn<int>("recordedSlices");
        QTest::addColumn<int>("collectives");
        QTest::addColumn<int>("ranks");
        // Counted with Python's json module; collectives: runs of tensors whose transfers overlap.
        QTest::newRow("12 ranks, fused, never closed")
            << QStringLiteral("horovod/tf-logs/horovod_timeline.json.gz") << 13012 << 2449 + 8076
            << 566 << 12;
        QTest::newRow("one rank") << QStringLiteral("horovod/alcf/timeline_cpu_n1.json") << 227
                                  << 75 + 25 << 25 << 1;
        QTest::newRow("BlueFog") << QStringLiteral("horovod/bluefog/ybc1.json.gz") << 7110
                                 << 3538 + 1760 // those of computation, twice
                                 << 889 << 1;
    }
    void realTimelinesAreReadWhole()
    {
        const auto shared = tests::sharedData();
        if (!shared)
            QSKIP("needs the shared traces: set LONGPOLE_SHARED");
        QFETCH(QString, file);
        const auto bundle = core::openBundle({ *shared / "data" / "real" / file.toStdString() });
        const auto entry = bundle->open(0);
        RecordingSink sink;
        importer().read(*entry, sink, {});
        QVERIFY2(!sink.diagnostics().hasSkippedInput(), sink.diagnosticsText().c_str());
        QTEST(static_cast<int>(sink.counts().at("none")), "events");
        const std::size_t parts = occurrences(sink.text(), "collective(");
        QTEST(static_cast<int>(sink.sliceCount() - parts), "recordedSlices");
        QTEST(static_cast<int>(sink.workerCount()), "ranks");
        QTEST(static_cast<int>(parts / sink.workerCount()), "collectives");
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(HorovodImporterTest)
#include "tst_horovod_importer.moc"
