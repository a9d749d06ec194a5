#include "ui/main_window/main_menus.h"

#include "ui/main_window/main_window.h"
#include "ui/main_window/undo_actions.h"
#include "ui/session/session.h"
#include "ui/views/view_list.h"

#include <QActionGroup>
#include <QCoreApplication>
#include <QMenu>
#include <QMenuBar>

#include <utility>

namespace ui {

namespace {

    struct MenusText
    {
        Q_DECLARE_TR_FUNCTIONS(Menus)
    };

    template <class Slot>
    QAction *add(QMenu *menu, const QString &text, const QKeySequence &keys, MainWindow &window,
                 Slot slot)
    {
        QAction *action = menu->addAction(text);
        action->setShortcut(keys);
        QObject::connect(action, &QAction::triggered, &window, slot);
        return action;
    }

    /// The action can be used only while a project is open.
    QAction *needsProject(QAction *action, Session &session)
    {
        const auto update = [action, &session] { action->setEnabled(session.isOpen()); };
        QObject::connect(&session, &Session::projectChanged, action, update);
        update();
        return action;
    }

    void createFileMenu(MainWindow &w, Session &session)
    {
        QMenu *menu = w.menuBar()->addMenu(MenusText::tr("&File"));
        add(menu, MenusText::tr("&Open\u2026"), QKeySequence::Open, w, &MainWindow::chooseFile);
        add(menu, MenusText::tr("Open &folder\u2026"),
            QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_O), w, &MainWindow::chooseFolder);
        QMenu *recent = menu->addMenu(MenusText::tr("Open &recent"));
        QObject::connect(recent, &QMenu::aboutToShow, &w,
                         [&w, recent] { w.fillRecentMenu(recent); });
        add(menu, MenusText::tr("Open the &sample"), {}, w, &MainWindow::openSample);
        menu->addSeparator();
        needsProject(add(menu, MenusText::tr("Save &as\u2026"), QKeySequence::SaveAs, w,
                         &MainWindow::saveAs),
                     session);
        needsProject(add(menu, MenusText::tr("Add &traces\u2026"), {}, w, &MainWindow::addTraces),
                     session);
        needsProject(add(menu, MenusText::tr("&Close project"), QKeySequence(Qt::CTRL | Qt::Key_W),
                         w, &MainWindow::closeProject),
                     session);
        menu->addSeparator();
        add(menu, MenusText::tr("&Export image\u2026"),
            QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_E), w, &MainWindow::exportImage);
        needsProject(add(menu, MenusText::tr("Re&port\u2026"), {}, w, &MainWindow::exportReport),
                     session);
        menu->addSeparator();
        add(menu, MenusText::tr("&Quit"), QKeySequence(Qt::CTRL | Qt::Key_Q), w, &QWidget::close);
    }

    void createEditMenu(MainWindow &w, Session &session)
    {
        QMenu *menu = w.menuBar()->addMenu(MenusText::tr("&Edit"));
        addUndoActions(*menu, session.history());
        menu->addSeparator();
        add(menu, MenusText::tr("&Copy as image"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_C),
            w, &MainWindow::copyImage);
        menu->addSeparator();
        QAction *palette
            = add(menu, MenusText::tr("Command &palette\u2026"), {}, w, &MainWindow::showCommands);
        palette->setShortcuts(
            { QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_P), QKeySequence(Qt::Key_Greater) });
    }

    void createThemeMenu(QMenu *parent, MainWindow &w)
    {
        QMenu *menu = parent->addMenu(MenusText::tr("&Theme"));
        auto *group = new QActionGroup(menu);
        const std::pair<ThemeChoice, QString> choices[] {
            { ThemeChoice::System, MenusText::tr("As the &system") },
            { ThemeChoice::Light, MenusText::tr("&Light") },
            { ThemeChoice::Dark, MenusText::tr("&Dark") },
        };
        for (const auto &choice : choices) {
            QAction *action = add(menu, choice.second, {}, w,
                                  [&w, theme = choice.first] { w.setThemeChoice(theme); });
            action->setCheckable(true);
            action->setChecked(choice.first == w.themeChoice());
            group->addAction(action);
        }
    }

    /// Ways to the views of a menu: Alt and their number among all.
    void addWays(QMenu *menu, ViewPlace place, MainWindow &w, Session &session)
    {
        int key = Qt::Key_1;
        for (const ViewEntry &entry : viewList()) {
            QList<QKeySequence> keys { QKeySequence(Qt::ALT | static_cast<Qt::Key>(key++)) };
            if (entry.place != place)
                continue;
            const QString id = QLatin1String(entry.id);
            const QString title = QCoreApplication::translate("Views", entry.title);
            QAction *action = add(menu, MenusText::tr("Go to %1").arg(title), {}, w,
                                  [&w, id] { w.showWorkspace(id); });
            if (id == QLatin1String("sql"))
                keys << QKeySequence(Qt::Key_Colon);
            action->setShortcuts(keys);
            needsProject(action, session);
        }
    }

    void createViewMenu(MainWindow &w, Session &session)
    {
        QMenu *menu = w.menuBar()->addMenu(MenusText::tr("&View"));
        addWays(menu, ViewPlace::Bar, w, session);
        menu->addSeparator();
        createThemeMenu(menu, w);
        QAction *fullScreen
            = add(menu, MenusText::tr("&Full screen"), QKeySequence(Qt::Key_F11), w,
                  [&w] { w.setWindowState(w.windowState() ^ Qt::WindowFullScreen); });
        Q_UNUSED(fullScreen);
    }

    /// The title with its first letter that no menu of the bar has as its key yet.
    QString withKey(const QString &title, const QMenuBar &bar)
    {
        QString taken;
        const auto menus = bar.actions();
        for (const QAction *menu : menus)
            if (const auto at = menu->text().indexOf(QLatin1Char('&')); at >= 0)
                taken += menu->text().mid(at + 1, 1);
        for (qsizetype i = 0; i < title.size(); ++i)
            if (title[i].isLetter() && !taken.contains(title[i], Qt::CaseInsensitive))
                return title.left(i) + QLatin1Char('&') + title.mid(i);
        return title;
    }

    QMenu *addToolsMenu(MainWindow &w, Session &session, QAction *help)
    {
        auto *menu = new QMenu(MenusText::tr("&Tools"), w.menuBar());
        w.menuBar()->insertMenu(help, menu);
        addWays(menu, ViewPlace::Tools, w, session);
        menu->addSeparator();
        return menu;
    }

    /// Before the help, whose key is the same in every program. Tools share one menu.
    void createMenusOfViews(MainWindow &w, Session &session, QAction *help)
    {
        QMenu *tools = addToolsMenu(w, session, help);
        for (const ViewEntry &entry : viewList()) {
            const QList<QAction *> actions = w.workspace(QLatin1String(entry.id))->actions();
            if (actions.isEmpty())
                continue;
            const QString title = QCoreApplication::translate("Views", entry.title);
            if (entry.place == ViewPlace::Tools) {
                QMenu *menu = tools->addMenu(title);
                menu->addActions(actions);
                continue;
            }
            auto *menu = new QMenu(withKey(title, *w.menuBar()), w.menuBar());
            w.menuBar()->insertMenu(tools->menuAction(), menu);
            menu->addActions(actions);
            needsProject(menu->menuAction(), session);
        }
    }

    QAction *createHelpMenu(MainWindow &w)
    {
        QMenu *menu = w.menuBar()->addMenu(MenusText::tr("&Help"));
        add(menu, MenusText::tr("Longpole &Help"), QKeySequence(Qt::Key_F1), w,
            &MainWindow::showHelp);
        add(menu, MenusText::tr("&Keyboard shortcuts"), QKeySequence(Qt::Key_Question), w,
            &MainWindow::showShortcuts);
        add(menu, MenusText::tr("&About Longpole"), {}, w, &MainWindow::showAbout);
        return menu->menuAction();
    }

} // namespace

void createMenus(MainWindow &window, Session &session)
{
    createFileMenu(window, session);
    createEditMenu(window, session);
    createViewMenu(window, session);
    createMenusOfViews(window, session, createHelpMenu(window));
}

QList<QAction *> commandActions(const QList<QMenu *> &menus)
{
    QList<QAction *> found;
    for (const QMenu *menu : menus) {
        const auto actions = menu->actions();
        for (QAction *action : actions) {
            if (action->menu() != nullptr)
                found << commandActions({ action->menu() });
            else if (!action->isSeparator() && action->isEnabled())
                found << action;
        }
    }
    return found;
}

} // namespace ui
