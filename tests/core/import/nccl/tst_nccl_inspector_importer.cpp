#include "core/bundle/bundle.h"
#include "core/import/nccl/nccl_inspector_importer.h"
#include "tests/support/golden_text.h"
#include "tests/support/memory_entry.h"
#include "tests/support/recording_sink.h"
#include "tests/support/shared_data.h"

#include <QTest>

using tests::MemoryEntry;
using tests::RecordingSink;

namespace {

const core::NcclInspectorImporter &importer()
{
    static const core::NcclInspectorImporter theImporter;
    return theImporter;
}

RecordingSink imported(const std::string &text, std::size_t blockSize = 1 << 20,
                       const std::string &endsWith = {})
{
    MemoryEntry entry(text, blockSize, endsWith);
    RecordingSink sink;
    importer().read(entry, sink, {});
    return sink;
}

} // namespace

class NcclInspectorImporterTest : public QObject
{
    Q_OBJECT

private slots:
    void everyKindOfRecordBecomesWhatItMeans()
    {
        const std::string text = tests::fileText("nccl-inspector/all_kinds.jsonl");
        QVERIFY(importer().recognizes("node1-pid11.log", text));
        const RecordingSink sink = imported(text);
        const QString difference = tests::differenceFromGolden(
            "nccl-inspector/all_kinds.txt", sink.text() + sink.diagnosticsText());
        QVERIFY2(difference.isEmpty(), qPrintable(difference));
    }

    void blocksOfAnySizeGiveTheSame()
    {
        const std::string text = tests::fileText("nccl-inspector/all_kinds.jsonl");
        const std::string whole = imported(text).text();
        for (const std::size_t blockSize : { 1U, 7U, 100U })
            QCOMPARE(imported(text, blockSize).text(), whole);
    }

    void aCutFileIsReadToItsLastWholeLine()
    {
        const std::string text = tests::fileText("nccl-inspector/all_kinds.jsonl");
        const std::size_t secondLine = text.find('\n') + 1;
        const RecordingSink cut = imported(text.substr(0, secondLine + 40));
        QCOMPARE(cut.counts().at("coll_perf"), std::uint64_t { 1 });
        QVERIFY(
            cut.diagnosticsText().find("truncated-file error 1 at=" + std::to_string(secondLine))
            != std::string::npos);
        const RecordingSink archive = imported(text.substr(0, secondLine), 64, "cut archive");
        QVERIFY(archive.diagnosticsText().find("unreadable-rest error 1") != std::string::npos);
        QCOMPARE(archive.counts().at("coll_perf"), std::uint64_t { 1 });
    }

    void anEndlessLineIsLeftOut()
    {
        const std::string line = tests::fileText("nccl-inspector/all_kinds.jsonl");
        const std::string first = line.substr(0, line.find('\n') + 1);
        const RecordingSink sink = imported(first + std::string(5 << 20, 'x') + '\n' + first);
        QCOMPARE(sink.counts().at("coll_perf"), std::uint64_t { 2 });
        QVERIFY(sink.diagnosticsText().find("long-line error 1 at=" + std::to_string(first.size()))
                != std::string::npos);
    }

    void aLineThatNestsTooDeepIsLeftOut()
    {
        const std::string line = tests::fileText("nccl-inspector/all_kinds.jsonl");
        const std::string first = line.substr(0, line.find('\n') + 1);
        const std::string deep = first.substr(0, first.size() - 2)
            + ", \"x\": " + std::string(1 << 20, '[') + std::string(1 << 20, ']') + "}\n";
        const RecordingSink sink = imported(first + deep + first);
        QCOMPARE(sink.counts().at("coll_perf"), std::uint64_t { 2 });
        QVERIFY(sink.diagnosticsText().find("deep-line error 1 at=" + std::to_string(first.size()))
                != std::string::npos);
    }

    /// Closing brackets in a text hid those that were open: copying the record overflowed the
    /// stack.
    void bracketsInTextsDoNotHideADeepNest()
    {
        const std::string line = tests::fileText("nccl-inspector/all_kinds.jsonl");
        const std::string first = line.substr(0, line.find('\n') + 1);
        constexpr std::size_t Depth = 500'000;
        const std::string deep = "{\"header\": {\"id\": \"0x1\", \"rank\": 0}, "
                                 "\"coll_perf\": {\"event_trace_ts\": {}, \"x\": \"\\\"\\\\"
            + std::string(Depth, ']') + "\", \"y\": " + std::string(Depth, '[')
            + std::string(Depth, ']') + "}}\n";
        const RecordingSink sink = imported(first + deep + first);
        QCOMPARE(sink.counts().at("coll_perf"), std::uint64_t { 2 });
        QVERIFY(sink.diagnosticsText().find("deep-line error 1 at=" + std::to_string(first.size()))
                != std::string::npos);
    }

