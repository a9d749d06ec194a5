#include "ui/graph/graph_legend.h"

#include "ui/graph/graph_canvas.h"
#include "ui/timeline/swatch.h"

#include <QPainter>

#include <array>
#include <set>

namespace ui {

namespace {

    constexpr int SwatchWidth = 18, SwatchHeight = 10;

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

    /// Paints entries one behind the other, as far as they fit.
    class LegendRow
    {
    public:
        LegendRow(QPainter &painter, const Theme &theme, const QRect &area)
            : m_painter(painter)
            , m_theme(theme)
            , m_area(area)
            , m_x(area.left() + space::small)
        {
            painter.setFont(uiFont(TextSize::Small));
        }

        /// `paintMark` gets the mark's rectangle.
        template <class PaintMark>
        void add(const QString &text, const PaintMark &paintMark)
        {
            const int width = m_painter.fontMetrics().horizontalAdvance(text);
            if (m_x + SwatchWidth + space::tiny + width > m_area.right())
                return;
            paintMark(
                QRect(m_x, m_area.center().y() - SwatchHeight / 2, SwatchWidth, SwatchHeight));
            m_x += SwatchWidth + space::tiny;
            m_painter.setPen(m_theme.secondaryText);
            m_painter.drawText(QRect(m_x, m_area.top(), width + 1, m_area.height()),
                               Qt::AlignVCenter, text);
            m_x += width + space::large;
        }

        void addLine(const QString &text, const QPen &pen)
        {
            add(text, [&](const QRect &mark) {
                m_painter.setPen(pen);
                m_painter.drawLine(mark.left(), mark.center().y(), mark.right(), mark.center().y());
            });
        }

    private:
        QPainter &m_painter;
        const Theme &m_theme;
        QRect m_area;
        int m_x;
    };

} // namespace

GraphLegend::GraphLegend(GraphCanvas &canvas, QWidget *parent)
    : QWidget(parent)
    , m_canvas(canvas)
{
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    connect(&m_canvas, &GraphCanvas::selectionChanged, this, qOverload<>(&QWidget::update));
}

void GraphLegend::paintEvent(QPaintEvent *)
{
    const core::Drawing *const drawing = m_canvas.drawing();
    if (drawing == nullptr)
        return;
    QPainter painter(this);
    const Theme &theme = themeOf(palette());
    LegendRow row(painter, theme, rect());
    std::set<core::Role> roles;
    bool isWaiting = false;
    for (const core::DrawnBlock &block : drawing->blocks) {
        roles.insert(block.role);
        isWaiting = isWaiting || block.waitNs > 0;
    }
    for (const core::Role role : roles)
        row.add(roleTitle(role),
                [&](const QRect &mark) { paintSwatch(painter, mark, role, false, theme); });
    if (isWaiting)
        row.add(tr("waiting for other ranks"), [&](const QRect &mark) {
            paintSwatch(painter, mark, core::Role::Communication, true, theme);
        });
    if (!drawing->path.empty())
        row.addLine(tr("critical path"), QPen(theme.criticalPath, 2));
    if (drawing->arrangement == core::Arrangement::ByTime)
        row.add(tr("slack"), [&](const QRect &mark) {
            painter.fillRect(mark.adjusted(0, SwatchHeight - 2, 0, 0),
                             blend(theme.panel, theme.role(core::Role::Communication), 0.4));
        });
    std::array<bool, 3> isThere {};
    for (const core::DrawnLink &link : drawing->links)
        isThere[static_cast<std::size_t>(link.provenance)] = true;
    const std::array texts { tr("recorded"), tr("derived"), tr("inferred") };
    const std::array styles { Qt::SolidLine, Qt::DashLine, Qt::DotLine };
    for (std::size_t i = 0; i < isThere.size(); ++i)
        if (isThere[i])
            row.addLine(texts[i], QPen(theme.secondaryText, 1, styles[i]));
}

} // namespace ui
