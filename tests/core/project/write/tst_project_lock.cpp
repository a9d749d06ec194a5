#include "core/base/error.h"
#include "core/project/write/project_lock.h"
#include "tests/core/project/random_trace.h"

#include <QTest>

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <fstream>
#include <memory>

using namespace core;
using tests::TemporaryProject;
namespace fs = std::filesystem;

namespace {

fs::path lockFileOf(const TemporaryProject &project)
{
    return project.path.string() + ".lock";
}

QString refusal(const fs::path &project)
{
    try {
        const ProjectLock lock(project);
    } catch (const Error &error) {
        return QString::fromUtf8(error.what());
    }
    return {};
}

/// A process that holds the lock until it is killed; returns once it has it.
pid_t forkHolder(const fs::path &project)
{
    std::array<int, 2> ready {};
    if (pipe(ready.data()) != 0)
        return -1;
    const pid_t child = fork();
    if (child == 0) {
        const ProjectLock lock(project);
        if (write(ready[1], "x", 1) == 1)
            pause();
        _exit(1);
    }
    char byte = 0;
    const bool isReady = read(ready[0], &byte, 1) == 1;
    close(ready[0]);
    close(ready[1]);
    return isReady ? child : -1;
}

} // namespace

/// One import at a time writes to a project.
class TestProjectLock : public QObject
{
    Q_OBJECT

private slots:
    void oneAtATime();
    void aLinkLeadsToTheSameLock();
    void aLinkToWhatIsNotThereYetDoesToo();
    void aLockFileThatAnotherImportMadeIsNotRemoved();
    void aKilledProcessLocksNothing();
    void aStrangersFileIsNotTouched();
    void whatIsNoPlaceForAFileIsRefused();
};

void TestProjectLock::oneAtATime()
{
    const TemporaryProject project;
    QVERIFY(!importerOf(project.path));
    {
        const ProjectLock lock(project.path);
        QCOMPARE(importerOf(project.path)->process, std::int64_t(getpid()));
        QVERIFY(!importerOf(project.path)->host.empty());
        const QString text = refusal(project.path);
        QVERIFY2(text.contains(QStringLiteral("process %1 on ").arg(getpid())), qPrintable(text));
        QVERIFY2(text.contains(QLatin1String("Wait until")), qPrintable(text));
        QVERIFY(fs::exists(lockFileOf(project)));
    }
    QVERIFY(!fs::exists(lockFileOf(project)));
    QVERIFY(!importerOf(project.path));
    QCOMPARE(refusal(project.path), QString());
}

void TestProjectLock::aLinkLeadsToTheSameLock()
{
    const TemporaryProject project;
    std::ofstream(project.path) << "x";
    const fs::path link = project.path.string() + ".link";
    fs::create_symlink(project.path, link);
    const ProjectLock lock(project.path);
    QVERIFY(importerOf(link));
    QVERIFY(!refusal(link).isEmpty());
    fs::remove(link);
}

/// Two imports wrote to one project at once: the lock was beside the link until it was created.
void TestProjectLock::aLinkToWhatIsNotThereYetDoesToo()
{
    const TemporaryProject project;
    const fs::path link = project.path.string() + ".link";
    fs::create_symlink(project.path.filename(), link);
    const ProjectLock lock(link);
    QVERIFY(fs::exists(lockFileOf(project)));
    std::ofstream(project.path) << "x";
    QVERIFY(importerOf(link));
    QVERIFY(!refusal(link).isEmpty());
    QVERIFY(!refusal(project.path).isEmpty());
    fs::remove(link);
}

/// The first one's end let a third one in.
void TestProjectLock::aLockFileThatAnotherImportMadeIsNotRemoved()
{
    const TemporaryProject project;
    auto first = std::make_unique<ProjectLock>(project.path);
    fs::remove(lockFileOf(project));
    const ProjectLock second(project.path);
    first.reset();
    QVERIFY(fs::exists(lockFileOf(project)));
    QVERIFY(importerOf(project.path));
    QVERIFY(!refusal(project.path).isEmpty());
}

void TestProjectLock::aKilledProcessLocksNothing()
{
    const TemporaryProject project;
    const pid_t child = forkHolder(project.path);
    QVERIFY(child > 0);
    QCOMPARE(importerOf(project.path)->process, std::int64_t(child));
    QVERIFY(refusal(project.path).contains(QString::number(child)));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    QVERIFY(fs::exists(lockFileOf(project)));
    QVERIFY(!importerOf(project.path));
    QCOMPARE(refusal(project.path), QString());
    QVERIFY(!fs::exists(lockFileOf(project)));
}

void TestProjectLock::aStrangersFileIsNotTouched()
{
    const TemporaryProject project;
    std::ofstream(lockFileOf(project)) << "my notes";
    QVERIFY(refusal(project.path).contains(QLatin1String("is in the way")));
    QCOMPARE(fs::file_size(lockFileOf(project)), 8U);
    fs::remove(lockFileOf(project));
    fs::create_symlink("elsewhere", lockFileOf(project));
    QVERIFY(!refusal(project.path).isEmpty());
    QVERIFY(!fs::exists(lockFileOf(project).parent_path() / "elsewhere"));
}

void TestProjectLock::whatIsNoPlaceForAFileIsRefused()
{
    const TemporaryProject project;
    const QString text = refusal(project.path.parent_path() / "none" / "p.longpole");
    QVERIFY2(text.contains(QLatin1String("there is no folder ")), qPrintable(text));
    QVERIFY2(text.contains(QLatin1String("none. Create it")), qPrintable(text));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestProjectLock)
#include "tst_project_lock.moc"
