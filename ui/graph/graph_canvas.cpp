#include "ui/graph/graph_canvas.h"

#include "ui/graph/block_words.h"
#include "ui/timeline/timeline_coordinates.h"
#include "ui/widgets/format.h"

#include <QFontMetrics>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>
#include <utility>

namespace ui {

namespace {

    constexpr double ZoomStep = 1.25, WheelZoom = 1.0015, DragFromPx = 4;

    /// Closer, pixels would be finer than a nanosecond or a column's hundredth.
    double leastUnitsPerPixel(const core::Drawing &drawing)
    {
        return drawing.arrangement == core::Arrangement::ByTime ? 1 : 1e-2;
    }

} // namespace

GraphCanvas::GraphCanvas(QWidget *parent)
    : QWidget(parent)
{
    setFocusPolicy(Qt::StrongFocus);
    setProperty("focusFrame", true);
    setMouseTracking(true);
    setAttribute(Qt::WA_OpaquePaintEvent);
    setAccessibleName(tr("Data-flow graph"));
}

void GraphCanvas::setDrawing(std::shared_ptr<const core::Drawing> drawing, bool keepsView,
                             std::shared_ptr<const core::DrawingDifference> difference)
{
    m_difference = std::move(difference);
    std::optional<core::BlockKey> selected;
    if (m_drawing && m_selected)
        selected = core::keyOf(m_drawing->blocks[*m_selected]);
    m_drawing = std::move(drawing);
    m_selected.reset();
    m_alsoSelected.clear();
    m_hovered.reset();
    m_rows = m_drawing ? core::rowPlaces(*m_drawing, {}) : core::RowPlaces {};
    if (m_drawing && selected) {
        const auto same = std::find_if(
            m_drawing->blocks.begin(), m_drawing->blocks.end(),
            [&](const core::DrawnBlock &block) { return core::keyOf(block) == *selected; });
        if (same != m_drawing->blocks.end())
            m_selected = static_cast<std::uint32_t>(same - m_drawing->blocks.begin());
    }
    findNear();
    if (keepsView)
        moveTo(m_from, m_scrollY);
    else
        fit();
    tellSelection();
    emit selectionChanged();
}

double GraphCanvas::extent() const
{
    return std::max(m_extent, m_drawing->width);
}

void GraphCanvas::setExtent(double extent)
{
    m_extent = extent;
}

void GraphCanvas::showAs(const GraphCanvas &other)
{
    m_unitsPerPixel = other.m_unitsPerPixel;
    moveTo(other.m_from, other.m_scrollY);
}

void GraphCanvas::showRange(double from, double to)
{
    if (m_drawing)
        m_unitsPerPixel = std::max(leastUnitsPerPixel(*m_drawing), (to - from) / bodyWidth());
    moveTo(from, m_scrollY);
}

void GraphCanvas::fit()
{
    if (m_drawing)
        showRange(0, extent());
}

void GraphCanvas::zoomBy(double factor)
{
    zoomAt(factor, NamesWidth + bodyWidth() / 2);
}

void GraphCanvas::zoomAt(double factor, double x)
{
    if (!m_drawing)
        return;
    const double inBody = x - NamesWidth;
    const double place = m_from + inBody * m_unitsPerPixel;
    const double most = extent() / bodyWidth();
    m_unitsPerPixel = std::clamp(m_unitsPerPixel / factor,
                                 std::min(most, leastUnitsPerPixel(*m_drawing)), most);
    moveTo(place - inBody * m_unitsPerPixel, m_scrollY);
}

void GraphCanvas::moveTo(double from, double scrollY)
{
    if (m_drawing) {
        const double whole = extent();
        m_unitsPerPixel = std::min(m_unitsPerPixel, whole / bodyWidth());
        m_from = std::clamp(from, 0.0, std::max(0.0, whole - bodyWidth() * m_unitsPerPixel));
        m_scrollY = std::clamp(scrollY, 0.0, mostScrollY());
    }
    update();
    emit viewChanged();
}

void GraphCanvas::focusSelection()
{
    if (!m_selected)
        return fit();
    double left = m_drawing->blocks[*m_selected].left;
    double right = m_drawing->blocks[*m_selected].right;
    for (const std::uint32_t index : m_alsoSelected) {
        left = std::min(left, m_drawing->blocks[index].left);
        right = std::max(right, m_drawing->blocks[index].right);
    }
    const double around = 0.1 * (right - left);
    showRange(left - around, right + around);
    ensureVisible(*m_selected);
}

void GraphCanvas::select(std::optional<std::uint32_t> block)
{
    if (m_selected == block && m_alsoSelected.empty())
        return;
    m_selected = block;
    m_alsoSelected.clear();
    findNear();
    update();
    tellSelection();
    emit selectionChanged();
}

void GraphCanvas::selectAll(std::vector<std::uint32_t> blocks)
{
    if (blocks.empty())
        return select({});
    select(blocks.front());
    blocks.erase(blocks.begin());
    m_alsoSelected = std::move(blocks);
}

bool GraphCanvas::selectPath()
{
    if (!m_drawing || m_drawing->path.empty())
        return false;
    std::vector<std::uint32_t> blocks;
    blocks.reserve(m_drawing->path.size());
    for (const core::PathStep &step : m_drawing->path)
        blocks.push_back(step.block);
    std::sort(blocks.begin(), blocks.end());
    blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
    const auto longest
        = std::max_element(blocks.begin(), blocks.end(), [this](std::uint32_t a, std::uint32_t b) {
              return m_drawing->blocks[a].onPathNs < m_drawing->blocks[b].onPathNs;
          });
    std::iter_swap(blocks.begin(), longest);
    selectAll(std::move(blocks));
    return true;
}

/// Assistive programs read the description of what is focused when it changes.
void GraphCanvas::tellSelection()
{
    QStringList facts;
    if (m_selected) {
        const core::DrawnBlock &block = m_drawing->blocks[*m_selected];
        for (const core::DrawnLane &lane : m_drawing->lanes)
            if (lane.lane == block.lane)
                facts << QString::fromStdString(lane.group) << QString::fromStdString(lane.name);
        facts.prepend(blockTitle(block));
        facts += blockFacts(block);
    }
    setAccessibleDescription(facts.join(QStringLiteral(", ")));
}

void GraphCanvas::choose(std::uint32_t block)
{
    select(block);
    ensureVisible(block);
    emit blockChosen();
}

void GraphCanvas::ensureVisible(std::uint32_t index)
{
    const core::DrawnBlock &block = m_drawing->blocks[index];
    double from = m_from, scrollY = m_scrollY;
    const double seen = bodyWidth() * m_unitsPerPixel;
    if (block.right < m_from || block.left > to())
        from = (block.left + block.right - seen) / 2;
    const double top = m_rows.top[block.row];
    if (top < scrollY || top + m_rows.rowHeight > scrollY + bodyHeight())
        scrollY = top - bodyHeight() / 2;
    moveTo(from, scrollY);
}

void GraphCanvas::setNeighbourDepth(int depth)
{
    m_neighbourDepth = depth;
    findNear();
    update();
}

/// Blocks that so many links lead to from the selection, against or along them.
void GraphCanvas::findNear()
{
    m_isNear.clear();
    if (!m_drawing || !m_selected || m_neighbourDepth <= 0)
        return;
    m_isNear.assign(m_drawing->blocks.size(), 0);
    m_isNear[*m_selected] = 1;
    for (int step = 0; step < m_neighbourDepth; ++step) {
        const std::vector<char> reached = m_isNear;
        for (const core::DrawnLink &link : m_drawing->links)
            if (reached[link.from] != 0 || reached[link.to] != 0)
                m_isNear[link.from] = m_isNear[link.to] = 1;
    }
}

void GraphCanvas::stepAlongPath(int direction)
{
    if (!m_drawing || m_drawing->path.empty())
        return;
    const std::vector<core::PathStep> &path = m_drawing->path;
    const auto at = std::find_if(path.begin(), path.end(), [this](const core::PathStep &step) {
        return m_selected && step.block == *m_selected;
    });
    const auto count = static_cast<std::ptrdiff_t>(path.size());
    const std::ptrdiff_t next = at == path.end()
        ? (direction > 0 ? 0 : count - 1)
        : std::clamp<std::ptrdiff_t>(at - path.begin() + direction, 0, count - 1);
    choose(path[static_cast<std::size_t>(next)].block);
}

void GraphCanvas::stepInRow(int direction)
{
    if (!m_selected) {
        if (!m_drawing->blocks.empty())
            choose(0);
        return;
    }
    const auto next = static_cast<std::int64_t>(*m_selected) + direction;
    if (next < 0 || next >= static_cast<std::int64_t>(m_drawing->blocks.size())
        || m_drawing->blocks[static_cast<std::size_t>(next)].row
            != m_drawing->blocks[*m_selected].row)
        return;
    choose(static_cast<std::uint32_t>(next));
}

std::optional<std::uint32_t> GraphCanvas::blockAt(const QPointF &at) const
{
    if (!m_drawing || at.x() < NamesWidth || at.y() < RulerHeight)
        return {};
    const std::uint32_t row = m_rows.rowAt(at.y() - RulerHeight + m_scrollY);
    if (row >= m_drawing->rowCount)
        return {};
    const double place = m_from + (at.x() - NamesWidth) * m_unitsPerPixel;
    constexpr double SlackPx = 2; // thin ones are hit, too
    const double slack = SlackPx * m_unitsPerPixel;
    std::optional<std::uint32_t> best;
    for (const core::SeenBlock &seen : core::seenBlocks(*m_drawing, place - slack, place + slack,
                                                        m_unitsPerPixel, row, row + 1)) {
        const bool isWithin = place >= seen.left && place < seen.right;
        if (isWithin || !best)
            best = seen.block;
    }
    return best;
}

void GraphCanvas::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    paintAll(painter, size(), themeOf(palette()), m_from, m_unitsPerPixel, m_scrollY);
}

