#include "tests/core/import/kineto/kineto_text.h"

#include <QTest>

using tests::imported;
using tests::names;
using tests::opEvent;
using tests::RecordingSink;
using tests::trace;

/// Which rank a Kineto trace is of, and what its header says.
class KinetoRanksTest : public QObject
{
    Q_OBJECT

private slots:
    void theRankMayComeAfterTheEvents()
    {
        const RecordingSink sink = imported(
            "{\"traceEvents\": [" + opEvent("a")
            + R"(], "distributedInfo": {"rank": "5", "world_size": 16}, "host_name": "n\u0031"})");
        QCOMPARE(sink.worker().rank.value_or(-1), 5);
        QCOMPARE(sink.worker().worldSize.value_or(-1), 16);
        QCOMPARE(sink.worker().host, std::string("n1"));
    }

    /// All ranks of a job wrote to one path.
    void opsOfTwoProcessesUnderOneRankAreTold()
    {
        const auto op = [](const std::string &pid) {
            return R"({"ph": "X", "cat": "cpu_op", "name": "a", "ts": 1, "dur": 1, "tid": 1, "pid": )"
                + pid + "}";
        };
        const RecordingSink sink = imported(trace(op("5000") + "," + op("5001")));
        QCOMPARE(sink.diagnosticsText(), std::string("several-processes warning 1\n"));
        QVERIFY2(sink.text().find("Ops of 2 processes (5000 and 5001)") != std::string::npos,
                 sink.text().c_str());
        std::string many = op("5001");
        for (int i = 0; i < 40; ++i)
            many += "," + op("5000");
        QCOMPARE(imported(trace(many)).diagnosticsText(), std::string());
    }

    /// torch_npu states the rank in files of the folder above the trace.
    void theRankOfAnAscendTraceIsInFilesBesideIt()
    {
        constexpr const char *Name
            = "run/node1_3000_20260513080000_ascend_pt/ASCEND_PROFILER_OUTPUT/trace_view.json";
        tests::MemoryEntry entry("[" + opEvent("a") + "]");
        entry.setName(Name);
        entry.addOther("../profiler_info_6.json", "{}");
        RecordingSink named;
        tests::importer().read(entry, named, {});
        QCOMPARE(named.worker().rank.value_or(-1), 6);
        tests::MemoryEntry other("[" + opEvent("a") + "]");
        other.setName(Name);
        other.addOther("../profiler_info_6.json", "{}");
        other.addOther("../profiler_metadata.json",
                       R"({"distributed_info": {"rank": 5, "world_size": 8}})");
        RecordingSink stated;
        tests::importer().read(other, stated, {});
        QCOMPARE(stated.worker().rank.value_or(-1), 5);
        QCOMPARE(stated.worker().worldSize.value_or(-1), 8);
    }

    void withoutDistributedInfoTheRankIsAbsent()
    {
        QVERIFY(!imported(trace(opEvent("a"))).worker().rank.has_value());
        const RecordingSink sink
            = imported("{\"distributedInfo\": [1], \"traceEvents\": [" + opEvent("a") + "]}");
        QVERIFY(!sink.worker().rank.has_value());
        QCOMPARE(sink.diagnosticsText(), std::string("bad-distributed-info warning 1 at=23\n"));
    }

    void theHostIsReadFromTheNameOfTheProcessThatTheFileIsOf_data()
    {
        QTest::addColumn<QByteArray>("name");
        QTest::addColumn<QByteArray>("host");
        const auto row = [](const char *name, const char *host) {
            QTest::newRow(name) << QByteArray(name) << QByteArray(host);
        };
        row("run/ip-172-31-16-248.ec2.internal_29223.1698955894942173530.pt.trace.json.gz",
            "ip-172-31-16-248.ec2.internal");
        row("gpu_box_29223.1698955894942173530.pt.trace.json", "gpu_box");
        row("rank_3.1698955894942173530.pt.trace.json", ""); // has no such process
        row("rank_7.1698955894942173530.pt.trace.json", ""); // a GPU's number
        row("node1_29223.pt.trace.json", "");
        row("node1_29223.1698955894942173530.json", "");
        row("worker0.1623143089861.pt.trace.json", "");
        row("localhost_29223.1698955894942173530.pt.trace.json", "");
        row("_29223.1698955894942173530.pt.trace.json", "");
    }
    void theHostIsReadFromTheNameOfTheProcessThatTheFileIsOf()
    {
        QFETCH(QByteArray, name);
        QFETCH(QByteArray, host);
        const std::string op
            = R"({"ph": "X", "cat": "cpu_op", "name": "a", "pid": 29223, "tid": 1, "ts": 1, "dur": 1},)";
        const std::string kernel
            = R"({"ph": "X", "cat": "kernel", "name": "k", "pid": 7, "tid": 7, "ts": 1, "dur": 1})";
        const auto hostOf = [&name](const std::string &json) {
            tests::MemoryEntry entry(json);
            entry.setName(name.toStdString());
            RecordingSink sink;
            tests::importer().read(entry, sink, {});
            return QByteArray::fromStdString(sink.worker().host);
        };
        QCOMPARE(hostOf(trace(op + kernel)), host);
        // What the trace itself says is better.
        QCOMPARE(hostOf(R"({"host_name": "n1", "traceEvents": [)" + op + kernel + "]}"),
                 QByteArray("n1"));
    }

