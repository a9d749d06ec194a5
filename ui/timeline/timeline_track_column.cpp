#include "ui/timeline/timeline_track_column.h"

#include "ui/theme/theme.h"
#include "ui/timeline/drawing/counter_curve.h"
#include "ui/timeline/timeline_state.h"
#include "ui/widgets/format.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <map>

namespace ui {
namespace {

    constexpr int Margin = 8;
    constexpr int ArrowRoom = 16;
    constexpr int IndentStep = 12;

    int nameLeft(const TimelineRow &row)
    {
        return Margin + row.indent * IndentStep + (row.kind == RowKind::Section ? 0 : ArrowRoom);
    }

    QFont nameFont(const TimelineRow &row)
    {
        return uiFont(TextSize::Small,
                      row.kind == RowKind::Group || row.kind == RowKind::Section ? QFont::DemiBold
                                                                                 : QFont::Normal);
    }

} // namespace

int TimelineTrackColumn::fittedWidth(const TimelineLayout &layout)
{
    std::map<int, const TimelineRow *> longest; // by indent
    for (const TimelineRow &row : layout.rows) {
        const TimelineRow *&known = longest[row.indent];
        if (known == nullptr || row.label.size() > known->label.size()) {
            known = &row;
        }
    }
    int widest = MinimumWidth;
    for (const auto &[indent, row] : longest) {
        const int name = QFontMetrics(nameFont(*row)).horizontalAdvance(row->label);
        widest = std::max(widest, nameLeft(*row) + name + Margin + 1);
    }
    return std::min(widest, WidestFitted);
}

TimelineTrackColumn::TimelineTrackColumn(TimelineState &state, QWidget *parent)
    : QWidget(parent)
    , m_state(state)
{
    setMouseTracking(true);
    const auto repaint = qOverload<>(&QWidget::update);
    connect(&state, &TimelineState::sourceChanged, this, repaint);
    connect(&state, &TimelineState::layoutChanged, this, repaint);
    connect(&state, &TimelineState::selectionChanged, this, repaint);
}

namespace {

    /// Texts are elided to fit; a clip that drawText() sets would stay set in a PDF.
    constexpr int NameFlags = Qt::AlignLeft | Qt::AlignVCenter | Qt::TextDontClip;

} // namespace

void TimelineTrackColumn::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    const Theme &theme = themeOf(palette());
    painter.fillRect(rect(), theme.panel);
    const TimelineLayout &layout = m_state.layout();
    const auto [pinned, scrolled] = m_state.rowsInView();
    for (std::size_t i = scrolled.first; i < scrolled.second; ++i) {
        paintRow(painter, layout.rows[i]);
    }
    if (pinned.first < pinned.second) {
        painter.fillRect(0, 0, width(), m_state.stickyHeight(), theme.panel);
        for (std::size_t i = pinned.first; i < pinned.second; ++i) {
            paintRow(painter, layout.rows[i]);
        }
        painter.fillRect(0, m_state.stickyHeight() - 1, width(), 2, theme.secondaryText);
    }
    painter.fillRect(width() - 1, 0, 1, height(), theme.line);
}

void TimelineTrackColumn::paintRow(QPainter &painter, const TimelineRow &row) const
{
    const Theme &theme = themeOf(palette());
    const int top = row.y - m_state.scrollAt(row.y);
    if (row.kind == RowKind::Section) {
        painter.fillRect(0, top, width(), row.height, blend(theme.panel, theme.line, 0.6));
    }
    if (row.kind == RowKind::Group) {
        painter.fillRect(0, top, width(), 1, theme.line);
    }
    const bool isSelected = m_state.selection() && row.kind == RowKind::Track
        && row.hasTrack(m_state.selection()->track);
    if (isSelected) {
        painter.fillRect(0, top, 2, row.height, theme.accent);
    }
    const int x = nameLeft(row) - ArrowRoom;
    const int line
        = row.kind == RowKind::Track ? m_state.layout().metrics.lineHeight + 2 : row.height;
    if (row.isFoldable) {
        paintArrow(painter, row, x, top + line / 2.0);
    }
    painter.setFont(nameFont(row));
    painter.setPen(row.kind == RowKind::Track && !isSelected ? theme.secondaryText : theme.text);
    if (row.isCounter && row.kind == RowKind::Track)
        return paintCounterLabel(painter, row, top);
    const QRect box(nameLeft(row), top, width() - nameLeft(row) - Margin, line);
    painter.drawText(box, NameFlags,
                     painter.fontMetrics().elidedText(row.label, Qt::ElideMiddle, box.width()));
}

