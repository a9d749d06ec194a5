#include "core/project/codec/compression.h"
#include "core/project/codec/record_chunks.h"
#include "core/project/read/project_reader.h"
#include "core/project/write/project_writer.h"
#include "tests/core/project/added_file.h"
#include "tests/core/project/random_trace.h"

#include <QTest>

#include <algorithm>
#include <limits>

using namespace core;
using tests::TemporaryProject;

namespace {

/// A rank whose slices come out of order, with one record of every kind.
class Recorded
{
public:
    explicit Recorded(int rank)
        : file({ "rank" + std::to_string(rank), "test", 1 })
        , worker(file.addWorker())
        , track(file.track(worker, { TrackKind::Communication, "1", "1", {} }))
    {
        file.describeWorker(worker, { rank, 2, "" });
    }

    SliceRecord record(std::int64_t startNs, std::string_view name)
    {
        SliceRecord slice;
        slice.startNs = startNs;
        slice.durationNs = 10;
        slice.name = file.intern(name);
        slice.category = Category::CommOp;
        return slice;
    }

    CollectedFile file;
    WorkerId worker;
    TrackId track;
};

void writeRank(ProjectWriter &writer, int rank)
{
    Recorded recorded(rank);
    CollectedFile &file = recorded.file;
    const WorkerId worker = recorded.worker;
    const TensorId weight = file.tensor(worker, { "conv1.weight", 9408, "float32", "[64,3]" });
    const TensorId bias = file.tensor(worker, { "conv1.bias", 256, "float32", "[64]" });
    const TensorId carried[] = { bias, weight };
    const CollectiveInfo collective { "all_reduce", "dp", 4, 2, carried };
    const TransferInfo transfer { true, 1 - rank, 3, "comm 3/seq 4/step 5" };
    file.intern("a name of rank " + std::to_string(rank)); // ids in the file are not the project's
    SliceRecord later = recorded.record(2000, "all_reduce");
    later.collective = &collective;
    later.node = 41;
    SliceRecord earlier = recorded.record(1000, "send");
    earlier.transfer = &transfer;
    earlier.node = 40;
    file.slice(recorded.track, later);
    file.slice(recorded.track, earlier);
    file.memory(worker, { 1500, {}, 0xfeed, -512, 1024, 2048 });
    file.memory(worker, { 1400, 0, 0xfeed, 512, 1536, 0 });
    file.dependency(worker, { DependencyKind::Sync, DependencyKey::Node, 40, 41 });
    file.dependency(
        worker,
        { DependencyKind::Data, DependencyKey::Name, earlier.name.value, later.name.value });
    file.iteration(worker, 7, { 900, 2100 });
    file.metadata("process groups", "{\"dp\": [0, 1]}");
    QVERIFY(writer.add(file, tests::noRank, {}) == AddResult::Added);
}

std::string rowsOf(const ProjectReader &reader, const std::string &sql)
{
    std::string text;
    for (const auto &row : reader.query(sql, 1000, {}).rows) {
        for (const auto &value : row)
            text += value.value_or("NULL") + "|";
        text += "\n";
    }
    return text;
}

} // namespace

class TestRecords : public QObject
{
    Q_OBJECT
private slots:
    void everyRecordComesBack();
    void recordsAreRowsOfSql();
    void millionsOfRecordsAreFewBytes();
    void impossibleTimesAreLeftOutAndCounted();
    void aSliceThatEndsTooLateIsShortened();
    void whichIterationsAreWholeIsKept();
    void theLastStartOfARangeIsFound();
    void damagedChunksAreErrors();
};

