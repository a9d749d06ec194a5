#pragma once

#include <cstddef>
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
constexpr std::size_t MaximumCategoryBytes = 1024; ///< of one category's name
constexpr std::string_view FurtherCategories = "further categories";

/// Whether a category that is named first when there are `known` others has a count of its own.
inline bool hasOwnCount(std::string_view category, std::size_t known)
{
    return known < MaximumCategories && category.size() <= MaximumCategoryBytes;
}

/// Adds to a category's count; those without one of their own share that of FurtherCategories.
inline void countCategory(CategoryCounts &counts, std::string_view category,
                          std::uint64_t count = 1)
{
    auto known = counts.find(category);
    if (known == counts.end())
        known = counts
                    .try_emplace(std::string(
                        hasOwnCount(category, counts.size()) ? category : FurtherCategories))
                    .first;
    known->second += count;
}

} // namespace core
