#include "ui/timeline/iteration_bands.h"

#include <algorithm>
#include <cmath>

namespace ui {

std::vector<IterationBand> iterationBands(const std::vector<TimelineIteration> &iterations,
                                          const TimeAxis &axis,
                                          const std::function<double(const QString &)> &advance)
{
    constexpr double Beyond = 10; ///< what is farther outside need not be drawn
    constexpr double Before = 4, Behind = 2; ///< a label, in its band
    std::vector<IterationBand> bands;
    for (const TimelineIteration &iteration : iterations) {
        const double left = std::max(-Beyond, axis.xOf(iteration.range.startNs));
        const double right = std::min(axis.widthPx + Beyond, axis.xOf(iteration.range.endNs));
        if (right <= left)
            continue;
        IterationBand band { std::round(left), std::max(1.0, std::round(right - left) - 1),
                             std::nullopt, iteration.label };
        const double from = std::max(band.left, 0.0) + Before;
        const double room = std::min(band.left + band.width, static_cast<double>(axis.widthPx));
        for (const QString &label : { iteration.label, iteration.shortLabel }) {
            const double end = from + advance(label);
            if (!label.isEmpty() && end + Behind <= room) {
                band.label = label;
                band.labelX = from;
                break;
            }
        }
        bands.push_back(std::move(band));
    }
    return bands;
}

} // namespace ui