    void ranksOfOneProcessWithSeveralDevicesStayApart()
    {
        const auto line = [](const char *communicator, int rank, int size) {
            return QStringLiteral("{\"header\": {\"id\": \"%1\", \"rank\": %2, \"n_ranks\": %3}, "
                                  "\"metadata\": {\"pid\": 1}, \"coll_perf\": {}}\n")
                .arg(QLatin1String(communicator))
                .arg(rank)
                .arg(size)
                .toStdString();
        };
        const RecordingSink sink = imported(line("0xa", 4, 8) + line("0xa", 5, 8)
                                            + line("0xb", 0, 2) + line("0xa", 5, 8));
        QCOMPARE(sink.workerCount(), std::size_t { 2 });
        QVERIFY(sink.text().starts_with("worker rank=4 world=8\nworker rank=5 world=8\n"));
        QVERIFY(sink.diagnosticsText().find("ambiguous-rank warning 1") != std::string::npos);
    }

    /// Since 4.3 a marker says for the records behind it whose they are, and how many.
    void recordsWithoutAHeaderAreTheMarkersBeforeThem()
    {
        const auto marker = [](const char *communicator, int rank, int records, int dropped) {
            return QStringLiteral(
                       "{\"header\": {\"id\": \"%1\", \"rank\": %2, \"n_ranks\": 2}, "
                       "\"metadata\": {\"inspector_output_format_version\": \"v4.3\", \"pid\": "
                       "9}, \"dump_stats\": {\"coll_records\": %3, \"coll_dropped_total\": %4, "
                       "\"p2p_records\": 0}}\n")
                .arg(QLatin1String(communicator))
                .arg(rank)
                .arg(records)
                .arg(dropped)
                .toStdString();
        };
        const auto record = [](int number) {
            return QStringLiteral(
                       "{\"coll_perf\": {\"coll\": \"AllReduce\", \"coll_sn\": %1, "
                       "\"coll_msg_size_bytes\": 64, \"event_trace_ts\": {\"coll_start_ts\": 100, "
                       "\"coll_stop_ts\": 101, \"kernel_events\": [{\"channel_id\": 0, "
                       "\"kernel_start_ts\": 110, \"kernel_stop_ts\": 120}]}}}\n")
                .arg(number)
                .toStdString();
        };
        const std::string text = marker("0xa", 1, 2, 3) + record(1) + record(2)
            + marker("0xb", 0, 1, 0) + record(7) + marker("0xa", 1, 1, 8) + record(11);
        QVERIFY(importer().recognizes("a.log", text));
        const RecordingSink sink = imported(text);
        QCOMPARE(sink.counts().at("coll_perf"), std::uint64_t { 4 });
        QCOMPARE(sink.counts().at("dump_stats"), std::uint64_t { 3 });
        for (const char *call : { "group=\"0xa\" seq=1 size=2", "group=\"0xa\" seq=2 size=2",
                                  "group=\"0xb\" seq=7 size=2", "group=\"0xa\" seq=11 size=2" })
            QVERIFY2(sink.text().find(call) != std::string::npos, call);
        QVERIFY(sink.diagnosticsText().find("records-dropped warning 1") != std::string::npos);
        // One more than was announced: the marker before it is lost.
        const RecordingSink lost = imported(marker("0xa", 1, 1, 0) + record(1) + record(9));
        QVERIFY(lost.text().find("seq=9") == std::string::npos);
        QVERIFY(lost.diagnosticsText().find("unknown-record warning 1") != std::string::npos);
        QVERIFY(lost.diagnosticsText().find("records-dropped") == std::string::npos);
    }

    void theExamplesOfTheDocumentationAreReadWhole()
    {
        const auto shared = tests::sharedData();
        const auto path
            = shared.value_or("") / "data/real/nccl-profiler/inspector/README-examples.jsonl";
        if (!shared || !std::filesystem::exists(path))
            QSKIP("needs the shared traces: set LONGPOLE_SHARED");
        const auto bundle = core::openBundle({ path });
        const auto entry = bundle->open(0);
        RecordingSink sink;
        importer().read(*entry, sink, {});
        QCOMPARE(sink.counts().at("coll_perf"), std::uint64_t { 2 });
        QCOMPARE(sink.workerCount(), std::size_t { 2 });
        const std::string text = sink.text();
        // 1752867229235181 us to ...275811 us; the other record has no times.
        QVERIFY2(text.find("1752867229235181000+40630000 comm_kernel \"ReduceScatter\" "
                           "bytes=2147483648 collective(reduce_scatter "
                           "group=\"0xe62dedaa97644a\" seq=1231 size=8)")
                     != std::string::npos,
                 text.c_str());
        QVERIFY(sink.diagnosticsText().find("no-times warning 1 at=0") != std::string::npos);
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(NcclInspectorImporterTest)
#include "tst_nccl_inspector_importer.moc"
