#include "core/project/project_limits.h"
#include "core/project/read/project_reader.h"
#include "core/project/write/project_writer.h"
#include "tests/core/project/random_trace.h"

#include <QTest>

#include <sys/resource.h>

#include <csignal>

using namespace core;
using tests::TemporaryProject;

namespace {

constexpr int Many = 40'000; ///< more than 1 MiB of anything

/// The least memory: every share is 1 MiB.
CollectLimits leastMemory()
{
    return { 0, std::filesystem::temp_directory_path() };
}

SliceRecord sliceAt(std::int64_t startNs, NameId name)
{
    SliceRecord record;
    record.startNs = startNs;
    record.durationNs = 1;
    record.name = name;
    return record;
}

std::uint64_t countOf(const ProjectInfo &info, const std::string &code)
{
    for (const Diagnostic &diagnostic : info.diagnostics)
        if (diagnostic.code == code)
            return diagnostic.count;
    return 0;
}

/// Writes a file as a project and reads it back.
std::unique_ptr<ProjectReader> written(CollectedFile &file, const TemporaryProject &project)
{
    ProjectWriter writer(project.path, false);
    if (writer.add(file, tests::noRank, {}) != AddResult::Added)
        return nullptr;
    writer.finish();
    return std::make_unique<ProjectReader>(project.path);
}

} // namespace

/// What cannot go to the temporary file is bounded, counted and named.
class TestCollectLimits : public QObject
{
    Q_OBJECT
private slots:
    void namesBeyondTheLimitAreReplaced();
    void rowsBeyondTheLimitAreLeftOut();
    void rowsBeyondTheFixedLimitAreNotBlamedOnMemory();
    void callsAndTensorsBeyondTheLimitAreLeftOut();
    void longTextsCountAsWhatTheyTake();
    void iterationsAndMetadataBeyondTheLimitAreLeftOut();
    void memoryEventsAndDependenciesGoToTheTemporaryFile();
    void dependenciesBetweenNamesBeyondTheLimitAreLeftOut();
    void aLaterMentionCompletesATensor();
    void argsThatAReaderWouldRefuseAreLeftOut();
    void aFullDiskIsNamed();
};

void TestCollectLimits::namesBeyondTheLimitAreReplaced()
{
    CollectedFile file({ "a.json", "test", 1 }, leastMemory());
    const WorkerId worker = file.addWorker();
    file.describeWorker(worker, { 0, 1, "" });
    const TrackId track = file.track(worker, { TrackKind::HostThread, "1", "1", {} });
    for (int i = 0; i < Many; ++i)
        file.slice(track, sliceAt(2 * i, file.intern("a name of its own " + std::to_string(i))));
    const TemporaryProject project;
    const auto reader = written(file, project);
    QVERIFY(reader);
    QVERIFY(!file.diagnostics().hasSkippedInput()); // every slice is there
    const std::uint64_t replaced = countOf(reader->info(), "names-left-out");
    QVERIFY(replaced > 0 && replaced < Many);
    QCOMPARE(reader->findByName("(name left out)", Many).size(), replaced);
    QCOMPARE(reader->findByName("a name of its own", Many).size(), Many - replaced);
}

void TestCollectLimits::rowsBeyondTheLimitAreLeftOut()
{
    CollectedFile file({ "a.json", "test", 1 }, leastMemory());
    const WorkerId worker = file.addWorker();
    file.describeWorker(worker, { 0, 1, "" });
    const NameId name = file.intern("op");
    for (int i = 0; i < 2 * 1000; ++i) { // each row twice
        const std::string tid = std::to_string(i % 1000);
        file.slice(file.track(worker, { TrackKind::HostThread, "1", tid, {} }),
                   sliceAt(2 * i, name));
    }
    const TemporaryProject project;
    const auto reader = written(file, project);
    QVERIFY(reader);
    const std::uint64_t kept = reader->info().tracks.size();
    QVERIFY(kept >= 100 && kept < 1000);
    QCOMPARE(countOf(reader->info(), "rows-left-out"), 2 * (1000 - kept));
    for (const Track &track : reader->info().tracks)
        QCOMPARE(track.sliceCount, 2U);
}

void TestCollectLimits::rowsBeyondTheFixedLimitAreNotBlamedOnMemory()
{
    CollectedFile file({ "a.json", "test", 1 });
    const WorkerId worker = file.addWorker();
    for (std::size_t i = 0; i < MaximumTracks + 2; ++i)
        file.slice(file.track(worker, { TrackKind::HostThread, "1", std::to_string(i), {} }),
                   sliceAt(0, {}));
    const std::vector<Diagnostic> found = file.diagnostics().list();
    QCOMPARE(found.size(), 1U);
    QCOMPARE(found[0].count, 2U);
    QVERIFY2(found[0].message.find("65536 rows") != std::string::npos, found[0].message.c_str());
    QVERIFY(found[0].message.find("--memory-limit") == std::string::npos);
}

