#include "ui/views/compare/trust_badge.h"

#include "ui/models/trust_words.h"
#include "ui/theme/measures.h"
#include "ui/theme/theme.h"
#include "ui/views/compare/result_text.h"
#include "ui/widgets/format.h"
#include "ui/widgets/text_label.h"

#include <QFrame>
#include <QLabel>
#include <QPainter>
#include <QScreen>
#include <QVBoxLayout>

#include <algorithm>

namespace ui {
namespace {

    constexpr int Dots = 3, DotSize = 6, DotStep = 9, BadgeHeight = 20;
    constexpr int PopoverWidth = 460;

    int filledDots(core::TrustLevel level)
    {
        switch (level) {
        case core::TrustLevel::Good:
            return 3;
        case core::TrustLevel::Fair:
            return 2;
        case core::TrustLevel::Poor:
            break;
        }
        return 1;
    }

} // namespace

TrustBadge::TrustBadge(QWidget *parent)
    : QToolButton(parent)
{
    setFocusPolicy(Qt::StrongFocus);
    setCursor(Qt::PointingHandCursor);
    connect(this, &QToolButton::clicked, this, &TrustBadge::showReasons);
}

void TrustBadge::setTrust(core::TrustLevel level, const QString &reasons)
{
    m_dots = filledDots(level);
    setWord(tr("trust: %1").arg(gradeText(level)), reasons);
}

void TrustBadge::setUnknown(const QString &word, const QString &why)
{
    m_dots = 0;
    setWord(word, why);
}

void TrustBadge::setWord(const QString &word, const QString &reasons)
{
    m_reasons = reasons;
    setText(word);
    setAccessibleName(word);
    setAccessibleDescription(reasons);
    setToolTip(toolTipParagraphs(reasons));
    resize(sizeHint());
    update();
}

QSize TrustBadge::sizeHint() const
{
    const QFontMetrics metrics(uiFont(TextSize::Small));
    return { metrics.horizontalAdvance(text()) + Dots * DotStep + 3 * space::small, BadgeHeight };
}

/// The dots say it without colour.
void TrustBadge::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const Theme &theme = themeOf(parentWidget()->palette()); // a button has another one
    painter.setPen(hasFocus() ? theme.accent : theme.line);
    painter.setBrush(underMouse() ? theme.hover : theme.background);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), height() / 2.0,
                            height() / 2.0);
    int x = space::small;
    for (int i = 0; i < Dots; ++i, x += DotStep) {
        painter.setPen(theme.secondaryText);
        painter.setBrush(i < m_dots ? QBrush(theme.secondaryText) : QBrush(Qt::NoBrush));
        painter.drawEllipse(QRectF(x + 0.5, (height() - DotSize) / 2.0, DotSize, DotSize));
    }
    painter.setFont(uiFont(TextSize::Small));
    painter.setPen(theme.secondaryText);
    painter.drawText(QRect(x + space::tiny, 0, width() - x, height()),
                     Qt::AlignLeft | Qt::AlignVCenter, text());
}

void TrustBadge::showOf(const core::Prediction &whatIf, const core::Prediction &unchanged,
                        bool isBeingJudged)
{
    if (whatIf.isJudged)
        setTrust(whatIf.trust, trustNote(whatIf, unchanged));
    else
        setUnknown(tr("trust: \u2026"), statusText(&whatIf, isBeingJudged));
}

void TrustBadge::showReasons()
{
    auto *popover = new QFrame(this, Qt::Popup);
    popover->setAttribute(Qt::WA_DeleteOnClose);
    popover->setFrameShape(QFrame::StyledPanel);
    popover->setAccessibleName(text());
    auto *column = new QVBoxLayout(popover);
    column->setContentsMargins(space::large, space::medium, space::large, space::medium);
    auto *label = createLabel(breakable(m_reasons), TextRole::Normal, popover);
    label->setWordWrap(true);
    label->setFixedWidth(PopoverWidth);
    column->addWidget(label);
    popover->adjustSize();
    const QRect room = screen()->availableGeometry();
    QPoint corner = mapToGlobal(QPoint(0, height() + space::tiny));
    corner.setX(std::max(room.left(), std::min(corner.x(), room.right() - popover->width())));
    corner.setY(std::max(room.top(), std::min(corner.y(), room.bottom() - popover->height())));
    popover->move(corner);
    popover->show();
}

} // namespace ui
