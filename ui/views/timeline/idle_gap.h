#pragma once

#include "core/base/time_range.h"
#include "ui/timeline/timeline_source.h"
#include "ui/views/timeline/graph_links.h"
#include "ui/views/timeline/slice_details.h"

#include <QString>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace ui {

class ProjectTimelineSource;

/// A time in which a track has no slice.
struct IdleGap
{
    std::size_t track = 0;
    core::TimeRange range; ///< aligned; ends with the recording where nothing comes before or after
    std::optional<TimelineBox> before, after; ///< the slices at its ends
};

/// The gap of a track around `ns`.
IdleGap idleGap(const TimelineSource &source, std::size_t track, std::int64_t ns);

/// The op that the slice after a gap waited for.
struct GapCause
{
    GraphLinks::Link last; ///< of what it waited for, what ended last before it began
    std::int64_t endNs = 0; ///< aligned; of a collective perhaps after the gap
};

/// Empty where nothing comes after the gap, or the graph does not know what that waits for.
std::optional<GapCause> causeOf(const IdleGap &gap, const GraphLinks &links);

/// Why the track was idle, in one sentence.
QString whyIdle(const IdleGap &gap, const std::optional<GapCause> &cause);

/// The same with what ended the gap, for the details panel. Throws core::Error.
SliceDetails describeGap(const IdleGap &gap, const ProjectTimelineSource &source,
                         const GraphLinks &links);

} // namespace ui
