#include "ui/widgets/enter_presses.h"

#include <QAbstractButton>
#include <QDialog>
#include <QKeyEvent>

namespace ui {

bool EnterPresses::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() != QEvent::KeyPress)
        return false;
    const auto &key = static_cast<const QKeyEvent &>(*event);
    if ((key.key() != Qt::Key_Return && key.key() != Qt::Key_Enter)
        || (key.modifiers() & ~Qt::KeypadModifier) != Qt::NoModifier || key.isAutoRepeat())
        return false;
    auto *button = qobject_cast<QAbstractButton *>(watched);
    if (button == nullptr || qobject_cast<QDialog *>(button->window()) != nullptr)
        return false;
    button->click();
    return true;
}

} // namespace ui
