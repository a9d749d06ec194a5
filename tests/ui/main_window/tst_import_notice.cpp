#include "ui/main_window/main_window.h"
#include "ui/main_window/project_opener.h"
#include "ui/session/session.h"
#include "ui/widgets/notice_bar.h"

#include <QFile>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <filesystem>

using namespace ui;

namespace {

constexpr int timeoutMs = 60'000;

QString sampleFolder()
{
    return QStringLiteral(LONGPOLE_SOURCE_DIR "/resources/samples/vgg-w2-500mbit-b25");
}

QPushButton *linkOf(const NoticeBar &notice)
{
    const auto buttons = notice.findChildren<QPushButton *>();
    return buttons.isEmpty() ? nullptr : buttons.front();
}

} // namespace

class TestImportNotice : public QObject
{
    Q_OBJECT

private slots:
    void afterAPartialImportALineLeadsToTheReport();
    void afterAWholeImportThereIsNothingToSay();
    void aCancelledImportIsToldAsSuch();
    void addedTracesAreCounted();
    void whatCannotBeAddedLeavesTheProjectAsItIs();
};

void TestImportNotice::aCancelledImportIsToldAsSuch()
{
    const QTemporaryDir folder;
    const QString bundle = folder.filePath(QStringLiteral("run"));
    std::filesystem::copy(sampleFolder().toStdString(), bundle.toStdString());
    Session session;
    MainWindow window(session, false);
    window.open({ bundle });
    QVERIFY(session.isRunning(QStringLiteral("import")));
    for (QPushButton *button : window.findChildren<QPushButton *>())
        if (button->text() == QStringLiteral("Cancel"))
            button->click();
    QVERIFY(!session.isRunning(QStringLiteral("import")));
    const auto *notice = window.findChild<NoticeBar *>();
    QVERIFY(notice->isVisibleTo(&window));
    QVERIFY2(notice->text().startsWith(QStringLiteral("The import was cancelled.")),
             qPrintable(notice->text()));
}

void TestImportNotice::afterAPartialImportALineLeadsToTheReport()
{
    const QTemporaryDir folder;
    const QString trace = folder.filePath(QStringLiteral("rank0.json.gz"));
    QVERIFY(QFile::copy(sampleFolder() + QLatin1String("/rank0.pt.trace.json.gz"), trace));
    QFile file(trace);
    QVERIFY(file.resize(file.size() / 2));
    Session session;
    MainWindow window(session, false);
    window.open({ trace });
    const auto *notice = window.findChild<NoticeBar *>();
    QTRY_VERIFY_WITH_TIMEOUT(notice->isVisibleTo(&window), timeoutMs);
    QCOMPARE(notice->text(), QStringLiteral("1 file read, cut off."));
    QWidget *report = window.workspace(QStringLiteral("import"));
    QVERIFY(!report->isVisibleTo(&window));
    linkOf(*notice)->click();
    QVERIFY(report->isVisibleTo(&window));
    QVERIFY(!notice->isVisibleTo(&window));
}

void TestImportNotice::afterAWholeImportThereIsNothingToSay()
{
    const QTemporaryDir folder;
    const QString bundle = folder.filePath(QStringLiteral("run"));
    std::filesystem::copy(sampleFolder().toStdString(), bundle.toStdString());
    Session session;
    MainWindow window(session, false);
    window.open({ bundle });
    QTRY_VERIFY_WITH_TIMEOUT(session.importReport().has_value(), timeoutMs);
    QVERIFY(!window.findChild<NoticeBar *>()->isVisibleTo(&window));
}

void TestImportNotice::addedTracesAreCounted()
{
    const QTemporaryDir folder;
    const QString first = folder.filePath(QStringLiteral("rank0.pt.trace.json.gz"));
    const QString second = folder.filePath(QStringLiteral("rank1.pt.trace.json.gz"));
    QVERIFY(QFile::copy(sampleFolder() + QLatin1String("/rank0.pt.trace.json.gz"), first));
    QVERIFY(QFile::copy(sampleFolder() + QLatin1String("/rank1.pt.trace.json.gz"), second));
    Session session;
    MainWindow window(session, false);
    window.open({ first });
    QTRY_VERIFY_WITH_TIMEOUT(session.importReport().has_value(), timeoutMs);
    const QString project = session.projectPath();
    QCOMPARE(session.reader().info().workers.size(), std::size_t { 1 });
    window.findChild<ProjectOpener *>()->addTraces({ second });
    QTRY_VERIFY_WITH_TIMEOUT(session.reader().info().workers.size() == 2, timeoutMs);
    QCOMPARE(session.projectPath(), project);
    const auto *notice = window.findChild<NoticeBar *>();
    QTRY_COMPARE(notice->text(), QStringLiteral("1 file was added."));
    window.findChild<ProjectOpener *>()->addTraces({ second });
    QTRY_COMPARE_WITH_TIMEOUT(
        notice->text(), QStringLiteral("Nothing was added: 1 file was in it already."), timeoutMs);
}

void TestImportNotice::whatCannotBeAddedLeavesTheProjectAsItIs()
{
    const QTemporaryDir folder;
    const QString trace = folder.filePath(QStringLiteral("rank0.pt.trace.json.gz"));
    QVERIFY(QFile::copy(sampleFolder() + QLatin1String("/rank0.pt.trace.json.gz"), trace));
    QFile notes(folder.filePath(QStringLiteral("notes.txt")));
    QVERIFY(notes.open(QIODevice::WriteOnly) && notes.write("not a trace\n") > 0);
    notes.close();
    Session session;
    MainWindow window(session, false);
    window.open({ trace });
    QTRY_VERIFY_WITH_TIMEOUT(session.importReport().has_value(), timeoutMs);
    session.showView(QStringLiteral("timeline"));
    QSignalSpy interrupted(&session, &Session::importInterrupted);
    window.findChild<ProjectOpener *>()->addTraces({ notes.fileName() });
    QVERIFY(!window.workspace(QStringLiteral("timeline"))->isVisibleTo(&window));
    QVERIFY(interrupted.wait(timeoutMs));
    QVERIFY(window.workspace(QStringLiteral("timeline"))->isVisibleTo(&window));
    const auto *notice = window.findChild<NoticeBar *>();
    QVERIFY2(notice->text().startsWith(QStringLiteral("Nothing was changed: the import failed")),
             qPrintable(notice->text()));
    window.findChild<ProjectOpener *>()->addTraces({ trace });
    for (QPushButton *button : window.findChildren<QPushButton *>())
        if (button->text() == QStringLiteral("Cancel"))
            button->click();
    QVERIFY(interrupted.wait(timeoutMs)); // it has been read before: nothing is added
    QCOMPARE(notice->text(), QStringLiteral("Adding was cancelled. Nothing was changed."));
    QVERIFY(window.workspace(QStringLiteral("timeline"))->isVisibleTo(&window));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestImportNotice)
#include "tst_import_notice.moc"