void TestRecords::everyRecordComesBack()
{
    const TemporaryProject file;
    {
        ProjectWriter writer(file.path, false);
        writeRank(writer, 0);
        writeRank(writer, 1);
        writer.finish();
    }
    const ProjectReader reader(file.path);
    const Trace trace = reader.readTrace({});
    QCOMPARE(trace.slices[1].size(), std::size_t { 2 });
    QCOMPARE(trace.slices[1].node.values(0, 2), (std::vector<std::uint64_t> { 40, 41 }));
    QCOMPARE(reader.slice(SliceId(3))->node, 41U);

    QCOMPARE(trace.transfers.size(), 2U);
    QCOMPARE(trace.transfers[1].slice, SliceId(2));
    QCOMPARE(trace.transfers[1].worker, WorkerId(1));
    QVERIFY(trace.transfers[1].isSend);
    QCOMPARE(trace.transfers[1].peer, std::optional<int>(0));
    QCOMPARE(trace.transfers[1].channel, std::optional<int>(3));
    QCOMPARE(trace.transfers[1].transaction, std::string("comm 3/seq 4/step 5"));

    QCOMPARE(trace.tensors.size(), 4U);
    QCOMPARE(trace.tensors[2].name, std::string("conv1.weight"));
    QCOMPARE(trace.tensors[2].worker, WorkerId(1));
    QCOMPARE(trace.tensors[2].bytes, 9408U);
    QCOMPARE(trace.tensors[2].dtype + trace.tensors[2].shape, std::string("float32[64,3]"));
    QCOMPARE(trace.tensorUses.size(), 4U);
    QCOMPARE(trace.tensorUses[3].slice, SliceId(3));
    QCOMPARE(trace.tensorUses[3].tensor, TensorId(3));

    QCOMPARE(trace.dependencies.size(), 4U);
    QCOMPARE(trace.dependencies[2].worker, WorkerId(1));
    QCOMPARE(trace.dependencies[2].edge.kind, DependencyKind::Sync);
    QCOMPARE(trace.dependencies[2].edge.to, 41U);
    QCOMPARE(trace.dependencies[3].edge.key, DependencyKey::Name);
    QCOMPARE(trace.names[trace.dependencies[3].edge.from], std::string("send"));

    QCOMPARE(trace.iterations.size(), 2U);
    QVERIFY(trace.iterations[0].isStated);
    QCOMPARE(trace.iterations[0].index, 7);
    QCOMPARE(trace.metadata.at(1).name, std::string("rank1#process groups"));

    const std::vector<MemoryEvent> memory = reader.memory(WorkerId(1));
    QCOMPARE(memory.size(), 2U);
    QCOMPARE(memory[0].timeNs, 1400);
    QCOMPARE(memory[0].device, std::optional<int>(0));
    QCOMPARE(memory[1].device, std::optional<int>());
    QCOMPARE(memory[1].address, 0xfeedU);
    QCOMPARE(memory[1].deltaBytes, -512);
    QCOMPARE(memory[1].allocatedBytes, 1024U);
    QCOMPARE(memory[1].reservedBytes, 2048U);
}

void TestRecords::recordsAreRowsOfSql()
{
    const TemporaryProject file;
    ProjectWriter writer(file.path, false);
    writeRank(writer, 0);
    writeRank(writer, 1);
    writer.finish();
    const ProjectReader reader(file.path);
    QCOMPARE(rowsOf(reader,
                    "SELECT rank, name, is_send, peer, channel, transaction_name, start_ns "
                    "FROM transfer WHERE rank = 1"),
             std::string("1|send|1|0|3|comm 3/seq 4/step 5|1000|\n"));
    QCOMPARE(rowsOf(reader,
                    "SELECT rank, time_ns, device, address, delta_bytes, allocated_bytes, "
                    "reserved_bytes FROM memory WHERE rank = 1 ORDER BY time_ns"),
             std::string("1|1400|0|65261|512|1536|NULL|\n1|1500|NULL|65261|-512|1024|2048|\n"));
    QCOMPARE(rowsOf(reader, "SELECT count(*), sum(delta_bytes) FROM memory"),
             std::string("4|0|\n"));
    QCOMPARE(rowsOf(reader,
                    "SELECT rank, kind, from_node, to_node, from_name, to_name "
                    "FROM dependency WHERE rank = 0"),
             std::string("0|sync|40|41|NULL|NULL|\n0|data|NULL|NULL|send|all_reduce|\n"));
    QCOMPARE(rowsOf(reader,
                    "SELECT s.node, t.name FROM tensor_use u JOIN tensor t ON t.id = "
                    "u.tensor JOIN slice s ON s.id = u.slice WHERE s.rank = 0 ORDER BY 2"),
             std::string("41|conv1.bias|\n41|conv1.weight|\n"));
    QCOMPARE(rowsOf(reader, "SELECT count(*) FROM memory WHERE rank = 5"), std::string("0|\n"));
}

