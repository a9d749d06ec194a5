#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace core {

/// Records of a source by the category that they name themselves.
using CategoryCounts = std::map<std::string, std::uint64_t, std::less<>>;

/// Traces have some tens of categories; a damaged file can name a new one in every record.
constexpr std::size_t MaximumCategories = 1000;

/// Adds to a category's count; categories past MaximumCategories share one, "further categories".
inline void countCategory(CategoryCounts &counts, std::string_view category,
                          std::uint64_t count = 1)
{
    auto known = counts.find(category);
    if (known == counts.end())
        known = counts
                    .try_emplace(counts.size() < MaximumCategories ? std::string(category)
                                                                   : "further categories")
                    .first;
    known->second += count;
}

} // namespace core
