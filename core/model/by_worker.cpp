#include "core/model/by_worker.h"

#include <algorithm>
#include <iterator>

namespace core {

WorkerTracks::WorkerTracks(std::span<const Track> tracks, std::size_t workerCount)
    : m_tracks(workerCount)
{
    for (const Track &track : tracks)
        m_tracks[track.worker.value].push_back(&track);
}

std::vector<const Track *> WorkerTracks::of(WorkerId worker, TrackKind kind) const
{
    std::vector<const Track *> found;
    std::copy_if(of(worker).begin(), of(worker).end(), std::back_inserter(found),
                 [kind](const Track *track) { return track->kind == kind; });
    return found;
}

std::span<const Iteration> iterationsOf(std::span<const Iteration> iterations, WorkerId worker)
{
    const auto first
        = std::partition_point(iterations.begin(), iterations.end(),
                               [worker](const Iteration &it) { return it.worker < worker; });
    const auto after = std::partition_point(
        first, iterations.end(), [worker](const Iteration &it) { return it.worker == worker; });
    return { first, after };
}

} // namespace core
