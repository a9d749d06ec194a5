#pragma once

#include "core/project/write/collected_track.h"

#include <cstdint>
#include <vector>

namespace core {

/// Goes through the slices of a collected track in the track's order: merges what is in memory
/// with the spilled runs, without those that are left out. The track, with sortHeld() done, and
/// the file must outlive this and not change.
class SortedSlices
{
public:
    /// file may be null where nothing was spilled.
    SortedSlices(const CollectedTrack &track, SpillFile *file);

    /// The next slice, valid until the next call; null at the end.
    const CollectedSlice *next();

private:
    /// A sorted sequence that is merged.
    struct Source
    {
        const CollectedSlice *head = nullptr;
        std::size_t number = 0; ///< in order of arrival: the last one is in memory
    };
    static bool comesLater(const Source &a, const Source &b);
    void openRuns(SpillFile *file);
    const CollectedSlice *nextHeld();
    const CollectedSlice *nextOfAll(); ///< left out or not
    const CollectedSlice *advance(std::size_t source);

    const CollectedTrack &m_track;
    std::size_t m_nextHeld = 0;
    std::uint64_t m_left = 0; ///< to be given out
    std::vector<RunReader> m_readers;
    std::vector<Source> m_heap; ///< the earliest slice first; empty where nothing was spilled
    bool m_isFirstTaken = false; ///< the slice of m_heap.front() was given out
};

} // namespace core
