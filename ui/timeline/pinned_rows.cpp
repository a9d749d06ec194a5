#include "ui/timeline/pinned_rows.h"

#include <algorithm>
#include <iterator>

namespace ui {

int stickyHeight(const TimelineLayout &layout, int viewportHeight)
{
    const int most = std::min(layout.pinnedHeight, viewportHeight / 2);
    const auto end = std::ranges::partition_point(
        layout.rows, [most](const TimelineRow &row) { return row.bottom() <= most; });
    return end == layout.rows.begin() ? 0 : std::prev(end)->bottom();
}

} // namespace ui
