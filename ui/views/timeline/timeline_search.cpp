#include "ui/views/timeline/timeline_search.h"

#include "core/project/read/project_reader.h"
#include "ui/timeline_sources/clock_map.h"
#include "ui/timeline_sources/track_order.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <unordered_map>

namespace ui {
namespace {

    constexpr std::size_t MostHits = 10'000; ///< by name, and as many by arguments
    /// A step begins anew, so the early ones, which end soon, are few hits: of a rare text the
    /// first hit is there long before all of the arguments have been read.
    constexpr std::array<std::size_t, 4> ArgumentHits { 0, 1, 100, MostHits };

    std::vector<TimelineSearchHit> hitsOf(const core::ProjectReader &reader,
                                          const std::vector<core::SliceId> &ids,
                                          const core::JobControl &control)
    {
        const ClockMap clocks(reader.info().alignment);
        std::unordered_map<std::uint32_t, std::size_t> rows; // by track
        for (const core::TrackId track : orderTracks(reader.info()).ids) {
            rows.try_emplace(track.value, rows.size());
        }
        std::vector<TimelineSearchHit> hits;
        for (const core::SliceId id : ids) {
            core::throwIfCancelled(control);
            if (const auto place = reader.placeOf(id)) {
                const std::int64_t start = clocks.toAligned(place->worker, place->range.startNs);
                hits.push_back({ .id = id.value,
                                 .startNs = start,
                                 .endNs = start + place->range.durationNs(),
                                 .track = rows.at(place->track.value) });
            }
        }
        std::ranges::sort(
            hits, {}, [](const TimelineSearchHit &hit) { return std::tuple(hit.startNs, hit.id); });
        // Not std::ranges::unique, whose subrange clang 14 does not take from this library.
        const auto doubles = std::unique(
            hits.begin(), hits.end(),
            [](const TimelineSearchHit &x, const TimelineSearchHit &y) { return x.id == y.id; });
        hits.erase(doubles, hits.end());
        return hits;
    }

    std::optional<SearchRound> roundAfter(const SearchRound &round, std::size_t argumentHits)
    {
        if (!round.isInArguments || argumentHits < round.argumentHits) {
            return std::nullopt; // all were found
        }
        const auto next = std::ranges::upper_bound(ArgumentHits, round.argumentHits);
        if (next == ArgumentHits.end()) {
            return std::nullopt;
        }
        SearchRound after = round;
        after.argumentHits = *next;
        return after;
    }

} // namespace

SearchResult runSearch(const SearchRound &round, const core::JobControl &control)
{
    const core::ProjectReader reader(round.project);
    std::vector<core::SliceId> ids = reader.findByName(round.text, MostHits);
    const auto byArguments = reader.findByArgs(round.text, round.argumentHits, control);
    SearchResult result;
    result.isCut = ids.size() >= MostHits || byArguments.size() >= MostHits;
    ids.insert(ids.end(), byArguments.begin(), byArguments.end());
    result.hits = hitsOf(reader, ids, control);
    result.next = roundAfter(round, byArguments.size());
    return result;
}

} // namespace ui
