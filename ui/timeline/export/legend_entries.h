#pragma once

#include "core/model/category.h"
#include "ui/theme/theme.h"

#include <QRect>
#include <QString>

#include <cstdint>
#include <vector>

class QPainter;

namespace ui {

class TimelineState;

enum class LegendMark : std::uint8_t { Fill, Hatch, CriticalPath };

/// A colour or pattern of the timeline and what it means.
struct LegendEntry
{
    QString text;
    core::Role role = core::Role::Host;
    LegendMark mark = LegendMark::Fill;
};

/// All that a timeline may show.
std::vector<LegendEntry> legendEntries();
/// Those of them that the visible time of the shown tracks has.
std::vector<LegendEntry> legendEntries(const TimelineState &state);

void paintLegendMark(QPainter &painter, const QRect &box, const LegendEntry &entry,
                     const Theme &theme);

} // namespace ui