void GraphCanvas::render(QPainter &painter, const QSize &size, const Theme &theme)
{
    if (m_drawing)
        paintAll(painter, size, theme, 0, m_drawing->width / std::max(1, size.width() - NamesWidth),
                 0);
}

void GraphCanvas::paintAll(QPainter &painter, const QSize &size, const Theme &theme, double from,
                           double unitsPerPixel, double scrollY)
{
    painter.fillRect(QRect(QPoint(0, 0), size), theme.background);
    if (!m_drawing)
        return;
    GraphFrame frame;
    frame.drawing = m_drawing.get();
    frame.rows = &m_rows;
    frame.size = QSize(size.width() - NamesWidth, size.height() - RulerHeight);
    frame.from = from;
    frame.unitsPerPixel = unitsPerPixel;
    frame.scrollY = scrollY;
    frame.theme = theme;
    frame.font = uiFont(TextSize::Small);
    frame.selected = m_selected;
    frame.alsoSelected = m_alsoSelected;
    frame.hovered = m_hovered;
    frame.isNear = &m_isNear;
    frame.difference = m_difference.get();
    painter.save();
    painter.setClipRect(NamesWidth, RulerHeight, frame.size.width(), frame.size.height());
    painter.translate(NamesWidth, RulerHeight);
    m_painter.paint(painter, frame);
    painter.restore();
    paintNames(painter, size, theme, scrollY);
    paintRuler(painter, size, theme, from, unitsPerPixel);
}

