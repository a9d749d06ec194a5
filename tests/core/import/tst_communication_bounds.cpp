// Sends, receives and collectives past their share of the memory limit: their slices stay, and what
// is no longer known of them is counted.

#include "core/import/execution_trace/chakra_importer.h"
#include "core/import/kineto/kineto_importer.h"
#include "core/import/tensorflow/tf_stepstats_importer.h"
#include "core/project/write/collected_file.h"
#include "tests/support/chakra_sample.h"
#include "tests/support/memory_entry.h"
#include "tests/support/recording_sink.h"
#include "tests/support/tf_stepstats_sample.h"

#include <QTemporaryDir>
#include <QTest>

#include <memory>

using tests::RecordingSink;

namespace {

constexpr int Transfers = 200;

/// A sink that lets an importer hold less than all of these.
class SmallSink : public RecordingSink
{
public:
    std::size_t importerBytes() const override { return 16 * 1024; }
};

/// A send of each tag.
std::string chakraSends()
{
    using namespace tests::chakra;
    std::string nodes;
    for (int i = 1; i <= Transfers; ++i) {
        const auto id = static_cast<std::uint64_t>(i);
        nodes += node(id, "ncclSend", 5, times(10 * id, 5) + attribute("comm_tag", 7, id));
    }
    return trace(nodes);
}

std::string chakraCollectives(int count)
{
    using namespace tests::chakra;
    std::string nodes;
    for (int i = 1; i <= count; ++i) {
        const auto id = static_cast<std::uint64_t>(i);
        nodes += node(id, "ncclAllReduce", 7, times(10 * id, 5) + attribute("comm_type", Int64, 0));
    }
    return trace(nodes);
}

/// NCCL kernels, with these arguments.
std::string kinetoKernels(int count, const std::string &args)
{
    std::string events;
    for (int i = 0; i < count; ++i)
        events += std::string(i == 0 ? "" : ",")
            + R"({"ph": "X", "cat": "kernel", "name": "ncclDevKernel", "pid": 0, "tid": 9, "dur": 2, "ts": )"
            + std::to_string(10 * i) + R"(, "args": {)" + args + "}}";
    return R"({"schemaVersion": 1, "distributedInfo": {"rank": 2}, "traceEvents": [)" + events
        + "]}";
}

/// A _Send node of each edge, in the statistics and in the graph.
std::string tensorFlowSends()
{
    using namespace tests::tfsample;
    std::vector<tests::ProtobufWriter> nodes;
    tests::ProtobufWriter graph;
    for (int i = 0; i < Transfers; ++i) {
        const std::string name = "S" + std::to_string(i);
        nodes.push_back(node(name, 10 * static_cast<std::uint64_t>(i), 5, name + " = _Send(x)"));
        graph.message(1, cutEdge(name, "_Send", Worker0, Server, "edge_" + name, "x"));
    }
    const tests::ProtobufWriter stats = tests::ProtobufWriter().message(1, device(Worker0, nodes));
    return tests::ProtobufWriter().message(1, stats).message(3, graph).str();
}

std::uint64_t countOf(const core::Diagnostics &diagnostics, const std::string &code)
{
    for (const core::Diagnostic &one : diagnostics.list())
        if (one.code == code)
            return one.count;
    return 0;
}

} // namespace

class CommunicationBoundsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void furtherTransfersAreSlices_data();
    void furtherTransfersAreSlices();
    void furtherCollectivesAreSlices_data();
    void furtherCollectivesAreSlices();
};

void CommunicationBoundsTest::furtherTransfersAreSlices_data()
{
    QTest::addColumn<const core::Importer *>("importer");
    QTest::addColumn<std::string>("contents");
    static const core::ChakraImporter chakra;
    static const core::KinetoImporter kineto;
    static const core::TfStepStatsImporter tensorFlow;
    const auto row = [](const core::Importer &importer, const std::string &contents) {
        QTest::newRow(std::string(importer.name()).c_str()) << &importer << contents;
    };
    row(chakra, chakraSends());
    row(kineto, kinetoKernels(Transfers, R"("Collective name": "send", "Dst Rank": 3)"));
    row(tensorFlow, tensorFlowSends());
}

void CommunicationBoundsTest::furtherTransfersAreSlices()
{
    QFETCH(const core::Importer *const, importer);
    QFETCH(const std::string, contents);
    const auto transfersIn = [&](RecordingSink &sink) {
        tests::MemoryEntry entry(contents);
        importer->read(entry, sink, {});
        const std::string counts = sink.countsText();
        const std::size_t at = counts.find("transfers ");
        return std::stoul(counts.substr(at + 10));
    };
    RecordingSink large;
    QCOMPARE(transfersIn(large), std::size_t { Transfers });
    QCOMPARE(countOf(large.diagnostics(), "too-many-transfers"), std::uint64_t { 0 });

    SmallSink sink;
    const std::size_t kept = transfersIn(sink);
    QVERIFY(kept > 0 && kept < Transfers);
    QCOMPARE(countOf(sink.diagnostics(), "too-many-transfers"), Transfers - kept);
    QCOMPARE(sink.sliceCount(), std::uint64_t { Transfers });
    QVERIFY(!sink.diagnostics().hasSkippedInput()); // the slices are there
}

void CommunicationBoundsTest::furtherCollectivesAreSlices_data()
{
    QTest::addColumn<const core::Importer *>("importer");
    QTest::addColumn<std::string>("contents");
    constexpr int Many = 20'000;
    static const core::ChakraImporter chakra;
    static const core::KinetoImporter kineto;
    QTest::newRow("chakra") << static_cast<const core::Importer *>(&chakra)
                            << chakraCollectives(Many);
    QTest::newRow("kineto") << static_cast<const core::Importer *>(&kineto)
                            << kinetoKernels(Many, R"("Collective name": "allreduce")");
}

void CommunicationBoundsTest::furtherCollectivesAreSlices()
{
    QFETCH(const core::Importer *const, importer);
    QFETCH(const std::string, contents);
    const QTemporaryDir folder;
    core::CollectedFile file({ "a", std::string(importer->name()), contents.size() },
                             { 4 * 1024 * 1024, folder.path().toStdString() });
    tests::MemoryEntry entry(contents);
    importer->read(entry, file, {});
    QCOMPARE(file.tracks.size(), std::size_t { 1 });
    const core::CollectedTrack &track = file.tracks.front();
    QVERIFY(!track.collectives.empty());
    QCOMPARE(track.collectives.size() + countOf(file.diagnostics(), "calls-left-out"),
             track.size());
    QVERIFY(track.collectives.size() < track.size());
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(CommunicationBoundsTest)
#include "tst_communication_bounds.moc"
