#pragma once

#include "core/report/report.h"
#include "core/report/report_page.h"

#include <cstddef>
#include <string>
#include <vector>

namespace core {

/// Copies lanes `first` to before `end` of a drawing with their blocks, links and steps of the
/// path.
Drawing lanesOf(const Drawing &drawing, std::size_t first, std::size_t end);

/// Height that they need of a page that they begin on, with heading and caption, pixels. At least
/// one timeline.
double leastHeight(const std::vector<ReportTimeline> &timelines);

/// Draws them below the pen under a heading, all at one scale of time and of text. Several stand on
/// one page, to be compared, or on a page each where that would be too small to be read; one that
/// is too high for the rest of the page goes on on the next one, between ranks.
void drawTimelines(ReportPages &pages, const std::vector<ReportTimeline> &timelines,
                   const std::string &caption);

} // namespace core
