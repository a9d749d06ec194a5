#pragma once

#include "core/model/trace.h"

#include <cstddef>
#include <span>
#include <vector>

namespace core {

/// The tracks of each worker: to look through all tracks for each of thousands of workers takes
/// longer than what is done with them. Refers to the tracks, which must outlive it.
class WorkerTracks
{
public:
    WorkerTracks(std::span<const Track> tracks, std::size_t workerCount);
    explicit WorkerTracks(const Trace &trace)
        : WorkerTracks(trace.tracks, trace.workers.size())
    {
    }

    /// By TrackId.
    const std::vector<const Track *> &of(WorkerId worker) const { return m_tracks[worker.value]; }
    std::vector<const Track *> of(WorkerId worker, TrackKind kind) const;

private:
    std::vector<std::vector<const Track *>> m_tracks; ///< by WorkerId
};

/// The worker's part of iterations that are sorted by worker, as Trace::iterations are.
std::span<const Iteration> iterationsOf(std::span<const Iteration> iterations, WorkerId worker);

} // namespace core
