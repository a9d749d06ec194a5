#include "ui/graph/graph_legend.h"

#include "ui/graph/graph_canvas.h"
#include "ui/graph/graph_painter.h"
#include "ui/timeline/swatch.h"

#include <QPainter>

#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <utility>

namespace ui {

namespace {

    constexpr int SwatchWidth = 18, SwatchHeight = 10, LineHeight = 24;

    QString roleTitle(core::Role role)
    {
        switch (role) {
        case core::Role::Forward:
            return GraphLegend::tr("forward");
        case core::Role::Backward:
            return GraphLegend::tr("backward");
        case core::Role::Optimizer:
            return GraphLegend::tr("optimizer");
        case core::Role::Communication:
            return GraphLegend::tr("communication");
        case core::Role::Memory:
            return GraphLegend::tr("copies");
        case core::Role::Host:
            return GraphLegend::tr("host");
        case core::Role::Input:
            return GraphLegend::tr("input");
        case core::Role::Annotation:
            return GraphLegend::tr("annotations");
        case core::Role::Unknown:
            break;
        }
        return GraphLegend::tr("unknown phase");
    }

    /// A mark, which is painted into its rectangle, and what it means.
    struct LegendEntry
    {
        QString text;
        std::function<void(QPainter &, const QRect &, const Theme &)> paintMark;
    };

    LegendEntry lineEntry(const QString &text, Qt::PenStyle style)
    {
        return { text, [style](QPainter &painter, const QRect &mark, const Theme &theme) {
                    painter.setPen(QPen(theme.secondaryText, 1, style));
                    painter.drawLine(mark.left(), mark.center().y(), mark.right(),
                                     mark.center().y());
                } };
    }

    LegendEntry roleEntry(const QString &text, core::Role role, bool isHatched)
    {
        return { text, [role, isHatched](QPainter &painter, const QRect &mark, const Theme &theme) {
                    paintSwatch(painter, mark, role, isHatched, theme);
                } };
    }

    LegendEntry markEntry(const QString &text, GraphMark kind)
    {
        return { text, [kind](QPainter &painter, const QRect &mark, const Theme &theme) {
                    if (kind == GraphMark::Added || kind == GraphMark::Moved)
                        painter.fillRect(
                            mark, blend(theme.panel, theme.role(core::Role::Communication), 0.5));
                    paintMark(painter, kind, mark, theme);
                } };
    }

    /// Parts that some drawings have.
    struct Contents
    {
        std::set<core::Role> roles;
        bool isWaiting = false, hasPath = false, hasSlack = false;
        std::array<bool, 3> hasLinks {}; ///< by provenance
        std::set<GraphMark> marks;
    };

    void addMarks(Contents &contents, const core::DrawingDifference &difference)
    {
        for (const core::BlockChange change : difference.changes)
            if (change != core::BlockChange::Same)
                contents.marks.insert(change == core::BlockChange::Added ? GraphMark::Added
                                          : change == core::BlockChange::Moved
                                          ? GraphMark::Moved
                                          : GraphMark::Removed);
        for (const core::GhostBlock &ghost : difference.ghosts)
            contents.marks.insert(ghost.isRemoved ? GraphMark::Removed : GraphMark::Before);
    }

    Contents contentsOf(const std::vector<const GraphCanvas *> &canvases)
    {
        Contents contents;
        for (const GraphCanvas *const canvas : canvases) {
            const core::Drawing *const drawing = canvas->drawing();
            if (drawing == nullptr)
                continue;
            for (const core::DrawnBlock &block : drawing->blocks) {
                contents.roles.insert(block.role);
                contents.isWaiting = contents.isWaiting || block.waitNs > 0;
            }
            contents.hasPath = contents.hasPath || !drawing->path.empty();
            contents.hasSlack
                = contents.hasSlack || drawing->arrangement == core::Arrangement::ByTime;
            for (const core::DrawnLink &link : drawing->links)
                contents.hasLinks[static_cast<std::size_t>(link.provenance)] = true;
            if (canvas->difference() != nullptr)
                addMarks(contents, *canvas->difference());
        }
        return contents;
    }

    LegendEntry pathEntry()
    {
        return { GraphLegend::tr("critical path"),
                 [](QPainter &painter, const QRect &mark, const Theme &theme) {
                     painter.setPen(QPen(theme.criticalPath, 2));
                     painter.drawLine(mark.left(), mark.center().y(), mark.right(),
                                      mark.center().y());
                 } };
    }

