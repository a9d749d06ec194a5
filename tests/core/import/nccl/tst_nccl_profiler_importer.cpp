#include "core/bundle/bundle.h"
#include "core/import/nccl/nccl_profiler_importer.h"
#include "tests/support/golden_text.h"
#include "tests/support/memory_entry.h"
#include "tests/support/recording_sink.h"
#include "tests/support/shared_data.h"

#include <QTest>

#include <algorithm>

using tests::MemoryEntry;
using tests::RecordingSink;

namespace {

const core::NcclProfilerImporter &importer()
{
    static const core::NcclProfilerImporter theImporter;
    return theImporter;
}

RecordingSink imported(const std::string &json)
{
    MemoryEntry entry(json);
    RecordingSink sink;
    importer().read(entry, sink, {});
    return sink;
}

/// JSON that is written with ' for ".
std::string quoted(std::string text)
{
    std::replace(text.begin(), text.end(), '\'', '"');
    return text;
}

/// A record of an AllReduce of rank 1.
std::string record(const std::string &phase, const std::string &us,
                   const std::string &name = "AllReduce", const std::string &category = "COLL")
{
    return quoted("{'name': '" + name + "', 'cat': '" + category + "', 'ph': '" + phase
                  + "', 'pid': 5, 'ts': " + us
                  + ", 'args': {'SeqNum': 0, 'CommHash': 7, 'Rank': 1, 'Count': 2}},");
}

/// One end of a transfer with one network step.
std::string transferEnd(const std::string &name, int rank, int peer)
{
    const std::string to = ", 'Peer': " + std::to_string(peer) + "}},";
    const std::string head = "{'name': '" + name;
    return quoted(head + "', 'cat': 'P2P', 'ph': 'b', 'ts': 1, 'args': {'CommHash': 7, 'Rank': "
                  + std::to_string(rank) + to + head
                  + "', 'cat': 'PROXY', 'ph': 'b', 'ts': 2, 'args': {'Steps': 1, 'Channel': 3" + to
                  + head + "Wait', 'cat': 'NET', 'ph': 'b', 'ts': 3, 'args': {'Step': 0}}," + head
                  + "Wait', 'cat': 'NET', 'ph': 'e', 'ts': 4}," + head
                  + "', 'cat': 'PROXY', 'ph': 'e', 'ts': 5}," + head
                  + "', 'cat': 'P2P', 'ph': 'e', 'ts': 2},");
}

} // namespace

class NcclProfilerImporterTest : public QObject
{
    Q_OBJECT

private slots:
    void timesTooFarApartForANumberAreNoTimes()
    {
        const RecordingSink sink = imported("[" + record("b", "-9223372036854775.807")
                                            + record("e", "9223372036854775.807") + "{}]");
        QCOMPARE(sink.sliceCount(), std::uint64_t { 0 });
        QVERIFY(sink.diagnosticsText().find("no-time warning 1") != std::string::npos);
    }

    void everyKindOfRecordBecomesWhatItMeans()
    {
        const std::string json = tests::fileText("nccl-profiler/all_kinds.json");
        QVERIFY(importer().recognizes("dump_77_1.json", json));
        const RecordingSink sink = imported(json);
        const QString difference = tests::differenceFromGolden(
            "nccl-profiler/all_kinds.txt", sink.text() + sink.diagnosticsText());
        QVERIFY2(difference.isEmpty(), qPrintable(difference));
    }

    void otherListsAreLeftToOtherImporters()
    {
        QVERIFY(!importer().recognizes("x.json", quoted("[{'ph': 'X', 'cat': 'cpu_op'}]")));
        QVERIFY(!importer().recognizes("x.json", quoted("[{'ph': 'b', 'cat': 'async'}]")));
        QVERIFY(!importer().recognizes("x.json", ""));
    }

