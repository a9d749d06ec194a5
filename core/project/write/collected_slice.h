#pragma once

#include "core/model/category.h"
#include "core/model/ids.h"

#include <cstdint>

namespace core {

/// One slice as it arrived.
struct CollectedSlice
{
    std::int64_t startNs = 0, durationNs = 0;
    std::uint64_t correlation = 0, externalId = 0, node = 0, sequence = 0, forwardThread = 0,
                  bytes = 0;
    std::uint64_t argsOrdinal = 0; ///< in the file, from 1; 0: none
    std::uint32_t callOrdinal = 0; ///< of slices with calls of the track, from 1; 0: it has none
    NameId name;
    Category category = Category::Other;

    std::int64_t endNs() const { return startNs + durationNs; }
};

} // namespace core
