#include "core/base/error.h"
#include "core/import/execution_trace/chakra_importer.h"
#include "core/import/execution_trace/execution_trace_importer.h"
#include "tests/support/chakra_sample.h"
#include "tests/support/memory_entry.h"
#include "tests/support/recording_sink.h"
#include "tests/support/shared_data.h"

#include <QTest>

#include <algorithm>
#include <vector>

using tests::MemoryEntry;
using tests::RecordingSink;
using namespace tests::chakra;

namespace {

const core::ChakraImporter &importer()
{
    static const core::ChakraImporter theImporter;
    return theImporter;
}

/// Counts dependencies instead of keeping their texts.
class CountingSink : public RecordingSink
{
public:
    void dependency(core::WorkerId, const core::DependencyEdge &edge) override
    {
        if (edge.kind == core::DependencyKind::Control)
            ++controlCount;
        else
            dataFrom.push_back(edge.from);
    }

    std::uint64_t controlCount = 0;
    std::vector<std::uint64_t> dataFrom;
};

class SmallSink : public RecordingSink
{
public:
    std::size_t importerBytes() const override { return 512; }
};

RecordingSink imported(const std::string &contents, std::size_t blockSize = 1 << 20)
{
    MemoryEntry entry(contents, blockSize);
    RecordingSink sink;
    importer().read(entry, sink, {});
    return sink;
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

    /// They were known by their ids in the file, which no Kineto trace has.
    void opsOfTheHostAreKnownByTheirRecordFunctions()
    {
        const auto op = [](std::uint64_t recordFunction) {
            return attribute("is_cpu_op", Bool, 1) + attribute("rf_id", Int64, recordFunction);
        };
        // Node 2 is named before it is read; 3 and 4 are one op, in two pieces around its kernel.
        const RecordingSink sink = imported(
            trace(node(7, "aten::add", 4, op(102) + number(5, 2)) + node(2, "aten::mul", 4, op(101))
                  + node(3, "aten::mm(0)", 4, op(103) + number(5, 7))
                  + node(5, "gemm", 4, attribute("rf_id", Int64, 103) + number(5, 3))
                  + node(4, "aten::mm(1)", 4, op(103) + number(5, 3) + number(5, 5))
                  + node(6, "[process]", 4, op(0) + number(4, 2))));
        QCOMPARE(sink.text(),
                 std::string("worker\ncount COMP_NODE 6\n"
                             "dependency data 102 -> 103\n"
                             "dependency data 103 -> 4611686018427387909\n"
                             "dependency data 4611686018427387909 -> 103\n"
                             "dependency control 101 -> 4611686018427387910\n"
                             "metadata op_names 102 aten::add\n101 aten::mul\n103 aten::mm\n"
                             "103 aten::mm\n\n"
                             "dependency data 101 -> 102\n"));
        QCOMPARE(sink.diagnosticsText(), std::string("no-times info 6\n"));
        const RecordingSink json = imported(R"({"workload_graph": [
            {"Id": 7, "Name": "a", "NodeType": 4, "rf_id": 102, "data_deps": [2], "is_cpu_op": true},
            {"Id": 2, "Name": "b", "NodeType": 4, "is_cpu_op": true, "rf_id": 101}]})");
        QCOMPARE(json.text(),
                 std::string("worker\ncount COMP_NODE 2\nmetadata op_names 102 a\n101 b\n\n"
                             "dependency data 101 -> 102\n"));
    }

    /// What the import may not remember is said, and the dependency keeps the id in the file.
    void dependenciesOnNodesToComeAreHeldToALimit()
    {
        std::string nodes;
        for (std::uint64_t id = 1; id <= 3; ++id)
            nodes += node(id, "a", 4, number(5, 9));
        SmallSink sink;
        MemoryEntry entry(trace(nodes));
        importer().read(entry, sink, {});
        QCOMPARE(sink.notes().size(), std::size_t { 3 });
        QCOMPARE(QString::fromStdString(sink.diagnosticsText()),
                 QStringLiteral("too-many-dependencies warning 1\ntoo-many-nodes warning 1\n"
                                "no-times info 3\n"));
    }

    /// The ids of a node were collected: 260 KB that unpack to a list of 16 MiB took 640 MB.
    void aListOfManyDependenciesIsGivenAsItIsRead()
    {
        constexpr std::uint64_t Many = 5'000'000;
        const std::string control(Many, '\x01');
        const std::string contents
            = trace(node(1, "a", 4)
                    + node(2, "b", 4, text(4, control) + number(4, 1) + text(5, varint(300))));
        MemoryEntry entry(contents);
        CountingSink sink;
        importer().read(entry, sink, {});
        QCOMPARE(sink.controlCount, Many + 1);
        QCOMPARE(sink.dataFrom, std::vector<std::uint64_t> { core::executionTraceNodeKey(300) });
        QVERIFY(sink.notes().empty());
    }

    /// Behind blanks, of which a first read gave a few, JSON was read as protobuf.
    void theJsonFormMayBeginWithBlanks()
    {
        const std::string json = "\xEF\xBB\xBF" + std::string(1000, ' ') + "\r\n"
            + R"({"workload_graph": [{"Id": 1, "Name": "a", "NodeType": 4}]})";
        QVERIFY(importer().recognizes("trace.json", json));
        for (const std::size_t blockSize : { 1U, 4U, 1U << 20U }) {
            const RecordingSink sink = imported(json, blockSize);
            QCOMPARE(sink.text() + sink.diagnosticsText(),
                     std::string("worker\ncount COMP_NODE 1\nno-times info 1\n"));
        }
    }

    /// It was called a file that ends before its list is closed.
    void anObjectThatIsNoNodeCostsItselfOnly()
    {
        const std::string head = R"({"workload_graph": [)";
        const auto found = [&head](const std::string &nodes) {
            const RecordingSink sink = imported(head + nodes + "]}");
            return sink.diagnosticsText() + std::to_string(sink.counts().at("COMP_NODE"));
        };
        const std::string a = R"({"Id": 1, "Name": "a", "NodeType": 4})";
        const std::string b = R"({"Id": 2, "Name": "b", "NodeType": 4})";
        const std::string none = R"({"Name": "c", "NodeType": 4, "attr": {"x": {}}})";
        const auto damaged = [](int count, std::size_t offset, int nodes) {
            return "damaged-node error " + std::to_string(count) + " at=" + std::to_string(offset)
                + "\nno-times info " + std::to_string(nodes) + "\n" + std::to_string(nodes);
        };
        QCOMPARE(found(a + "," + b + "," + none),
                 damaged(1, head.size() + a.size() + b.size() + 2, 2));
        QCOMPARE(found(a + "," + none + "," + b), damaged(1, head.size() + a.size() + 1, 2));
        QCOMPARE(found(none + "," + a), damaged(1, head.size(), 1));
        // Damage has swallowed a node: it is found, and what is left of the object is damage, too.
        QCOMPARE(found(R"({"Name": "c", "x": )" + a + "}," + b), damaged(2, head.size(), 2));
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
        row("no length", trace(std::string(12, '\xff')), "damaged-rest error 1 at=8\n");
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
        QTest::addColumn<int>("dependencies");
        // Of 181878, 1216 are between the pieces of one op.
        QTest::newRow("protobuf") << QStringLiteral("chakra/feeder_tests/chakra.0.et.gz") << 180662;
        QTest::newRow("json") << QStringLiteral("chakra/json_trace/chakra.0.json.gz") << 181878;
    }
    void theSharedTracesHaveTheCountedDependencies()
    {
        const auto shared = tests::sharedData();
        if (!shared)
            QSKIP("needs the shared traces: set LONGPOLE_SHARED");
        QFETCH(QString, file);
        QFETCH(int, dependencies);
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
        QCOMPARE(dataCount, dependencies);
        QVERIFY2(!sink.diagnostics().hasSkippedInput(), sink.diagnosticsText().c_str());
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(ChakraImporterTest)
#include "tst_chakra_importer.moc"
