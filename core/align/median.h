#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace core {

/// The upper one of two in the middle; `values` is not empty.
template <class Number>
Number median(std::vector<Number> values)
{
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

} // namespace core
