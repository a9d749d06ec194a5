#include "core/project/read/project_reader.h"
#include "core/project/write/unfinished_import.h"
#include "tests/core/project/added_file.h"

#include <QTest>

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

using namespace core;
using tests::addFile;
using tests::TemporaryProject;

/// Imports that were cancelled or killed.
class TestUnfinishedImport : public QObject
{
    Q_OBJECT

private slots:
    void aCancelledFileLeavesNothing();
    void aCancelledFileTakesNoOtherWithIt();
    void aKilledWriterLeavesWhatItCommitted();
    void anImportIsUnfinishedUntilItsEnd();
    void theRestCanBeGivenUp();
    void anUnfinishedImportIsEndedWhateverItsInputsAreCalled();
    void whatIsNoLongerThereEndsTheMarkAndIsNamed();
};

void TestUnfinishedImport::aCancelledFileLeavesNothing()
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

/// What was to be told of other files was lost, and so was what an earlier import had told.
void TestUnfinishedImport::aCancelledFileTakesNoOtherWithIt()
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

void TestUnfinishedImport::aKilledWriterLeavesWhatItCommitted()
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

void TestUnfinishedImport::anImportIsUnfinishedUntilItsEnd()
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
    QVERIFY(unfinished()->message().find("was interrupted.") != std::string::npos);
    {
        const ProjectLock importing(file.path);
        const std::string message = unfinished()->message();
        QVERIFY(message.find("is running (process ") != std::string::npos);
        QVERIFY(message.find("interrupted") == std::string::npos);
    }
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

void TestUnfinishedImport::theRestCanBeGivenUp()
{
    const TemporaryProject file;
    const auto refusal = [&file] {
        try {
            giveUpUnfinishedImport(file.path);
        } catch (const Error &error) {
            return QString::fromUtf8(error.what());
        }
        return QString();
    };
    {
        ProjectWriter writer(file.path, false, { "run" });
    }
    QVERIFY2(refusal().contains(QStringLiteral("nothing was stored")), qPrintable(refusal()));
    {
        ProjectWriter writer(file.path, true, { "run" });
        QVERIFY(addFile(writer, "run/a", 0, 100));
    }
    {
        const ProjectLock importing(file.path);
        QVERIFY2(refusal().contains(QStringLiteral("process")), qPrintable(refusal()));
    }
    QVERIFY(ProjectReader(file.path).info().unfinishedImport);
    QCOMPARE(refusal(), QString());
    const ProjectInfo info = ProjectReader(file.path).info();
    QVERIFY(!info.unfinishedImport);
    QCOMPARE(info.workers.size(), 1U);
    QVERIFY2(refusal().contains(QStringLiteral("there is no rest")), qPrintable(refusal()));
}

/// A mark stayed for ever where the shell, or the window, wrote a path in another way.
void TestUnfinishedImport::anUnfinishedImportIsEndedWhateverItsInputsAreCalled()
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

/// The mark stayed for ever where an input had been deleted.
void TestUnfinishedImport::whatIsNoLongerThereEndsTheMarkAndIsNamed()
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

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestUnfinishedImport)
#include "tst_unfinished_import.moc"
