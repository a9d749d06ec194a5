#include "ui/help/help_browser.h"
#include "ui/help/help_window.h"
#include "ui/main_window/main_window.h"
#include "ui/main_window/shortcuts_dialog.h"
#include "ui/session/session.h"

#include <QLabel>
#include <QMenuBar>
#include <QSet>
#include <QTest>

class TestMainMenus : public QObject
{
    Q_OBJECT

private slots:
    void everyMenuHasAKeyOfItsOwn();
    void theKeysOfTheTimelineAreListed();
    void noKeyStandsForTwoCommands();
    void theHelpOpensAtThePageOfTheView();
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

/// Marks, steps along dependencies and the zooming keys were told nowhere in the window.
void TestMainMenus::theKeysOfTheTimelineAreListed()
{
    ui::Session session;
    ui::MainWindow window(session, false);
    const ui::ShortcutsDialog dialog(window.menus(), &window);
    QStringList texts;
    const auto labels = dialog.findChildren<QLabel *>();
    for (const QLabel *label : labels)
        texts << label->text();
    for (const char *keys : { "W or Ctrl+wheel",
                              "S or Ctrl+wheel",
                              "A or Shift+wheel",
                              "D or Shift+wheel",
                              "M",
                              "Shift+M",
                              "R",
                              ".",
                              ",",
                              "]",
                              "[",
                              "Ctrl+]",
                              "Ctrl+[",
                              "Ctrl+A",
                              "Q",
                              "Ctrl+Shift+P or >",
                              "Alt+Left",
                              "Alt+Right",
                              "Ctrl+F",
                              "N",
                              "Shift+N",
                              "Del",
                              "Ctrl+0 to Ctrl+9",
                              "0 to 9",
                              "Ctrl+Z",
                              "Ctrl+Shift+Z or Ctrl+Y" })
        QVERIFY2(texts.contains(QLatin1String(keys)), keys);
    for (const QString &text : texts)
        QVERIFY2(!text.contains(QLatin1Char('\t')), qPrintable(text));
}

void TestMainMenus::noKeyStandsForTwoCommands()
{
    ui::Session session;
    ui::MainWindow window(session, false);
    const auto ids = window.workspaceIds();
    for (const QString &id : ids) { // keys of other views do nothing in this one
        QSet<QKeySequence> keys;
        const auto actions = window.workspace(id)->actions();
        for (const QAction *action : actions)
            if (!action->shortcut().isEmpty()) {
                QVERIFY2(!keys.contains(action->shortcut()), qPrintable(action->text()));
                keys.insert(action->shortcut());
            }
    }
}

void TestMainMenus::theHelpOpensAtThePageOfTheView()
{
    ui::Session session;
    ui::MainWindow window(session, false);
    const auto shownPage = [&window] {
        window.showHelp();
        return window.help().browser().source().fileName();
    };
    QCOMPARE(shownPage(), QStringLiteral("index.md"));
    window.showWorkspace(QStringLiteral("compare"));
    QCOMPARE(shownPage(), QStringLiteral("what-ifs.md"));
    QVERIFY(window.help().isVisible());
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestMainMenus)
#include "tst_main_menus.moc"