void GraphCanvas::paintNames(QPainter &painter, const QSize &size, const Theme &theme,
                             double scrollY) const
{
    painter.save();
    painter.setClipRect(0, RulerHeight, NamesWidth, size.height() - RulerHeight);
    painter.fillRect(0, RulerHeight, NamesWidth, size.height() - RulerHeight, theme.panel);
    const QFont plain = uiFont(TextSize::Small), bold = uiFont(TextSize::Small, QFont::DemiBold);
    const QFontMetrics metrics(plain);
    const QString *group = nullptr;
    QString shown;
    for (const core::DrawnLane &lane : m_drawing->lanes) {
        const double y = RulerHeight + m_rows.top[lane.firstRow] - scrollY;
        const QString name = QString::fromStdString(lane.group);
        if (group == nullptr || shown != name) {
            painter.setFont(bold);
            painter.setPen(theme.text);
            painter.drawText(
                QPointF(space::small, y - 7),
                QFontMetrics(bold).elidedText(name, Qt::ElideRight, NamesWidth - 2 * space::small));
            shown = name;
            group = &shown;
        }
        painter.setFont(plain);
        painter.setPen(theme.secondaryText);
        painter.drawText(
            QRectF(space::small + space::tiny, y, NamesWidth - 3 * space::tiny, m_rows.rowHeight),
            Qt::AlignVCenter | Qt::AlignLeft,
            metrics.elidedText(QString::fromStdString(lane.name), Qt::ElideRight,
                               NamesWidth - 2 * space::small));
    }
    painter.setPen(theme.line);
    painter.drawLine(NamesWidth - 1, RulerHeight, NamesWidth - 1, size.height());
    painter.restore();
}

