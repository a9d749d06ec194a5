#pragma once

#include <string>
#include <vector>

namespace core {

/// "ranks 0-7", "ranks 0, 4 ... 28" where they are equally far apart, "ranks 0, 1, 5", "rank 3", of
/// ranks in ascending order.
std::string ranksText(const std::vector<int> &ranks);

} // namespace core
