#include "ui/main_window/command_palette.h"

#include "ui/main_window/command_text.h"
#include "ui/widgets/pick_list.h"

#include <QAction>
#include <QCoreApplication>
#include <QMenu>

#include <utility>

namespace ui {

namespace {

    QString titleOf(const QAction &action)
    {
        const QString title = commandName(action);
        const auto objects = action.associatedObjects();
        for (const QObject *object : objects) {
            const auto *menu = qobject_cast<const QMenu *>(object);
            if (menu != nullptr && !menu->title().isEmpty())
                return menu->title().remove(QLatin1Char('&')) + QStringLiteral(": ") + title;
        }
        return title;
    }

} // namespace

void showCommandPalette(const QList<QAction *> &actions, QWidget &window)
{
    std::vector<PickEntry> entries;
    for (const QAction *action : actions)
        entries.push_back({ titleOf(*action), commandKeys(*action) });
    auto *list
        = new PickList(std::move(entries),
                       QCoreApplication::translate("CommandPalette", "Type a command"), &window);
    QObject::connect(list, &PickList::picked, &window, [actions](std::size_t index) {
        actions[static_cast<qsizetype>(index)]->trigger();
    });
    list->popUpOver(window);
}

} // namespace ui