void GraphCanvas::paintRuler(QPainter &painter, const QSize &size, const Theme &theme, double from,
                             double unitsPerPixel) const
{
    painter.fillRect(0, 0, size.width(), RulerHeight, theme.panel);
    painter.setPen(theme.line);
    painter.drawLine(0, RulerHeight - 1, size.width(), RulerHeight - 1);
    painter.setFont(uiFont(TextSize::Small));
    if (m_drawing->arrangement == core::Arrangement::ByLayers) {
        painter.setPen(theme.secondaryText);
        painter.drawText(NamesWidth + space::small, RulerHeight - 9,
                         tr("left to right: what waits for what"));
        return;
    }
    TimeAxis axis;
    axis.startNs = static_cast<std::int64_t>(from);
    axis.nsPerPixel = unitsPerPixel;
    axis.widthPx = std::max(1, size.width() - NamesWidth);
    for (const RulerTick &tick : rulerTicks(axis, 0)) {
        const double x = NamesWidth + tick.x;
        painter.setPen(theme.line);
        painter.drawLine(QPointF(x, RulerHeight - (tick.isMajor ? 10 : 5)),
                         QPointF(x, RulerHeight - 1));
        if (!tick.isMajor)
            continue;
        painter.setPen(theme.secondaryText);
        painter.drawText(QPointF(x + 3, RulerHeight - 10), tick.label);
    }
}

void GraphCanvas::resizeEvent(QResizeEvent *event)
{
    if (!m_drawing)
        return;
    const double before = std::max(1, event->oldSize().width() - NamesWidth);
    const bool wasWhole
        = event->oldSize().isEmpty() || m_unitsPerPixel * before >= 0.999 * extent();
    if (wasWhole)
        fit();
    else
        moveTo(m_from, m_scrollY);
}

void GraphCanvas::changeEvent(QEvent *event)
{
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange)
        update();
    QWidget::changeEvent(event);
}

void GraphCanvas::wheelEvent(QWheelEvent *event)
{
    const QPoint delta = event->angleDelta();
    if (event->modifiers().testFlag(Qt::ControlModifier))
        zoomAt(std::pow(WheelZoom, delta.y()), event->position().x());
    else if (event->modifiers().testFlag(Qt::ShiftModifier) || delta.x() != 0)
        moveTo(m_from - (delta.x() != 0 ? delta.x() : delta.y()) * m_unitsPerPixel, m_scrollY);
    else
        moveTo(m_from, m_scrollY - delta.y() / 2.0);
    event->accept();
}

void GraphCanvas::mousePressEvent(QMouseEvent *event)
{
    m_grip = event->position();
    m_isDragged = false;
}

