#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace core {

/// The narrowest window that holds more than half of the values: most ranks leave a collective
/// within microseconds of each other, some are held up for milliseconds, and mostly to one side.
template <class Number>
struct DensestHalf
{
    Number middle = 0;
    Number width = 0;
};

/// `values` is not empty.
template <class Number>
DensestHalf<Number> densestHalf(std::vector<Number> values)
{
    std::sort(values.begin(), values.end());
    const std::size_t held = values.size() / 2 + 1;
    std::size_t best = 0;
    for (std::size_t i = 0; i + held <= values.size(); ++i)
        if (values[i + held - 1] - values[i] < values[best + held - 1] - values[best])
            best = i;
    return { values[best + held / 2], values[best + held - 1] - values[best] };
}

} // namespace core