    void damageCostsOnlyTheDamagedEvents_data()
    {
        QTest::addColumn<QByteArray>("json");
        QTest::addColumn<int>("slices");
        QTest::addColumn<QByteArray>("diagnostic");
        const auto row
            = [](const char *title, const std::string &json, int slices, const char *diagnostic) {
                  QTest::newRow(title)
                      << QByteArray::fromStdString(json) << slices << QByteArray(diagnostic);
              };
        const std::string whole = record("b", "1.0") + record("e", "2.0");
        row("nothing wrong", "[" + whole + "{}]", 1, "relative-time info 1");
        row("no begin", "[" + record("e", "2.0") + whole + "{}]", 1, "end-without-begin warning 1");
        row("no end", "[" + record("b", "1.0") + whole, 1, "begin-without-end error 1");
        row("an inner end is lost",
            "[" + record("b", "1.0") + record("b", "1.2", "KernelCh", "GPU") + record("e", "2.0"),
            1, "begin-without-end error 1");
        row("reversed", "[" + record("b", "3.0") + record("e", "2.0"), 0, "no-time warning 1");
        row("no number", "[" + record("b", "nan") + record("e", "2.0"), 0, "no-time warning 1");
        row("out of range", "[" + record("b", "1e300") + record("e", "2.0"), 0,
            "no-time warning 1");
        row("another phase", "[" + record("X", "1.0") + whole, 1, "unknown-phase warning 1");
        row("no object", "[5," + whole, 1, "not-an-event warning 1");
        row("garbage", "[" + whole + "\x01 garbage" + whole, 2, "damaged-event error 1");
    }
    void damageCostsOnlyTheDamagedEvents()
    {
        QFETCH(QByteArray, json);
        QFETCH(int, slices);
        QFETCH(QByteArray, diagnostic);
        const RecordingSink sink = imported(json.toStdString());
        QCOMPARE(sink.sliceCount(), static_cast<std::uint64_t>(slices));
        const std::string text = sink.diagnosticsText();
        QVERIFY2(text.find(diagnostic.toStdString()) != std::string::npos, text.c_str());
    }

    void aCutAnywhereIsReadToThere()
    {
        const std::string json = tests::fileText("nccl-profiler/all_kinds.json");
        for (std::size_t size = 1; size < json.size(); size += 7)
            QVERIFY(imported(json.substr(0, size)).workerCount() == 1);
    }

    void anEndlessNestIsBounded()
    {
        std::string json = "[";
        for (int i = 0; i < 20'000; ++i)
            json += record("b", "1.0");
        const RecordingSink sink = imported(json);
        QVERIFY(sink.diagnosticsText().find("too-many-open-slices") != std::string::npos);
        QCOMPARE(sink.counts().at("COLL"), std::uint64_t { 20'000 });
    }

    void bothEndsOfATransferHaveOneName()
    {
        const RecordingSink sink
            = imported("[" + transferEnd("Send", 0, 1) + transferEnd("Recv", 1, 0) + "{}]");
        const std::string text = sink.text();
        for (const char *expected :
             { "send('comm 7/p2p 0/0>1/step 0' peer=1 channel=3)",
               "recv('comm 7/p2p 0/0>1/step 0' peer=0 channel=3)",
               "send('comm 7/p2p 0/0>1' peer=1)", "recv('comm 7/p2p 0/0>1' peer=0)" })
            QVERIFY2(text.find(quoted(expected)) != std::string::npos, text.c_str());
    }

    void aRealDumpIsReadWhole()
    {
        const auto shared = tests::sharedData();
        const auto path = shared.value_or("")
            / "data/real/nccl-profiler/example-plugin/ncclprofiler-p2p-4-ranks.json";
        if (!shared || !std::filesystem::exists(path))
            QSKIP("needs the shared traces: set LONGPOLE_SHARED");
        const auto bundle = core::openBundle({ path });
        const auto entry = bundle->open(0);
        RecordingSink sink;
        importer().read(*entry, sink, {});
        // Counted with grep: 310 records; no begin was taken of API calls and launches, no end of
        // kernel channels.
        const std::map<std::string, std::uint64_t> expected
            = { { "GROUP_API", 2 }, { "KERNEL_LAUNCH", 8 }, { "P2P_API", 16 },
                { "P2P", 16 },      { "GPU", 256 },         { "PROXY", 12 } };
        QCOMPARE(sink.counts(), expected);
        QCOMPARE(sink.workerCount(), std::size_t { 4 });
        QCOMPARE(sink.sliceCount(), std::uint64_t { 15 });
        const std::string diagnostics = sink.diagnosticsText();
        for (const char *line : { "no-kernel-end warning 128", "no-time warning 12",
                                  "no-device-time warning 8", "relative-time info 1" })
            QVERIFY2(diagnostics.find(line) != std::string::npos, diagnostics.c_str());
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(NcclProfilerImporterTest)
#include "tst_nccl_profiler_importer.moc"
