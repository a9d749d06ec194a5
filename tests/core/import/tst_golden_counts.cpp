// What each importer makes of a small file, against numbers that were counted by hand in the file
// by the format's rules (tests/data/counts, which say how), not copied from what the program says.

#include "core/import/importer.h"
#include "tests/support/chakra_sample.h"
#include "tests/support/golden_text.h"
#include "tests/support/memory_entry.h"
#include "tests/support/recording_sample.h"
#include "tests/support/recording_sink.h"
#include "tests/support/sqlite_file.h"
#include "tests/support/tf_stepstats_sample.h"
#include "tests/support/xplane_sample.h"

#include <QTest>

#include <functional>
#include <memory>
#include <set>
#include <sstream>

using tests::RecordingSink;

namespace {

/// A bundle and what keeps its files.
struct Source
{
    std::unique_ptr<core::BundleEntry> entry;
    std::shared_ptr<void> keeper;
};

/// A file of tests/data among the files of `folder`, which it may read.
Source fileOf(const std::string &folder, const std::string &name)
{
    const std::shared_ptr<core::Bundle> bundle
        = core::openBundle({ LONGPOLE_SOURCE_DIR "/tests/data/" + folder });
    for (std::size_t i = 0; i < bundle->items().size(); ++i)
        if (bundle->items()[i].name.ends_with("/" + name))
            return { bundle->open(i), bundle };
    return {};
}

Source madeOf(const std::string &contents, const std::string &name)
{
    auto entry = std::make_unique<tests::MemoryEntry>(contents);
    entry->setName(name);
    return { std::move(entry), nullptr };
}

Source nsightReport()
{
    auto file
        = std::make_shared<tests::SqliteFile>(tests::fileText("nsight/generated_two_ranks.sql"));
    return { core::openBundle({ file->path() })->open(0), file };
}

/// What one of Longpole's collectors records, with the texts that its records refer to.
std::string recordingOf(collectors::CollectorKind collector)
{
    using namespace tests::recordingsample;
    tests::Recording recording;
    recording.addHeader(collector);
    switch (collector) {
    case collectors::CollectorCupti:
        addCudaRecords(recording);
        break;
    case collectors::CollectorNvtx:
        recording.add(RecordRange, RangeRecord { 800, 1800, 4, 0, 0, 0 }, 501);
        break;
    case collectors::CollectorNccl:
        addNcclRecords(recording);
        break;
    case collectors::CollectorFramework:
        addFrameworkRecords(recording);
        break;
    }
    constexpr std::array Texts = { "gemm",
                                   "ncclDevKernel_AllReduce_Sum_f32_RING_LL",
                                   "cudaLaunchKernel",
                                   "forward",
                                   "AllReduce",
                                   "ncclFloat32",
                                   "RING",
                                   "SIMPLE",
                                   "dp",
                                   "fc.weight",
                                   "fc.bias" };
    for (std::uint32_t i = 0; i < Texts.size(); ++i)
        recording.addString(i + 1, Texts[i]);
    recording.add(RecordEnd, EndRecord { 9999 });
    return recording.bytes();
}

using Open = std::function<Source()>;

struct Case
{
    const char *importer;
    const char *counts; ///< a file of tests/data/counts
    Open open;
};

Open file(const char *folder, const char *name)
{
    return [folder, name] { return fileOf(folder, name); };
}

Open recording(collectors::CollectorKind collector)
{
    return [collector] { return madeOf(recordingOf(collector), "rank3.longpole-trace"); };
}

const std::vector<Case> &cases()
{
    static const std::vector<Case> all = {
        { "kineto", "kineto.txt", file("kineto", "all_kinds.json") },
        { "nccl-event-lines", "nccl-event-lines.txt", file("nccl-event-lines", "all_kinds.jsonl") },
        { "dpro-compute", "dpro-compute.txt", file("dpro", "host0/1/trace.json") },
        { "dpro-comm-detail", "dpro-comm-detail.txt", file("dpro", "host0/1/comm_detail.json") },
        { "dpro-io", "dpro-io.txt", file("dpro", "host0/1/io.json") },
        { "dpro-merged", "dpro-merged.txt", file("dpro_merged", "bps_trace_final.json") },
        { "dpro-dag", "dpro-dag.txt", file("dpro", "host0/1/dag.gml") },
        { "dpro-ps-comm", "dpro-ps-comm.txt", file("dpro_servers", "comm_timeline.json") },
        { "dpro-ps-server", "dpro-ps-server.txt", file("dpro_servers", "server_timeline.json") },
        { "mxnet", "mxnet.txt", file("mxnet", "profile.json") },
        { "nccl-inspector", "nccl-inspector.txt", file("nccl-inspector", "all_kinds.jsonl") },
        { "nccl-profiler", "nccl-profiler.txt", file("nccl-profiler", "all_kinds.json") },
        { "longpole-cupti", "longpole-cupti.txt", recording(collectors::CollectorCupti) },
        { "longpole-nvtx", "longpole-nvtx.txt", recording(collectors::CollectorNvtx) },
        { "longpole-nccl", "longpole-nccl.txt", recording(collectors::CollectorNccl) },
        { "longpole-framework", "longpole-framework.txt",
          recording(collectors::CollectorFramework) },
        { "horovod", "horovod.txt", file("horovod", "two_ranks.json") },
        { "horovod", "horovod-bluefog.txt", file("horovod", "bluefog3.json") },
        { "pytorch-et", "pytorch-et.txt", file("pytorch_et", "linked.json") },
        { "chakra", "chakra.txt",
          [] { return madeOf(tests::chakra::wholeTrace(), "trace.0.et"); } },
        { "chakra", "chakra-json.txt", file("chakra", "graph.json") },
        { "xplane", "xplane.txt",
          [] { return madeOf(tests::xplaneSample(), "host-a.xplane.pb"); } },
        { "tensorflow-stepstats", "tensorflow-stepstats.txt",
          [] { return madeOf(tests::tfsample::runMetadata().str(), "run_metadata.pb"); } },
        { "tensorflow-timeline", "tensorflow-timeline.txt",
          file("tensorflow_timeline", "step.json") },
        { "trace-viewer", "trace-viewer.txt", file("trace_viewer", "host-a.trace.json") },
        { "byteps", "byteps.txt", file("byteps", "root.json") },
        { "bytescheduler", "bytescheduler.txt", file("bytescheduler", "worker.json") },
        { "nsight", "nsight.txt", nsightReport },
    };
    return all;
}

/// The importer that takes the file, as the pipeline asks them.
const core::Importer *importerOf(const Source &source)
{
    const auto first = source.entry->openOther("");
    const std::string head = core::readUpTo(*first, core::Importer::HeadSize);
    for (const auto &importer : core::importers())
        if (importer->recognizes(source.entry->name(), head))
            return importer.get();
    return nullptr;
}

/// Without the lines that say how was counted.
std::string withoutComments(const std::string &text)
{
    std::string counts;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
        if (!line.starts_with('#'))
            counts += line + '\n';
    return counts;
}

} // namespace

