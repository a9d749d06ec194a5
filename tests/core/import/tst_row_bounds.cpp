// Files that name a new row, or a new transfer, in every record: past what the import may hold the
// slices stay, and what is not known of them is counted. Each took a place in a map without a
// bound.

#include "core/import/importer.h"
#include "tests/support/memory_entry.h"
#include "tests/support/recording.h"
#include "tests/support/recording_sink.h"

#include <QTest>

#include <algorithm>

using tests::MemoryEntry;
using tests::RecordingSink;

namespace {

constexpr int Records = 200;

/// A sink with too little memory for all of these.
class SmallSink : public RecordingSink
{
public:
    std::size_t importerBytes() const override { return 16 * 1024; }
};

/// A Chrome trace of `first` (events with a comma behind each), and of Records events made of
/// `event` with its number in place of each '#'.
std::string trace(const std::string &event, const std::string &first = {})
{
    std::string events;
    for (int i = 0; i < Records; ++i) {
        std::string one = event;
        for (std::size_t at = one.find('#'); at != std::string::npos; at = one.find('#'))
            one.replace(at, 1, std::to_string(i));
        events += (i == 0 ? "" : ",") + one;
    }
    return "{\"traceEvents\": [" + first + events + "]}";
}

std::string slice(const std::string &members)
{
    return "{\"ph\": \"X\", \"ts\": 1#, \"dur\": 1, " + members + '}';
}

std::string process(const std::string &pid, const std::string &name)
{
    return "{\"ph\": \"M\", \"name\": \"process_name\", \"pid\": \"" + pid
        + "\", \"args\": {\"name\": \"" + name + "\"}},";
}

/// A range on a thread of its own each.
std::string recordedThreads()
{
    tests::Recording recording;
    recording.addHeader(collectors::CollectorNvtx).addString(1, "range");
    for (std::uint32_t i = 0; i < Records; ++i)
        recording.add(collectors::RecordRange, collectors::RangeRecord { 10, 20, 1, 0, 0, 0 },
                      i + 1);
    return recording.bytes();
}

/// A push of a key of its own each.
std::string recordedPushes()
{
    tests::Recording recording;
    recording.addHeader(collectors::CollectorFramework).addString(1, "grad");
    for (std::uint64_t i = 0; i < Records; ++i)
        recording.add(collectors::RecordPushPull,
                      collectors::PushPullRecord { 10, 20, 4, i, 1, 1, 0, 0 });
    return recording.bytes();
}

void addColumns()
{
    QTest::addColumn<std::string>("format");
    QTest::addColumn<std::string>("file");
    QTest::addColumn<std::string>("contents");
}

void addRow(const char *format, const char *file, const std::string &contents)
{
    QTest::newRow(format) << std::string(format) << std::string(file) << contents;
}

const core::Importer *importerOf(const std::string &name, const std::string &text)
{
    const auto found
        = std::find_if(core::importers().begin(), core::importers().end(), [&](const auto &one) {
              return one->recognizes(name,
                                     std::string_view(text).substr(0, core::Importer::HeadSize));
          });
    return found == core::importers().end() ? nullptr : found->get();
}

/// Reads the file; the name of the importer that does, empty for none.
std::string readInto(RecordingSink &sink, const std::string &file, const std::string &contents)
{
    const core::Importer *importer = importerOf(file, contents);
    if (!importer)
        return {};
    MemoryEntry entry(contents);
    entry.setName(file);
    importer->read(entry, sink, {});
    return std::string(importer->name());
}

/// The same, of the row of the test's data.
std::string readRow(RecordingSink &sink)
{
    QFETCH(const std::string, file);
    QFETCH(const std::string, contents);
    return readInto(sink, file, contents);
}

std::uint64_t countOf(const core::Diagnostics &diagnostics, const std::string &code)
{
    for (const core::Diagnostic &one : diagnostics.list())
        if (one.code == code)
            return one.count;
    return 0;
}

std::size_t numberBehind(const std::string &text, const std::string &word)
{
    return std::stoul(text.substr(text.find(word) + word.size()));
}

} // namespace

