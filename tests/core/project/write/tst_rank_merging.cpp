#include "core/project/read/project_reader.h"
#include "core/project/write/project_writer.h"
#include "tests/core/project/random_trace.h"

#include <QTest>

using namespace core;
using tests::TemporaryProject;

namespace {

constexpr std::int64_t Noon = 1'700'000'000'000'000'000;
constexpr std::int64_t Hour = 3'600'000'000'000;

struct Part
{
    const char *name;
    const char *format;
    int rank = 0;
    std::optional<std::int64_t> startNs = {}; ///< of its only slice; absent: it has none
    const char *tensor = nullptr;
};

bool add(ProjectWriter &writer, const Part &part)
{
    CollectedFile file({ part.name, part.format, 10 });
    const WorkerId worker = file.addWorker();
    file.describeWorker(worker, { part.rank, {}, part.startNs ? "" : "node7" });
    file.countEvents(worker, "event", 2);
    if (part.tensor)
        file.tensor(worker, { part.tensor, 4, "", "" });
    file.iteration(worker, 1, { Noon, Noon + 5 });
    file.dependency(worker, { DependencyKind::Data, DependencyKey::Node, 1, 2 });
    if (part.startNs) {
        const TrackId track = file.track(worker, { TrackKind::Stream, "0", "7", 0 });
        SliceRecord record;
        record.startNs = *part.startNs;
        record.durationNs = 1000;
        record.correlation = 5;
        record.name = file.intern(part.name);
        file.slice(track, record);
    }
    return writer.add(file, tests::noRank, {}) == AddResult::Added;
}

} // namespace

class TestRankMerging : public QObject
{
    Q_OBJECT
private slots:
    void filesOfDifferentFormatsAreOneWorker();
    void theOrderDoesNotMatter();
    void aFormatIsTakenOnceARank();
    void aFileOfAnotherJobIsToldAsSuch();
    void aFileThatStatesARankTwiceIsRefusedForThat();
    void filesOfDifferentTimesAreNotOneRun();
    void aClockThatTellsNoTimeOfDayIsTaken();
    void appendingMergesToo();
};

void TestRankMerging::filesOfDifferentFormatsAreOneWorker()
{
    const TemporaryProject project;
    ProjectWriter writer(project.path, false);
    QVERIFY(add(writer, { "kineto0", "kineto", 0, Noon, "weight" }));
    QVERIFY(add(writer, { "kineto1", "kineto", 1, Noon }));
    QVERIFY(add(writer, { "graph0", "execution-trace" }));
    QVERIFY(add(writer, { "nsight0", "nsight", 0, Noon + 500, "weight" }));
    writer.finish();
    const ProjectReader reader(project.path);
    QCOMPARE(reader.info().workers.size(), 2U);
    const Worker &worker = reader.info().workers[0];
    QCOMPARE(worker.files, (std::vector<std::string> { "kineto0", "graph0", "nsight0" }));
    QCOMPARE(worker.host, std::string("node7")); // only the graph says it
    QCOMPARE(worker.eventsByCategory.at("event"), 6U);
    const Trace trace = reader.readTrace({});
    QCOMPARE(trace.tracks.size(), 3U);
    QCOMPARE(trace.tracks[2].worker, WorkerId(0));
    // Equal streams and correlation ids of two files stay apart.
    QVERIFY(trace.tracks[0].file != trace.tracks[2].file);
    QCOMPARE(trace.tensors.size(), 1U); // "weight" of rank 0, told twice
    QCOMPARE(trace.dependencies.size(), 4U);
    QCOMPARE(trace.iterations.size(), 2U); // stated once a rank
}

void TestRankMerging::theOrderDoesNotMatter()
{
    const TemporaryProject project;
    ProjectWriter writer(project.path, false);
    QVERIFY(add(writer, { "graph0", "execution-trace" }));
    QVERIFY(add(writer, { "kineto0", "kineto", 0, Noon }));
    writer.finish();
    const ProjectReader reader(project.path);
    QCOMPARE(reader.info().workers.size(), 1U);
    QCOMPARE(reader.info().tracks.at(0).worker, WorkerId(0));
}

void TestRankMerging::aFormatIsTakenOnceARank()
{
    const TemporaryProject project;
    ProjectWriter writer(project.path, false);
    QVERIFY(add(writer, { "first", "kineto", 0, Noon }));
    QVERIFY(!add(writer, { "second", "kineto", 0, Noon + 1 }));
    writer.finish();
    const ProjectReader reader(project.path);
    const Diagnostic diagnostic = reader.info().diagnostics.at(0);
    QCOMPARE(diagnostic.code, std::string("duplicate-rank"));
    QVERIFY(diagnostic.message.find("from first") != std::string::npos);
    QCOMPARE(reader.info().files.at(1).status, FileStatus::Skipped);
    QCOMPARE(reader.info().files[1].reason, diagnostic.message);
    QCOMPARE(reader.info().files[1].eventsByCategory.at("event"), 2U);
}

