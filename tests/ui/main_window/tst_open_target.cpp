#include "core/project/project_file.h"
#include "core/project/write/project_writer.h"
#include "ui/main_window/open_target.h"
#include "ui/main_window/recent_projects.h"

#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>

using namespace ui;

class TestOpenTarget : public QObject
{
    Q_OBJECT

private slots:
    void aProjectIsKnownByItsContent();
    void theProjectLiesBesideItsBundle_data();
    void theProjectLiesBesideItsBundle();
    void severalFilesAreCalledLikeTheirFolder();
    void aTakenNameGetsANumber();
    void anUnfinishedProjectIsNotUpToDate();
    void theSampleIsFound();
    void recentProjectsAreNewestFirstAndExist();

private:
    QString makeFile(const QString &name, const QByteArray &content);
    QTemporaryDir m_folder;
};

QString TestOpenTarget::makeFile(const QString &name, const QByteArray &content)
{
    QFile file(m_folder.filePath(name));
    if (!file.open(QIODevice::WriteOnly) || file.write(content) != content.size())
        qFatal("cannot write a test file");
    return file.fileName();
}

void TestOpenTarget::aProjectIsKnownByItsContent()
{
    const auto isProject
        = [](const QString &path) { return core::isProjectFile(path.toStdString()); };
    QByteArray header("SQLite format 3\0", 16);
    header.append(100 - header.size(), '\0');
    const QByteArray otherProgram = header;
    header.replace(68, 4, "LnPl");
    QVERIFY(isProject(makeFile(QStringLiteral("a.bin"), header)));
    QVERIFY(!isProject(makeFile(QStringLiteral("cut.bin"), header.left(60))));
    QVERIFY(!isProject(makeFile(QStringLiteral("b.longpole"), "{}")));
    // An export of Nsight Systems was once refused as a broken project instead of being imported.
    QVERIFY(!isProject(makeFile(QStringLiteral("report.sqlite"), otherProgram)));
    QVERIFY(isProject(makeFile(QStringLiteral("killed.longpole"), otherProgram)));
    QVERIFY(!isProject(m_folder.path()));
    QVERIFY(!isProject(m_folder.filePath(QStringLiteral("absent"))));
}

void TestOpenTarget::theProjectLiesBesideItsBundle_data()
{
    QTest::addColumn<QString>("bundle");
    QTest::addColumn<QString>("project");
    QTest::newRow("trace") << QStringLiteral("rank0.pt.trace.json.gz")
                           << QStringLiteral("rank0.longpole");
    QTest::newRow("archive") << QStringLiteral("run 7.zip") << QStringLiteral("run 7.longpole");
    QTest::newRow("export of Nsight Systems")
        << QStringLiteral("report1.sqlite") << QStringLiteral("report1.longpole");
    QTest::newRow("XProf") << QStringLiteral("host.xplane.pb") << QStringLiteral("host.longpole");
    QTest::newRow("plain") << QStringLiteral("trace.json") << QStringLiteral("trace.longpole");
}

void TestOpenTarget::theProjectLiesBesideItsBundle()
{
    QFETCH(QString, bundle);
    QFETCH(QString, project);
    const QString input = makeFile(bundle, "{}");
    QCOMPARE(projectPathFor({ input }, QStringLiteral("/nowhere")), m_folder.filePath(project));
}

void TestOpenTarget::severalFilesAreCalledLikeTheirFolder()
{
    QVERIFY(QDir(m_folder.path()).mkdir(QStringLiteral("run")));
    const QString one = makeFile(QStringLiteral("run/a.json"), "{}");
    const QString two = makeFile(QStringLiteral("run/b.json"), "{}");
    QCOMPARE(projectPathFor({ one, two }, QString()),
             m_folder.filePath(QStringLiteral("run/run.longpole")));
    QCOMPARE(projectPathFor({ m_folder.filePath(QStringLiteral("run/")) }, QString()),
             m_folder.filePath(QStringLiteral("run.longpole")));
}

void TestOpenTarget::aTakenNameGetsANumber()
{
    const QString taken = makeFile(QStringLiteral("taken.longpole"), "x");
    QCOMPARE(freeProjectPath(taken), m_folder.filePath(QStringLiteral("taken 2.longpole")));
    const QString isFree = m_folder.filePath(QStringLiteral("free.longpole"));
    QCOMPARE(freeProjectPath(isFree), isFree);
}

/// The sample's project was opened as it was when its import had been interrupted.
void TestOpenTarget::anUnfinishedProjectIsNotUpToDate()
{
    const QString input = makeFile(QStringLiteral("input.json"), "{}");
    const QString project = m_folder.filePath(QStringLiteral("input.longpole"));
    QCOMPARE(existingProject(project, { input }), ExistingProject::None);
    {
        core::ProjectWriter writer(project.toStdString(), false);
    }
    QCOMPARE(existingProject(project, { input }), ExistingProject::Unfinished);
    core::ProjectWriter(project.toStdString(), true).finish();
    QCOMPARE(existingProject(project, { input }), ExistingProject::UpToDate);
    QFile changed(input);
    QVERIFY(changed.open(QIODevice::ReadWrite));
    QVERIFY(changed.setFileTime(QDateTime::currentDateTime().addSecs(60),
                                QFileDevice::FileModificationTime));
    QCOMPARE(existingProject(project, { input }), ExistingProject::None);
}

void TestOpenTarget::theSampleIsFound()
{
    // Tests lie in build/<preset>/tests, as deep as the programs in build/<preset>/bin.
    QVERIFY(samplePath().has_value());
    QVERIFY(QFile::exists(*samplePath() + QStringLiteral("/rank0.pt.trace.json.gz")));
}

void TestOpenTarget::recentProjectsAreNewestFirstAndExist()
{
    QSettings settings(m_folder.filePath(QStringLiteral("settings.ini")), QSettings::IniFormat);
    RecentProject first;
    first.path = makeFile(QStringLiteral("one.longpole"), "x");
    first.ranks = 2;
    first.iterationNs = 412'000'000;
    RecentProject second;
    second.path = makeFile(QStringLiteral("two.longpole"), "x");
    addRecentProject(settings, first);
    addRecentProject(settings, second);
    addRecentProject(settings, first);
    QList<RecentProject> projects = readRecentProjects(settings);
    QCOMPARE(projects.size(), 2);
    QCOMPARE(projects[0].path, first.path);
    QCOMPARE(projects[0].iterationNs, 412'000'000);
    QVERIFY(QFile::remove(second.path));
    QCOMPARE(readRecentProjects(settings).size(), 1);
    removeRecentProject(settings, first.path);
    QVERIFY(readRecentProjects(settings).isEmpty());
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestOpenTarget)
#include "tst_open_target.moc"
