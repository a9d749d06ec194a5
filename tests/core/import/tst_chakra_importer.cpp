#include "core/base/error.h"
#include "core/import/chakra_importer.h"
#include "tests/support/memory_entry.h"
#include "tests/support/recording_sink.h"
#include "tests/support/shared_data.h"

#include <QTest>

#include <algorithm>

using tests::MemoryEntry;
using tests::RecordingSink;

namespace {

const core::ChakraImporter &importer()
{
    static const core::ChakraImporter theImporter;
    return theImporter;
}

RecordingSink imported(const std::string &contents, std::size_t blockSize = 1 << 20)
{
    MemoryEntry entry(contents, blockSize);
    RecordingSink sink;
    importer().read(entry, sink, {});
    return sink;
}

std::string varint(std::uint64_t value)
{
    std::string bytes;
    for (; value >= 0x80; value >>= 7U)
        bytes += static_cast<char>(value | 0x80U);
    return bytes + static_cast<char>(value);
}

std::string number(unsigned field, std::uint64_t value)
{
    return varint(field << 3U) + varint(value);
}

std::string text(unsigned field, const std::string &value)
{
    return varint(field << 3U | 2U) + varint(value.size()) + value;
}

std::string attribute(const std::string &name, unsigned valueField, std::uint64_t value)
{
    return text(10, text(1, name) + number(valueField, value));
}

std::string delimited(const std::string &message)
{
    return varint(message.size()) + message;
}

std::string node(std::uint64_t id, const std::string &name, std::uint64_t type,
                 const std::string &rest = {})
{
    return delimited(number(1, id) + text(2, name) + number(3, type) + rest);
}

std::string trace(const std::string &nodes)
{
    return delimited(text(1, "0.0.4")) + nodes;
}

std::string times(std::uint64_t startUs, std::uint64_t durationUs)
{
    return number(6, startUs) + number(7, durationUs);
}

constexpr unsigned Int64 = 9;
constexpr unsigned Bool = 27;

/// A host op, its kernel, an all-reduce and a send.
std::string wholeTrace()
{
    const std::string group = text(10, text(1, "pg_name") + text(29, "dp"));
    return trace(
        node(1, "aten::mm", 4,
             times(10, 5) + attribute("is_cpu_op", Bool, 1) + attribute("tid", Int64, 3))
        + node(2, "gemm", 4, text(4, varint(1)) + times(12, 20) + attribute("stream", Int64, 7))
        + node(3, "ncclAllReduce", 7,
               text(5, varint(1) + varint(2)) + times(32, 8) + attribute("comm_type", Int64, 0)
                   + attribute("comm_size", 13, 4096) + group)
        + node(4, "ncclSend", 5,
               number(5, 3) + times(40, 2) + attribute("comm_size", Int64, 512)
                   + attribute("comm_src", 7, 0) + attribute("comm_dst", 7, 1)
                   + attribute("comm_tag", 7, 9)));
}

} // namespace

class ChakraImporterTest : public QObject
{
    Q_OBJECT

private slots:
    void timedNodesBecomeSlicesAndDependencies()
    {
        const std::string contents = wholeTrace();
        QVERIFY(importer().recognizes("trace.0.et", contents));
        const RecordingSink sink = imported(contents);
        const std::string expected
            = "worker\n"
              "count COMM_COLL_NODE 1\n"
              "count COMM_SEND_NODE 1\n"
              "count COMP_NODE 2\n"
              "host_thread pid=host tid=3 \"thread 3\"\n"
              "  10000+5000 cpu_op \"aten::mm\" node=4611686018427387905\n"
              "stream pid=device tid=7 \"stream 7\"\n"
              "  12000+20000 kernel \"gemm\" node=4611686018427387906\n"
              "stream pid=device tid=0 \"stream 0\"\n"
              "  32000+8000 comm_kernel \"ncclAllReduce\" node=4611686018427387907 "
              "bytes=4096 collective(all_reduce group=\"dp\")\n"
              "  40000+2000 comm_kernel \"ncclSend\" node=4611686018427387908 bytes=512 "
              "send(\"0->1/tag 9/0\" peer=1)\n"
              "dependency control 4611686018427387905 -> 4611686018427387906\n"
              "dependency data 4611686018427387905 -> 4611686018427387907\n"
              "dependency data 4611686018427387906 -> 4611686018427387907\n"
              "dependency data 4611686018427387907 -> 4611686018427387908\n";
        const std::string found = sink.text() + sink.diagnosticsText();
        QVERIFY2(found == expected, found.c_str());
        for (const std::size_t blockSize : { 1U, 7U })
            QCOMPARE(imported(contents, blockSize).text(), sink.text());
    }

