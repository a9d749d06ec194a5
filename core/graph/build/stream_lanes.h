#pragma once

#include "core/graph/build/graph_context.h"

#include <cstddef>
#include <vector>

namespace core {

/// Which operations of a stream's row run one after the other.
struct StreamLanes
{
    std::vector<std::size_t> laneOfRow; ///< [rows of the track]; empty: all are in lane 0
    std::size_t count = 1;
};

/// A stream runs its operations one after the other, in the order of their launches. Profilers that
/// show several streams in one row break both: where operations ran at once that were launched each
/// for itself, they are divided among as few lanes as keep both, those of one process group or name
/// together. Notes which row that was. After addHostOps().
StreamLanes streamLanes(GraphContext &context, const Track &track);

} // namespace core
