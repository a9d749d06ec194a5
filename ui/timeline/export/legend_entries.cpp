#include "ui/timeline/export/legend_entries.h"

#include "ui/timeline/swatch.h"
#include "ui/timeline/timeline_state.h"

#include <QCoreApplication>
#include <QPainter>

#include <algorithm>
#include <array>

namespace ui {

namespace {

    struct LegendText
    {
        Q_DECLARE_TR_FUNCTIONS(ui::Legend)
    };

    /// Roles that occur, and whether a part of any is a wait.
    struct Occurring
    {
        std::array<bool, core::RoleCount> isRole {};
        bool hasWait = false;
        bool hasTransfer = false; ///< a box of communication that does more than wait
    };

    /// Whether the row draws the box, or a folded header its share.
    bool isDrawn(const TimelineRow &row, const TimelineBox &box)
    {
        if (row.isFlat || row.kind != RowKind::Track)
            return isShownFlat(box);
        return box.depth < row.depths;
    }

    void addTrack(const TimelineState &state, std::size_t track, Occurring &found)
    {
        if (state.source()->tracks()[track].counter)
            return;
        const TimelineRow &row = rowOfTrack(state.layout(), track);
        const core::TimeRange visible = state.visible();
        for (const TimelineBox &box :
             state.source()->boxes(track, visible, state.axis().resolutionNs())) {
            if (box.endNs <= visible.startNs || box.startNs >= visible.endNs || !isDrawn(row, box))
                continue;
            found.isRole[static_cast<std::size_t>(box.role)] = true;
            found.hasWait = found.hasWait || box.waitNs > 0;
            found.hasTransfer = found.hasTransfer
                || (box.role == core::Role::Communication && box.waitNs < box.endNs - box.startNs);
        }
    }

} // namespace

std::vector<LegendEntry> legendEntries()
{
    using core::Role;
    return { { LegendText::tr("forward compute"), Role::Forward },
             { LegendText::tr("backward compute"), Role::Backward },
             { LegendText::tr("optimizer update"), Role::Optimizer },
             { LegendText::tr("compute of an unknown phase"), Role::Unknown },
             { LegendText::tr("communication, transfer"), Role::Communication },
             { LegendText::tr("communication, waiting for other ranks"), Role::Communication,
               LegendMark::Hatch },
             { LegendText::tr("copies, memory"), Role::Memory },
             { LegendText::tr("host, launch"), Role::Host },
             { LegendText::tr("data input"), Role::Input },
             { LegendText::tr("annotations of the framework"), Role::Annotation },
             { LegendText::tr("critical path"), Role::Host, LegendMark::CriticalPath } };
}

std::vector<LegendEntry> legendEntries(const TimelineState &state)
{
    Occurring found;
    for (std::size_t track = 0; track < state.source()->tracks().size(); ++track)
        addTrack(state, track, found);
    const bool hasPath = state.isCriticalPathShown() && !state.criticalPath().empty();
    std::vector<LegendEntry> entries = legendEntries();
    std::erase_if(entries, [&](const LegendEntry &entry) {
        if (entry.mark == LegendMark::CriticalPath)
            return !hasPath;
        if (entry.mark == LegendMark::Hatch)
            return !found.hasWait;
        if (entry.role == core::Role::Communication)
            return !found.hasTransfer;
        return !found.isRole[static_cast<std::size_t>(entry.role)];
    });
    return entries;
}

void paintLegendMark(QPainter &painter, const QRect &box, const LegendEntry &entry,
                     const Theme &theme)
{
    if (entry.mark != LegendMark::CriticalPath)
        return paintSwatch(painter, box, entry.role, entry.mark == LegendMark::Hatch, theme);
    const int middle = box.center().y();
    painter.fillRect(box.x(), middle - 2, box.width(), 4, theme.criticalPathCasing);
    painter.fillRect(box.x(), middle - 1, box.width(), 2, theme.criticalPath);
}

} // namespace ui