class RowBoundsTest : public QObject
{
    Q_OBJECT

private slots:
    void furtherRowsAreOne_data()
    {
        addColumns();
        addRow("mxnet", "profile.json",
               trace(slice(R"("cat": "operator", "name": "op", "pid": 0, "tid": #)"),
                     process("0", "cpu/0")));
        addRow("trace-viewer", "host.trace.json",
               R"({"metadata": {"highres-ticks": true},)"
                   + trace(slice(R"("name": "op", "pid": 1, "tid": #)")).substr(1));
        addRow("byteps", "comm.json",
               trace(slice(
                   "\"name\": \"Comm.grad.REDUCE\", \"pid\": \"Comm.grad#\", \"tid\": \"1\"")));
        addRow("bytescheduler", "timeline.json",
               trace(slice(R"("name": "PUSH_PULLQUEUE", "pid": #)")));
        addRow("horovod", "timeline.json",
               trace(slice(R"("name": "NEGOTIATE_ALLREDUCE", "pid": #)")));
        addRow("dpro-comm-detail", "host0/0/comm_detail.json",
               trace(slice("\"name\": \"Comm.#.QUEUE\", \"pid\": \"comm_detail_r0_lr0\"")));
        addRow("dpro-ps-server", "server_timeline.json",
               trace(slice("\"name\": \"grad.SUM\", \"pid\": \"0\", \"tid\": \"#\""),
                     process("0", "server_0")));
        addRow("longpole-nvtx", "node1-3-500.nvtx.lp", recordedThreads());
    }
    void furtherRowsAreOne()
    {
        SmallSink sink;
        QFETCH(const std::string, format);
        QCOMPARE(readRow(sink), format);
        QCOMPARE(sink.sliceCount(), std::uint64_t { Records });
        const std::uint64_t further = countOf(sink.diagnostics(), "too-many-rows");
        QVERIFY(further > 0 && further < Records);
        QVERIFY(sink.text().find("\"further rows\"") != std::string::npos);
    }

    void furtherTransfersAreNotTied_data()
    {
        addColumns();
        addRow(
            "byteps", "comm.json",
            trace(slice("\"name\": \"Comm.grad#.PUSH\", \"pid\": \"Comm.grad\", \"tid\": \"1\"")));
        addRow("dpro-comm-detail", "host0/0/comm_detail.json",
               trace(slice("\"name\": \"Comm.#.SEND\", \"pid\": \"comm_detail_r0_lr0\"")));
        addRow("dpro-ps-comm", "comm_timeline.json",
               trace(slice("\"name\": \"grad#.PUSH\", \"pid\": \"0\""),
                     process("0", "worker_0 -> server_0")));
        addRow("longpole-framework", "node1-3-500.framework.lp", recordedPushes());
    }
    void furtherTransfersAreNotTied()
    {
        SmallSink sink;
        QFETCH(const std::string, format);
        QCOMPARE(readRow(sink), format);
        const std::uint64_t further = countOf(sink.diagnostics(), "too-many-transfers");
        QVERIFY(further > 0 && further < Records);
        const std::uint64_t ends = sink.sliceCount() / Records; // slices of a transfer
        QVERIFY(ends == 1 || ends == 2);
        QCOMPARE(numberBehind(sink.countsText(), "transfers "), ends * (Records - further));
        QVERIFY(!sink.diagnostics().hasSkippedInput()); // the slices are there
    }

