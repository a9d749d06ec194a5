#pragma once

#include <cstdint>
#include <vector>

namespace core {

/// The median; of two in the middle their mean. 0 for none.
std::int64_t medianNs(std::vector<std::int64_t> values);

} // namespace core
