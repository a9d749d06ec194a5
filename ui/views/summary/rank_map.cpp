#include "ui/views/summary/rank_map.h"

#include "core/analyze/rank_cells.h"
#include "ui/theme/theme.h"
#include "ui/widgets/format.h"
#include "ui/widgets/table_csv.h"

#include <QCoreApplication>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace ui {

namespace {

    constexpr int NameWidth = 132, RangeWidth = 168; ///< left and right of the cells
    constexpr int RowHeight = 26, NumbersHeight = 20;
    constexpr double Gap = 1; ///< between cells that are wide enough for it
    constexpr double WidthForGap = 6, WidthForValue = 58, WidthForNumber = 30;
    constexpr double LightestInk = 0.04;

    std::size_t numberStep(double cellWidth)
    {
        for (std::size_t step = 1;; step *= 2)
            if (cellWidth * static_cast<double>(step) >= WidthForNumber)
                return step;
    }

} // namespace

RankMap::RankMap(const core::SummaryData &summary, QWidget *parent)
    : QWidget(parent)
    , m_ranks(summary.ranks)
{
    for (const core::RankRow &row : core::rankRows(summary))
        m_rows.push_back({ QCoreApplication::translate("RankRows", row.name.c_str()), row.ns,
                           row.name == core::WaitRow });
    m_wholeNs = core::wholeNsOf(summary);
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setCursor(Qt::PointingHandCursor);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(tr("Ranks"));
    choose(0);
    offerCsv(*this, QStringLiteral("ranks"), [this] { return csv(); });
}

/// A row a rank.
QString RankMap::csv() const
{
    QVariantList line { tr("Rank") };
    for (const Row &row : m_rows)
        line << titleWithUnit(row.name, QStringLiteral("ns"));
    QString text = csvLine(line);
    for (std::size_t rank = 0; rank < m_ranks.size(); ++rank) {
        line = { m_ranks[rank].rank };
        for (const Row &row : m_rows)
            line << QVariant::fromValue<qlonglong>(row.ns[rank]);
        text += csvLine(line);
    }
    return text;
}

QSize RankMap::sizeHint() const
{
    return { 900, RowHeight * static_cast<int>(m_rows.size()) + NumbersHeight };
}

QSize RankMap::minimumSizeHint() const
{
    return { NameWidth + RangeWidth + 100, sizeHint().height() };
}

QRectF RankMap::cellsOf(std::size_t row) const
{
    return { NameWidth, static_cast<double>(RowHeight) * static_cast<double>(row),
             std::max(1.0, static_cast<double>(width() - NameWidth - RangeWidth)),
             RowHeight - 2.0 };
}

QRectF RankMap::cell(std::size_t row, std::size_t rank) const
{
    QRectF cells = cellsOf(row);
    const double each = cells.width() / static_cast<double>(m_ranks.size());
    cells.setLeft(cells.left() + each * static_cast<double>(rank));
    cells.setWidth(each > WidthForGap ? each - Gap : each);
    return cells;
}

std::optional<std::size_t> RankMap::rankAt(const QPointF &position) const
{
    const QRectF all = cellsOf(0);
    if (m_ranks.empty() || position.x() < all.left() || position.x() >= all.right()
        || position.y() < 0 || position.y() >= height())
        return std::nullopt;
    const double share = (position.x() - all.left()) / all.width();
    return std::min(m_ranks.size() - 1,
                    static_cast<std::size_t>(share * static_cast<double>(m_ranks.size())));
}

/// Where ranks are narrower than pixels, the largest of a pixel's ranks.
void RankMap::paintRow(QPainter &painter, std::size_t row) const
{
    const Theme &theme = themeOf(palette());
    const std::vector<std::int64_t> &ns = m_rows[row].ns;
    const QRectF all = cellsOf(row);
    const auto fill = [&](const QRectF &place, std::int64_t value) {
        const double share = static_cast<double>(value) / static_cast<double>(m_wholeNs);
        painter.fillRect(place,
                         blend(theme.background, theme.accent,
                               LightestInk + (1 - LightestInk) * std::clamp(share, 0.0, 1.0)));
    };
    if (all.width() >= static_cast<double>(ns.size())) {
        for (std::size_t rank = 0; rank < ns.size(); ++rank)
            fill(cell(row, rank), ns[rank]);
        return;
    }
    const auto columns = core::inColumns(ns, static_cast<std::size_t>(all.width()));
    for (std::size_t i = 0; i < columns.size(); ++i)
        fill({ all.left() + static_cast<double>(i), all.top(), 1, all.height() }, columns[i]);
}

void RankMap::paintValues(QPainter &painter, std::size_t row) const
{
    const Theme &theme = themeOf(palette());
    const std::vector<std::int64_t> &ns = m_rows[row].ns;
    if (cell(row, 0).width() < WidthForValue)
        return;
    for (std::size_t rank = 0; rank < ns.size(); ++rank) {
        const double share = static_cast<double>(ns[rank]) / static_cast<double>(m_wholeNs);
        const QColor ground = blend(theme.background, theme.accent,
                                    LightestInk + (1 - LightestInk) * std::clamp(share, 0.0, 1.0));
        painter.setPen(contrastRatio(ground, theme.text) >= contrastRatio(ground, theme.accentText)
                           ? theme.text
                           : theme.accentText);
        painter.drawText(cell(row, rank), Qt::AlignCenter, formatDuration(ns[rank], 3));
    }
}

