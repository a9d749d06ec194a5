#include "core/change/change_text.h"
#include "core/fit/links/measured_graph.h"
#include "core/pipeline/pipeline.h"
#include "core/predict/peak_memory.h"
#include "core/predict/peak_memory_json.h"
#include "core/project/read/project_reader.h"
#include "tests/support/predict.h"
#include "tests/support/shared_data.h"
#include "tests/support/trace_builder.h"

#include <QTemporaryDir>
#include <QTest>

#include <nlohmann/json.hpp>

#include <limits>

using namespace core;

/// What is allocated at once in a replay.
class TestPeakMemory : public QObject
{
    Q_OBJECT

private slots:
    void theSelfReplayHasTheMeasuredPeak();
    void allocationsMoveWithTheirOps();
    void whatWasAllocatedBeforeTheIterationsCounts();
    void sizesThatASettingChangesAreNotPredicted_data();
    void sizesThatASettingChangesAreNotPredicted();
    void withoutAllocationsThePeakIsNotKnown_data();
    void withoutAllocationsThePeakIsNotKnown();
    void ranksWithAcceleratorsAreLimitedByTheirs();
    void impossibleSizesDoNotOverflow();
    void realTracesKeepTheirPeak_data();
    void realTracesKeepTheirPeak();
};

namespace {

constexpr std::int64_t Us = 1'000;

/// The forward pass holds 100 bytes from 10 to 40 us, the loader's thread another 100 from 55 to
/// 75 us.
constexpr const char *TwoThreads = "rank 0\n"
                                   "iteration 0 0 100\n"
                                   "thread main\n"
                                   "forward 0 60 phase=forward\n"
                                   "update 80 20\n"
                                   "thread loader\n"
                                   "enumerate(DataLoader) 50 30 phase=input\n";

MemoryEvent memoryEvent(std::int64_t us, std::int64_t deltaBytes, std::uint64_t allocated,
                        std::uint64_t address, std::optional<int> device = {})
{
    MemoryEvent found;
    found.timeNs = us * Us;
    found.device = device;
    found.address = address;
    found.deltaBytes = deltaBytes;
    found.allocatedBytes = allocated;
    return found;
}

std::vector<MemoryEvent> oneAfterTheOther()
{
    return { memoryEvent(10, 100, 1'100, 1), memoryEvent(40, -100, 1'000, 1),
             memoryEvent(55, 100, 1'100, 2), memoryEvent(75, -100, 1'000, 2) };
}

PeakMemory peakOf(const std::string &text, const std::vector<MemoryEvent> &events,
                  const std::vector<std::string> &settings = {})
{
    const Trace trace = tests::traceFromText(text);
    const auto graph = std::make_shared<const Graph>(measuredGraph(trace, {}));
    return peakMemory(trace, *graph, tests::predict(trace, graph, parseStrategy(settings), {}),
                      [&events](WorkerId worker) {
                          return worker == WorkerId(0) ? events : std::vector<MemoryEvent>();
                      },
                      {});
}

} // namespace

