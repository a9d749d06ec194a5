#include "core/import/category_counts.h"
#include "core/import/chrome/chrome_event.h"
#include "core/import/kineto/kineto_importer.h"
#include "core/import/nccl/nccl_event_translator.h"
#include "core/import/row_cache.h"
#include "core/import/tensorflow/tf_rows.h"
#include "core/import/tensorflow/tf_stepstats_importer.h"
#include "core/project/write/collected_file.h"
#include "tests/support/memory_entry.h"
#include "tests/support/recording_sink.h"
#include "tests/support/tf_stepstats_sample.h"
#include "tests/support/xspace_builder.h"

#include <QTest>

#include <algorithm>
#include <array>

using tests::MemoryEntry;
using tests::RecordingSink;

namespace {

/// A Kineto trace of the events, without the comma behind the last.
std::string kinetoTrace(std::string events)
{
    events.pop_back();
    return R"({"schemaVersion": 1, "traceEvents": [)" + events + "]}";
}

/// A sink with little memory.
class SmallSink : public RecordingSink
{
public:
    std::size_t importerBytes() const override { return 4096; }
};

std::string repeated(const std::string &record, int times)
{
    std::string all;
    for (int i = 0; i < times; ++i)
        all += record;
    return all;
}

RecordingSink importedKineto(const std::string &json)
{
    MemoryEntry entry(json);
    RecordingSink sink;
    core::KinetoImporter().read(entry, sink, {});
    return sink;
}

std::string kinetoSlice(const std::string &category, const std::string &tid = "1")
{
    return "{\"ph\": \"X\", \"cat\": \"" + category
        + "\", \"name\": \"a\", \"pid\": 1, \"tid\": " + tid + R"(, "ts": 1, "dur": 1},)";
}

std::string kinetoThreadName(std::size_t tid, const std::string &name)
{
    return R"({"ph": "M", "name": "thread_name", "pid": 1, "tid": )" + std::to_string(tid)
        + ", \"args\": {\"name\": \"" + name + "\"}},";
}

} // namespace

/// What a damaged file can name without end is kept up to a bound, and what is beyond is said.
class ImportBoundsTest : public QObject
{
    Q_OBJECT

private slots:
    /// Each record's category was kept, in three maps and in the project.
    void furtherCategoriesShareACount()
    {
        constexpr std::size_t Beyond = 500;
        std::string events;
        for (std::size_t i = 0; i < core::MaximumCategories + Beyond; ++i)
            events += kinetoSlice("new" + std::to_string(i));
        events += kinetoSlice(std::string(core::MaximumCategoryBytes + 1, 'x'));
        const RecordingSink sink = importedKineto(kinetoTrace(events));
        QCOMPARE(sink.counts().size(), core::MaximumCategories + 1);
        QCOMPARE(sink.counts().at(std::string(core::FurtherCategories)), Beyond + 1);
        QCOMPARE(sink.sliceCount(), core::MaximumCategories + Beyond + 1);
    }

    void kinetosOwnCategoriesAreKnownBehindAnyOthers()
    {
        std::string events;
        for (std::size_t i = 0; i < core::MaximumCategories; ++i)
            events += kinetoSlice("new" + std::to_string(i));
        events += kinetoSlice("kernel", "7");
        const RecordingSink sink = importedKineto(kinetoTrace(events));
        QCOMPARE(sink.counts().at("kernel"), std::uint64_t { 1 });
        QVERIFY(sink.text().find("stream pid=1 tid=7") != std::string::npos);
    }

