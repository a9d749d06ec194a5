#include "core/project/read/project_reader.h"
#include "core/project/write/args_collector.h"
#include "core/project/write/project_writer.h"
#include "core/project/write/sorted_slices.h"
#include "tests/core/project/random_trace.h"

#include <QTest>

#include <malloc.h>

#include <random>

using namespace core;
using tests::RandomTrace;
using tests::readBytes;
using tests::TemporaryProject;

namespace {

CollectLimits limitsOf(std::size_t memoryBytes)
{
    return { memoryBytes, std::filesystem::temp_directory_path() };
}

/// Every seventh slice with one of the calls that slices have.
void addCalls(CollectedFile &file, TrackId track, const std::vector<RandomTrace::Row> &rows)
{
    const WorkerId worker(0);
    const TensorId tensor = file.tensor(worker, { "weight", 64, "float", "[16]" });
    const CollectiveInfo collective { "all_reduce", "dp", 4, 2, { &tensor, 1 } };
    const SyncInfo sync { 7, 8, 9 };
    const TransferInfo transfer { true, 1, 0, "comm 1/seq 2" };
    for (std::size_t i = 0; i < rows.size(); i += 7) {
        SliceRecord record = rows[i].record;
        record.name = file.intern("with a call");
        record.collective = i % 3 == 0 ? &collective : nullptr;
        record.sync = i % 3 == 1 ? &sync : nullptr;
        record.transfer = i % 3 == 2 ? &transfer : nullptr;
        record.node = i;
        file.slice(track, record);
    }
}

/// A rank with a large host thread, a stream, and many small tracks.
void writeProject(const std::filesystem::path &path, std::size_t memoryBytes)
{
    CollectedFile file({ "rank0.json", "test", 1 }, limitsOf(memoryBytes));
    const WorkerId worker = file.addWorker();
    file.describeWorker(worker, { 0, 1, "" });
    const TrackId host = file.track(worker, { TrackKind::HostThread, "1", "1", {} });
    const TrackId stream = file.track(worker, { TrackKind::Stream, "1", "7", 0 });
    tests::writeRows(file, stream, RandomTrace(1).rows(9'000, 300'000'000));
    for (int i = 0; i < 50; ++i) {
        const std::string tid = std::to_string(100 + i);
        const TrackId small = file.track(worker, { TrackKind::HostThread, "1", tid, {} });
        tests::writeRows(file, small, RandomTrace(2).rows(20, 1'000'000));
        tests::writeRows(file, host, RandomTrace(3).rows(500, 300'000'000));
    }
    addCalls(file, stream, RandomTrace(4).rows(3'000, 300'000'000));
    QCOMPARE(file.spillFile() != nullptr, memoryBytes < 1'000'000);
    ProjectWriter writer(path, false);
    QVERIFY(writer.add(file, tests::noRank, {}) == AddResult::Added);
    writer.finish();
}

} // namespace

class TestSpill : public QObject
{
    Q_OBJECT
private slots:
    void aSmallMemoryGivesTheSameProject_data();
    void aSmallMemoryGivesTheSameProject();
    void equalSlicesKeepTheirOrderOverRuns();
    void whatIsSpilledTakesNoMemory();
    void aFolderThatCannotBeWrittenIsNamed();
};

void TestSpill::aSmallMemoryGivesTheSameProject_data()
{
    QTest::addColumn<std::size_t>("memoryBytes");
    QTest::newRow("a few spills") << std::size_t(900'000);
    QTest::newRow("a hundred slices") << std::size_t(12'000);
    QTest::newRow("one slice") << std::size_t(1);
}

void TestSpill::aSmallMemoryGivesTheSameProject()
{
    QFETCH(const std::size_t, memoryBytes);
    const TemporaryProject inMemory, spilled;
    writeProject(inMemory.path, 1 << 30);
    writeProject(spilled.path, memoryBytes);
    QVERIFY(readBytes(inMemory.path) == readBytes(spilled.path));
    const auto beside = std::filesystem::directory_iterator(spilled.path.parent_path());
    QCOMPARE(std::distance(beside, {}), 1);
}

void TestSpill::equalSlicesKeepTheirOrderOverRuns()
{
    SpillFile file(std::filesystem::temp_directory_path());
    CollectedTrack track({}, WorkerId(0));
    std::uint64_t arrival = 0;
    for (const std::size_t rows : { 3U, 1U, 2'500U, 4U }) {
        for (std::size_t i = 0; i < rows; ++i) {
            SliceRecord record;
            record.startNs = static_cast<std::int64_t>(i % 2);
            record.sequence = ++arrival;
            track.add(record, 0, {});
        }
        if (rows != 4)
            track.spill(file);
    }
    track.sortHeld();
    QCOMPARE(track.heldRows(), 4U);
    QCOMPARE(track.size(), 2'508U);
    SortedSlices sorted(track, &file);
    CollectedSlice last;
    std::uint64_t count = 0;
    while (const CollectedSlice *slice = sorted.next()) {
        QVERIFY(slice->startNs > last.startNs || slice->sequence > last.sequence);
        last = *slice;
        ++count;
    }
    QCOMPARE(count, track.size());
}

// Blocks that were written to the file kept their memory, so the limit did not hold.
void TestSpill::whatIsSpilledTakesNoMemory()
{
    constexpr std::size_t Texts = 64, TextBytes = 256 * 1024; // a block each
    const auto usedBytes = [] {
        const struct mallinfo2 info = mallinfo2(); // all 0 under a sanitizer
        return info.uordblks + info.hblkhd;
    };
    SpillFile file(std::filesystem::temp_directory_path());
    ArgsCollector args;
    std::mt19937 random(1);
    const std::size_t before = usedBytes();
    for (std::size_t i = 0; i < Texts; ++i) {
        std::string text(TextBytes, ' ');
        for (char &c : text)
            c = static_cast<char>('!' + random() % 64); // shrinks by a quarter only
        args.add(text);
        args.spill(file);
    }
    QCOMPARE(args.heldBytes(), std::size_t { 0 });
    const std::size_t after = usedBytes();
    QVERIFY2(after < before + Texts * TextBytes / 2,
             qPrintable(QString::number(after - before) + QStringLiteral(" bytes")));
    std::size_t taken = 0;
    args.takeBlocks(&file, [&taken](const CompressedArgs &block) { taken += block.data.size(); });
    QVERIFY(taken > Texts * TextBytes / 2);
}

void TestSpill::aFolderThatCannotBeWrittenIsNamed()
{
    CollectedFile file({ "rank0.json", "test", 1 }, { 1, "/no/such/folder" });
    const TrackId track = file.track(file.addWorker(), {});
    try {
        file.slice(track, {});
        QFAIL("no error");
    } catch (const Error &error) {
        QCOMPARE(error.where().file, std::string("/no/such/folder"));
        QVERIFY(error.message().find("--memory-limit") != std::string::npos);
    }
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestSpill)
#include "tst_spill.moc"
