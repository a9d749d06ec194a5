#pragma once

#include "core/analyze/summary_data.h"

#include <cstdint>
#include <string>
#include <vector>

namespace core {

/// A row of a map of ranks: a part of each rank's iteration.
struct RankRow
{
    std::string name;
    std::vector<std::int64_t> ns; ///< [ranks], by rank
};

/// Name of the row of waiting.
inline constexpr const char *WaitRow = "Waits for others";

/// Computation and copies, exposed transfers, waiting for others, idle time, which add up to the
/// iteration; and making others wait. What waits is left out where waiting is not told apart.
std::vector<RankRow> rankRows(const SummaryData &data);

/// Time that the strongest colour stands for: the longest iteration of a rank, ns; 1 or more.
std::int64_t wholeNsOf(const SummaryData &data);

/// A row for at most `columns` columns: of several ranks in one, the largest value.
std::vector<std::int64_t> inColumns(const std::vector<std::int64_t> &ns, std::size_t columns);

} // namespace core
