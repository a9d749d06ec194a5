#include "core/pipeline/pipeline.h"
#include "ui/help/help_browser.h"
#include "ui/help/help_window.h"
#include "ui/main_window/main_menus.h"
#include "ui/main_window/main_window.h"
#include "ui/main_window/shortcuts_dialog.h"
#include "ui/session/project_copy.h"
#include "ui/session/project_history.h"
#include "ui/session/session.h"

#include <QAction>
#include <QLabel>
#include <QMenu>
#include <QMenuBar>
#include <QSet>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

class TestMainMenus : public QObject
{
    Q_OBJECT

private slots:
    void everyMenuHasAKeyOfItsOwn();
    void theKeysOfTheTimelineAreListed();
    void noKeyStandsForTwoCommands();
    void noMenuHasALetterTwice();
    void toolsOfTheProjectAreOneMenu();
    void undoNamesTheChange();
    void aCopyStaysOnThePage();
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
    QSet<QKeySequence> always; // whatever the window shows
    const auto ofWindow = ui::commandActions(window.menus());
    for (const QAction *action : ofWindow)
        if (action->shortcutContext() == Qt::WindowShortcut)
            for (const QKeySequence &key : action->shortcuts()) {
                QVERIFY2(!always.contains(key), qPrintable(action->text()));
                always.insert(key);
            }
    QVERIFY(always.size() > 5);
    const auto ids = window.workspaceIds();
    for (const QString &id : ids) { // keys of other views do nothing in this one
        QSet<QKeySequence> keys = always;
        const auto actions = window.workspace(id)->actions();
        for (const QAction *action : actions)
            if (!action->shortcut().isEmpty()) {
                QVERIFY2(!keys.contains(action->shortcut()), qPrintable(action->text()));
                keys.insert(action->shortcut());
            }
    }
}

void TestMainMenus::noMenuHasALetterTwice()
{
    ui::Session session;
    const ui::MainWindow window(session, false);
    QList<const QMenu *> menus;
    const auto ofBar = window.menus();
    for (const QMenu *menu : ofBar)
        menus << menu;
    for (qsizetype i = 0; i < menus.size(); ++i) {
        QSet<QKeySequence> keys;
        const auto actions = menus[i]->actions();
        for (const QAction *action : actions) {
            if (action->menu() != nullptr)
                menus << action->menu();
            const QKeySequence key = QKeySequence::mnemonic(action->text());
            QVERIFY2(key.isEmpty() || !keys.contains(key), qPrintable(action->text()));
            keys.insert(key);
        }
    }
    QVERIFY(menus.size() > ofBar.size());
}

/// "Import report" and "Clocks" were menus of the bar beside tabs of the same name.
void TestMainMenus::toolsOfTheProjectAreOneMenu()
{
    ui::Session session;
    const ui::MainWindow window(session, false);
    QStringList titles, tools;
    const auto menus = window.menus();
    for (const QMenu *menu : menus) {
        const QString title = menu->title().remove(QLatin1Char('&'));
        titles << title;
        const auto actions = menu->actions();
        for (const QAction *action : actions)
            if (title == QLatin1String("Tools"))
                tools << action->text().remove(QLatin1Char('&'));
    }
    QVERIFY(!titles.contains(QStringLiteral("Import report")));
    QVERIFY(!titles.contains(QStringLiteral("Clocks")));
    QVERIFY(tools.contains(QStringLiteral("Import report")));
    QVERIFY(tools.contains(QStringLiteral("Go to Clocks")));
}

void TestMainMenus::undoNamesTheChange()
{
    ui::Session session;
    ui::MainWindow window(session, false);
    const auto actions = window.menus().at(1)->actions();
    const QAction *undo = actions.at(0), *redo = actions.at(1);
    QCOMPARE(undo->text(), QStringLiteral("&Undo"));
    QVERIFY(!undo->isEnabled());
    session.history().stack().push(new QUndoCommand(QStringLiteral("A & B")));
    QCOMPARE(undo->text(), QStringLiteral("&Undo: A && B"));
    QVERIFY(undo->isEnabled());
    window.menus().at(1)->actions().at(0)->trigger();
    QVERIFY(!undo->isEnabled());
    QCOMPARE(redo->text(), QStringLiteral("&Redo: A && B"));
    QVERIFY(redo->shortcuts().contains(QKeySequence(Qt::CTRL | Qt::Key_Y)));
}

/// It jumped to the Summary.
void TestMainMenus::aCopyStaysOnThePage()
{
    const QTemporaryDir folder;
    const QString project = folder.filePath(QStringLiteral("p.longpole"));
    core::importBundle({ LONGPOLE_SOURCE_DIR "/resources/samples/vgg-w2-500mbit-b25" },
                       project.toStdString(), {}, {});
    ui::Session session;
    ui::MainWindow window(session, false);
    window.open({ project });
    session.showView(QStringLiteral("timeline"));
    QSignalSpy opened(&session.copy(), &ui::ProjectCopy::opened);
    session.copy().start(folder.filePath(QStringLiteral("copy.longpole")));
    QVERIFY(opened.wait(60'000));
    QVERIFY(window.workspace(QStringLiteral("timeline"))->isVisibleTo(&window));
    QVERIFY2(window.windowTitle().startsWith(QStringLiteral("copy ")),
             qPrintable(window.windowTitle()));
    window.open({ project });
    QVERIFY(!window.workspace(QStringLiteral("timeline"))->isVisibleTo(&window));
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
