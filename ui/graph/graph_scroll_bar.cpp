#include "ui/graph/graph_scroll_bar.h"

#include "ui/graph/graph_canvas.h"

#include <QSignalBlocker>

#include <cmath>

namespace ui {

GraphScrollBar::GraphScrollBar(GraphCanvas &canvas, QWidget *parent)
    : QScrollBar(Qt::Vertical, parent)
    , m_canvas(canvas)
{
    QSizePolicy policy = sizePolicy();
    policy.setRetainSizeWhenHidden(true); // else the canvas would change its width
    setSizePolicy(policy);
    connect(&canvas, &GraphCanvas::viewChanged, this, &GraphScrollBar::follow);
    connect(this, &QScrollBar::valueChanged, &canvas,
            [&canvas](int value) { canvas.scrollTo(value); });
}

void GraphScrollBar::follow()
{
    const QSignalBlocker quiet(this);
    const int most = static_cast<int>(std::ceil(m_canvas.mostScrollY()));
    setRange(0, most);
    setPageStep(static_cast<int>(m_canvas.bodyHeight()));
    setValue(static_cast<int>(m_canvas.scrollY()));
    setVisible(most > 0);
}

} // namespace ui
