#pragma once

#include "core/blocks/difference.h"
#include "core/blocks/drawing.h"
#include "core/blocks/geometry.h"
#include "ui/theme/theme.h"
#include "ui/timeline/drawing/label_cache.h"

#include <QFont>
#include <QRectF>
#include <QSize>
#include <QString>

#include <optional>
#include <span>
#include <vector>

class QPainter;

namespace ui {

/// Visible part of a drawing.
struct GraphFrame
{
    const core::Drawing *drawing = nullptr;
    const core::RowPlaces *rows = nullptr;
    QSize size; ///< logical pixels
    double from = 0; ///< place at the left edge
    double unitsPerPixel = 1;
    double scrollY = 0;
    Theme theme;
    QFont font;
    std::optional<std::uint32_t> selected, hovered; ///< blocks
    std::span<const std::uint32_t> alsoSelected; ///< blocks beside that
    /// [blocks]: whether it is drawn in full colour; empty: all are.
    const std::vector<char> *isNear = nullptr;

    const core::DrawingDifference *difference = nullptr; ///< from another drawing; null: none

    double xOf(double place) const { return (place - from) / unitsPerPixel; }
    double yOf(std::uint32_t row) const { return rows->top[row] - scrollY; }
};

/// Mark of what differs from another drawing.
enum class GraphMark {
    Added, ///< a bar at the left edge
    Moved, ///< a corner
    Before, ///< where a moved block was: dashed
    Removed ///< a cross
};

void paintMark(QPainter &painter, GraphMark mark, const QRectF &box, const Theme &theme);

/// Paints lanes, links, blocks and the critical path; keeps labels between frames.
class GraphPainter
{
public:
    void paint(QPainter &painter, const GraphFrame &frame);

private:
    void paintLanes(QPainter &painter) const;
    void paintLinks(QPainter &painter) const;
    void paintBlock(QPainter &painter, const core::SeenBlock &seen);
    void paintLabel(QPainter &painter, const core::DrawnBlock &block, double x, double y,
                    double width);
    void paintSlack(QPainter &painter, const core::DrawnBlock &block, double x, double y) const;
    void paintPath(QPainter &painter) const;
    void paintSelection(QPainter &painter) const;
    void paintGhosts(QPainter &painter) const;
    void paintChange(QPainter &painter, std::uint32_t block, const QRectF &box) const;
    QString labelOf(const core::DrawnBlock &block, double width) const;
    bool isFaint(std::uint32_t block) const;

    const GraphFrame *m_frame = nullptr;
    LabelCache m_labels;
};

} // namespace ui
