#include "ui/main_window/shortcuts_dialog.h"

#include "ui/main_window/command_text.h"
#include "ui/theme/measures.h"
#include "ui/widgets/text_label.h"

#include <QAction>
#include <QGridLayout>
#include <QMenu>
#include <QScrollArea>
#include <QVBoxLayout>

namespace ui {

namespace {

    constexpr int dialogWidth = 520;
    constexpr int dialogHeight = 640;

    void collect(const QMenu &menu, QList<const QAction *> &found)
    {
        const auto actions = menu.actions();
        for (const QAction *action : actions) {
            if (action->menu() != nullptr)
                collect(*action->menu(), found);
            else if (!commandKeys(*action).isEmpty())
                found.append(action);
        }
    }

    void addSection(QGridLayout &grid, const QMenu &menu, QWidget *parent)
    {
        QList<const QAction *> actions;
        collect(menu, actions);
        if (actions.isEmpty())
            return;
        int row = grid.rowCount();
        QLabel *title = createLabel(menu.title().remove(QLatin1Char('&')), TextRole::Large, parent);
        title->setContentsMargins(0, row > 1 ? space::large : 0, 0, space::tiny);
        grid.addWidget(title, row++, 0, 1, 2);
        for (const QAction *action : actions) {
            grid.addWidget(createLabel(commandName(*action), TextRole::Normal, parent), row, 0);
            grid.addWidget(createLabel(commandKeys(*action), TextRole::Secondary, parent), row++,
                           1);
        }
    }

} // namespace

ShortcutsDialog::ShortcutsDialog(const QList<QMenu *> &menus, QWidget *parent)
    : QDialog(parent)
{
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Keyboard shortcuts"));
    resize(dialogWidth, dialogHeight);
    auto *content = new QWidget;
    auto *grid = new QGridLayout(content);
    grid->setContentsMargins(space::large, space::large, space::large, space::large);
    grid->setHorizontalSpacing(space::huge);
    grid->setVerticalSpacing(space::tiny);
    grid->setColumnStretch(0, 1);
    for (const QMenu *menu : menus)
        addSection(*grid, *menu, content);
    grid->setRowStretch(grid->rowCount(), 1);

    auto *scroll = new QScrollArea(this);
    scroll->setProperty("page", true);
    scroll->setWidgetResizable(true);
    scroll->setWidget(content);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(scroll);
}

} // namespace ui
