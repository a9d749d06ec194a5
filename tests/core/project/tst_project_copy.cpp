#include "added_file.h"
#include "core/base/error.h"
#include "core/project/kept_values.h"
#include "core/project/project_copy.h"
#include "core/project/schema/schema.h"

#include <QTest>

#include <filesystem>
#include <fstream>

using namespace core;

namespace {

struct CopiedProject
{
    CopiedProject()
    {
        Database db(file.path, OpenMode::Create);
        createSchema(db);
        keepValue(file.path, "note", "kept");
    }
    ~CopiedProject()
    {
        std::error_code ignored;
        std::filesystem::remove(target(), ignored);
    }
    std::filesystem::path target() const { return file.path.string() + ".copy"; }

    tests::TemporaryProject file;
};

} // namespace

/// A copy has what the project has, or is not there.
class TestProjectCopy : public QObject
{
    Q_OBJECT

private slots:
    void itHasWhatTheProjectHas();
    void itReplacesAnotherProjectWithItsLog();
    void theProjectItselfIsNoTarget();
    void aCancelledCopyLeavesNothing();
    void whereNothingCanBeWrittenItSaysSo();
};

void TestProjectCopy::itHasWhatTheProjectHas()
{
    const CopiedProject project;
    double last = 0;
    copyProject(
        project.file.path, project.target(),
        JobControl([] { return false; }, [&](double done, std::string_view) { last = done; }));
    QCOMPARE(last, 1.0);
    QVERIFY(keptValue(project.target(), "note") == std::string("kept"));
    QVERIFY(!std::filesystem::exists(project.target().string() + ".part"));
}

void TestProjectCopy::itReplacesAnotherProjectWithItsLog()
{
    const CopiedProject project, other;
    keepValue(other.file.path, "note", "other");
    copyProject(project.file.path, other.file.path, {});
    QVERIFY(keptValue(other.file.path, "note") == std::string("kept"));
}

void TestProjectCopy::theProjectItselfIsNoTarget()
{
    const CopiedProject project;
    QVERIFY_THROWS_EXCEPTION(Error, copyProject(project.file.path, project.file.path, {}));
    QVERIFY(keptValue(project.file.path, "note") == std::string("kept"));
}

void TestProjectCopy::aCancelledCopyLeavesNothing()
{
    const CopiedProject project;
    bool isCancelled = false;
    try {
        copyProject(project.file.path, project.target(), JobControl([] { return true; }, {}));
    } catch (const Cancelled &) {
        isCancelled = true;
    }
    QVERIFY(isCancelled);
    QVERIFY(!std::filesystem::exists(project.target()));
    QVERIFY(!std::filesystem::exists(project.target().string() + ".part"));
}

void TestProjectCopy::whereNothingCanBeWrittenItSaysSo()
{
    const CopiedProject project;
    QVERIFY_THROWS_EXCEPTION(Error,
                             copyProject(project.file.path, "/absent-folder/copy.longpole", {}));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestProjectCopy)
#include "tst_project_copy.moc"