    LegendEntry slackEntry()
    {
        return { GraphLegend::tr("slack"),
                 [](QPainter &painter, const QRect &mark, const Theme &theme) {
                     painter.fillRect(
                         mark.adjusted(0, SwatchHeight - 2, 0, 0),
                         blend(theme.panel, theme.role(core::Role::Communication), 0.4));
                 } };
    }

    std::vector<LegendEntry> entriesOf(const std::vector<const GraphCanvas *> &canvases)
    {
        const Contents contents = contentsOf(canvases);
        std::vector<LegendEntry> entries;
        for (const core::Role role : contents.roles)
            entries.push_back(roleEntry(roleTitle(role), role, false));
        if (contents.isWaiting)
            entries.push_back(roleEntry(GraphLegend::tr("waiting for other ranks"),
                                        core::Role::Communication, true));
        if (contents.hasPath)
            entries.push_back(pathEntry());
        if (contents.hasSlack)
            entries.push_back(slackEntry());
        const std::array marks {
            std::pair(GraphMark::Added, GraphLegend::tr("added")),
            std::pair(GraphMark::Moved, GraphLegend::tr("moved")),
            std::pair(GraphMark::Before, GraphLegend::tr("where it was")),
            std::pair(GraphMark::Removed, GraphLegend::tr("removed")),
        };
        for (const auto &[mark, text] : marks)
            if (contents.marks.contains(mark))
                entries.push_back(markEntry(text, mark));
        const std::array links { std::pair(Qt::SolidLine, GraphLegend::tr("recorded")),
                                 std::pair(Qt::DashLine, GraphLegend::tr("derived")),
                                 std::pair(Qt::DotLine, GraphLegend::tr("inferred")) };
        for (std::size_t i = 0; i < links.size(); ++i)
            if (contents.hasLinks[i])
                entries.push_back(lineEntry(links[i].second, links[i].first));
        return entries;
    }

    struct PlacedLegend
    {
        LegendEntry entry;
        int x = 0, line = 0, textWidth = 0;
    };

    /// From left to right, and on the next line where the width is used up.
    std::vector<PlacedLegend> placedLegend(std::vector<LegendEntry> entries, int width)
    {
        const QFontMetrics metrics(uiFont(TextSize::Small));
        std::vector<PlacedLegend> placed;
        placed.reserve(entries.size());
        int x = space::small, line = 0;
        for (LegendEntry &entry : entries) {
            const int textWidth = metrics.horizontalAdvance(entry.text);
            const int entryWidth = SwatchWidth + space::tiny + textWidth;
            if (x > space::small && x + entryWidth > width) {
                x = space::small;
                ++line;
            }
            placed.push_back({ std::move(entry), x, line, textWidth });
            x += entryWidth + space::large;
        }
        return placed;
    }

} // namespace

GraphLegend::GraphLegend(std::vector<const GraphCanvas *> canvases, QWidget *parent)
    : QWidget(parent)
    , m_canvases(std::move(canvases))
{
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    updateHeight();
    for (const GraphCanvas *const canvas : m_canvases)
        connect(canvas, &GraphCanvas::selectionChanged, this, [this] {
            updateHeight();
            update();
        });
}

int GraphLegend::heightOf(const std::vector<const GraphCanvas *> &canvases, int width)
{
    const std::vector<PlacedLegend> placed = placedLegend(entriesOf(canvases), width);
    return placed.empty() ? LineHeight : (placed.back().line + 1) * LineHeight;
}

void GraphLegend::paint(QPainter &painter, const QRect &area,
                        const std::vector<const GraphCanvas *> &canvases, const Theme &theme)
{
    painter.setFont(uiFont(TextSize::Small));
    for (const PlacedLegend &placed : placedLegend(entriesOf(canvases), area.width())) {
        const int x = area.left() + placed.x, y = area.top() + placed.line * LineHeight;
        placed.entry.paintMark(
            painter, QRect(x, y + (LineHeight - SwatchHeight) / 2, SwatchWidth, SwatchHeight),
            theme);
        painter.setPen(theme.secondaryText);
        painter.drawText(QRect(x + SwatchWidth + space::tiny, y, placed.textWidth + 1, LineHeight),
                         Qt::AlignVCenter, placed.entry.text);
    }
}

/// All entries are told to assistive programs, too.
void GraphLegend::updateHeight()
{
    QStringList texts;
    for (const LegendEntry &entry : entriesOf(m_canvases))
        texts << entry.text;
    setAccessibleName(tr("Legend: %1").arg(texts.join(QStringLiteral("; "))));
    setFixedHeight(heightOf(m_canvases, width()));
}

void GraphLegend::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    setFixedHeight(heightOf(m_canvases, width()));
}

void GraphLegend::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    paint(painter, rect(), m_canvases, themeOf(palette()));
}

} // namespace ui
