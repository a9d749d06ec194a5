#include "ui/main_window/main_window.h"
#include "ui/session/session.h"

#include <QApplication>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QMimeData>
#include <QTemporaryDir>
#include <QTest>

#include <filesystem>

class TestDrop : public QObject
{
    Q_OBJECT

private slots:
    void aDroppedFolderIsImportedAndShown();
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

QTEST_MAIN(TestDrop)
#include "tst_drop.moc"