void TestCollectLimits::callsAndTensorsBeyondTheLimitAreLeftOut()
{
    CollectedFile file({ "a.json", "test", 1 }, leastMemory());
    const WorkerId worker = file.addWorker();
    file.describeWorker(worker, { 0, 1, "" });
    const TrackId track = file.track(worker, { TrackKind::HostThread, "1", "1", {} });
    SliceRecord record = sliceAt(0, file.intern("all_reduce"));
    for (int i = 0; i < Many; ++i) {
        const TensorId tensor = file.tensor(worker, { "gradient " + std::to_string(i), 4, "", "" });
        const CollectiveInfo collective { "all_reduce", "", {}, {}, { &tensor, 1 } };
        record.startNs = 2 * i;
        record.collective = &collective;
        file.slice(track, record);
    }
    const TemporaryProject project;
    const auto reader = written(file, project);
    QVERIFY(reader);
    const std::size_t calls = reader->collectives().size();
    QVERIFY(calls > 0);
    QCOMPARE(countOf(reader->info(), "calls-left-out"), Many - calls);
    QVERIFY(countOf(reader->info(), "tensors-left-out") > 0);
    QCOMPARE(reader->info().tracks.at(0).sliceCount, std::uint64_t(Many)); // all slices are there
}

/// Each row and each collective counted alike, however long its texts.
void TestCollectLimits::longTextsCountAsWhatTheyTake()
{
    CollectedFile file({ "a.json", "test", 1 }, leastMemory());
    const WorkerId worker = file.addWorker();
    const NameId name = file.intern("op");
    const std::string text(100'000, 'x');
    constexpr int Times = 100; // 10 MB
    for (int i = 0; i < Times; ++i) {
        const std::string tid = std::to_string(i) + text;
        file.slice(file.track(worker, { TrackKind::HostThread, "1", tid, {} }), sliceAt(i, name));
    }
    QVERIFY(!file.tracks.empty() && file.tracks.size() < 20);
    SliceRecord record = sliceAt(Times, name);
    const CollectiveInfo collective { "all_reduce", text, {}, {}, {} };
    record.collective = &collective;
    const TrackId track = file.track(worker, { TrackKind::HostThread, "1", "0" + text, {} });
    for (int i = 0; i < Times; ++i)
        file.slice(track, record);
    const std::size_t calls = file.tracks[track.value].collectives.size();
    QVERIFY(calls > 0 && calls < 20);
    for (const Diagnostic &one : file.diagnostics().list())
        if (one.code == "calls-left-out")
            QCOMPARE(one.count, Times - calls);
}

void TestCollectLimits::iterationsAndMetadataBeyondTheLimitAreLeftOut()
{
    CollectedFile file({ "a.json", "test", 1 }, leastMemory());
    const WorkerId worker = file.addWorker();
    file.describeWorker(worker, { 0, 1, "" });
    const std::string text(10'000, 'x');
    for (int i = 0; i < Many; ++i) {
        file.iteration(worker, i, { 2 * i, 2 * i + 1 });
        file.metadata("part " + std::to_string(i), text);
    }
    const TemporaryProject project;
    const auto reader = written(file, project);
    QVERIFY(reader);
    const std::size_t iterations = reader->readTrace({}).iterations.size();
    QVERIFY(iterations > 0);
    QCOMPARE(countOf(reader->info(), "iterations-left-out"), Many - iterations);
    const std::size_t texts = reader->readTrace({}).metadata.size();
    QVERIFY(texts > 0);
    QCOMPARE(countOf(reader->info(), "metadata-left-out"), Many - texts);
}

// They were held in memory, whatever the limit.
void TestCollectLimits::memoryEventsAndDependenciesGoToTheTemporaryFile()
{
    constexpr int Ranks = 3;
    CollectedFile file({ "a.json", "test", 1 }, leastMemory());
    for (int rank = 0; rank < Ranks; ++rank)
        file.describeWorker(file.addWorker(), { rank, Ranks, "" });
    for (int i = 0; i < Many; ++i)
        for (std::uint32_t rank = 0; rank < Ranks; ++rank) {
            const auto number = static_cast<std::uint64_t>(i) * Ranks + rank;
            file.memory(WorkerId(rank), { i, 0, number * 0x9e3779b97f4a7c15U, 8, number, 0 });
            file.dependency(WorkerId(rank),
                            { DependencyKind::Data, DependencyKey::Node, number, number + 1 });
        }
    QVERIFY(file.spillFile() != nullptr);
    const TemporaryProject project;
    const auto reader = written(file, project);
    QVERIFY(reader);
    QCOMPARE(reader->info().diagnostics.size(), std::size_t { 0 });
    for (std::uint32_t rank = 0; rank < Ranks; ++rank) {
        const std::vector<MemoryEvent> events = reader->memory(WorkerId(rank));
        QCOMPARE(events.size(), std::size_t { Many });
        for (int i = 0; i < Many; ++i) {
            QCOMPARE(events[static_cast<std::size_t>(i)].timeNs, std::int64_t { i });
            QCOMPARE(events[static_cast<std::size_t>(i)].allocatedBytes,
                     static_cast<std::uint64_t>(i) * Ranks + rank);
        }
    }
    const std::vector<Dependency> dependencies = reader->readTrace({}).dependencies;
    QCOMPARE(dependencies.size(), std::size_t { Many * Ranks });
    for (const Dependency &one : dependencies)
        QCOMPARE(one.edge.from % Ranks, std::uint64_t { one.worker.value });
}

void TestCollectLimits::dependenciesBetweenNamesBeyondTheLimitAreLeftOut()
{
    CollectedFile file({ "a.json", "test", 1 }, leastMemory());
    const WorkerId worker = file.addWorker();
    file.describeWorker(worker, { 0, 1, "" });
    const std::uint64_t a = file.intern("a").value, b = file.intern("b").value;
    for (int i = 0; i < 3 * Many; ++i)
        file.dependency(worker, { DependencyKind::Data, DependencyKey::Name, a, b });
    const TemporaryProject project;
    const auto reader = written(file, project);
    QVERIFY(reader);
    const std::size_t kept = reader->readTrace({}).dependencies.size();
    QVERIFY(kept > 0 && kept < 3 * Many);
    QCOMPARE(countOf(reader->info(), "records-left-out"), 3 * Many - kept);
}

/// The first mention won, and a size that came later was lost.
void TestCollectLimits::aLaterMentionCompletesATensor()
{
    const TemporaryProject project;
    ProjectWriter writer(project.path, false);
    for (const char *format : { "one", "other" }) {
        CollectedFile file({ format, format, 1 });
        const WorkerId worker = file.addWorker();
        file.describeWorker(worker, { 0, 1, "" });
        file.tensor(worker, { "weight", 0, "", "" });
        file.tensor(worker, { "bias", 0, "", "" });
        file.tensor(worker, { "weight", 8, "", "" });
        if (format == std::string("other"))
            file.tensor(worker, { "bias", 4, "float", "[1]" });
        QVERIFY(writer.add(file, tests::noRank, {}) == AddResult::Added);
    }
    writer.finish();
    const std::vector<Tensor> tensors = ProjectReader(project.path).readTrace({}).tensors;
    QCOMPARE(tensors.size(), 2U);
    QCOMPARE(tensors[0].bytes, 8U);
    QCOMPARE(tensors[1].bytes, 4U);
    QCOMPARE(tensors[1].shape, std::string("[1]"));
}

/// The writer took args of any size, and the reader then called the project damaged.
void TestCollectLimits::argsThatAReaderWouldRefuseAreLeftOut()
{
    CollectedFile file({ "a.json", "test", 1 });
    const WorkerId worker = file.addWorker();
    file.describeWorker(worker, { 0, 1, "" });
    const TrackId track = file.track(worker, { TrackKind::HostThread, "1", "1", {} });
    const std::string most(MaxArgsBytes, 'x');
    const std::string tooMuch(MaxArgsBytes + 1, 'y');
    std::int64_t startNs = 0;
    for (const std::string &args : { std::string("{}"), most, tooMuch }) {
        SliceRecord record = sliceAt(startNs++, file.intern("op"));
        record.args = args;
        file.slice(track, record);
    }
    QCOMPARE(file.args.count(), 2U);
    const TemporaryProject project;
    const auto reader = written(file, project);
    QVERIFY(reader);
    QCOMPARE(countOf(reader->info(), "args-left-out"), 1U);
    QCOMPARE(reader->slice(SliceId(0))->args, std::string("{}"));
    QVERIFY(reader->slice(SliceId(1))->args == most); // too long to print
    QCOMPARE(reader->slice(SliceId(2))->args, std::string());
}

/// A limit of the file size stands for the full disk.
void TestCollectLimits::aFullDiskIsNamed()
{
    rlimit before {};
    getrlimit(RLIMIT_FSIZE, &before);
    const rlimit small { 10'000, before.rlim_max };
    std::signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    std::string message;
    try {
        SpillFile file(std::filesystem::temp_directory_path());
        file.append(ByteBuffer(20'000));
    } catch (const Error &error) {
        message = error.what();
    }
    setrlimit(RLIMIT_FSIZE, &before);
    QVERIFY2(message.find("disk is full") != std::string::npos, message.c_str());
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestCollectLimits)
#include "tst_collect_limits.moc"