void TestPeakMemory::theSelfReplayHasTheMeasuredPeak()
{
    const PeakMemory memory = peakOf(TwoThreads, oneAfterTheOther());
    QCOMPARE(memory.devices.size(), std::size_t { 1 });
    QCOMPARE(memory.devices[0].events, std::size_t { 4 });
    QCOMPARE(memory.devices[0].startBytes, std::uint64_t { 1'000 });
    QVERIFY(memory.measuredBytes() == std::uint64_t { 1'100 });
    QVERIFY(memory.predictedBytes() == std::uint64_t { 1'100 });
    QVERIFY(!memory.unknown && !memory.notPredicted && memory.ranksWithout.empty());
    nlohmann::ordered_json json;
    addPeakMemory(json, memory);
    QCOMPARE(json["peak_memory_bytes"], 1'100);
    QCOMPARE(json["measured_peak_memory_bytes"], 1'100);
    QVERIFY(json["memory"]["devices"][0]["device"].is_null());
}

/// Twice as slow, the forward pass holds its memory from 20 to 80 us, while the loader has its own.
void TestPeakMemory::allocationsMoveWithTheirOps()
{
    const PeakMemory memory = peakOf(TwoThreads, oneAfterTheOther(), { "compute_scale=2" });
    QVERIFY(memory.measuredBytes() == std::uint64_t { 1'100 });
    QVERIFY(memory.predictedBytes() == std::uint64_t { 1'200 });
}

void TestPeakMemory::whatWasAllocatedBeforeTheIterationsCounts()
{
    std::vector<MemoryEvent> events = oneAfterTheOther();
    for (MemoryEvent &each : events)
        each.allocatedBytes += 500;
    events.insert(events.begin(),
                  { memoryEvent(-20, 900, 1'900, 3), memoryEvent(-10, -400, 1'500, 4) });
    events.push_back(memoryEvent(101, 1'000'000, 0, 5)); // after the last iteration
    const PeakMemory memory = peakOf(TwoThreads, events);
    QCOMPARE(memory.devices[0].startBytes, std::uint64_t { 1'500 });
    QCOMPARE(memory.devices[0].events, std::size_t { 4 });
    QVERIFY(memory.predictedBytes() == std::uint64_t { 1'600 });
}

void TestPeakMemory::sizesThatASettingChangesAreNotPredicted_data()
{
    QTest::addColumn<QByteArray>("setting");
    QTest::addColumn<bool>("isPredicted");
    QTest::newRow("a batch of another size") << QByteArray("batch_scale=2") << false;
    QTest::newRow("the same batch") << QByteArray("batch_scale=1") << true;
    QTest::newRow("faster compute") << QByteArray("compute_scale=0.5") << true;
}

void TestPeakMemory::sizesThatASettingChangesAreNotPredicted()
{
    QFETCH(const QByteArray, setting);
    QFETCH(const bool, isPredicted);
    const PeakMemory memory = peakOf(TwoThreads, oneAfterTheOther(), { setting.toStdString() });
    QVERIFY(memory.measuredBytes() == std::uint64_t { 1'100 });
    QCOMPARE(memory.predictedBytes().has_value(), isPredicted);
    QCOMPARE(memory.notPredicted.has_value(), !isPredicted);
}

void TestPeakMemory::withoutAllocationsThePeakIsNotKnown_data()
{
    QTest::addColumn<QByteArray>("op");
    QTest::addColumn<bool>("hasEvents");
    QTest::addColumn<QByteArray>("why");
    QTest::newRow("none") << QByteArray("aten::mm") << false
                          << QByteArray("no allocations are recorded. Record them "
                                        "(torch.profiler: profile_memory=True).");
    QTest::newRow("none, of another framework") << QByteArray("ExecutorState::Process") << false
                                                << QByteArray("no allocations are recorded.");
    QTest::newRow("no totals") << QByteArray("aten::mm") << true
                               << QByteArray(
                                      "(torch.profiler: with PyTorch 1.10 or newer, built with "
                                      "Kineto as those of pytorch.org are).");
    QTest::newRow("no totals, of another framework")
        << QByteArray("ExecutorState::Process") << true << QByteArray("Record the totals, too.");
}

/// Recordings of TensorFlow were told how to record with PyTorch's profiler.
void TestPeakMemory::withoutAllocationsThePeakIsNotKnown()
{
    QFETCH(const QByteArray, op);
    QFETCH(const bool, hasEvents);
    QFETCH(const QByteArray, why);
    const PeakMemory memory = peakOf(
        TwoThreads + op.toStdString() + " 85 5\n",
        hasEvents ? std::vector<MemoryEvent> { memoryEvent(10, 4, 0, 0), memoryEvent(20, -4, 0, 0) }
                  : std::vector<MemoryEvent>());
    QVERIFY(memory.devices.empty() && !memory.predictedBytes() && !memory.measuredBytes());
    QVERIFY2(memory.unknown && memory.unknown->ends_with(why.toStdString()),
             memory.unknown.value_or("").c_str());
    nlohmann::ordered_json json;
    addPeakMemory(json, memory);
    QVERIFY(json["peak_memory_bytes"].is_null());
}

void TestPeakMemory::ranksWithAcceleratorsAreLimitedByTheirs()
{
    const std::string text = "rank 0\niteration 0 0 100\nthread main\n"
                             "cudaLaunchKernel 10 10 runtime corr=1\naten::mm 30 60\n"
                             "stream 7 gpu=1\ngemm 20 50 kernel corr=1\n";
    const std::vector<MemoryEvent> host { memoryEvent(12, 8, 8'000, 1),
                                          memoryEvent(18, -8, 7'992, 1) };
    const PeakMemory onlyHost = peakOf(text, host);
    QVERIFY(onlyHost.unknown && onlyHost.unknown->find("host's memory") != std::string::npos);
    QVERIFY(onlyHost.unknown->ends_with(
        "(torch.profiler: with a build of PyTorch whose device allocator reports to it)."));
    std::vector<MemoryEvent> both = host;
    both.push_back(memoryEvent(40, 50, 450, 7, 1));
    const PeakMemory memory = peakOf(text, both);
    QCOMPARE(memory.devices.size(), std::size_t { 1 });
    QVERIFY(memory.devices[0].device == 1);
    QVERIFY(memory.predictedBytes() == std::uint64_t { 450 });
}

void TestPeakMemory::impossibleSizesDoNotOverflow()
{
    constexpr std::int64_t Most = std::numeric_limits<std::int64_t>::max();
    constexpr std::int64_t Least = std::numeric_limits<std::int64_t>::min();
    constexpr std::uint64_t All = std::numeric_limits<std::uint64_t>::max();
    for (const std::int64_t first : { Most, Least })
        for (const std::int64_t second : { Most, Least }) {
            const PeakMemory memory = peakOf(
                TwoThreads, { memoryEvent(-1, first, 0, 1), memoryEvent(1, second, All, 1) });
            QVERIFY(memory.predictedBytes() == memory.measuredBytes());
        }
}

/// What the files' own totals say, counted apart from the program.
void TestPeakMemory::realTracesKeepTheirPeak_data()
{
    QTest::addColumn<QString>("file");
    QTest::addColumn<std::uint64_t>("events");
    QTest::addColumn<std::uint64_t>("startBytes");
    QTest::addColumn<std::uint64_t>("peakBytes");
    QTest::newRow("five steps, A100")
        << QStringLiteral("hta/df_index_resolver/df_index_resolver.json.gz")
        << std::uint64_t { 26'770 } << std::uint64_t { 4'096'614'400 }
        << std::uint64_t { 6'629'508'096 };
    QTest::newRow("one step, H100")
        << QStringLiteral("tracelens/h100/Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz")
        << std::uint64_t { 2'250 } << std::uint64_t { 984'742'400 }
        << std::uint64_t { 2'088'508'416 };
    QTest::newRow("one step, MI300")
        << QStringLiteral("tracelens/mi300/Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz")
        << std::uint64_t { 2'588 } << std::uint64_t { 1'085'405'696 }
        << std::uint64_t { 2'219'047'936 };
}

void TestPeakMemory::realTracesKeepTheirPeak()
{
    const auto shared = tests::sharedData();
    if (!shared)
        QSKIP("needs the shared traces: set LONGPOLE_SHARED");
    QFETCH(const QString, file);
    QFETCH(const std::uint64_t, events);
    QFETCH(const std::uint64_t, startBytes);
    QFETCH(const std::uint64_t, peakBytes);
    const QTemporaryDir folder;
    const std::string path = folder.filePath(QStringLiteral("p.longpole")).toStdString();
    importBundle({ *shared / "data" / "real" / file.toStdString() }, path, {}, {});
    const LoadedProject project = loadProject(path, {});
    const ProjectReader reader(path);
    const PeakMemory memory = peakMemory(
        *project.trace, *project.graph, tests::predict(*project.trace, project.graph, {}, {}),
        [&reader](WorkerId worker) { return reader.memory(worker); }, {});
    QCOMPARE(memory.devices.size(), std::size_t { 1 });
    QCOMPARE(std::uint64_t { memory.devices[0].events }, events);
    QCOMPARE(memory.devices[0].startBytes, startBytes);
    QCOMPARE(memory.devices[0].measuredBytes, peakBytes);
    const auto predicted = static_cast<double>(memory.devices[0].predictedBytes.value_or(0));
    QVERIFY(std::abs(predicted / static_cast<double>(peakBytes) - 1) < 0.01);
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestPeakMemory)
#include "tst_peak_memory.moc"
