#pragma once

#include <cstdint>
#include <string_view>

// Named ranges of the calling thread, into the process's recording. Without one they do nothing.
// They throw std::bad_alloc where they take a text.
namespace collectors {

struct RangeText
{
    std::string_view name;
    std::uint32_t color = 0; ///< ARGB; 0: none
    const void *domain = nullptr; ///< each has its own nesting
    std::string_view domainName;
};

/// The level of nesting, from 0; nvtx::NoTracking (-2) without a recording.
int pushRange(const RangeText &text);
/// The level that ends; -1 if none was open.
int popRange(const void *domain) noexcept;
/// A range that any thread may end; 0: it will not be recorded.
std::uint64_t startRange(const RangeText &text);
void endRange(std::uint64_t range) noexcept;
/// A range without duration. Returns 0.
int markMoment(const RangeText &text);

/// A new iteration begins here and the one before ends, which is recorded with its number.
void markIteration(std::uint64_t number) noexcept;

} // namespace collectors