    void nodesWithoutTimesAreNotPutOnTheTimeline()
    {
        const RecordingSink sink
            = imported(trace(node(1, "a", 4, number(7, 30)) + node(2, "b", 4, number(5, 1))));
        QCOMPARE(sink.sliceCount(), std::uint64_t { 0 });
        QCOMPARE(sink.diagnosticsText(), std::string("no-times info 2\n"));
    }

    void theJsonFormHasTheSameDependencies()
    {
        const std::string json = R"({"workload_graph": [
            {"Id": 1, "Name": "a", "NodeType": 4, "runtime": 5, "data_deps": []},
            {"Id": 2, "Name": "b", "NodeType": 7, "data_deps": [1, 9], "is_cpu_op": true}]})";
        QVERIFY(importer().recognizes("trace.json", json));
        const RecordingSink sink = imported(json);
        QCOMPARE(sink.text() + sink.diagnosticsText(),
                 std::string("worker\ncount COMM_COLL_NODE 1\ncount COMP_NODE 1\n"
                             "dependency data 4611686018427387905 -> 4611686018427387906\n"
                             "dependency data 4611686018427387913 -> 4611686018427387906\n"
                             "missing-node warning 1\nno-times info 2\n"));
    }

    void damageIsCounted_data()
    {
        QTest::addColumn<QByteArray>("contents");
        QTest::addColumn<QByteArray>("diagnostics");
        const auto row = [](const char *title, const std::string &contents, const char *expected) {
            QTest::newRow(title) << QByteArray::fromStdString(contents) << QByteArray(expected);
        };
        const std::string whole = wholeTrace();
        row("cut in a node", whole.substr(0, whole.size() - 3), "damaged-rest error 1 at=158\n");
        row("a record that is no node", trace(delimited("\xff\xff") + node(1, "a", 4, times(1, 1))),
            "damaged-node error 1 at=9\n");
        row("no length", trace(std::string(12, '\xff')), "damaged-rest error 1 at=18\n");
        row("a length beyond all sense", trace(varint(std::uint64_t { 1 } << 40U) + "abc"),
            "damaged-rest error 1 at=14\n");
        row("twice the same id", trace(node(1, "a", 4, times(1, 1)) + node(1, "b", 4, times(2, 1))),
            "duplicate-node error 1\n");
        row("a time beyond all sense", trace(node(1, "a", 4, times(~std::uint64_t { 0 }, 1))),
            "bad-time error 1 at=9\n");
    }
    void damageIsCounted()
    {
        QFETCH(QByteArray, contents);
        QFETCH(QByteArray, diagnostics);
        QCOMPARE(QByteArray::fromStdString(imported(contents.toStdString()).diagnosticsText()),
                 diagnostics);
    }

    void otherFilesAreNotTaken()
    {
        QVERIFY(!importer().recognizes("a.et", ""));
        QVERIFY(!importer().recognizes("a.et", std::string("SQLite format 3\0", 16)));
        QVERIFY(!importer().recognizes("a.json", R"({"traceEvents": []})"));
    }

    /// The counts of nodes and dependencies are those of a protobuf reader of its own.
    void theSharedTracesHaveTheCountedDependencies_data()
    {
        QTest::addColumn<QString>("file");
        QTest::newRow("protobuf") << QStringLiteral("chakra/feeder_tests/chakra.0.et.gz");
        QTest::newRow("json") << QStringLiteral("chakra/json_trace/chakra.0.json.gz");
    }
    void theSharedTracesHaveTheCountedDependencies()
    {
        const auto shared = tests::sharedData();
        if (!shared)
            QSKIP("needs the shared traces: set LONGPOLE_SHARED");
        QFETCH(QString, file);
        const auto bundle = core::openBundle({ *shared / "data" / "real" / file.toStdString() });
        RecordingSink sink;
        importer().read(*bundle->open(0), sink, {});
        const std::map<std::string, std::uint64_t> counts { { "COMM_COLL_NODE", 21 },
                                                            { "COMP_NODE", 3643 } };
        QCOMPARE(sink.counts(), counts);
        const auto &notes = sink.notes();
        const auto dataCount
            = std::count_if(notes.begin(), notes.end(), [](const std::string &note) {
                  return note.starts_with("dependency data");
              });
        QCOMPARE(dataCount, 181878);
        QVERIFY2(!sink.diagnostics().hasSkippedInput(), sink.diagnosticsText().c_str());
    }
};

QTEST_GUILESS_MAIN(ChakraImporterTest)
#include "tst_chakra_importer.moc"
