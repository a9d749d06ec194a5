#pragma once

#include <QObject>

namespace ui {

/// Lets Enter press the button that has the focus, as Space does; Qt does so in dialogs only.
/// Filters the events of the application.
class EnterPresses : public QObject
{
public:
    using QObject::QObject;

    bool eventFilter(QObject *watched, QEvent *event) override;
};

} // namespace ui
