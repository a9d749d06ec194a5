#include "ui/widgets/focus_frame.h"

#include "ui/theme/theme.h"

#include <QAbstractScrollArea>
#include <QApplication>
#include <QEvent>
#include <QFocusEvent>
#include <QPainter>
#include <QPointer>

namespace ui {

namespace {

    constexpr int FrameWidth = 2; ///< px

    bool isFramed(const QWidget &widget)
    {
        return qobject_cast<const QAbstractScrollArea *>(&widget) != nullptr
            || widget.property(FocusFrame::Property).toBool();
    }

    bool isByTab(const QFocusEvent &event)
    {
        return event.reason() == Qt::TabFocusReason || event.reason() == Qt::BacktabFocusReason;
    }

} // namespace

/// Sees who gets the focus in the whole program: a widget tells it only to itself.
class FocusWatch : public QObject
{
public:
    using Maker = QWidget *(*)(QWidget &);

    FocusWatch(QWidget &window, Maker make)
        : QObject(&window)
        , m_window(window)
        , m_make(make)
    {
        qApp->installEventFilter(this);
    }

    bool eventFilter(QObject *object, QEvent *event) override
    {
        if (event->type() != QEvent::FocusIn && event->type() != QEvent::FocusOut)
            return false;
        auto *widget = qobject_cast<QWidget *>(object);
        if (widget == nullptr || !m_window.isAncestorOf(widget))
            return false;
        delete m_frame.data();
        if (event->type() == QEvent::FocusIn && isFramed(*widget)
            && isByTab(*static_cast<const QFocusEvent *>(event)))
            m_frame = m_make(*widget);
        return false;
    }

private:
    QWidget &m_window;
    Maker m_make;
    QPointer<QWidget> m_frame;
};

void FocusFrame::installOn(QWidget &window)
{
    new FocusWatch(window, [](QWidget &framed) -> QWidget * { return new FocusFrame(framed); });
}

FocusFrame::FocusFrame(QWidget &framed)
    : QWidget(&framed)
{
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setFocusPolicy(Qt::NoFocus);
    setGeometry(framed.rect());
    framed.installEventFilter(this);
    show();
    raise();
}

bool FocusFrame::eventFilter(QObject *object, QEvent *event)
{
    if (event->type() == QEvent::Resize && object == parentWidget())
        setGeometry(parentWidget()->rect());
    return false;
}

void FocusFrame::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.setPen(QPen(themeOf(palette()).accent, FrameWidth));
    painter.drawRect(rect().adjusted(1, 1, -1, -1));
}

} // namespace ui
