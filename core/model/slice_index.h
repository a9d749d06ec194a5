#pragma once

#include "core/model/trace.h"

#include <cstddef>
#include <vector>

namespace core {

/// Finds a slice's track and row by its id: ids are contiguous in a track. Refers to the trace,
/// which must outlive it.
class SliceIndex
{
public:
    explicit SliceIndex(const Trace &trace);

    struct Place
    {
        TrackId track;
        std::size_t row = 0;
    };
    /// Empty if the trace has no slice of that id.
    std::optional<Place> find(SliceId id) const;

    // The slice must exist. Times are in the raw clock of its worker.
    std::int64_t startNs(SliceId id) const;
    std::int64_t endNs(SliceId id) const;
    Category category(SliceId id) const;
    const std::string &name(SliceId id) const;
    WorkerId worker(SliceId id) const;

private:
    Place place(SliceId id) const;

    const Trace &m_trace;
    std::vector<TrackId> m_byFirst; ///< tracks that have slices, by first slice
};

} // namespace core