    /// A million of each rank were held, whatever the memory, and the further ones left out without
    /// a word.
    void furtherStepsAreLeftOut_data()
    {
        addColumns();
        addRow("mxnet", "profile.json",
               trace(slice("\"cat\": \"operator\", \"name\": \"op\", \"pid\": 0, "
                           "\"args\": {\"step\": #}"),
                     process("0", "cpu/0")));
        const std::string rowOfSteps
            = "{\"ph\": \"M\", \"name\": \"thread_name\", \"pid\": 1, \"tid\": 1, "
              "\"args\": {\"name\": \"Steps\"}},";
        addRow("trace-viewer", "host.trace.json",
               "{\"metadata\": {\"highres-ticks\": true},"
                   + trace(slice("\"name\": \"#\", \"pid\": 1, \"tid\": 1"),
                           process("1", "/device:GPU:0") + rowOfSteps)
                         .substr(1));
        addRow("dpro-merged", "combined.json",
               trace(slice("\"name\": \"FW.op\", \"pid\": \"host0.rank0\", "
                           "\"args\": {\"step\": #}")));
    }
    void furtherStepsAreLeftOut()
    {
        SmallSink sink;
        QFETCH(const std::string, format);
        QCOMPARE(readRow(sink), format);
        QCOMPARE(sink.sliceCount(), std::uint64_t { Records });
        const std::uint64_t further = countOf(sink.diagnostics(), "too-many-steps");
        QVERIFY(further > 0 && further < Records);
        QCOMPARE(numberBehind(sink.countsText(), "iterations "), Records - further);
    }

    void furtherAllocatorsAreLeftOut()
    {
        const std::string contents
            = trace("{\"ph\": \"C\", \"name\": \"GPU_#_bfc\", \"pid\": 0, \"ts\": 1#, "
                    "\"args\": {\"GPU_#_bfc\": 64}}",
                    process("1", "/device:GPU:0 Compute"));
        SmallSink sink;
        QCOMPARE(readInto(sink, "timeline.json", contents), std::string("tensorflow-timeline"));
        const std::uint64_t further = countOf(sink.diagnostics(), "too-many-allocators");
        QVERIFY(further > 0 && further < Records);
        QCOMPARE(numberBehind(sink.countsText(), "memory "), Records - further);
    }

    /// Each table of a reader could have all that the importer may hold: names of rows, open
    /// slices, rows and transfers together took four times as much.
    void aTableHasAPartOfWhatTheImporterMayHold()
    {
        const auto kept = [](const char *file, const std::string &contents, const char *code) {
            SmallSink sink;
            readInto(sink, file, contents);
            return Records - countOf(sink.diagnostics(), code);
        };
        constexpr std::size_t Share = 16 * 1024 / 4;
        const auto rows
            = kept("timeline.json", trace(slice(R"("name": "PUSH_PULLQUEUE", "pid": #)")),
                   "too-many-rows");
        QVERIFY(rows > 0 && rows < Share / 160);
        const auto transfers = kept(
            "comm.json",
            trace(slice("\"name\": \"Comm.grad#.PUSH\", \"pid\": \"Comm.grad\", \"tid\": \"1\"")),
            "too-many-transfers");
        QVERIFY(transfers > 0 && transfers < Share / 96);
    }

    /// A tensor's state, and the ranks that are ready for it, were kept without a bound.
    void furtherTensorsOfHorovodAreSlicesOnly()
    {
        const std::string contents
            = trace(slice(R"("name": "ALLREDUCE", "pid": 1)") + ','
                        + R"({"ph": "X", "name": "#", "ts": 1#, "dur": 0, "pid": 2})",
                    R"({"ph": "B", "name": "NEGOTIATE_ALLREDUCE", "ts": 1, "pid": 3},)");
        class TinySink : public RecordingSink
        {
        public:
            std::size_t importerBytes() const override { return 4096; }
        } sink;
        QCOMPARE(readInto(sink, "timeline.json", contents), std::string("horovod"));
        const std::uint64_t further = countOf(sink.diagnostics(), "too-many-tensors");
        QVERIFY(further > 0 && further < 2 * Records);
        QVERIFY(numberBehind(sink.countsText(), "collectives ") > 0);
        QVERIFY(sink.sliceCount() >= 2 * Records);
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(RowBoundsTest)
#include "tst_row_bounds.moc"
