#pragma once

#include "core/base/job_control.h"
#include "ui/timeline/timeline_state.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ui {

/// One step of a search. Names take milliseconds, arguments up to seconds, so the first step looks
/// in names only, the next ones add the first slice by arguments, a few, and the others.
struct SearchRound
{
    std::filesystem::path project;
    std::string text;
    bool isInArguments = false; ///< after the first step
    std::size_t argumentHits = 0; ///< how many to find in this step
};

struct SearchResult
{
    std::vector<TimelineSearchHit> hits; ///< by aligned start, each slice once
    bool isCut = false; ///< there may be more than a search shows
    std::optional<SearchRound> next; ///< to run for more hits
};

/// Worker thread: reads through a connection of its own. Throws Error, Cancelled.
SearchResult runSearch(const SearchRound &round, const core::JobControl &control);

} // namespace ui
