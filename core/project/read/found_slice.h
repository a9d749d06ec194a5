#pragma once

#include "core/model/trace.h"

#include <cstdint>

namespace core {

/// A slice that a search has found.
struct FoundSlice
{
    SliceId id;
    TrackId track;
    NameId name;
    std::int64_t startNs = 0; ///< raw clock
    std::int64_t durationNs = 0;
};

} // namespace core
