#pragma once

#include "core/align/clock_bounds.h"
#include "core/align/clock_offsets.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace core {

/// O2 of dPRO §4.2: processes of one machine share its clock. Workers of one host whose intervals
/// hold their common offset get that one; a worker whose interval holds 0 keeps its recorded times
/// (no drift either way, and nobody goes beyond its reach). One of the reference's host keeps them
/// wherever its reach lets it, and its clock is the reference's where its interval says so, too.
/// Where that breaks a bound between two workers that was kept, they stay as they were.
/// Hosts are compared by name, empty: unknown.
void joinEqualClocks(const std::vector<std::string> &hosts, std::size_t reference,
                     const std::vector<ClockBound> &bounds,
                     std::vector<std::optional<ClockOffset>> &clocks);

} // namespace core
