#pragma once

#include <string>
#include <vector>

namespace core {

/// "ranks 0-7", "ranks 0, 4 ... 28" where they are equally far apart, "ranks 0, 1, 5", "rank 3", of
/// ranks in ascending order.
std::string ranksText(const std::vector<int> &ranks);

/// "0-7", "0, 4, 8-11" of ranks in any order; all of them, runs of three or more as one.
std::string rankNumbersText(std::vector<int> ranks);

} // namespace core
