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

    std::vector<SearchHit> hitsOf(const core::ProjectReader &reader,
                                  const std::vector<core::FoundSlice> &found,
                                  const core::JobControl &control)
    {
        core::throwIfCancelled(control);
        const core::ProjectInfo &info = reader.info();
        const ClockMap clocks(info.alignment);
        std::unordered_map<std::uint32_t, std::size_t> rows; // by track
        for (const core::TrackId track : orderTracks(info).ids)
            rows.try_emplace(track.value, rows.size());
        std::vector<SearchHit> hits;
        hits.reserve(found.size());
        for (const core::FoundSlice &slice : found) {
            const core::Track &track = info.tracks[slice.track.value];
            const std::int64_t startNs = clocks.toAligned(track.worker, slice.startNs);
            const std::int64_t endNs
                = clocks.toAligned(track.worker, slice.startNs + slice.durationNs);
            hits.push_back({ slice.id,
                             QString::fromStdString(reader.nameOf(slice.name)),
                             QString::fromStdString(track.name),
                             info.workers[track.worker.value].rank,
                             { startNs, endNs },
                             rows.at(slice.track.value) });
        }
        std::ranges::sort(hits, {}, [](const SearchHit &hit) {
            return std::tuple(hit.range.startNs, hit.id.value);
        });
        // Not std::ranges::unique, whose subrange clang 14 does not take from this library.
        const auto doubles
            = std::unique(hits.begin(), hits.end(),
                          [](const SearchHit &x, const SearchHit &y) { return x.id == y.id; });
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

    SearchRound countingRound(SearchRound round)
    {
        round.isCounting = true;
        return round;
    }

} // namespace

SearchResult runSearch(const SearchRound &round, const core::JobControl &control)
{
    const core::SearchTerms terms = core::parseSearch(round.text);
    SearchResult result;
    if (terms.isEmpty()) {
        result.hits = std::make_shared<const std::vector<SearchHit>>();
        return result;
    }
    const core::ProjectReader reader(round.project);
    if (round.isCounting) {
        result.isCut = true;
        result.total = reader.countByName(terms, control);
        return result;
    }
    std::vector<core::FoundSlice> found = reader.findByName(terms, MostHits, control);
    const auto byArguments = reader.findByArgs(terms, round.argumentHits, control);
    result.isCut = found.size() >= MostHits || byArguments.size() >= MostHits;
    found.insert(found.end(), byArguments.begin(), byArguments.end());
    result.hits = std::make_shared<const std::vector<SearchHit>>(hitsOf(reader, found, control));
    result.next = roundAfter(round, byArguments.size());
    // Hits by arguments are too slow to count.
    if (result.isCut && !round.isInArguments)
        result.next = countingRound(round);
    return result;
}

std::vector<TimelineSearchHit> timelineHits(const std::vector<SearchHit> &hits)
{
    std::vector<TimelineSearchHit> shown;
    shown.reserve(hits.size());
    for (const SearchHit &hit : hits)
        shown.push_back({ .id = hit.id.value,
                          .startNs = hit.range.startNs,
                          .endNs = hit.range.endNs,
                          .track = hit.row });
    return shown;
}

} // namespace ui
