#pragma once

#include "ui/timeline/timeline_state.h"
#include "ui/views/timeline/graph_links.h"

#include <cstddef>
#include <vector>

namespace ui {

/// The most arrows that are drawn of a selection.
inline constexpr std::size_t MostArrows = 32;

/// Dependencies of a slice, in the order of what they tell: who came last to its collective, what
/// it waited for and what waited for it, by turns, those nearest in time first.
struct SelectionArrows
{
    std::vector<TimelineArrow> arrows; ///< at most MostArrows
    std::size_t more = 0; ///< that are not drawn
};

/// `source` shows the slices of the graph's project; those that it does not show are left out.
SelectionArrows selectionArrows(const TimelineHit &selection, const GraphLinks &links,
                                const TimelineSource &source);

} // namespace ui