class TestGoldenCounts : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyImporterHasItsCounts();
    void whatIsReadIsWhatTheFileHolds_data();
    void whatIsReadIsWhatTheFileHolds();
};

void TestGoldenCounts::everyImporterHasItsCounts()
{
    std::set<std::string_view> counted;
    for (const Case &one : cases())
        counted.insert(one.importer);
    for (const auto &importer : core::importers())
        QVERIFY2(counted.contains(importer->name()), std::string(importer->name()).c_str());
}

void TestGoldenCounts::whatIsReadIsWhatTheFileHolds_data()
{
    QTest::addColumn<std::size_t>("index");
    for (std::size_t i = 0; i < cases().size(); ++i)
        QTest::newRow(cases()[i].counts) << i;
}

void TestGoldenCounts::whatIsReadIsWhatTheFileHolds()
{
    QFETCH(const std::size_t, index);
    const Case &one = cases()[index];
    const Source source = one.open();
    QVERIFY(source.entry);
    const core::Importer *importer = importerOf(source);
    QVERIFY(importer);
    QCOMPARE(QByteArray::fromStdString(std::string(importer->name())), QByteArray(one.importer));
    RecordingSink sink;
    importer->read(*source.entry, sink, {});
    const std::string expected
        = withoutComments(tests::fileText((std::string("counts/") + one.counts).c_str()));
    const std::string found = sink.countsText();
    QVERIFY2(found == expected, ("found:\n" + found + "expected:\n" + expected).c_str());
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestGoldenCounts)
#include "tst_golden_counts.moc"