void TestRecords::millionsOfRecordsAreFewBytes()
{
    Compressor compressor;
    MemoryChunks memory;
    DependencyChunks dependencies;
    std::mt19937_64 random(1);
    constexpr std::size_t Count = 200'000;
    for (std::size_t i = 0; i < Count; ++i) {
        const auto time = static_cast<std::int64_t>(i * 1000 + random() % 500);
        memory.add({ time, 0, 0x7f0000000000 + random() % 4096 * 512, 512, 1'000'000, 2'000'000 },
                   compressor);
        dependencies.add({ DependencyKind::Data, DependencyKey::Node, i, i + 1 + random() % 8 },
                         compressor);
    }
    std::size_t rows = 0, bytes = 0;
    for (const RecordChunk &chunk : memory.take(compressor)) {
        const auto events = decodeMemory(decompress(chunk.data, chunk.rawBytes), chunk.rows);
        QVERIFY(std::is_sorted(events.begin(), events.end(),
                               [](const auto &a, const auto &b) { return a.timeNs < b.timeNs; }));
        rows += chunk.rows;
        bytes += chunk.data.size();
    }
    QCOMPARE(rows, Count);
    QVERIFY2(bytes < 6 * Count, qPrintable(QString::number(bytes)));
    bytes = 0;
    for (const RecordChunk &chunk : dependencies.take(compressor))
        bytes += chunk.data.size();
    QVERIFY2(bytes < 3 * Count, qPrintable(QString::number(bytes)));
}

void TestRecords::aSliceThatEndsTooLateIsShortened()
{
    const TemporaryProject file;
    ProjectWriter writer(file.path, false);
    Recorded recorded(0);
    const core::TrackId track
        = recorded.file.track(recorded.worker, { core::TrackKind::HostThread, "9", "9", {} });
    core::SliceRecord record;
    record.startNs = 3'900'000'000'000'000'000; // each possible, their sum is not
    record.durationNs = 2'300'000'000'000'000'000;
    recorded.file.slice(track, record);
    QVERIFY(writer.add(recorded.file, tests::noRank, {}) == AddResult::Added);
    writer.finish();
    const ProjectReader reader(file.path); // refuses times that are impossible
    QCOMPARE(reader.info().tracks.back().range.endNs, 4'000'000'000'000'000'000);
    QCOMPARE(reader.info().diagnostics.at(0).code, std::string("impossible-time"));
}

void TestRecords::impossibleTimesAreLeftOutAndCounted()
{
    const TemporaryProject file;
    ProjectWriter writer(file.path, false);
    Recorded recorded(0);
    recorded.file.memory(recorded.worker,
                         { std::numeric_limits<std::int64_t>::max(), {}, 1, 1, 0, 0 });
    recorded.file.iteration(recorded.worker, 1, { std::numeric_limits<std::int64_t>::min(), 0 });
    recorded.file.iteration(recorded.worker, 2, { 10, 5 }); // ends before it begins: empty
    core::CollectiveInfo collective;
    collective.kind = "all_reduce";
    collective.readyNs = std::numeric_limits<std::int64_t>::max();
    core::SliceRecord record;
    record.collective = &collective;
    recorded.file.slice(
        recorded.file.track(recorded.worker, { core::TrackKind::HostThread, "9", "9", {} }),
        record);
    QVERIFY(writer.add(recorded.file, tests::noRank, {}) == AddResult::Added);
    writer.finish();
    const ProjectReader reader(file.path);
    QCOMPARE(reader.memory(WorkerId(0)).size(), 0U);
    QCOMPARE(reader.info().iterations.size(), 1U);
    QCOMPARE(reader.info().iterations[0].range.durationNs(), 0);
    QCOMPARE(reader.info().diagnostics.at(0).code, std::string("impossible-record-time"));
    QCOMPARE(reader.info().diagnostics.at(0).count, 3U);
    QVERIFY(!reader.readTrace({}).collectives.back().readyNs);
}

