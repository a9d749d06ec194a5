#include "core/project/project_reader.h"
#include "core/project/project_writer.h"
#include "core/project/schema.h"
#include "random_trace.h"

#include <QTest>

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <iterator>

using namespace core;
using tests::RandomTrace;
using tests::TemporaryProject;

namespace {

const auto NoRank = [] { return std::optional<int>(); };

/// Writes one file of the bundle; the importer says `rank` where it is given.
bool addFile(ProjectWriter &writer, const std::string &name, std::optional<int> rank,
             std::size_t slices, std::optional<int> fallback = {}, const JobControl &control = {})
{
    CollectedFile file({ name, "kineto", 100 });
    const WorkerId worker = file.addWorker();
    file.describeWorker(worker, { rank, 2, "" });
    const TrackId track = file.track(worker, { TrackKind::HostThread, "1", "1", {} });
    tests::writeRows(file, track, RandomTrace(9).rows(slices, 50'000'000));
    file.countEvents(worker, "cpu_op", slices);
    return writer.add(
               file, [fallback] { return fallback; }, control)
        == AddResult::Added;
}

void writeText(const std::filesystem::path &path, const std::string &text)
{
    std::ofstream(path, std::ios::binary) << text;
}

std::string readBytes(const std::filesystem::path &path)
{
    std::ifstream file(path, std::ios::binary);
    return { std::istreambuf_iterator<char>(file), {} };
}

QString openingError(const std::filesystem::path &path)
{
    try {
        const ProjectReader reader(path);
        return QStringLiteral("no error");
    } catch (const Error &error) {
        return QString::fromUtf8(error.what());
    }
}

/// Uses everything of a project. Damage may throw Error, and nothing else.
bool readsOrFailsCleanly(const std::filesystem::path &path)
{
    try {
        const ProjectReader reader(path);
        const Trace trace = reader.readTrace({});
        for (const Track &track : trace.tracks) {
            reader.readWindow(track.id, track.range, 0);
            reader.readWindow(track.id, track.range, track.range.durationNs() / 500 + 1);
            reader.slice(track.firstSlice);
        }
        reader.findByName("op1", 100);
        reader.query("SELECT *, length(args) FROM slice", 100'000, {});
        return true;
    } catch (const Error &) {
        return true;
    } catch (...) {
        return false;
    }
}

} // namespace

class TestProjectFile : public QObject
{
    Q_OBJECT
private slots:
    void aFinishedProjectIsOneFile();
    void whatIsNoProjectIsRefusedByName_data();
    void whatIsNoProjectIsRefusedByName();
    void aNewerVersionIsRefused();
    void migrationsAreAppliedInOrderAndOnce();
    void anExistingProjectIsNotOverwritten();
    void appendingContinuesTheIds();
    void aFileWithoutRankIsLeftOut();
    void theSameContentIsTakenOnce();
    void aRefusedAppendLeavesTheProjectAsItWas();
    void aFileThatIsReadAtLastIsNoLongerBlamed();
    void aCancelledFileTakesNoOtherWithIt();
    void ofARefusedFileOnlyTheReasonIsKept();
    void anImportIsUnfinishedUntilItsEnd();
    void anUnfinishedImportIsEndedWhateverItsInputsAreCalled();
    void whatIsNoLongerThereEndsTheMarkAndIsNamed();
    void aRankIsTakenOnce();
    void aCancelledFileLeavesNothing();
    void aKilledWriterLeavesWhatItCommitted();
    void damageIsAnErrorNeverACrash();
};

void TestProjectFile::aFinishedProjectIsOneFile()
{
    const TemporaryProject file;
    ProjectWriter writer(file.path, false);
    QVERIFY(addFile(writer, "a", 0, 100));
    writer.finish();
    const auto folder = std::filesystem::directory_iterator(file.path.parent_path());
    QCOMPARE(std::distance(begin(folder), end(folder)), 1);
}

void TestProjectFile::whatIsNoProjectIsRefusedByName_data()
{
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<QString>("message");
    QTest::newRow("empty") << QByteArray() << QStringLiteral("an empty file");
    QTest::newRow("trace") << QByteArray("{\"traceEvents\": []}") << QStringLiteral("a JSON file");
    QTest::newRow("gzip") << QByteArray("\x1f\x8b\x08 more") << QStringLiteral("a gzip file");
    QTest::newRow("zip") << QByteArray("PK\x03\x04 more") << QStringLiteral("a .zip archive");
    QTest::newRow("noise") << QByteArray(5000, 'x') << QStringLiteral("something else");
}

void TestProjectFile::whatIsNoProjectIsRefusedByName()
{
    QFETCH(const QByteArray, content);
    QFETCH(const QString, message);
    const TemporaryProject file;
    writeText(file.path, content.toStdString());
    const QString error = openingError(file.path);
    QVERIFY2(error.contains(message), qPrintable(error));
    QVERIFY2(error.contains(QString::fromStdString(file.path)), qPrintable(error));
    std::filesystem::remove(file.path);
    QVERIFY(openingError(file.path).contains(QStringLiteral("no such project file")));
}

void TestProjectFile::aNewerVersionIsRefused()
{
    const TemporaryProject file;
    {
        ProjectWriter writer(file.path, false);
        QVERIFY(addFile(writer, "a", 0, 10));
        writer.finish();
    }
    std::string bytes = readBytes(file.path);
    bytes[63] = 99; // user_version: 4 bytes at 60, big-endian
    writeText(file.path, bytes);
    QVERIFY(openingError(file.path).contains(QStringLiteral("newer Longpole (file version 99")));
    bytes[63] = ProjectVersion;
    bytes[71] = 0; // application_id: 4 bytes at 68
    writeText(file.path, bytes);
    QVERIFY(openingError(file.path).contains(QStringLiteral("database of another program")));
}

void TestProjectFile::migrationsAreAppliedInOrderAndOnce()
{
    const TemporaryProject file;
    Database db(file.path, OpenMode::Create);
    createSchema(db);
    const int now = ProjectVersion;
    const Migration steps[] = { { now, "CREATE TABLE never (a)" },
                                { now + 1, "CREATE TABLE later (a)" },
                                { now + 2, "INSERT INTO later VALUES (3)" } };
    migrate(db, now, steps);
    migrate(db, static_cast<int>(db.integer("PRAGMA user_version")), steps);
    QCOMPARE(db.integer("PRAGMA user_version"), now + 2);
    QCOMPARE(db.integer("SELECT count(*) FROM later"), 1);
    QCOMPARE(db.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'never'"), 0);
    const Migration failing[] = { { now + 3,
                                    "INSERT INTO later VALUES (4); INSERT INTO nowhere DEFAULT "
                                    "VALUES" } };
    QVERIFY_THROWS_EXCEPTION(Error, migrate(db, now + 2, failing));
    QCOMPARE(db.integer("PRAGMA user_version"), now + 2);
    QCOMPARE(db.integer("SELECT count(*) FROM later"), 1);
}

void TestProjectFile::anExistingProjectIsNotOverwritten()
{
    const TemporaryProject file;
    writeText(file.path, "precious");
    QVERIFY_THROWS_EXCEPTION(Error, ProjectWriter(file.path, false));
    QVERIFY_THROWS_EXCEPTION(Error, ProjectWriter(file.path, true)); // no project
    QCOMPARE(readBytes(file.path), std::string("precious"));
}

void TestProjectFile::appendingContinuesTheIds()
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

void TestProjectFile::aFileWithoutRankIsLeftOut()
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

void TestProjectFile::theSameContentIsTakenOnce()
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
    QVERIFY(writer.add(*contentOf("a", 500), NoRank, {}) == AddResult::Added);
    QVERIFY(writer.add(*contentOf("copy of a", 500), NoRank, {}) == AddResult::AlreadyThere);
    QVERIFY(writer.add(*contentOf("another run", 501), NoRank, {}) == AddResult::Refused);
    writer.finish();
    const ProjectReader reader(file.path);
    QCOMPARE(reader.info().tracks.size(), 1U);
    QCOMPARE(reader.info().files.size(), 3U); // every file is reported
    QCOMPARE(reader.info().diagnostics.at(0).code, std::string("duplicate-rank"));
    QCOMPARE(reader.info().diagnostics.at(1).code, std::string("already-imported"));
    QVERIFY(reader.info().diagnostics.at(1).severity == Severity::Info);
}

/// A refused file was recorded, and SQLite's files stayed beside the project.
void TestProjectFile::aRefusedAppendLeavesTheProjectAsItWas()
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
void TestProjectFile::aFileThatIsReadAtLastIsNoLongerBlamed()
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

/// A mark stayed for ever where the shell, or the window, wrote a path in another way.
void TestProjectFile::anUnfinishedImportIsEndedWhateverItsInputsAreCalled()
{
    const TemporaryProject file;
    const std::filesystem::path folder = std::filesystem::absolute(file.path).parent_path();
    std::filesystem::create_directory(folder / "run");
    std::filesystem::create_directory(folder / "other");
    std::filesystem::create_directory_symlink(folder / "run", folder / "link");
    const std::vector<std::string> inputs
        = { "run", "more", "two\nlines \"quoted\"", "deep/inside", "other" };
    {
        ProjectWriter writer(file.path, false, inputs);
        QVERIFY(addFile(writer, "run/a", 0, 100));
    }
    QCOMPARE(ProjectReader(file.path).info().unfinishedImport->inputs, inputs);
    {
        ProjectWriter writer(file.path, true,
                             { (folder / "link/").string(), "./more/", inputs[2], "deep/" });
        QVERIFY(addFile(writer, "more/b", 1, 100));
        writer.finish();
    }
    QCOMPARE(ProjectReader(file.path).info().unfinishedImport->inputs,
             std::vector<std::string> { "other" });
    ProjectWriter(file.path, true, { (folder / "other").string() }).finish();
    QVERIFY(!ProjectReader(file.path).info().unfinishedImport);
}

/// What was to be told of other files was lost, and so was what an earlier import had told.
void TestProjectFile::aCancelledFileTakesNoOtherWithIt()
{
    const TemporaryProject file;
    const auto damaged = [](ProjectWriter &writer, const std::string &name) {
        Diagnostics damage;
        damage.count("unreadable-file", Severity::Error, { name, 7 }, "cut off");
        writer.addFile({ name, "kineto", 50, FileStatus::Failed, "cut off" });
        writer.addDiagnostics(damage);
    };
    {
        ProjectWriter writer(file.path, false);
        QVERIFY(addFile(writer, "a", 0, 100));
        damaged(writer, "b");
        damaged(writer, "c");
        writer.finish();
    }
    {
        ProjectWriter writer(file.path, true);
        damaged(writer, "b"); // still
        damaged(writer, "d");
        const JobControl cancelled([] { return true; }, {});
        QVERIFY_THROWS_EXCEPTION(Cancelled, addFile(writer, "c", 1, 5'000, {}, cancelled));
        writer.finish();
    }
    const ProjectReader reader(file.path);
    QStringList failed, blamed;
    for (const SourceFile &one : reader.info().files)
        if (one.status == FileStatus::Failed)
            failed.append(QString::fromStdString(one.name));
    for (const Diagnostic &one : reader.info().diagnostics)
        if (one.code == "unreadable-file" && one.count == 1)
            blamed.append(QString::fromStdString(one.file));
    failed.sort();
    blamed.sort();
    QCOMPARE(failed.join(QLatin1Char(' ')), QStringLiteral("b c d"));
    QCOMPARE(blamed.join(QLatin1Char(' ')), QStringLiteral("b c d"));
}

/// The remarks on its records were told as if they were in the project.
void TestProjectFile::ofARefusedFileOnlyTheReasonIsKept()
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
        return writer.add(content, NoRank, {});
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

void TestProjectFile::anImportIsUnfinishedUntilItsEnd()
{
    const TemporaryProject file;
    const auto unfinished = [&file] { return ProjectReader(file.path).info().unfinishedImport; };
    std::filesystem::create_directory(std::filesystem::absolute(file.path).parent_path() / "run 1");
    {
        ProjectWriter writer(file.path, false, { "run 1", "more" });
        QVERIFY(addFile(writer, "run 1/a", 0, 100));
    }
    QVERIFY(unfinished().has_value());
    QCOMPARE(unfinished()->inputs, (std::vector<std::string> { "run 1", "more" }));
    QVERIFY(unfinished()->message().find("run 1 more") != std::string::npos);
    QCOMPARE(ProjectReader(file.path).info().diagnostics.at(0).code,
             std::string("unfinished-import"));
    {
        ProjectWriter writer(file.path, true, { "more" });
        QVERIFY(writer.continuesUnfinished());
        QVERIFY(addFile(writer, "more/b", 1, 100));
        writer.finish();
    }
    QCOMPARE(unfinished()->inputs, std::vector<std::string> { "run 1" }); // not all of it is here
    {
        ProjectWriter writer(file.path, true, { "run 1" });
        writer.finish();
    }
    QVERIFY(!unfinished());
}

/// The mark stayed for ever where an input had been deleted.
void TestProjectFile::whatIsNoLongerThereEndsTheMarkAndIsNamed()
{
    const TemporaryProject file;
    {
        ProjectWriter writer(file.path, false, { "deleted", "more" });
        QVERIFY(addFile(writer, "deleted/a", 0, 100));
    }
    {
        ProjectWriter writer(file.path, true, { "more" });
        QVERIFY(addFile(writer, "more/b", 1, 100));
        writer.finish(ImportEnd::Cancelled);
    }
    QVERIFY(ProjectReader(file.path).info().unfinishedImport);
    ProjectWriter(file.path, true, { "more" }).finish();
    const ProjectReader reader(file.path);
    QVERIFY(!reader.info().unfinishedImport);
    QCOMPARE(reader.info().diagnostics.at(0).code, std::string("missing-input"));
    QCOMPARE(reader.info().diagnostics[0].file, std::string("deleted"));
}

void TestProjectFile::aRankIsTakenOnce()
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

void TestProjectFile::aCancelledFileLeavesNothing()
{
    const TemporaryProject file;
    ProjectWriter writer(file.path, false);
    const JobControl cancelled([] { return true; }, {});
    QVERIFY_THROWS_EXCEPTION(Cancelled, addFile(writer, "bad", 0, 5'000, {}, cancelled));
    QVERIFY(addFile(writer, "good", 0, 10));
    writer.finish();
    const ProjectReader reader(file.path);
    QCOMPARE(reader.query("SELECT count(*) FROM args_block", 1, {}).rows[0][0], "1");
    QCOMPARE(reader.query("SELECT count(*) FROM source_file", 1, {}).rows[0][0], "1");
    QCOMPARE(reader.query("SELECT count(*) FROM slice", 1, {}).rows[0][0], "10");
    QCOMPARE(reader.info().tracks.size(), 1U);
}

void TestProjectFile::aKilledWriterLeavesWhatItCommitted()
{
    const TemporaryProject file;
    const pid_t child = fork();
    if (child == 0) {
        ProjectWriter writer(file.path, false);
        addFile(writer, "a", 0, 20'000);
        const JobControl killer([] { return kill(getpid(), SIGKILL) == 0; }, {});
        addFile(writer, "b", 1, 50'000, {}, killer);
    }
    int status = 0;
    waitpid(child, &status, 0);
    QVERIFY(WIFSIGNALED(status));
    const ProjectReader reader(file.path);
    QCOMPARE(reader.info().workers.size(), 1U);
    QCOMPARE(reader.readTrack(TrackId(0)).size(), 20'000U);
    QCOMPARE(reader.query("SELECT count(*) FROM source_file", 1, {}).rows[0][0], "1");
    ProjectWriter again(file.path, true);
    QVERIFY(addFile(again, "b", 1, 100));
    again.finish();
    QCOMPARE(ProjectReader(file.path).info().workers.size(), 2U);
    QCOMPARE(ProjectReader(file.path).query("SELECT count(*) FROM slice", 1, {}).rows[0][0],
             "20100");
}

/// Bytes flipped anywhere, and the end cut off: every reading function either works or says so.
void TestProjectFile::damageIsAnErrorNeverACrash()
{
    const TemporaryProject file;
    {
        ProjectWriter writer(file.path, false);
        QVERIFY(addFile(writer, "a", 0, 3'000));
        writer.finish();
    }
    const std::string intact = readBytes(file.path);
    QVERIFY(readsOrFailsCleanly(file.path));
    std::mt19937 random(5);
    for (int i = 0; i < 100; ++i) {
        std::string damaged = intact;
        for (int flip = 0; flip < 1 + i % 8; ++flip)
            damaged[100 + random() % (damaged.size() - 100)] = static_cast<char>(random());
        if (i % 10 == 0)
            damaged.resize(random() % damaged.size());
        writeText(file.path, damaged);
        QVERIFY(readsOrFailsCleanly(file.path));
    }
}

QTEST_GUILESS_MAIN(TestProjectFile)
#include "tst_project_file.moc"
