#include "ui/widgets/elided_label.h"

#include "ui/widgets/format.h"

#include <QEvent>

namespace ui {

ElidedLabel::ElidedLabel(TextRole role, QWidget *parent)
    : QLabel(parent)
{
    setTextRole(*this, role);
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
}

void ElidedLabel::setFullText(const QString &text)
{
    m_text = text;
    setAccessibleName(text);
    elide();
}

void ElidedLabel::setExplanation(const QString &explanation)
{
    m_explanation = explanation;
    setAccessibleDescription(explanation);
    elide();
}

QSize ElidedLabel::minimumSizeHint() const
{
    return { 0, QLabel::minimumSizeHint().height() };
}

void ElidedLabel::resizeEvent(QResizeEvent *event)
{
    QLabel::resizeEvent(event);
    elide();
}

void ElidedLabel::changeEvent(QEvent *event)
{
    QLabel::changeEvent(event);
    if (event->type() == QEvent::FontChange)
        elide();
}

void ElidedLabel::elide()
{
    const QString shown = fontMetrics().elidedText(m_text, Qt::ElideRight, contentsRect().width());
    if (shown != text())
        setText(shown);
    QStringList lines;
    if (shown != m_text)
        lines << m_text;
    if (!m_explanation.isEmpty())
        lines << m_explanation;
    setToolTip(lines.isEmpty() ? QString() : toolTipParagraphs(lines.join(QLatin1Char('\n'))));
}

} // namespace ui