void RankMap::paintNumbers(QPainter &painter) const
{
    painter.setPen(themeOf(palette()).secondaryText);
    const QRectF first = cell(0, 0);
    const double each = cellsOf(0).width() / static_cast<double>(m_ranks.size());
    const std::size_t step = numberStep(each);
    const double top = cellsOf(m_rows.size()).top();
    for (std::size_t rank = 0; rank < m_ranks.size(); rank += step) {
        const double center
            = first.left() + each * static_cast<double>(rank) + std::min(each, first.width()) / 2;
        painter.drawText(QRectF(center - WidthForNumber, top, 2 * WidthForNumber, NumbersHeight),
                         Qt::AlignCenter, QString::number(m_ranks[rank].rank));
    }
    painter.drawText(QRectF(0, top, NameWidth, NumbersHeight), Qt::AlignVCenter, tr("rank"));
}

void RankMap::paintEvent(QPaintEvent *)
{
    if (m_ranks.empty())
        return;
    const Theme &theme = themeOf(palette());
    QPainter painter(this);
    for (std::size_t row = 0; row < m_rows.size(); ++row) {
        const QRectF all = cellsOf(row);
        painter.setFont(uiFont(TextSize::Normal));
        painter.setPen(theme.text);
        painter.drawText(QRectF(0, all.top(), NameWidth, all.height()), Qt::AlignVCenter,
                         m_rows[row].name);
        painter.setFont(uiFont(TextSize::Small));
        painter.setPen(theme.secondaryText);
        const auto [least, most]
            = std::minmax_element(m_rows[row].ns.begin(), m_rows[row].ns.end());
        painter.drawText(QRectF(width() - RangeWidth, all.top(), RangeWidth, all.height()),
                         Qt::AlignVCenter | Qt::AlignRight,
                         tr("%1 to %2").arg(formatDuration(*least, 3), formatDuration(*most, 3)));
        paintRow(painter, row);
        paintValues(painter, row);
    }
    painter.setFont(uiFont(TextSize::Small));
    paintNumbers(painter);
    const auto marked
        = m_hovered ? m_hovered : (hasFocus() ? std::optional(m_current) : std::nullopt);
    if (!marked)
        return;
    QRectF frame = cell(0, *marked);
    frame.setBottom(cellsOf(m_rows.size() - 1).bottom());
    painter.setPen(theme.text);
    painter.drawRect(frame.adjusted(-0.5, 0.5, 0.5, 0.5));
}

QString RankMap::tip(std::size_t rank) const
{
    QStringList lines { tr("rank %1").arg(m_ranks[rank].rank) };
    for (const Row &row : m_rows)
        lines << tr("%1: %2, %3 of its iteration")
                     .arg(row.name, formatDuration(row.ns[rank]),
                          formatPercent(static_cast<double>(row.ns[rank])
                                        / static_cast<double>(
                                            std::max<std::int64_t>(1, m_ranks[rank].totalNs()))));
    return lines.join(u'\n');
}

void RankMap::choose(std::size_t rank)
{
    if (m_ranks.empty())
        return;
    m_current = std::min(rank, m_ranks.size() - 1);
    setAccessibleDescription(tip(m_current));
    update();
}

/// Where it waited longest, or what shows it best.
void RankMap::activate(std::size_t rank, bool showsWait)
{
    choose(rank);
    const core::RankParts &parts = m_ranks[m_current];
    if (showsWait && parts.waitPlace != core::NoSlice)
        emit rankActivated(parts.waitPlace, parts.waitRange);
    else if (parts.place != core::NoSlice)
        emit rankActivated(parts.place, parts.placeRange);
}

bool RankMap::event(QEvent *event)
{
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    const auto *const help = static_cast<QHelpEvent *>(event);
    if (const auto rank = rankAt(help->pos()))
        QToolTip::showText(help->globalPos(), toolTipParagraphs(tip(*rank)), this);
    else
        QToolTip::hideText();
    return true;
}

void RankMap::mouseMoveEvent(QMouseEvent *event)
{
    m_hovered = rankAt(event->position());
    update();
}

void RankMap::leaveEvent(QEvent *)
{
    m_hovered.reset();
    update();
}

void RankMap::mousePressEvent(QMouseEvent *event)
{
    const auto rank = rankAt(event->position());
    if (event->button() != Qt::LeftButton || !rank)
        return;
    const auto row = static_cast<std::size_t>(event->position().y() / RowHeight);
    activate(*rank, row < m_rows.size() && m_rows[row].isWait);
}

void RankMap::keyPressEvent(QKeyEvent *event)
{
    switch (event->key()) {
    case Qt::Key_Left:
        return choose(m_current == 0 ? 0 : m_current - 1);
    case Qt::Key_Right:
        return choose(m_current + 1);
    case Qt::Key_Home:
        return choose(0);
    case Qt::Key_End:
        return choose(m_ranks.size());
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_Space:
        return activate(m_current);
    default:
        QWidget::keyPressEvent(event);
    }
}

} // namespace ui
