#include "ui/main_window/main_window.h"
#include "ui/session/session.h"

#include <QApplication>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QFile>
#include <QLabel>
#include <QMimeData>
#include <QTemporaryDir>
#include <QTest>

#include <filesystem>

class TestDrop : public QObject
{
    Q_OBJECT

private slots:
    void aDroppedFolderIsImportedAndShown();
    void whyAFileIsNotImportedIsSaidInStraightLines();
};

void TestDrop::aDroppedFolderIsImportedAndShown()
{
    // A copy: the project is written beside the traces.
    const QTemporaryDir folder;
    const QString bundle = folder.filePath(QStringLiteral("run"));
    std::filesystem::copy(LONGPOLE_SOURCE_DIR "/resources/samples/vgg-w2-500mbit-b25",
                          bundle.toStdString());
    ui::Session session;
    ui::MainWindow window(session, false);
    QMimeData data;
    data.setUrls({ QUrl::fromLocalFile(bundle) });
    QDragEnterEvent enter({ 50, 50 }, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&window, &enter);
    QVERIFY(enter.isAccepted());
    QDropEvent drop({ 50, 50 }, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&window, &drop);
    QTRY_VERIFY_WITH_TIMEOUT(session.isOpen(), 20'000);
    QCOMPARE(session.reader().info().workers.size(), std::size_t { 2 });
    QTRY_VERIFY_WITH_TIMEOUT(session.diagnosis() != nullptr, 20'000);
}

/// A list of files was indented as in a terminal, and its wrapped lines were not.
void TestDrop::whyAFileIsNotImportedIsSaidInStraightLines()
{
    const QTemporaryDir folder;
    QFile file(folder.filePath(QStringLiteral("notes.json")));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("hello");
    file.close();
    ui::Session session;
    ui::MainWindow window(session, false);
    window.open({ file.fileName() });
    QString said;
    const auto lookForIt = [&] {
        const auto labels = window.findChildren<QLabel *>();
        for (const QLabel *label : labels)
            if (label->isVisibleTo(&window) && label->text().contains(QLatin1String("notes.json"))
                && label->text().contains(QLatin1Char('\n')))
                said = label->text();
        return !said.isEmpty();
    };
    QTRY_VERIFY_WITH_TIMEOUT(lookForIt(), 20'000);
    QVERIFY2(!said.contains(QLatin1String("\n ")), qPrintable(said));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestDrop)
#include "tst_drop.moc"
