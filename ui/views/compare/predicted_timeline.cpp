#include "ui/views/compare/predicted_timeline.h"

#include "ui/timeline_sources/replay_timeline_source.h"

#include <limits>
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

    /// The tracks that each stands for; where there is none, an id that no track has.
    std::vector<core::TrackId> idsOf(const std::vector<std::optional<core::TrackId>> &tracks)
    {
        constexpr core::TrackId None { std::numeric_limits<std::uint32_t>::max() };
        std::vector<core::TrackId> ids;
        for (const std::optional<core::TrackId> &track : tracks)
            ids.push_back(track.value_or(None));
        return ids;
    }

    std::shared_ptr<const Counters> replayedCounters(const core::Prediction &result,
                                                     const core::Trace &trace,
                                                     const core::JobControl &control)
    {
        return std::make_shared<const Counters>(
            linkCounters(core::replayedLinkUse(*result.graph, trace, *result.replay,
                                               result.timeOriginNs, control),
                         control));
    }

} // namespace

PredictedTimeline predictedTimeline(std::shared_ptr<const core::Prediction> result,
                                    std::shared_ptr<const core::Prediction> reference,
                                    const core::Trace &trace, const OrderedTracks &all,
                                    const OrderedTracks &shown,
                                    std::vector<core::CommonIteration> iterations,
                                    const core::JobControl &control)
{
    PredictedTimeline predicted;
    predicted.twins = std::make_shared<const OpTwins>(
        *result->graph, reference != nullptr ? reference->graph.get() : nullptr, control);
    const auto source = std::make_shared<const ReplayTimelineSource>(std::move(result),
                                                                     trace.workers, all, control);
    predicted.source = source;
    if (reference != nullptr) {
        const auto above = std::make_shared<const ReplayTimelineSource>(
            std::move(reference), trace.workers, all, control);
        predicted.reference = above;
        predicted.rows
            = matchRows(above->tracks(), source->tracks(),
                        placesOf(source->measuredTracks(), idsOf(above->measuredTracks())));
    } else {
        predicted.rows = matchRows(shown.tracks, source->tracks(),
                                   placesOf(source->measuredTracks(), shown.ids));
    }
    predicted.iterations
        = iterations.empty() ? core::commonIterations(trace) : std::move(iterations);
    return predicted;
}

void addCounters(PredictedTimeline &predicted, const core::Prediction &result,
                 const core::Prediction *reference, const core::Trace &trace,
                 std::size_t shownTracks, const core::JobControl &control)
{
    const auto below = replayedCounters(result, trace, control);
    const std::size_t belowTracks = predicted.source->tracks().size();
    predicted.source = std::make_shared<const SourceWithCounters>(predicted.source, below);
    if (reference == nullptr) {
        addCounterRows(predicted.rows, *predicted.measuredCounters, shownTracks, *below,
                       belowTracks);
        return;
    }
    const auto above = replayedCounters(*reference, trace, control);
    const std::size_t aboveTracks = predicted.reference->tracks().size();
    predicted.reference = std::make_shared<const SourceWithCounters>(predicted.reference, above);
    addCounterRows(predicted.rows, *above, aboveTracks, *below, belowTracks);
}

} // namespace ui
