#pragma once

#include "core/project/read/project_reader.h"
#include "ui/timeline/timeline_state.h"

#include <vector>

namespace ui {

/// The iterations of the project on the aligned clock, one mark an index: from the first rank that
/// begins it to the last one that ends it, cut where the next one begins. "Left out" are those
/// that no figure is of: see core::ComparedIterations.
std::vector<TimelineIteration> iterationMarks(const core::ProjectInfo &info,
                                              const core::ComparedIterations &compared);

} // namespace ui
