#include "core/bundle/bundle.h"
#include "core/import/nccl/nccl_event_lines_importer.h"
#include "tests/support/golden_text.h"
#include "tests/support/memory_entry.h"
#include "tests/support/recording_sink.h"
#include "tests/support/shared_data.h"

#include <QTest>

#include <filesystem>

using tests::MemoryEntry;
using tests::RecordingSink;

namespace {

const core::NcclEventLinesImporter &importer()
{
    static const core::NcclEventLinesImporter theImporter;
    return theImporter;
}

/// A sink with little memory.
class SmallSink : public RecordingSink
{
public:
    std::size_t importerBytes() const override { return 4096; }
};

RecordingSink imported(const std::string &text, std::size_t blockSize = 1 << 20)
{
    MemoryEntry entry(text, blockSize);
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

} // namespace

class NcclEventLinesImporterTest : public QObject
{
    Q_OBJECT

private slots:
    void everyKindOfRecordBecomesWhatItMeans()
    {
        const std::string text = tests::fileText("nccl-event-lines/all_kinds.jsonl");
        QVERIFY(importer().recognizes("trace.jsonl", text));
        const RecordingSink sink = imported(text);
        const QString difference = tests::differenceFromGolden(
            "nccl-event-lines/all_kinds.txt", sink.text() + sink.diagnosticsText());
        QVERIFY2(difference.isEmpty(), qPrintable(difference));
    }

    void anyNumberOfProcessesRanksAndCommunicatorsIsBounded()
    {
        std::string text = "{\"type\":\"ProfilerLifecycle\"}"
                           "\n";
        const auto line = [](const std::string &process, int rank, int communicator) {
            return "{\"type\":\"ncclProfileColl\",\"recordType\":\"event\",\"rank\":"
                + std::to_string(rank) + ",\"commId\":\"" + std::to_string(communicator)
                + "\",\"start\":{\"pid\":" + process
                + ",\"tid\":1,\"ts\":-9223372036854775},\"stop\":{\"ts\":9223372036854775}}" + "\n";
        };
        for (int i = 0; i < 6000; ++i)
            text += line(std::to_string(i), 0, 1) + line("1", i, 2) + line("2", 0, i);
        const RecordingSink sink = imported(text);
        QCOMPARE(sink.workerCount(), std::size_t { 4096 });
        QVERIFY(sink.diagnosticsText().find("too-many-ranks error") != std::string::npos);
        QVERIFY(sink.diagnosticsText().find("no-time warning 18000") != std::string::npos);
        QCOMPARE(sink.sliceCount(), std::uint64_t { 0 });
    }

    /// 100000 lines of up to 4 MiB were held whatever the memory limit.
    void whatWaitsForItsKernelIsWithinTheMemoryLimit()
    {
        std::string text = "{\"type\":\"ProfilerLifecycle\"}\n";
        constexpr std::uint64_t Many = 50;
        for (std::uint64_t i = 0; i < Many; ++i) {
            const std::string number = std::to_string(i);
            text += R"({"recordType":"event","type":"ncclProfileColl","rank":0,"commId":)" + number
                + R"(,"start":{"ts":5,"pid":20,"tid":21},"stop":{"ts":7,"pid":20,"tid":21},)"
                + "\"eventAddr\":\"0xe" + number
                + "\",\"details\":{\"func\":\"AllReduce\",\"seq\":0,\"nranks\":2}}" + "\n";
        }
        MemoryEntry entry(text);
        SmallSink sink;
        importer().read(entry, sink, {});
        const std::string said = sink.diagnosticsText();
        QVERIFY2(said.find("too-many-pending warning ") != std::string::npos, said.c_str());
        QVERIFY2(said.find("too-many-communicators warning ") != std::string::npos, said.c_str());
        QVERIFY2(said.find("no-device-time warning 50 ") != std::string::npos, said.c_str());
        QCOMPARE(sink.sliceCount(), Many); // the host's calls
        const std::string saidOfAll = imported(text).diagnosticsText();
        QVERIFY2(saidOfAll.find("too-many") == std::string::npos, saidOfAll.c_str());
    }

    void aCutAtAnyByteIsReadToThere()
    {
        const std::string text = tests::fileText("nccl-event-lines/all_kinds.jsonl");
        for (std::size_t size = 1; size < text.size(); ++size)
            QVERIFY(imported(text.substr(0, size)).workerCount() <= 2);
    }

    void aRealFileIsReadWhole()
    {
        const auto shared = tests::sharedData();
        const auto path = shared.value_or("")
            / "data/real/nccl-profiler/minimal-plugin/trace-2762285-allreduce-4-ranks.jsonl";
        if (!shared || !std::filesystem::exists(path))
            QSKIP("needs the shared traces: set LONGPOLE_SHARED");
        const auto bundle = core::openBundle({ path });
        const auto entry = bundle->open(0);
        RecordingSink sink;
        importer().read(*entry, sink, {});
        // Counted with a script (json of Python): 287 lines.
        const std::map<std::string, std::uint64_t> expected = { { "ProfilerLifecycle", 8 },
                                                                { "state", 138 },
                                                                { "KERNEL", 4 },
                                                                { "ncclProfileColl", 4 },
                                                                { "ncclProfileCollApi", 4 },
                                                                { "ncclProfileGroup", 4 },
                                                                { "ncclProfileGroupApi", 1 },
                                                                { "ncclProfileKernelCh", 96 },
                                                                { "ncclProfileKernelLaunch", 4 },
                                                                { "ncclProfileProxyCtrl", 24 } };
        QCOMPARE(sink.counts(), expected);
        QCOMPARE(sink.workerCount(), std::size_t { 4 });
        QCOMPARE(sink.sliceCount(), std::uint64_t { 141 }); // all but states and lifecycle
        const std::string text = sink.text();
        // Every rank's kernel is its collective.
        QCOMPARE(occurrences(text,
                             "bytes=134217728 collective(all_reduce group=\""
                             "8612235153520363772\" seq=0 size=4)"),
                 std::size_t { 4 });
        QVERIFY(text.find("8993954353442000+14163250 comm_kernel") != std::string::npos);
        QCOMPARE(sink.diagnosticsText(),
                 std::string("communicator-ranks info 1\nrelative-time info 1\n"));
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(NcclEventLinesImporterTest)
#include "tst_nccl_event_lines_importer.moc"