/// The name, and below it what the row's height stands for.
void TimelineTrackColumn::paintCounterLabel(QPainter &painter, const TimelineRow &row,
                                            int top) const
{
    const TimelineCounter &counter = *m_state.source()->tracks()[row.firstTrack].counter;
    const int line = painter.fontMetrics().ascent() + 2;
    const bool hasTwoLines = row.height >= 2 * line;
    QRect box(nameLeft(row), top, width() - nameLeft(row) - Margin,
              hasTwoLines ? line : row.height);
    const auto draw = [&](const QString &text) {
        painter.drawText(box, NameFlags,
                         painter.fontMetrics().elidedText(text, Qt::ElideMiddle, box.width()));
    };
    draw(row.label);
    if (hasTwoLines) {
        box.translate(0, line);
        draw(counterScaleText(counter));
    }
}

void TimelineTrackColumn::paintArrow(QPainter &painter, const TimelineRow &row, double x,
                                     double y) const
{
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(
        QPen(themeOf(palette()).secondaryText, 1.4, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter.setBrush(Qt::NoBrush);
    const QPointF centre(x + 5, y);
    const QPointF closed[] { centre + QPointF(-1.75, -3.5), centre + QPointF(1.75, 0),
                             centre + QPointF(-1.75, 3.5) };
    const QPointF open[] { centre + QPointF(-3.5, -1.75), centre + QPointF(0, 1.75),
                           centre + QPointF(3.5, -1.75) };
    painter.drawPolyline(row.isFolded ? closed : open, 3);
    painter.setRenderHint(QPainter::Antialiasing, false);
}

bool TimelineTrackColumn::isAtEdge(double x) const
{
    return x >= width() - 5;
}

void TimelineTrackColumn::mousePressEvent(QMouseEvent *event)
{
    event->ignore();
    if (event->button() != Qt::LeftButton) {
        return;
    }
    if (isAtEdge(event->position().x())) {
        m_isResizing = true;
        return;
    }
    const TimelineRow *row
        = rowAt(m_state.layout(), m_state.contentY(static_cast<int>(event->position().y())));
    if (row == nullptr) {
        return;
    }
    if (event->modifiers().testFlag(Qt::ShiftModifier)) {
        m_state.setFolds(toggledAlike(m_state.folds(), m_state.source()->tracks(), *row));
    } else {
        m_state.toggleFold(TimelineRow(*row));
    }
}

void TimelineTrackColumn::mouseMoveEvent(QMouseEvent *event)
{
    const double x = event->position().x();
    if (m_isResizing) {
        emit widthDragged(std::clamp(static_cast<int>(x), MinimumWidth, MaximumWidth));
        return;
    }
    const TimelineRow *row
        = rowAt(m_state.layout(), m_state.contentY(static_cast<int>(event->position().y())));
    const bool isArrow = row != nullptr && row->isFoldable;
    setCursor(isAtEdge(x) ? Qt::SplitHCursor : isArrow ? Qt::PointingHandCursor : Qt::ArrowCursor);
}

void TimelineTrackColumn::mouseReleaseEvent(QMouseEvent *)
{
    m_isResizing = false;
}

void TimelineTrackColumn::wheelEvent(QWheelEvent *event)
{
    m_state.setScrollY(m_state.scrollY() - event->angleDelta().y() / 2);
    event->accept();
}

bool TimelineTrackColumn::event(QEvent *event)
{
    if (event->type() != QEvent::ToolTip) {
        return QWidget::event(event);
    }
    const auto *help = static_cast<QHelpEvent *>(event);
    const TimelineRow *row = rowAt(m_state.layout(), m_state.contentY(help->pos().y()));
    if (row != nullptr) {
        const TimelineTrack &track = m_state.source()->tracks()[row->firstTrack];
        const QString text = row->isCounter && row->kind == RowKind::Track
            ? row->label + u'\n' + counterScaleText(*track.counter)
            : row->label;
        QToolTip::showText(help->globalPos(), toolTipParagraphs(text), this);
    }
    return true;
}

} // namespace ui
