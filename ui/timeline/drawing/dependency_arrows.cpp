#include "ui/timeline/drawing/dependency_arrows.h"

#include "ui/timeline/timeline_layout.h"

#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

    QPointF pointOf(const TimelineState &state, const TimelineHit &hit, std::int64_t ns, int width)
    {
        constexpr double Beyond = 40; // the head of an arrow stays out of sight
        const auto [top, height]
            = barSpan(state.layout(), rowOfTrack(state.layout(), hit.track), hit.box.depth);
        return { std::clamp(state.axis().xOf(ns), -Beyond, width + Beyond),
                 top - state.scrollAt(top) + height / 2.0 };
    }

    QPainterPath curveOf(const ArrowLine &line)
    {
        const double bend = std::clamp(std::abs(line.to.x() - line.from.x()) / 2, 14.0, 60.0);
        QPainterPath path(line.from);
        path.cubicTo(line.from + QPointF(bend, 0), line.to - QPointF(bend, 0), line.to);
        return path;
    }

    void paintHead(QPainter &painter, QPointF tip, const QColor &colour)
    {
        const QPointF head[] { tip, tip + QPointF(-7, -3.5), tip + QPointF(-7, 3.5) };
        painter.setPen(Qt::NoPen);
        painter.setBrush(colour);
        painter.drawPolygon(head, 3);
        painter.setBrush(Qt::NoBrush);
    }

    /// What leads to the selection is drawn through, what it leads to is broken, and what was
    /// waited for is thick: told apart without colours.
    QPen penOf(const TimelineArrow &arrow, const Theme &theme)
    {
        QPen pen(arrow.kind == ArrowKind::LastRank ? theme.warning : theme.accent,
                 arrow.kind == ArrowKind::LastRank ? 2.5 : 1.5);
        pen.setCapStyle(Qt::FlatCap);
        if (arrow.kind == ArrowKind::FromSelection)
            pen.setDashPattern({ 4, 2 });
        return pen;
    }

    void paintCount(QPainter &painter, const TimelineState &state, const Theme &theme, int width)
    {
        const TimelineHit &hit = *state.selection();
        const QPointF at = pointOf(state, hit, hit.box.endNs, width);
        const QString text = QStringLiteral("+%1").arg(state.moreArrows());
        painter.setFont(uiFont(TextSize::Small));
        const QFontMetrics metrics = painter.fontMetrics();
        const QRectF plate(std::min(at.x() + 6, width - metrics.horizontalAdvance(text) - 8.0),
                           at.y() - metrics.height() / 2.0, metrics.horizontalAdvance(text) + 6,
                           metrics.height());
        painter.fillRect(plate, theme.panel);
        painter.setPen(theme.text);
        painter.drawText(plate, Qt::AlignCenter, text);
    }

} // namespace

ArrowLine arrowLine(const TimelineState &state, const TimelineArrow &arrow, int width)
{
    const bool isBlame = arrow.kind == ArrowKind::LastRank;
    const TimelineBox &from = arrow.from.box, &to = arrow.to.box;
    return { pointOf(state, arrow.from, isBlame ? from.startNs : from.endNs, width),
             pointOf(state, arrow.to, isBlame ? to.startNs + to.waitNs : to.startNs, width) };
}

void paintArrows(QPainter &painter, const TimelineState &state, const Theme &theme, int width)
{
    if (!state.selection() || state.arrows().empty())
        return;
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    for (const TimelineArrow &arrow : state.arrows()) {
        const ArrowLine line = arrowLine(state, arrow, width);
        const QPainterPath path = curveOf(line);
        const QPen pen = penOf(arrow, theme);
        QColor casing = theme.background;
        casing.setAlphaF(0.8F);
        painter.setPen(QPen(casing, pen.widthF() + 2));
        painter.drawPath(path);
        painter.setPen(pen);
        painter.drawPath(path);
        paintHead(painter, line.to, pen.color());
    }
    painter.restore();
    if (state.moreArrows() > 0)
        paintCount(painter, state, theme, width);
}

} // namespace ui
