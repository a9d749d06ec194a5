#include "ui/graph/graph_painter.h"

#include "ui/graph/block_words.h"

#include <QPainter>
#include <QPainterPath>
#include <QPolygonF>

#include <algorithm>
#include <cmath>

namespace ui {

namespace {

    constexpr double LabelFromPx = 28, ThinPathPx = 6, BlockGapPx = 2;
    constexpr std::size_t ManyLinks = 100;

    /// Kept in a range that painting bears at any zoom.
    double bounded(double x)
    {
        constexpr double Far = 20'000;
        return std::clamp(x, -Far, Far);
    }

    Qt::PenStyle styleOf(core::Provenance provenance)
    {
        return provenance == core::Provenance::Recorded ? Qt::SolidLine
            : provenance == core::Provenance::Derived   ? Qt::DashLine
                                                        : Qt::DotLine;
    }

    void paintArrow(QPainter &painter, const QPointF &tip, bool isDown, const QColor &color)
    {
        constexpr double Half = 3, Length = 5;
        const double back = tip.y() + (isDown ? -Length : Length);
        painter.setBrush(color);
        painter.setPen(Qt::NoPen);
        painter.drawPolygon(
            QPolygonF({ tip, QPointF(tip.x() - Half, back), QPointF(tip.x() + Half, back) }));
    }

