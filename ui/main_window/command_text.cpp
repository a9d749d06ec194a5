#include "ui/main_window/command_text.h"

#include <QAction>
#include <QCoreApplication>
#include <QStringList>

namespace ui {

QString commandName(const QAction &action)
{
    return action.text().section(QLatin1Char('\t'), 0, 0).remove(QLatin1Char('&'));
}

QString commandKeys(const QAction &action)
{
    QStringList keys;
    const auto shortcuts = action.shortcuts();
    for (const QKeySequence &sequence : shortcuts)
        keys << sequence.toString(QKeySequence::NativeText);
    if (keys.isEmpty())
        return action.text().section(QLatin1Char('\t'), 1);
    return keys.join(QCoreApplication::translate("CommandText", " or "));
}

} // namespace ui