void GraphCanvas::mouseMoveEvent(QMouseEvent *event)
{
    if (m_grip && (event->buttons() & (Qt::LeftButton | Qt::MiddleButton)) != 0) {
        const QPointF moved = event->position() - *m_grip;
        if (!m_isDragged && std::hypot(moved.x(), moved.y()) < DragFromPx)
            return;
        m_isDragged = true;
        m_grip = event->position();
        moveTo(m_from - moved.x() * m_unitsPerPixel, m_scrollY - moved.y());
        return;
    }
    const std::optional<std::uint32_t> hovered = blockAt(event->position());
    if (hovered == m_hovered)
        return;
    m_hovered = hovered;
    update();
}

void GraphCanvas::mouseReleaseEvent(QMouseEvent *event)
{
    if (!m_isDragged && event->button() == Qt::LeftButton) {
        if (const auto block = blockAt(event->position()))
            choose(*block);
        else
            select({});
    }
    m_grip.reset();
}

void GraphCanvas::mouseDoubleClickEvent(QMouseEvent *event)
{
    if (const auto block = blockAt(event->position());
        block && m_drawing->blocks[*block].hasInner())
        emit openRequested(core::keyOf(m_drawing->blocks[*block]));
}

void GraphCanvas::leaveEvent(QEvent *)
{
    m_hovered.reset();
    update();
}

bool GraphCanvas::pressMoveKey(int key)
{
    constexpr double PanShare = 0.1;
    const double pan = PanShare * bodyWidth() * m_unitsPerPixel;
    switch (key) {
    case Qt::Key_W:
    case Qt::Key_Plus:
    case Qt::Key_Equal:
        zoomBy(ZoomStep);
        return true;
    case Qt::Key_S:
    case Qt::Key_Minus:
        zoomBy(1 / ZoomStep);
        return true;
    case Qt::Key_A:
    case Qt::Key_Left:
        moveTo(m_from - pan, m_scrollY);
        return true;
    case Qt::Key_D:
    case Qt::Key_Right:
        moveTo(m_from + pan, m_scrollY);
        return true;
    case Qt::Key_Up:
        moveTo(m_from, m_scrollY - 2 * m_rows.rowHeight);
        return true;
    case Qt::Key_Down:
        moveTo(m_from, m_scrollY + 2 * m_rows.rowHeight);
        return true;
    default:
        return false;
    }
}

void GraphCanvas::keyPressEvent(QKeyEvent *event)
{
    if (!m_drawing)
        return QWidget::keyPressEvent(event);
    const bool isPlain = (event->modifiers() & ~(Qt::KeypadModifier | Qt::ShiftModifier)) == 0;
    const bool isControl = event->modifiers() == Qt::ControlModifier;
    if (isPlain && pressMoveKey(event->key()))
        return;
    switch (event->key()) {
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (m_selected && m_drawing->blocks[*m_selected].hasInner())
            emit openRequested(core::keyOf(m_drawing->blocks[*m_selected]));
        return;
    case Qt::Key_F:
        return isControl ? emit searchRequested() : focusSelection();
    case Qt::Key_Slash:
        emit searchRequested();
        return;
    case Qt::Key_Home:
        return fit();
    case Qt::Key_Period:
        return stepInRow(+1);
    case Qt::Key_Comma:
        return stepInRow(-1);
    case Qt::Key_BracketRight:
        return stepAlongPath(+1);
    case Qt::Key_BracketLeft:
        return stepAlongPath(-1);
    case Qt::Key_Escape:
        return select({});
    default:
        QWidget::keyPressEvent(event);
    }
}

bool GraphCanvas::event(QEvent *event)
{
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    const auto *const help = static_cast<QHelpEvent *>(event);
    const std::optional<std::uint32_t> block = blockAt(help->pos());
    if (!block) {
        QToolTip::hideText();
        return true;
    }
    const core::DrawnBlock &shown = m_drawing->blocks[*block];
    QStringList lines { blockTitle(shown) };
    lines += blockFacts(shown);
    QToolTip::showText(help->globalPos(), toolTipParagraphs(lines.join(u'\n')), this);
    return true;
}

} // namespace ui