    void whatIsNoHeaderIsNotKept_data()
    {
        QTest::addColumn<QByteArray>("member");
        QTest::addColumn<QByteArray>("diagnostics");
        const auto row = [](const char *title, const std::string &member, const char *diagnostics) {
            QTest::newRow(title) << QByteArray::fromStdString(member) << QByteArray(diagnostics);
        };
        row("no devices", R"("deviceProperties": [])", "");
        row("devices are no list", R"("deviceProperties": {"id": 0})", "");
        row("devices make no sense", R"("deviceProperties": [1 2])", "");
        row("too many devices", "\"deviceProperties\": [\"" + std::string(300000, 'x') + "\"]",
            "metadata-too-large warning 1 at=300025\n");
        row("groups are no list", R"("distributedInfo": {"pg_config": "x"})", "");
        row("a version is an object", R"("cupti_version": {"a": 1})", "");
        row("a version is NaN", R"("cupti_version": NaN)", "");
        row("a version is long", "\"trace_id\": \"" + std::string(2000, 'x') + '"', "");
    }
    void whatIsNoHeaderIsNotKept()
    {
        QFETCH(QByteArray, member);
        QFETCH(QByteArray, diagnostics);
        const RecordingSink sink
            = imported("{" + member.toStdString() + ", \"traceEvents\": [" + opEvent("a") + "]}");
        QCOMPARE(sink.notes(), std::vector<std::string>());
        QCOMPARE(QByteArray::fromStdString(sink.diagnosticsText()), diagnostics);
    }

    void processesThatALabelGivesARankAreThatRank()
    {
        const auto label = [](const std::string &pid, const std::string &text) {
            return "{\"ph\": \"M\", \"name\": \"process_labels\", \"pid\": " + pid
                + ", \"args\": {\"labels\": \"" + text + "\"}},";
        };
        const auto kernel = [](const std::string &pid, const std::string &name) {
            return "{\"ph\": \"X\", \"cat\": \"kernel\", \"ts\": 1, \"dur\": 1, \"tid\": 7, "
                   "\"pid\": "
                + pid + ", \"name\": \"" + name + "\"},";
        };
        const auto tracksOf
            = [](const std::string &text) { return text.substr(text.find("stream")); };
        const RecordingSink two
            = imported(trace(label("0", "rank 4") + label("8", "rank 5") + label("9", "rank 5")
                             + kernel("0", "a") + kernel("8", "b") + kernel("9", "c") + "{}"));
        QCOMPARE(two.workerCount(), std::size_t { 2 }); // a record without a process has no own
        QCOMPARE(tracksOf(two.text()),
                 std::string("stream pid=0 tid=7 \"stream 7\"\n  1000+1000 kernel \"a\"\n"
                             "stream pid=8 tid=7 worker=1 \"stream 7\"\n  1000+1000 kernel \"b\"\n"
                             "stream pid=9 tid=7 worker=1 \"stream 7\"\n  1000+1000 kernel "
                             "\"c\"\n"));
        QVERIFY(two.text().starts_with("worker rank=4\nworker rank=5\n"));
        // Kineto's own labels, and labels that are too late or contradict each other.
        QCOMPARE(imported(trace(label("0", "GPU 0") + label("1", "rank x") + kernel("0", "a")))
                     .workerCount(),
                 std::size_t { 1 });
        const RecordingSink late = imported(trace(kernel("0", "a") + label("0", "rank 4")));
        QCOMPARE(late.workerCount(), std::size_t { 1 });
        QVERIFY(late.diagnosticsText().find("rank-label-ignored warning 1") != std::string::npos);
        const RecordingSink both
            = imported(trace(label("0", "rank 4") + label("0", "rank 4") + label("0", "rank 5")));
        QCOMPARE(both.workerCount(), std::size_t { 1 });
        QVERIFY(both.diagnosticsText().find("rank-label-ignored warning 1") != std::string::npos);
    }

    // A merged trace with one event of a process without a label had a worker without a rank, and
    // was refused as a whole.
    void aProcessWithoutALabelIsOfTheFirstRankThatOneNames()
    {
        const auto event = [](const std::string &phaseAndName, const std::string &pid,
                              const std::string &rest = {}) {
            return "{\"ph\": " + phaseAndName + R"(, "tid": 7, "ts": 1, "dur": 1, "pid": )" + pid
                + rest + "}";
        };
        const auto label = [&event](const std::string &pid) {
            return event("\"M\", \"name\": \"process_labels\"", pid,
                         ", \"args\": {\"labels\": \"rank " + pid + "\"}")
                + ",";
        };
        const std::string op = "\"X\", \"name\": \"a\"",
                          named = "\"M\", \"name\": \"process_name\"",
                          end = "\"i\", \"name\": \"Record Window End\"";
        const std::string labels = label("4") + label("5");
        const std::string ops = event(op, "4") + "," + event(op, "5");
        const std::string without = "no-rank-label warning";
        // Where it has no slices it is not worth a word; names of processes stand before labels.
        const RecordingSink marked
            = imported(trace(event(named, "4") + "," + labels + ops + "," + event(end, "\"\"")));
        QVERIFY(marked.text().starts_with("worker rank=4\nworker rank=5\n"));
        QCOMPARE(marked.workerCount(), std::size_t { 2 });
        QVERIFY(marked.diagnosticsText().find(without) == std::string::npos);
        const RecordingSink sliced
            = imported("{\"distributedInfo\": {\"rank\": 4}, \"traceEvents\": [" + labels + ops
                       + "," + event(op, "6") + "]}");
        QVERIFY(sliced.text().starts_with("worker rank=4\nworker rank=5\n"));
        QCOMPARE(sliced.workerCount(), std::size_t { 2 });
        QVERIFY(sliced.diagnosticsText().find(without + " 1") != std::string::npos);
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(KinetoRanksTest)
#include "tst_kineto_ranks.moc"
