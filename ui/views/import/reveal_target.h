#pragma once

#include "core/project/read/project_reader.h"

#include <optional>
#include <string>

namespace ui {

/// Where the timeline shows what was read from a file, or of a rank.
struct RevealTarget
{
    core::SliceId slice; ///< first of the first row
    core::TimeRange range; ///< of all those rows of that rank, aligned clock
    int rank = 0;
};

/// Empty if nothing of the file is in the timeline. Of a file of several ranks: its first.
std::optional<RevealTarget> revealTarget(const core::ProjectInfo &info, const std::string &file);

/// Empty if the rank has nothing in the timeline.
std::optional<RevealTarget> revealRank(const core::ProjectInfo &info, int rank);

} // namespace ui
