#include "ui/views/timeline/timeline_search.h"

#include "core/project/project_reader.h"
#include "ui/timeline_sources/clock_map.h"

#include <algorithm>
#include <tuple>

namespace ui {
namespace {

    constexpr std::size_t FirstArgumentHits = 100;
    constexpr std::size_t MostHits = 10'000; ///< by name, and as many by arguments

    std::vector<TimelineSearchHit> hitsOf(const core::ProjectReader &reader,
                                          const std::vector<core::SliceId> &ids,
                                          const core::JobControl &control)
    {
        const ClockMap clocks(reader.info().alignment);
        std::vector<TimelineSearchHit> hits;
        for (const core::SliceId id : ids) {
            core::throwIfCancelled(control);
            if (const auto place = reader.placeOf(id)) {
                hits.push_back({ id.value, clocks.toAligned(place->worker, place->range.startNs) });
            }
        }
        std::ranges::sort(
            hits, {}, [](const TimelineSearchHit &hit) { return std::tuple(hit.startNs, hit.id); });
        const auto doubles = std::ranges::unique(hits, {}, &TimelineSearchHit::id);
        hits.erase(doubles.begin(), doubles.end());
        return hits;
    }

    std::optional<SearchRound> roundAfter(const SearchRound &round, std::size_t argumentHits)
    {
        SearchRound next = round;
        if (!round.isInArguments || argumentHits < round.argumentHits) {
            return std::nullopt; // all were found
        }
        next.argumentHits = round.argumentHits == 0 ? FirstArgumentHits : MostHits;
        return round.argumentHits == MostHits ? std::nullopt : std::optional(next);
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
