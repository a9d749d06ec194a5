#pragma once

#include "core/blocks/drawing.h"
#include "core/blocks/geometry.h"
#include "ui/graph/graph_painter.h"

#include <QWidget>

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

namespace ui {

/// A drawing that can be moved and zoomed: lane names at the left, time above, blocks that are
/// selected by a click and opened by a double-click or Enter. Its keys are the timeline's. Knows
/// no project.
class GraphCanvas : public QWidget
{
    Q_OBJECT

public:
    static constexpr int NamesWidth = 190, RulerHeight = 26;

    explicit GraphCanvas(QWidget *parent = nullptr);

    /// Keeps the place that is seen where `keepsView`; so does the selection, as far as its block
    /// is there. `difference`: from another drawing, which is marked; null: none.
    void setDrawing(std::shared_ptr<const core::Drawing> drawing, bool keepsView,
                    std::shared_ptr<const core::DrawingDifference> difference = nullptr);
    const core::Drawing *drawing() const { return m_drawing.get(); }
    /// From another drawing; null: none is marked.
    const core::DrawingDifference *difference() const { return m_difference.get(); }
    const core::RowPlaces &rows() const { return m_rows; }
    /// Up to where places can be seen where that is farther than the drawing reaches, so that
    /// several drawings can show the same places. 0: as far as the drawing.
    void setExtent(double extent);

    double from() const { return m_from; }
    double to() const { return m_from + m_unitsPerPixel * bodyWidth(); }
    double scrollY() const { return m_scrollY; }
    double mostScrollY() const { return std::max(0.0, m_rows.height - bodyHeight()); }
    double bodyHeight() const { return std::max(1, height() - RulerHeight); }
    void scrollTo(double y) { moveTo(m_from, y); }
    void showRange(double from, double to);
    /// The same places at the same scale, and as far down.
    void showAs(const GraphCanvas &other);
    void fit();
    void zoomBy(double factor); ///< above 1: closer; about the middle
    /// Brings the selected blocks into view, at a readable width.
    void focusSelection();

    std::optional<std::uint32_t> selected() const { return m_selected; }
    void select(std::optional<std::uint32_t> block);
    /// The first one is the selection, the others are outlined as it is.
    void selectAll(std::vector<std::uint32_t> blocks);
    /// All blocks of the critical path, from the longest on it on. False: there is none.
    bool selectPath();
    const std::vector<std::uint32_t> &alsoSelected() const { return m_alsoSelected; }
    /// As a click does: selects it, brings it into view and says so.
    void choose(std::uint32_t block);
    /// Scrolls and moves as little as needed.
    void ensureVisible(std::uint32_t block);
    /// Draws only what is so many links from the selection in full colour; 0: all.
    void setNeighbourDepth(int depth);
    void stepAlongPath(int direction);

    /// The whole drawing at this size, for a file.
    void render(QPainter &painter, const QSize &size, const Theme &theme);
    double heightOfAll() const { return m_rows.height + RulerHeight; }

    QSize sizeHint() const override { return { 800, 400 }; }

signals:
    void selectionChanged(); ///< also when another drawing has not what was selected
    void blockChosen(); ///< by the user
    void openRequested(core::BlockKey block);
    void viewChanged();
    void searchRequested();

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void changeEvent(QEvent *event) override;
    void wheelEvent(QWheelEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void mouseDoubleClickEvent(QMouseEvent *event) override;
    void leaveEvent(QEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    bool event(QEvent *event) override;

private:
    double bodyWidth() const { return std::max(1, width() - NamesWidth); }
    std::optional<std::uint32_t> blockAt(const QPointF &at) const;
    void zoomAt(double factor, double x);
    void moveTo(double from, double scrollY);
    void stepInRow(int direction);
    bool pressMoveKey(int key);
    void findNear();
    void tellSelection();
    double extent() const;
    void paintAll(QPainter &painter, const QSize &size, const Theme &theme, double from,
                  double unitsPerPixel, double scrollY);
    void paintNames(QPainter &painter, const QSize &size, const Theme &theme, double scrollY) const;
    void paintRuler(QPainter &painter, const QSize &size, const Theme &theme, double from,
                    double unitsPerPixel) const;

    std::shared_ptr<const core::Drawing> m_drawing;
    std::shared_ptr<const core::DrawingDifference> m_difference;
    core::RowPlaces m_rows;
    GraphPainter m_painter;
    double m_from = 0, m_unitsPerPixel = 1, m_scrollY = 0;
    double m_extent = 0;
    std::optional<std::uint32_t> m_selected, m_hovered;
    std::vector<std::uint32_t> m_alsoSelected; ///< beside m_selected
    int m_neighbourDepth = 0;
    std::vector<char> m_isNear; ///< by block; empty: all are
    std::optional<QPointF> m_grip; ///< where the mouse was, while it drags
    bool m_isDragged = false;
};

} // namespace ui
