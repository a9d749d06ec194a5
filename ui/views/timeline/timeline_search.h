#pragma once

#include "core/base/job_control.h"
#include "core/base/time_range.h"
#include "core/model/ids.h"
#include "ui/timeline/timeline_state.h"

#include <QString>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ui {

/// One step of a search. Names take milliseconds, arguments up to seconds, so the first step looks
/// in names only, the next ones add the first slice by arguments, a few, and the others. The last
/// one counts, where there are more than a search shows.
struct SearchRound
{
    std::filesystem::path project;
    std::string text; ///< see core::parseSearch()
    bool isInArguments = false; ///< after the first step
    std::size_t argumentHits = 0; ///< how many to find in this step
    bool isCounting = false; ///< finds nothing anew
};

/// A hit as the table of hits shows it.
struct SearchHit
{
    core::SliceId id;
    QString name, track;
    int rank = 0;
    core::TimeRange range; ///< aligned
    std::size_t row = 0; ///< of its track in the order of the project
};

struct SearchResult
{
    std::shared_ptr<const std::vector<SearchHit>> hits; ///< by start, each once; null: as before
    bool isCut = false; ///< there may be more than a search shows
    std::optional<std::uint64_t> total; ///< of all hits, where it was counted
    std::optional<SearchRound> next; ///< to run for more hits
};

/// Worker thread: reads through a connection of its own. Throws Error, Cancelled.
SearchResult runSearch(const SearchRound &round, const core::JobControl &control);

/// Where overview and tracks mark them.
std::vector<TimelineSearchHit> timelineHits(const std::vector<SearchHit> &hits);

} // namespace ui