    /// At the right end of a box, on a ground of its own: a box may have the cross's colour.
    void paintCross(QPainter &painter, const QRectF &box, const Theme &theme)
    {
        const double side = std::min(box.height(), box.width());
        const QRectF ground(box.right() - side, box.top(), side, box.height());
        const double margin = side / 6;
        const QRectF cross = ground.adjusted(margin, margin, -margin, -margin);
        painter.fillRect(ground, theme.background);
        painter.setPen(QPen(theme.worse, 2));
        painter.drawLine(cross.topLeft(), cross.bottomRight());
        painter.drawLine(cross.bottomLeft(), cross.topRight());
    }

} // namespace

void paintMark(QPainter &painter, GraphMark mark, const QRectF &box, const Theme &theme)
{
    constexpr double BarWidth = 4, NotchWidth = 7;
    const QRectF outline = box.adjusted(0.5, 0.5, -0.5, -0.5);
    painter.setBrush(Qt::NoBrush);
    switch (mark) {
    case GraphMark::Added: // on a ground of its own: a block may have any colour
        painter.fillRect(
            QRectF(box.left(), box.top(), std::min(BarWidth + 1, box.width()), box.height()),
            theme.background);
        painter.fillRect(
            QRectF(box.left(), box.top(), std::min(BarWidth, box.width()), box.height()),
            theme.text);
        break;
    case GraphMark::Moved: {
        const double notch = std::min(NotchWidth, box.width());
        painter.setPen(QPen(theme.background, 1));
        painter.setBrush(theme.text);
        painter.drawPolygon(QPolygonF({ box.topLeft(), box.topLeft() + QPointF(notch, 0),
                                        box.topLeft() + QPointF(0, notch) }));
        painter.setBrush(Qt::NoBrush);
        break;
    }
    case GraphMark::Before:
        painter.setPen(QPen(theme.text, 1, Qt::DashLine));
        painter.drawRect(outline);
        break;
    case GraphMark::Removed:
        paintCross(painter, box, theme);
        painter.setPen(QPen(theme.text, 1, Qt::DashLine));
        painter.drawRect(outline);
        break;
    }
}

void GraphPainter::paint(QPainter &painter, const GraphFrame &frame)
{
    m_frame = &frame;
    m_labels.setFont(frame.font);
    painter.fillRect(QRectF(QPointF(0, 0), QSizeF(frame.size)), frame.theme.background);
    paintLanes(painter);
    paintLinks(painter);
    const core::RowPlaces &rows = *frame.rows;
    const auto firstRow = static_cast<std::uint32_t>(
        std::lower_bound(rows.top.begin(), rows.top.end(), frame.scrollY - rows.rowHeight)
        - rows.top.begin());
    const auto endRow = static_cast<std::uint32_t>(
        std::lower_bound(rows.top.begin(), rows.top.end(), frame.scrollY + frame.size.height())
        - rows.top.begin());
    const double to = frame.from + frame.size.width() * frame.unitsPerPixel;
    for (const core::SeenBlock &seen :
         core::seenBlocks(*frame.drawing, frame.from, to, frame.unitsPerPixel, firstRow, endRow))
        paintBlock(painter, seen);
    paintGhosts(painter);
    paintPath(painter);
    paintSelection(painter);
    m_frame = nullptr;
}

void GraphPainter::paintLanes(QPainter &painter) const
{
    for (const core::DrawnLane &lane : m_frame->drawing->lanes) {
        const double y = m_frame->yOf(lane.firstRow);
        const double height = m_frame->rows->rowHeight * lane.rowCount;
        if (y + height >= 0 && y <= m_frame->size.height())
            painter.fillRect(QRectF(0, y, m_frame->size.width(), height - BlockGapPx),
                             m_frame->theme.panel);
    }
}

bool GraphPainter::isFaint(std::uint32_t block) const
{
    return m_frame->isNear != nullptr && !m_frame->isNear->empty()
        && (*m_frame->isNear)[block] == 0;
}

void GraphPainter::paintLinks(QPainter &painter) const
{
    const GraphFrame &frame = *m_frame;
    const double to = frame.from + frame.size.width() * frame.unitsPerPixel;
    const std::vector<core::SeenLink> seen
        = core::seenLinks(*frame.drawing, frame.from, to, frame.unitsPerPixel).links;
    const QColor plain = seen.size() > ManyLinks
        ? blend(frame.theme.background, frame.theme.secondaryText, 0.45)
        : blend(frame.theme.background, frame.theme.secondaryText, 0.8);
    for (auto at = seen.rbegin(); at != seen.rend(); ++at) { // the most important on top
        const core::DrawnLink &link = frame.drawing->links[at->link];
        const bool isChosen
            = frame.selected && (*frame.selected == link.from || *frame.selected == link.to);
        if (link.isOnPath && !isChosen)
            continue; // the path itself shows it
        const QColor color = isChosen                ? frame.theme.accent
            : isFaint(link.from) || isFaint(link.to) ? blend(frame.theme.background, plain, 0.3)
                                                     : plain;
        const auto way = core::routeOf(*frame.drawing, *frame.rows, link, 1 / frame.unitsPerPixel,
                                       -frame.from / frame.unitsPerPixel);
        QPolygonF line;
        for (const core::Point &point : way)
            line << QPointF(bounded(point.x), bounded(point.y - frame.scrollY));
        painter.setPen(QPen(color, core::thicknessOf(link.bytes), styleOf(link.provenance)));
        painter.drawPolyline(line);
        if (frame.drawing->blocks[link.from].row != frame.drawing->blocks[link.to].row)
            paintArrow(painter, line.back(), way[3].y > way[2].y, color);
    }
}

void GraphPainter::paintBlock(QPainter &painter, const core::SeenBlock &seen)
{
    const GraphFrame &frame = *m_frame;
    const core::DrawnBlock &block = frame.drawing->blocks[seen.block];
    const double x = std::floor(bounded(frame.xOf(seen.left))), y = frame.yOf(block.row);
    const double width = std::max(1.0,
                                  std::floor(bounded(frame.xOf(seen.right))) - x
                                      - (frame.xOf(seen.right) - x > ThinPathPx ? 1 : 0));
    const double height = frame.rows->rowHeight - BlockGapPx;
    const double strength = isFaint(seen.block) ? 0.25 : 1;
    const QColor fill = frame.theme.role(block.role);
    const QRectF box(x, y, width, height);
    if (block.isOpen) {
        painter.fillRect(box, blend(frame.theme.panel, fill, 0.3 * strength));
        painter.setPen(QPen(blend(frame.theme.panel, fill, strength), 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(box.adjusted(0.5, 0.5, -0.5, -0.5));
    } else {
        painter.fillRect(box, blend(frame.theme.panel, fill, strength));
    }
    double waited = 0;
    if (seen.count == 1 && block.waitNs > 0) {
        waited = std::clamp(bounded(frame.xOf(core::waitEndOf(*frame.drawing, block))) - x, 0.0,
                            width);
        const QRectF part(x, y, waited, height);
        painter.fillRect(part, blend(frame.theme.panel, fill, 0.2 * strength));
        painter.fillRect(part, QBrush(blend(frame.theme.panel, fill, strength), Qt::BDiagPattern));
    }
    paintChange(painter, seen.block, box);
    paintSlack(painter, block, x + width, y);
    if (seen.count == 1)
        paintLabel(painter, block, x + waited, y, width - waited);
}

void GraphPainter::paintChange(QPainter &painter, std::uint32_t block, const QRectF &box) const
{
    if (m_frame->difference == nullptr)
        return;
    switch (m_frame->difference->changes[block]) {
    case core::BlockChange::Added:
        return paintMark(painter, GraphMark::Added, box, m_frame->theme);
    case core::BlockChange::Removed:
        return paintMark(painter, GraphMark::Removed, box, m_frame->theme);
    case core::BlockChange::Moved:
        return paintMark(painter, GraphMark::Moved, box, m_frame->theme);
    case core::BlockChange::Same:
        break;
    }
}

void GraphPainter::paintGhosts(QPainter &painter) const
{
    const GraphFrame &frame = *m_frame;
    if (frame.difference == nullptr)
        return;
    const double to = frame.from + frame.size.width() * frame.unitsPerPixel;
    for (const core::GhostBlock &ghost : frame.difference->ghosts) {
        if (ghost.right < frame.from || ghost.left > to)
            continue;
        const double x = bounded(frame.xOf(ghost.left)), end = bounded(frame.xOf(ghost.right));
        const QRectF box(x, frame.yOf(ghost.row), std::max(2.0, end - x),
                         frame.rows->rowHeight - BlockGapPx);
        paintMark(painter, ghost.isRemoved ? GraphMark::Removed : GraphMark::Before, box,
                  frame.theme);
    }
}

void GraphPainter::paintSlack(QPainter &painter, const core::DrawnBlock &block, double x,
                              double y) const
{
    if (block.slackNs <= 0 || block.isOpen
        || m_frame->drawing->arrangement != core::Arrangement::ByTime)
        return;
    const double end
        = std::min(bounded(x + static_cast<double>(block.slackNs) / m_frame->unitsPerPixel),
                   m_frame->xOf(m_frame->drawing->width));
    if (end - x > 1)
        painter.fillRect(QRectF(x, y + m_frame->rows->rowHeight - BlockGapPx - 2, end - x, 2),
                         blend(m_frame->theme.panel, m_frame->theme.role(block.role), 0.4));
}

/// A block with a size keeps it longer than its name.
QString GraphPainter::labelOf(const core::DrawnBlock &block, double width) const
{
    if (block.bytes == 0)
        return blockTitle(block);
    return QString::fromStdString(core::titleWithin(block, width, [this](const std::string &text) {
        return m_labels.widthOf(QString::fromStdString(text));
    }));
}

/// Within what is seen of the block, so that a wide one keeps its name.
void GraphPainter::paintLabel(QPainter &painter, const core::DrawnBlock &block, double x, double y,
                              double width)
{
    constexpr double Padding = 5;
    const double left = std::max(x, 0.0) + Padding;
    const double right = std::min(x + width, static_cast<double>(m_frame->size.width())) - Padding;
    if (right - left < LabelFromPx)
        return;
    const QStaticText &label = m_labels.label(labelOf(block, right - left), right - left);
    if (label.text().isEmpty())
        return;
    painter.setFont(m_frame->font);
    painter.setPen(block.isOpen ? m_frame->theme.text : m_frame->theme.onRole(block.role));
    const double height = m_frame->rows->rowHeight - BlockGapPx;
    painter.drawStaticText(QPointF(left, std::round(y + (height - m_labels.height()) / 2)), label);
}

void GraphPainter::paintPath(QPainter &painter) const
{
    const GraphFrame &frame = *m_frame;
    const core::Drawing &drawing = *frame.drawing;
    const double to = frame.from + frame.size.width() * frame.unitsPerPixel;
    QPainterPath line;
    for (std::size_t i = 0; i < drawing.path.size(); ++i) {
        const core::PathStep &step = drawing.path[i];
        const double next = i + 1 < drawing.path.size() ? drawing.path[i + 1].left : step.right;
        if (std::max(step.right, next) < frame.from || step.left > to)
            continue;
        const double x = bounded(frame.xOf(step.left)), end = bounded(frame.xOf(step.right));
        const double y = frame.yOf(drawing.blocks[step.block].row);
        const double height = frame.rows->rowHeight - BlockGapPx;
        if (end - x < ThinPathPx) { // outlines side by side would be a bar
            line.moveTo(x, y + height);
            line.lineTo(std::max(x + 1, end), y + height);
        } else {
            line.addRect(x, y, end - x, height);
        }
        if (i + 1 == drawing.path.size())
            continue;
        const core::PathStep &after = drawing.path[i + 1];
        const core::DrawnLink link { step.block, after.block, step.right, after.left };
        const auto way = core::routeOf(drawing, *frame.rows, link, 1 / frame.unitsPerPixel,
                                       -frame.from / frame.unitsPerPixel);
        line.moveTo(bounded(way[0].x), bounded(way[0].y - frame.scrollY));
        for (const core::Point &point : way)
            line.lineTo(bounded(point.x), bounded(point.y - frame.scrollY));
    }
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(frame.theme.criticalPathCasing, 4));
    painter.drawPath(line);
    painter.setPen(QPen(frame.theme.criticalPath, 2));
    painter.drawPath(line);
}

void GraphPainter::paintSelection(QPainter &painter) const
{
    const GraphFrame &frame = *m_frame;
    const auto paintOutline = [&](std::uint32_t chosen, int width) {
        const core::DrawnBlock &block = frame.drawing->blocks[chosen];
        const double x = bounded(frame.xOf(block.left));
        const double end = std::max(x + 3, bounded(frame.xOf(block.right)));
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(frame.theme.accent, width));
        painter.drawRect(
            QRectF(x, frame.yOf(block.row), end - x, frame.rows->rowHeight - BlockGapPx));
    };
    constexpr int Thin = 1, Thick = 3;
    if (frame.hovered)
        paintOutline(*frame.hovered, Thin);
    for (const std::uint32_t block : frame.alsoSelected)
        paintOutline(block, Thick);
    if (frame.selected)
        paintOutline(*frame.selected, Thick);
}

} // namespace ui
