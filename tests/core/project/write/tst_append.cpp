#include "core/project/read/project_reader.h"
#include "tests/core/project/added_file.h"

#include <QTest>

using namespace core;
using tests::addFile;
using tests::readBytes;
using tests::TemporaryProject;

/// What becomes of a file that is added to a project.
class TestAppend : public QObject
{
    Q_OBJECT

private slots:
    void appendingContinuesTheIds();
    void aFileWithoutRankIsLeftOut();
    void theSameContentIsTakenOnce();
    void aRefusedAppendLeavesTheProjectAsItWas();
    void aFileThatIsReadAtLastIsNoLongerBlamed();
    void ofARefusedFileOnlyTheReasonIsKept();
    void aRankIsTakenOnce();
};

void TestAppend::appendingContinuesTheIds()
{
    const TemporaryProject file;
    {
        ProjectWriter writer(file.path, false);
        QVERIFY(addFile(writer, "a", 0, 9'000));
        writer.diagnostics().count("odd", Severity::Warning, { "a", 5 }, "odd");
        writer.finish();
    }
    {
        ProjectWriter writer(file.path, true);
        QVERIFY(addFile(writer, "b", 1, 500));
        writer.finish();
    }
    const ProjectReader reader(file.path);
    QCOMPARE(reader.info().workers.size(), 2U);
    QCOMPARE(reader.info().tracks[1].firstSlice.value, 9'000U);
    QCOMPARE(reader.info().tracks[1].worker, WorkerId(1));
    QCOMPARE(reader.info().eventsTotal, 9'500U);
    QVERIFY(reader.slice(SliceId(9'499)));
    QVERIFY(reader.slice(SliceId(9'001))->name.starts_with("op"));
    const auto &diagnostics = reader.info().diagnostics;
    QVERIFY(std::any_of(diagnostics.begin(), diagnostics.end(), [](const Diagnostic &d) {
        return d.code == "odd" && d.count == 1 && d.message == "Odd.";
    }));
    const Trace trace = reader.readTrace({});
    QCOMPARE(trace.slices[0].size(), 9'000U);
    QCOMPARE(trace.slices[1].size(), 500U);
}

void TestAppend::aFileWithoutRankIsLeftOut()
{
    const TemporaryProject file;
    ProjectWriter writer(file.path, false);
    QVERIFY(!addFile(writer, "trace.json", {}, 100));
    QVERIFY(addFile(writer, "rank5.json", {}, 100, 5));
    writer.finish();
    const ProjectReader reader(file.path);
    QCOMPARE(reader.info().workers.size(), 1U);
    QCOMPARE(reader.info().workers[0].rank, 5);
    QCOMPARE(reader.info().diagnostics.at(0).code, std::string("unknown-rank"));
    QCOMPARE(reader.info().diagnostics.at(0).file, std::string("trace.json"));
    QCOMPARE(reader.info().tracks.size(), 1U);
    QCOMPARE(reader.readTrack(TrackId(0)).size(), 100U);
}

void TestAppend::theSameContentIsTakenOnce()
{
    const TemporaryProject file;
    const auto contentOf = [](const char *name, std::int64_t startNs) {
        auto content = std::make_unique<CollectedFile>(SourceFile { name, "kineto", 100 });
        const WorkerId worker = content->addWorker();
        content->describeWorker(worker, { 3, 4, "" });
        SliceRecord record;
        record.startNs = startNs;
        record.name = content->intern("op");
        content->slice(content->track(worker, { TrackKind::Stream, "0", "7", 0 }), record);
        return content;
    };
    ProjectWriter writer(file.path, false);
    QVERIFY(writer.add(*contentOf("a", 500), tests::noRank, {}) == AddResult::Added);
    QVERIFY(writer.add(*contentOf("copy of a", 500), tests::noRank, {}) == AddResult::AlreadyThere);
    QVERIFY(writer.add(*contentOf("another run", 501), tests::noRank, {}) == AddResult::Refused);
    writer.finish();
    const ProjectReader reader(file.path);
    QCOMPARE(reader.info().tracks.size(), 1U);
    QCOMPARE(reader.info().files.size(), 3U); // every file is reported
    QCOMPARE(reader.info().diagnostics.at(0).code, std::string("duplicate-rank"));
    QCOMPARE(reader.info().diagnostics.at(1).code, std::string("already-imported"));
    QVERIFY(reader.info().diagnostics.at(1).severity == Severity::Info);
}

/// A refused file was recorded, and SQLite's files stayed beside the project.
void TestAppend::aRefusedAppendLeavesTheProjectAsItWas()
{
    const TemporaryProject file;
    {
        ProjectWriter writer(file.path, false);
        QVERIFY(addFile(writer, "a", 0, 100));
        writer.finish();
    }
    const std::string before = readBytes(file.path);
    {
        ProjectWriter writer(file.path, true, { "a" });
        QVERIFY(!addFile(writer, "a", 0, 101)); // it has changed
        const auto diagnostics = writer.ownDiagnostics().list();
        QVERIFY(diagnostics.at(0).message.find("new project") != std::string::npos);
        QVERIFY(!writer.hasChanges());
    }
    QVERIFY(readBytes(file.path) == before);
    const auto folder = std::filesystem::directory_iterator(file.path.parent_path());
    QCOMPARE(std::distance(begin(folder), end(folder)), 1);
    std::filesystem::remove(file.path);
    QVERIFY_THROWS_EXCEPTION(Error, ProjectWriter(file.path, true)); // a mistyped name
    QVERIFY(!std::filesystem::exists(file.path));
}

/// "unreadable-file" stayed for ever.
void TestAppend::aFileThatIsReadAtLastIsNoLongerBlamed()
{
    const TemporaryProject file;
    Diagnostics damage;
    damage.count("unreadable-file", Severity::Error, { "b", 7 }, "cut off");
    {
        ProjectWriter writer(file.path, false);
        QVERIFY(addFile(writer, "a", 0, 100));
        writer.addFile({ "b", "kineto", 50, FileStatus::Failed, "cut off" });
        writer.addDiagnostics(damage);
        writer.finish();
    }
    {
        ProjectWriter writer(file.path, true);
        writer.addFile({ "b", "kineto", 60, FileStatus::Failed, "cut off" });
        writer.addDiagnostics(damage);
        writer.finish();
    }
    QCOMPARE(ProjectReader(file.path).info().diagnostics.at(0).count, 1U);
    QCOMPARE(ProjectReader(file.path).info().files.size(), 2U);
    {
        ProjectWriter writer(file.path, true);
        QVERIFY(addFile(writer, "b", 1, 100));
        writer.finish();
    }
    const ProjectReader reader(file.path);
    for (const Diagnostic &left : reader.info().diagnostics)
        QVERIFY2(left.severity == Severity::Info, left.code.c_str());
    QCOMPARE(ProjectReader(file.path).info().files.size(), 2U);
}

/// The remarks on its records were told as if they were in the project.
void TestAppend::ofARefusedFileOnlyTheReasonIsKept()
{
    const TemporaryProject file;
    const auto add = [](ProjectWriter &writer, const char *name, std::int64_t startNs) {
        CollectedFile content(SourceFile { name, "kineto", 100 });
        const WorkerId worker = content.addWorker();
        content.describeWorker(worker, { 3, 4, "" });
        SliceRecord record;
        record.startNs = startNs;
        record.name = content.intern("op");
        content.slice(content.track(worker, { TrackKind::Stream, "0", "7", 0 }), record);
        content.diagnostics().count("damaged-event", Severity::Error, { name, 9 }, "damaged");
        return writer.add(content, tests::noRank, {});
    };
    ProjectWriter writer(file.path, false);
    QVERIFY(add(writer, "a", 500) == AddResult::Added);
    QVERIFY(add(writer, "copy of a", 500) == AddResult::AlreadyThere);
    QVERIFY(add(writer, "a", 501) == AddResult::Refused); // has changed
    writer.finish();
    const ProjectReader reader(file.path);
    QStringList counted;
    for (const Diagnostic &one : reader.info().diagnostics)
        counted.append(
            QString::fromStdString(one.file + ": " + one.code + " " + std::to_string(one.count)));
    QCOMPARE(counted.join(QStringLiteral(", ")),
             QStringLiteral("a: damaged-event 1, a: duplicate-rank 1, "
                            "copy of a: already-imported 1"));
}

void TestAppend::aRankIsTakenOnce()
{
    const TemporaryProject file;
    ProjectWriter writer(file.path, false);
    QVERIFY(addFile(writer, "a", 3, 10));
    QVERIFY(!addFile(writer, "b", 3, 11));
    writer.finish();
    const ProjectReader reader(file.path);
    QCOMPARE(reader.info().workers.size(), 1U);
    QCOMPARE(reader.info().diagnostics.at(0).code, std::string("duplicate-rank"));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestAppend)
#include "tst_append.moc"