    /// The row of the further ones was asked for when the sink was full: its slices were lost.
    void whatAnImporterHoldsIsWithinTheMemoryLimit_data()
    {
        QTest::addColumn<std::string>("text");
        QTest::addColumn<std::string>("said");
        QTest::newRow("begins without an end") << kinetoTrace(
            repeated(R"({"ph": "B", "name": "a", "pid": 1, "tid": 1, "ts": 1},)", 99))
                                               << std::string("too-many-open-slices error ");
        std::string rowsOfBegins;
        for (int i = 0; i < 9; ++i)
            rowsOfBegins += "{\"ph\": \"B\", \"name\": \"cpu/0\", \"pid\": \"process_name\", "
                            "\"ts\": 1, \"tid\": \""
                + std::to_string(i) + std::string(1000, 'x') + "\"},";
        rowsOfBegins.pop_back();
        QTest::newRow("rows of begins without an end") << R"({"traceEvents": [)" + rowsOfBegins
                + "]}" << std::string("too-many-open-slices error ");
        QTest::newRow("a nest of NCCL events")
            << "["
                + repeated(
                    R"({"name": "a", "cat": "GROUP", "ph": "b", "id": 0, "pid": 1, "tid": 1, "ts": 1.0},
)",
                    50)
                + "{}]"
            << std::string("too-many-open-slices error ");
        std::string rows;
        for (int i = 0; i < 99; ++i)
            rows += R"({"ph": "M", "name": "process_name", "args": {"name": "cpu/0"}, "pid": )"
                + std::to_string(i) + "},";
        rows.pop_back();
        QTest::newRow("names of rows")
            << R"({"traceEvents": [)" + rows + "]}" << std::string("too-many-row-names warning ");
        tests::XPlaneBuilder plane("/device:GPU:0");
        plane.line(1, "Stream #1", 10);
        for (std::uint64_t i = 0; i < 99; ++i)
            plane.event("kernel" + std::to_string(i), i, 1);
        QTest::newRow("names of a profile")
            << tests::xspace({ plane }) << std::string("too-many-names warning ");
        std::string nodes;
        for (int i = 2; i < 100; ++i)
            nodes += R"({"name": "aten::mm", "id": )" + std::to_string(i)
                + R"(, "rf_id": 1, "parent": 1, "outputs": [[1, 2, 0, 8, 4, "cpu"]]},)";
        nodes.pop_back();
        QTest::newRow("nodes of an execution trace")
            << R"({"schema": "1.0.1", "pid": 7, "time": "2023-01-01", "start_ts": 1, "nodes": [)"
                + nodes + "]}"
            << std::string("too-many-nodes error ");
    }

    /// Fixed bounds of up to 256 MiB were beside the memory limit.
    void whatAnImporterHoldsIsWithinTheMemoryLimit()
    {
        QFETCH(const std::string, text);
        QFETCH(const std::string, said);
        MemoryEntry entry(text);
        SmallSink sink;
        const auto importer
            = std::find_if(core::importers().begin(), core::importers().end(),
                           [&](const auto &one) { return one->recognizes(entry.name(), text); });
        QVERIFY(importer != core::importers().end());
        (*importer)->read(entry, sink, {});
        QVERIFY2(sink.diagnosticsText().find(said) != std::string::npos,
                 sink.diagnosticsText().c_str());
    }

    void furtherRowsAreOneThatTheSinkKeeps()
    {
        core::CollectedFile sink({}, {});
        const std::array workers = { sink.addWorker(), sink.addWorker() };
        core::RowCache rows(sink, "x");
        const core::TrackSpec spec { core::TrackKind::Stream, "1", "0", 0 };
        const core::TrackId first = rows.row(workers[0], spec, "first");
        for (std::size_t i = 0; i < core::MaximumTracks + 10; ++i) {
            const std::string tid = std::to_string(i);
            const core::TrackSpec next { core::TrackKind::Stream, "1", tid, 0 };
            QVERIFY(rows.row(workers[i % 2], next, tid).value < sink.tracks.size());
        }
        QCOMPARE(rows.row(workers[0], spec, "first"), first);
        QCOMPARE(sink.tracks.size(), core::RowCache::MaximumRows + workers.size());
        const std::vector<core::Diagnostic> said = sink.diagnostics().list();
        QCOMPARE(said.size(), 1U);
        QCOMPARE(said[0].code, std::string("too-many-rows"));
        QCOMPARE(said[0].count, core::MaximumTracks + 11 - 1 - core::RowCache::MaximumRows);
    }

    /// Names past the bound were ignored without a word, with them new names of known threads.
    void namesOfTooManyThreadsAreCounted()
    {
        std::string events;
        for (std::size_t i = 0; i < core::MaximumTracks + 2; ++i)
            events += kinetoThreadName(i, "old");
        events += kinetoThreadName(1, "new");
        const RecordingSink sink = importedKineto(kinetoTrace(events + kinetoSlice("cpu_op")));
        QVERIFY(sink.text().find("\"new\"") != std::string::npos);
        QVERIFY(sink.diagnosticsText().find("too-many-thread-names info 2 ") != std::string::npos);
    }

    /// Only how many rows and calls there are was bounded: 400 events with 2 MB of "tid" each took
    /// 4.7 GB whatever the limit.
    void whatIsKeptOfAnEventIsCut()
    {
        constexpr std::size_t Most = core::MaximumKeptTextBytes;
        const std::string longText(Most + 1, 'x');
        std::string events;
        events += kinetoSlice("cpu_op", '"' + longText + "1\"") + kinetoSlice("cpu_op", "7");
        events += R"({"ph": "X", "cat": "kernel", "name": "ncclDevKernel", "pid": 0, "tid": 9,)"
                  R"( "ts": 1, "dur": 1, "args": {"Collective name": "allreduce",)"
                  " \"Process Group Name\": \""
            + longText + "\"}},";
        events += kinetoThreadName(7, std::string(Most + 1, 'y'));
        const RecordingSink sink = importedKineto(kinetoTrace(events));
        QVERIFY(sink.diagnosticsText().find("text-cut warning 3 at=37\n") != std::string::npos);
        QCOMPARE(sink.sliceCount(), std::uint64_t { 3 });
        const std::string kept(Most, 'x');
        const std::string text = sink.text();
        QVERIFY(text.find("tid=" + kept + " ") != std::string::npos);
        QVERIFY(text.find("group=\"" + kept + "\"") != std::string::npos);
        QVERIFY(text.find('"' + std::string(Most, 'y') + "\"\n") != std::string::npos);
    }

    /// A cut may fall into a character.
    void aCutTextIsUtf8()
    {
        const std::string tid = std::string(core::MaximumKeptTextBytes - 1, 'x') + "\u00e9";
        const RecordingSink sink
            = importedKineto(kinetoTrace(kinetoSlice("cpu_op", '"' + tid + '"')));
        QVERIFY(sink.text().find("x\uFFFD ") != std::string::npos);
    }

    void rowsOfKinetoBeyondTheLimitAreNamedByTheirNumbers()
    {
        std::string events;
        for (std::size_t i = 0; i < 100; ++i)
            events += kinetoThreadName(i, "worker") + kinetoSlice("cpu_op", std::to_string(i));
        const std::string json = kinetoTrace(events);
        MemoryEntry entry(json);
        SmallSink sink;
        core::KinetoImporter().read(entry, sink, {});
        QCOMPARE(sink.sliceCount(), std::uint64_t { 100 });
        QVERIFY(sink.diagnosticsText().find("too-many-thread-names info ") != std::string::npos);
        QVERIFY(sink.text().find("tid=0 \"worker\"") != std::string::npos);
        QVERIFY(sink.text().find("tid=99 \"thread 99\"") != std::string::npos);
    }

    void launchesOnTooManyStreamsAreCounted()
    {
        RecordingSink sink;
        core::NcclEventTranslator translator(sink, "x");
        core::NcclEventTree call(2);
        call[0].category = "COLL_API";
        call[0].subtreeEnd = call[1].subtreeEnd = 2;
        call[1].category = "COLL";
        call[1].args = { { "Rank", "1" } };
        for (std::size_t i = 0; i < 100'000 + 3; ++i) {
            call[0].args = { { "Stream", std::to_string(i) } };
            translator.addTree(call);
        }
        QVERIFY(sink.diagnosticsText().find("too-many-streams warning 3 ") != std::string::npos);
    }

    void aDeviceNameThatIsCutIsCounted()
    {
        tests::ProtobufWriter stats;
        stats.message(1, tests::tfsample::device("/job:a/" + std::string(5000, 'x'), {}));
        MemoryEntry entry(stats.str());
        RecordingSink sink;
        core::TfStepStatsImporter().read(entry, sink, {});
        QVERIFY(sink.diagnosticsText().find("long-device-name info 1 ") != std::string::npos);
    }

    /// 100000 names of any length, and four million edges, were held whatever the memory limit.
    void devicesAndEdgesOfTensorFlowAreWithinTheMemoryLimit()
    {
        SmallSink sink;
        core::TfRows rows(sink, "x");
        for (int i = 0; i < 99; ++i)
            rows.addDependency({}, "node" + std::to_string(i), "MatMul", "x");
        QCOMPARE(sink.diagnosticsText(), std::string("too-many-dependencies warning 83\n"));
        for (int i = 0; i < 99; ++i)
            rows.noteDevice("/job:worker/task:" + std::to_string(i));
        QCOMPARE(rows.device(std::string(5000, 'x')).accelerator, std::optional<int>());
        QVERIFY(sink.workerCount() < 10);
        QVERIFY(sink.diagnosticsText().find("too-many-devices warning ") != std::string::npos);
    }

    void namesOfTensorFlowsDevicesAreWithinTheMemoryLimit()
    {
        tests::ProtobufWriter steps;
        const auto node = tests::tfsample::node("MatMul", 0, 1, "");
        for (int i = 0; i < 99; ++i)
            steps.message(
                1, tests::tfsample::device("/gpu:" + std::to_string(i) + "/memcpy", { node }));
        MemoryEntry entry(tests::ProtobufWriter().message(1, steps).str());
        SmallSink sink;
        core::TfStepStatsImporter().read(entry, sink, {});
        QCOMPARE(sink.sliceCount(), std::uint64_t { 99 });
        QVERIFY(sink.counts().at("device without a name") > 0);
        QVERIFY(sink.diagnosticsText().find("too-many-devices warning ") != std::string::npos);
    }

    void streamsOfTwoDevicesAreTwoRows()
    {
        core::CollectedFile sink({}, {});
        const core::WorkerId worker = sink.addWorker();
        core::RowCache rows(sink, "x");
        const core::TrackId first
            = rows.row(worker, { core::TrackKind::Stream, "1", "7", 0 }, "stream 7");
        QVERIFY(rows.row(worker, { core::TrackKind::Stream, "1", "7", 1 }, "stream 7") != first);
    }

    void furtherThreadsOfTensorFlowAreOneRow()
    {
        core::CollectedFile sink({}, {});
        core::TfRows rows(sink, "x");
        constexpr std::size_t Beyond = 5;
        for (std::size_t i = 0; i < core::RowCache::MaximumRows + Beyond; ++i) {
            const std::string thread = std::to_string(i);
            core::TfSlice slice;
            slice.device = "/device:CPU:0";
            slice.thread = thread;
            slice.name = slice.op = "MatMul";
            rows.add(slice);
        }
        QCOMPARE(sink.tracks.size(), core::RowCache::MaximumRows + 1);
        QCOMPARE(sink.tracks.back().track.name, std::string("further rows"));
        QCOMPARE(sink.tracks.back().heldRows(), Beyond);
        QCOMPARE(sink.diagnostics().list().at(0).code, std::string("too-many-rows"));
        QCOMPARE(sink.diagnostics().list().at(0).count, Beyond);
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(ImportBoundsTest)
#include "tst_import_bounds.moc"
