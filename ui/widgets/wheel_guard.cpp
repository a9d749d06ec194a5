#include "ui/widgets/wheel_guard.h"

#include <QAbstractSpinBox>
#include <QComboBox>
#include <QEvent>
#include <QSlider>

namespace ui {

namespace {

    class WheelGuard : public QObject
    {
    public:
        using QObject::QObject;

        bool eventFilter(QObject *object, QEvent *event) override
        {
            const auto *control = qobject_cast<const QWidget *>(object);
            if (event->type() != QEvent::Wheel || control == nullptr || control->hasFocus())
                return QObject::eventFilter(object, event);
            event->ignore(); // goes on to the parent, in the end to what scrolls
            return true;
        }
    };

    template <class Control>
    void guard(QWidget &panel, QObject &filter)
    {
        const auto controls = panel.findChildren<Control *>();
        for (Control *control : controls) {
            control->setFocusPolicy(Qt::StrongFocus); // the wheel does not give it the focus either
            control->installEventFilter(&filter);
        }
    }

} // namespace

void leaveWheelToScrolling(QWidget &panel)
{
    auto *filter = new WheelGuard(&panel);
    guard<QAbstractSpinBox>(panel, *filter);
    guard<QComboBox>(panel, *filter);
    guard<QSlider>(panel, *filter);
}

} // namespace ui
