#pragma once

#include "core/model/ids.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace core {

/// Sizes of a tensor's dimensions, outermost first; empty: a scalar, or no tensor at all.
using Shape = std::vector<std::int64_t>;
/// Of an op's arguments, in their order; of an argument that is a list, those of its members.
using Shapes = std::vector<Shape>;

/// The shapes of framework ops' arguments, as far as the trace has them.
struct OpShapes
{
    std::vector<Shapes> distinct; ///< each once; the first stands for none
    std::vector<std::vector<std::uint32_t>>
        ofRow; ///< by TrackId, then [slices]: index into `distinct`; empty for a track without any

    const Shapes &of(TrackId track, std::size_t row) const
    {
        const std::vector<std::uint32_t> &rows = ofRow[track.value];
        return distinct[rows.empty() ? 0 : rows[row]];
    }
};

} // namespace core
