#pragma once

#include "core/align/clock_offsets.h"

#include <cstddef>
#include <vector>

namespace core {

/// Those whose ends tell of clocks.
using EndCollectives = std::vector<const ObservedCollective *>;

/// Thinned out evenly where there are very many, but not those of few workers: they may be the only
/// tie between some. They refer to `evidence`.
EndCollectives endCollectives(const ClockEvidence &evidence);

/// By worker: whether chains of collectives tie it to the reference.
std::vector<bool> tiedWorkers(const EndCollectives &collectives, std::size_t workers,
                              std::size_t reference);

} // namespace core
