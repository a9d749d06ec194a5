#include "ui/views/compare/predicted_timeline.h"

#include "ui/timeline_sources/replay_timeline_source.h"

#include <unordered_map>
#include <utility>

namespace ui {
namespace {

    /// Where each of the tracks stands among `ids`.
    std::vector<std::optional<std::size_t>>
    placesOf(const std::vector<std::optional<core::TrackId>> &tracks,
             const std::vector<core::TrackId> &ids)
    {
        std::unordered_map<std::uint32_t, std::size_t> placeOf;
        for (std::size_t i = 0; i < ids.size(); ++i)
            placeOf.emplace(ids[i].value, i);
        std::vector<std::optional<std::size_t>> places(tracks.size());
        for (std::size_t i = 0; i < tracks.size(); ++i) {
            const auto place = tracks[i] ? placeOf.find(tracks[i]->value) : placeOf.end();
            if (place != placeOf.end())
                places[i] = place->second;
        }
        return places;
    }

} // namespace

PredictedTimeline predictedTimeline(std::shared_ptr<const core::Prediction> result,
                                    const core::Trace &trace, const OrderedTracks &all,
                                    const OrderedTracks &shown,
                                    std::vector<core::CommonIteration> iterations,
                                    const core::JobControl &control)
{
    PredictedTimeline predicted;
    const auto source = std::make_shared<const ReplayTimelineSource>(std::move(result),
                                                                     trace.workers, all, control);
    predicted.source = source;
    predicted.rows
        = matchRows(shown.tracks, source->tracks(), placesOf(source->measuredTracks(), shown.ids));
    predicted.iterations
        = iterations.empty() ? core::commonIterations(trace) : std::move(iterations);
    return predicted;
}

} // namespace ui
