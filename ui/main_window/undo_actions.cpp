#include "ui/main_window/undo_actions.h"

#include "ui/session/project_history.h"

#include <QAction>
#include <QCoreApplication>
#include <QMenu>

namespace ui {

namespace {

    struct UndoText
    {
        Q_DECLARE_TR_FUNCTIONS(UndoActions)
    };

    void showUndo(QAction &action, const QUndoStack &stack)
    {
        QString name = stack.undoText();
        name.replace(QLatin1Char('&'), QLatin1String("&&"));
        action.setEnabled(stack.canUndo());
        action.setText(name.isEmpty() ? UndoText::tr("&Undo")
                                      : UndoText::tr("&Undo: %1").arg(name));
    }

    void showRedo(QAction &action, const QUndoStack &stack)
    {
        QString name = stack.redoText();
        name.replace(QLatin1Char('&'), QLatin1String("&&"));
        action.setEnabled(stack.canRedo());
        action.setText(name.isEmpty() ? UndoText::tr("&Redo")
                                      : UndoText::tr("&Redo: %1").arg(name));
    }

} // namespace

void addUndoActions(QMenu &menu, ProjectHistory &history)
{
    QUndoStack &stack = history.stack();
    QAction *undo = menu.addAction(QString());
    QAction *redo = menu.addAction(QString());
    undo->setShortcut(QKeySequence(Qt::CTRL | Qt::Key_Z));
    redo->setShortcuts(
        { QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Z), QKeySequence(Qt::CTRL | Qt::Key_Y) });
    QObject::connect(undo, &QAction::triggered, &stack, &QUndoStack::undo);
    QObject::connect(redo, &QAction::triggered, &stack, &QUndoStack::redo);
    const auto update = [undo, redo, &stack] {
        showUndo(*undo, stack);
        showRedo(*redo, stack);
    };
    for (const auto signal : { &QUndoStack::undoTextChanged, &QUndoStack::redoTextChanged })
        QObject::connect(&stack, signal, undo, update);
    for (const auto signal : { &QUndoStack::canUndoChanged, &QUndoStack::canRedoChanged })
        QObject::connect(&stack, signal, undo, update);
    update();
}

} // namespace ui
