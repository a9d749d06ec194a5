#pragma once

#include "core/analyze/summary_data.h"
#include "ui/theme/theme.h"

class QChart;
class QString;

namespace ui {

/// Time of every iteration, one series a rank: grouped bars for few, lines for many.
/// The caller (a QChartView) owns the chart.
QChart *createIterationChart(const core::SummaryData &data, const Theme &theme);

/// The least time on the value axis of createIterationChart(), which rounds it down: 0 for bars,
/// and for lines unless they lay on each other then.
std::int64_t iterationAxisStartNs(const core::SummaryData &data);

/// The colours of createIterationChart()'s ranks as rich text that wraps between them; of many
/// ranks, the ends of the ramp. Empty for a single rank.
QString rankLegend(const core::SummaryData &data, const Theme &theme);

/// The same of createPartsChart()'s parts.
QString partsLegend(const core::SummaryData &data, const Theme &theme);

/// Stacked bars, one a rank: compute, exposed communication, copies, idle. Of many ranks only the
/// slowest; `shownRanks` says how many.
QChart *createPartsChart(const core::SummaryData &data, const Theme &theme,
                         std::size_t &shownRanks);

/// Height that the chart of parts needs for this many ranks, in pixels.
int partsChartHeight(std::size_t ranks);

/// Colour of one of `count` ranks: a ramp in lightness and from blue to yellow, which neither
/// colour blindness nor grey takes away; lines have one of three patterns besides.
QColor rankColor(std::size_t index, std::size_t count, const Theme &theme);

} // namespace ui
