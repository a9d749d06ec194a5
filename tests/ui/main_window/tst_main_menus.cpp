#include "ui/main_window/main_window.h"
#include "ui/session/session.h"

#include <QMenuBar>
#include <QSet>
#include <QTest>

class TestMainMenus : public QObject
{
    Q_OBJECT

private slots:
    void everyMenuHasAKeyOfItsOwn();
};

/// The menus of the views had none: they could not be opened by Alt and a letter.
void TestMainMenus::everyMenuHasAKeyOfItsOwn()
{
    ui::Session session;
    const ui::MainWindow window(session, false);
    QSet<QKeySequence> keys;
    QString last;
    const auto menus = window.menuBar()->actions();
    for (const QAction *menu : menus) {
        const QKeySequence key = QKeySequence::mnemonic(menu->text());
        QVERIFY2(!key.isEmpty(), qPrintable(menu->text()));
        QVERIFY2(!keys.contains(key), qPrintable(menu->text()));
        keys.insert(key);
        last = menu->text();
    }
    QVERIFY(keys.size() >= 7);
    QCOMPARE(last, QStringLiteral("&Help"));
}

QTEST_MAIN(TestMainMenus)
#include "tst_main_menus.moc"
