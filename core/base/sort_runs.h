#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace core {

/// Sorts, stable, what consists of few ascending runs (what several lanes did, each in order of
/// time): merges neighbouring runs, n log(runs).
template <class T, class Less>
void sortRuns(std::vector<T> &items, Less isLess)
{
    std::vector<std::size_t> begins { 0 };
    for (std::size_t i = 1; i < items.size(); ++i)
        if (isLess(items[i], items[i - 1]))
            begins.push_back(i);
    constexpr std::size_t Few = 32;
    if (begins.size() > Few)
        return std::stable_sort(items.begin(), items.end(), isLess);
    const auto at
        = [&items](std::size_t i) { return items.begin() + static_cast<std::ptrdiff_t>(i); };
    while (begins.size() > 1) {
        std::vector<std::size_t> merged;
        for (std::size_t i = 0; i < begins.size(); i += 2) {
            merged.push_back(begins[i]);
            if (i + 1 == begins.size())
                break;
            const std::size_t end = i + 2 < begins.size() ? begins[i + 2] : items.size();
            std::inplace_merge(at(begins[i]), at(begins[i + 1]), at(end), isLess);
        }
        begins = std::move(merged);
    }
}

} // namespace core
