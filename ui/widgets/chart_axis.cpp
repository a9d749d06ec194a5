#include "ui/widgets/chart_axis.h"

#include "ui/theme/theme.h"

#include <QAbstractAxis>
#include <QValueAxis>

#include <algorithm>
#include <cmath>

namespace ui {

namespace {

    /// That a multiple of the round step needs.
    int decimalsOf(double step)
    {
        int decimals = 0;
        for (double rest = step; std::abs(rest - std::round(rest)) > 1e-6; rest *= 10)
            ++decimals;
        return decimals;
    }

} // namespace

void styleAxis(QAbstractAxis &axis, const Theme &theme, bool hasGrid)
{
    axis.setLabelsFont(uiFont(TextSize::Small));
    axis.setTitleFont(uiFont(TextSize::Small));
    axis.setLabelsColor(theme.secondaryText);
    axis.setTitleBrush(theme.secondaryText);
    axis.setLinePen(QPen(theme.line));
    axis.setGridLineVisible(hasGrid);
    axis.setGridLinePen(QPen(blend(theme.background, theme.line, 0.7)));
}

double roundStep(double range)
{
    const double rough = std::max(range, 1e-9) / 6;
    const double magnitude = std::pow(10.0, std::floor(std::log10(rough)));
    double step = 10 * magnitude;
    for (const double factor : { 5.0, 2.5, 2.0, 1.0 }) {
        if (factor * magnitude >= rough)
            step = factor * magnitude;
    }
    return step;
}

void setRoundRange(QValueAxis &axis, double smallest, double largest)
{
    const double step = roundStep(largest - smallest);
    const double from = std::floor(smallest / step + 1e-9) * step;
    const int ticks = static_cast<int>(std::ceil((largest - from) / step - 1e-9));
    axis.setRange(from, from + step * std::max(1, ticks));
    axis.setTickCount(std::max(1, ticks) + 1);
    axis.setLabelFormat(QStringLiteral("%.%1f").arg(decimalsOf(step)));
}

} // namespace ui
