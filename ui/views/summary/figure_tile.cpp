#include "ui/views/summary/figure_tile.h"

#include "ui/theme/measures.h"
#include "ui/widgets/text_label.h"

#include <QPainter>
#include <QVBoxLayout>

namespace ui {

namespace {
    constexpr int markWidth = 3;
}

FigureTile::FigureTile(QWidget *parent)
    : QFrame(parent)
    , m_name(createLabel({}, TextRole::Secondary, this))
    , m_value(createLabel({}, TextRole::Title, this))
    , m_detail(createLabel({}, TextRole::Small, this))
{
    setProperty("card", true);
    m_value->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_detail->setWordWrap(true);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(space::large, space::medium, space::large, space::medium);
    column->setSpacing(2);
    column->addWidget(m_name);
    column->addWidget(m_value);
    column->addWidget(m_detail);
    column->addStretch(1);
}

void FigureTile::setFigure(const QString &name, const QString &value, const QString &detail,
                           const QColor &mark)
{
    m_name->setText(name);
    m_value->setText(value);
    m_detail->setText(detail);
    m_mark = mark;
    update();
}

void FigureTile::paintEvent(QPaintEvent *event)
{
    QFrame::paintEvent(event);
    if (!m_mark.isValid())
        return;
    QPainter painter(this);
    painter.fillRect(QRect(1, space::medium, markWidth, height() - 2 * space::medium), m_mark);
}

} // namespace ui