/// Two jobs in two folders: the second's files were only "already" there.
void TestRankMerging::aFileOfAnotherJobIsToldAsSuch()
{
    const TemporaryProject project;
    ProjectWriter writer(project.path, false);
    const auto add = [&writer](const char *name, int ranks, const char *host, qint64 startNs) {
        CollectedFile file({ name, "kineto", 10 });
        const WorkerId worker = file.addWorker();
        file.describeWorker(worker, { 0, ranks, host });
        SliceRecord record;
        record.startNs = startNs;
        record.durationNs = 1000;
        record.name = file.intern("op");
        file.slice(file.track(worker, { TrackKind::HostThread, "1", "1", {} }), record);
        return writer.add(file, tests::noRank, {});
    };
    QCOMPARE(add("a/rank0.json", 4, "node1", Noon), AddResult::Added);
    QCOMPARE(add("b/rank0.json", 8, "node7", Noon + 500), AddResult::Refused);
    QCOMPARE(add("c/rank0.json", 4, "", Noon + Hour / 2), AddResult::Refused);
    QCOMPARE(add("d/rank0.json", 4, "node1", Noon + 1), AddResult::Refused);
    QCOMPARE(add("e/rank0.json", 4, "node1.cluster", Noon + 1), AddResult::Refused); // that host
    QCOMPARE(add("f/rank0.json", 4, "node12", Noon + 1), AddResult::Refused);
    writer.finish();
    const auto files = ProjectReader(project.path).info().files;
    const auto reason
        = [&files](std::size_t i) { return QString::fromStdString(files.at(i).reason); };
    QCOMPARE(reason(1),
             QStringLiteral("Rank 0 is in the project already, from a/rank0.json. This file is of "
                            "another recording: it states that its job has 8 ranks, that one 4, "
                            "and it was recorded on node7, that one on node1. Import each into a "
                            "project of its own."));
    QVERIFY2(
        reason(2).contains(QStringLiteral("it was recorded 30 min 0 s after that one had ended")),
        qPrintable(reason(2)));
    for (const std::size_t i : { 3, 4 })
        QVERIFY2(reason(i).contains(QStringLiteral("both were read whole")), qPrintable(reason(i)));
    QVERIFY2(reason(5).contains(QStringLiteral("recorded on node12")), qPrintable(reason(5)));
}

// It was said to be in the project already, from this file as it was then.
void TestRankMerging::aFileThatStatesARankTwiceIsRefusedForThat()
{
    const TemporaryProject project;
    ProjectWriter writer(project.path, false);
    CollectedFile file({ "merged", "kineto", 10 });
    for (int part = 0; part < 2; ++part)
        file.describeWorker(file.addWorker(), { 3, {}, "" });
    QCOMPARE(writer.add(file, tests::noRank, {}), AddResult::Refused);
    writer.finish();
    const Diagnostic diagnostic = ProjectReader(project.path).info().diagnostics.at(0);
    QCOMPARE(diagnostic.code, std::string("duplicate-rank"));
    QVERIFY(diagnostic.message.starts_with("Two parts of the file say that they are rank 3"));
}

void TestRankMerging::filesOfDifferentTimesAreNotOneRun()
{
    const TemporaryProject project;
    ProjectWriter writer(project.path, false);
    QVERIFY(add(writer, { "kineto0", "kineto", 0, Noon }));
    QVERIFY(!add(writer, { "nsight0", "nsight", 0, Noon - 2 * Hour }));
    QVERIFY(add(writer, { "nccl0", "nccl", 0, Noon + Hour / 2 }));
    writer.finish();
    const ProjectReader reader(project.path);
    const Diagnostic diagnostic = reader.info().diagnostics.at(0);
    QCOMPARE(diagnostic.code, std::string("other-clock"));
    QCOMPARE(diagnostic.file, std::string("nsight0"));
    QVERIFY(diagnostic.message.find("from kineto0") != std::string::npos);
    QCOMPARE(reader.info().tracks.size(), 2U);
}

/// A clock that counts from a start says nothing of when: it is brought to the other's later.
void TestRankMerging::aClockThatTellsNoTimeOfDayIsTaken()
{
    for (const bool isFirst : { true, false }) {
        const TemporaryProject project;
        ProjectWriter writer(project.path, false);
        QVERIFY(add(writer, { "a", "kineto", 0, isFirst ? 3 * Hour : Noon }));
        QVERIFY(add(writer, { "b", "horovod", 0, isFirst ? Noon : 3 * Hour }));
        QVERIFY(!add(writer, { "c", "nsight", 0, Noon + 2 * Hour }));
        QVERIFY(add(writer, { "d", "nccl", 0, 20 * Hour }));
        writer.finish();
    }
}

void TestRankMerging::appendingMergesToo()
{
    const TemporaryProject project;
    {
        ProjectWriter writer(project.path, false);
        QVERIFY(add(writer, { "kineto0", "kineto", 0, Noon, "weight" }));
        writer.finish();
    }
    ProjectWriter writer(project.path, true);
    QVERIFY(!add(writer, { "again", "kineto", 0, Noon }));
    QVERIFY(!add(writer, { "late", "nsight", 0, Noon + 2 * Hour }));
    QVERIFY(add(writer, { "nsight0", "nsight", 0, Noon, "bias" }));
    writer.finish();
    const Trace trace = ProjectReader(project.path).readTrace({});
    QCOMPARE(trace.workers.size(), 1U);
    QCOMPARE(trace.tracks.size(), 2U);
    QCOMPARE(trace.tensors.size(), 2U);
    QCOMPARE(trace.iterations.size(), 1U);
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestRankMerging)
#include "tst_rank_merging.moc"
