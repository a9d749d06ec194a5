#include "core/pipeline/pipeline.h"
#include "core/project/write/project_writer.h"
#include "ui/main_window/main_window.h"
#include "ui/main_window/unfinished_notice.h"
#include "ui/session/session.h"
#include "ui/widgets/notice_bar.h"

#include <QDir>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTest>

#include <filesystem>

using namespace ui;

class TestUnfinishedNotice : public QObject
{
    Q_OBJECT

private slots:
    void offersInputsThatAreStillThere();
    void saysHowToGoOnWhereTheyAreNot();
    void namesAFewOfMany();
    void offersNothingWhileTheImportRuns();
    void saysWhereNothingWasStored();
    void theRestIsImportedByAClick();
    void theRestIsGivenUpByAClick();
};

namespace {

/// Holds one of two ranks.
QString interruptedProject(const QTemporaryDir &folder)
{
    const std::filesystem::path place = folder.path().toStdString();
    std::filesystem::copy(LONGPOLE_SOURCE_DIR "/resources/samples/vgg-w2-500mbit-b25",
                          place / "run");
    const std::filesystem::path project = place / "run.longpole";
    core::importBundle({ place / "run" / "rank0.pt.trace.json.gz" }, project, {}, {});
    core::ProjectWriter killed(project, true, { "run" });
    killed.setIterations({}); // has begun to write
    return QString::fromStdString(project.string());
}

QPushButton *linkOf(const NoticeBar &notice, const QString &text)
{
    for (auto *button : notice.findChildren<QPushButton *>())
        if (button->text() == text)
            return button;
    return nullptr;
}

} // namespace

void TestUnfinishedNotice::offersInputsThatAreStillThere()
{
    const QTemporaryDir folder;
    QVERIFY(QDir(folder.path()).mkdir(QStringLiteral("run")));
    const UnfinishedNotice notice
        = noticeOf({ { "run" } }, folder.filePath(QStringLiteral("p.longpole")));
    QCOMPARE(notice.inputs, QStringList { folder.filePath(QStringLiteral("run")) });
    QVERIFY(notice.text.startsWith(QLatin1String("The import of run was interrupted")));
    QVERIFY(!notice.text.contains(QLatin1String("--append")));
}

void TestUnfinishedNotice::saysHowToGoOnWhereTheyAreNot()
{
    const QTemporaryDir folder;
    const QString project = folder.filePath(QStringLiteral("p.longpole"));
    for (const core::UnfinishedImport &unfinished :
         { core::UnfinishedImport { { "gone" } }, core::UnfinishedImport {} }) {
        const UnfinishedNotice notice = noticeOf(unfinished, project);
        QVERIFY(notice.inputs.isEmpty());
        QVERIFY(notice.text.contains(QLatin1String("--append")));
        QVERIFY(notice.text.contains(QDir::toNativeSeparators(project)));
    }
}

void TestUnfinishedNotice::namesAFewOfMany()
{
    const UnfinishedNotice notice
        = noticeOf({ { "a", "b", "c", "d", "e" } }, QStringLiteral("p.longpole"));
    QVERIFY(notice.text.startsWith(QLatin1String("The import of a, b, c and 2 more was")));
}

void TestUnfinishedNotice::offersNothingWhileTheImportRuns()
{
    const QTemporaryDir folder;
    QVERIFY(QDir(folder.path()).mkdir(QStringLiteral("run")));
    const UnfinishedNotice notice = noticeOf({ { "run" }, core::ProjectImporter { 4711, "node1" } },
                                             folder.filePath(QStringLiteral("p.longpole")));
    QVERIFY(notice.inputs.isEmpty());
    QVERIFY(notice.text.contains(QLatin1String("The part that it has read is here")));
    QVERIFY2(notice.text.contains(QLatin1String("process 4711 on node1")), qPrintable(notice.text));
}

void TestUnfinishedNotice::saysWhereNothingWasStored()
{
    const QTemporaryDir folder;
    const UnfinishedNotice notice
        = noticeOf({ { "run" }, {}, true }, folder.filePath(QStringLiteral("p.longpole")));
    QVERIFY(notice.text.contains(QLatin1String("before anything was stored")));
}

/// One of the sample's two ranks was imported; then the import was killed.
void TestUnfinishedNotice::theRestIsImportedByAClick()
{
    const QTemporaryDir folder;
    Session session;
    MainWindow window(session, false);
    window.open({ interruptedProject(folder) });
    const auto *notice = window.findChild<NoticeBar *>();
    QVERIFY(notice->isVisibleTo(&window));
    QCOMPARE(session.reader().info().workers.size(), std::size_t { 1 });
    linkOf(*notice, QStringLiteral("Import the rest"))->click();
    QTRY_VERIFY_WITH_TIMEOUT(session.importReport().has_value(), 60'000);
    QCOMPARE(session.reader().info().workers.size(), std::size_t { 2 });
    QVERIFY(!session.reader().info().unfinishedImport);
    QVERIFY(!notice->isVisibleTo(&window));
}

void TestUnfinishedNotice::theRestIsGivenUpByAClick()
{
    const QTemporaryDir folder;
    Session session;
    MainWindow window(session, false);
    window.open({ interruptedProject(folder) });
    const auto *notice = window.findChild<NoticeBar *>();
    linkOf(*notice, QStringLiteral("Do without it"))->click();
    QVERIFY(!notice->isVisibleTo(&window));
    QTRY_VERIFY_WITH_TIMEOUT(session.importReport().has_value(), 60'000);
    QVERIFY(!session.reader().info().unfinishedImport);
    QCOMPARE(session.reader().info().workers.size(), std::size_t { 1 });
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestUnfinishedNotice)
#include "tst_unfinished_notice.moc"