/// Window and command line counted the marks of a recording that breaks off, each in its own way.
void TestRecords::whichIterationsAreWholeIsKept()
{
    const TemporaryProject file;
    ProjectWriter writer(file.path, false);
    writeRank(writer, 0);
    writeRank(writer, 1);
    // Each rank states one step: those stay.
    const core::Iteration stated { WorkerId(0), 7, { 900, 2100 }, true };
    core::Iteration cut { WorkerId(1), 7, { 900, 2100 }, true };
    cut.isWhole = false;
    core::Iteration cutBefore { WorkerId(1), 0, { 0, 100 } };
    cutBefore.isWhole = false;
    writer.setIterations({ stated, { WorkerId(1), 0, { 0, 100 } }, cut });
    const auto whole = [&file] {
        const ProjectReader reader(file.path);
        QString text;
        for (const core::Iteration &iteration : reader.info().iterations)
            text += QLatin1Char(iteration.isWhole ? '1' : '0');
        return text;
    };
    QCOMPARE(whole(), QStringLiteral("110"));
    // One before the last, by its number.
    writer.setIterations({ stated, cutBefore, cut });
    QCOMPARE(whole(), QStringLiteral("100"));
    cut.isWhole = true;
    writer.setIterations({ stated, cutBefore, cut });
    QCOMPARE(whole(), QStringLiteral("101"));
    writer.setIterations({ stated, cut });
    QCOMPARE(whole(), QStringLiteral("11"));
}

/// Over several chunks, the same as from the whole track.
void TestRecords::theLastStartOfARangeIsFound()
{
    const TemporaryProject file;
    {
        ProjectWriter writer(file.path, false);
        QVERIFY(tests::addFile(writer, "rank0.json", 0, 50'000));
        writer.finish();
    }
    const ProjectReader reader(file.path);
    const std::vector<std::int64_t> starts = reader.readTrace({}).slices.at(0).startNs;
    const std::int64_t first = starts.front(), last = starts.back();
    const core::TrackId track(0);
    for (const std::int64_t end : { first, first + 1, first + (last - first) / 3,
                                    first + (last - first) / 2, last, last + 1 }) {
        const auto after = std::lower_bound(starts.begin(), starts.end(), end);
        const auto found = reader.lastStartIn(track, { first, end });
        QCOMPARE(found.has_value(), after != starts.begin());
        if (found)
            QCOMPARE(*found, *(after - 1));
    }
    QVERIFY(!reader.lastStartIn(track, { last + 1, last + 100 }));
    QVERIFY(!reader.lastStartIn(track, { first - 100, first }));
}

void TestRecords::damagedChunksAreErrors()
{
    Compressor compressor;
    MemoryChunks memory;
    memory.add({ 5, 0, 1, 2, 3, 4 }, compressor);
    const RecordChunk chunk = memory.take(compressor).at(0);
    const ByteBuffer raw = decompress(chunk.data, chunk.rawBytes);
    QCOMPARE(decodeMemory(raw, 1).size(), 1U);
    QVERIFY_THROWS_EXCEPTION(Error, decodeMemory(raw, 2));
    for (std::size_t size = 0; size < raw.size(); ++size)
        QVERIFY_THROWS_EXCEPTION(Error, decodeMemory(ByteSpan(raw).first(size), 1));

    DependencyChunks dependencies;
    dependencies.add({ DependencyKind::Data, DependencyKey::Name, 3, 8 }, compressor);
    const RecordChunk edges = dependencies.take(compressor).at(0);
    const ByteBuffer rawEdges = decompress(edges.data, edges.rawBytes);
    QCOMPARE(decodeDependencies(rawEdges, 1, 9).size(), 1U);
    QVERIFY_THROWS_EXCEPTION(Error, decodeDependencies(rawEdges, 1, 8)); // no name 8
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestRecords)
#include "tst_records.moc"
