#include "ui/widgets/passing_mark.h"

#include "ui/theme/theme.h"

#include <QPainter>
#include <QTimer>
#include <QWidget>

namespace ui {

namespace {

    constexpr int MarkMs = 2000, Margin = 4;
    constexpr float Tint = 0.12F;

    class PassingMark : public QWidget
    {
    public:
        explicit PassingMark(QWidget &widget)
            : QWidget(widget.parentWidget())
        {
            setObjectName(QStringLiteral("passingMark"));
            setAttribute(Qt::WA_TransparentForMouseEvents);
            setFocusPolicy(Qt::NoFocus);
            setGeometry(widget.geometry().adjusted(-Margin, -Margin, Margin, Margin));
            QTimer::singleShot(MarkMs, this, &QWidget::deleteLater);
            raise();
            show();
        }

    protected:
        void paintEvent(QPaintEvent *) override
        {
            const Theme &theme = themeOf(palette());
            QColor tint = theme.accent;
            tint.setAlphaF(Tint);
            QPainter painter(this);
            painter.setPen(QPen(theme.accent, 2));
            painter.setBrush(tint);
            painter.drawRect(rect().adjusted(1, 1, -1, -1));
        }
    };

} // namespace

void markShortly(QWidget &widget)
{
    QWidget *const parent = widget.parentWidget();
    if (parent == nullptr)
        return;
    delete parent->findChild<QWidget *>(QStringLiteral("passingMark"), Qt::FindDirectChildrenOnly);
    new PassingMark(widget);
}

} // namespace ui
