#pragma once

#include "core/model/category.h"
#include "ui/theme/theme.h"
#include "ui/timeline/drawing/pixel_canvas.h"
#include "ui/timeline/timeline_coordinates.h"
#include "ui/timeline/timeline_source.h"

#include <array>
#include <vector>

namespace ui {

/// Share of each pixel column that each role occupies, 0..1; [columns], by role.
using RoleUse = std::vector<std::array<float, core::RoleCount>>;

/// Adds what `box` occupies of the columns of `axis`; within one track nested boxes of a role
/// count once. Annotations, which also cover waiting, count only where `isAnnotated`.
void addUse(RoleUse &use, const TimeAxis &axis, const TimelineBox &box, bool isAnnotated = false);

/// Utilisation of the tracks [first, end): of their device streams and communication where they
/// have some, else of their host threads; of annotations where there is nothing else, so that
/// their row is not empty. Summed over tracks and limited to 1. `waits`, if not null, becomes the
/// share of each column in which a slice of communication only waits.
RoleUse utilisation(const TimelineSource &source, std::size_t first, std::size_t end,
                    const TimeAxis &axis, std::vector<float> *waits = nullptr);

/// True if anything in `use` communicates, or does something else.
bool hasCommunication(const RoleUse &use);
bool hasOtherThanCommunication(const RoleUse &use);

enum class Lane : std::uint8_t { Work, Communication };

struct LaneColours
{
    using OfRoles = std::array<QRgb, core::RoleCount>;

    OfRoles full, dimmed;
    std::vector<bool> isDimmed; ///< [columns]; empty: none is
};

LaneColours laneColours(const Theme &theme);

/// Draws one column a device pixel, roles stacked from the ground line up: communication, or
/// everything else.
void paintLane(PixelCanvas &canvas, const RoleUse &use, const LaneColours &colours, Lane lane,
               int top, int height);

} // namespace ui
