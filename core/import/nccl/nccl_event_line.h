#pragma once

#include "core/base/time_range.h"
#include "core/import/text/lenient_members.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace core {

/// One record of a file of NCCL's events, a line each, taken apart.
struct NcclEventLine
{
    NcclEventLine(std::string_view text, std::uint64_t offset);

    std::string member(std::string_view key) const; ///< empty: it has none of that name
    std::string detail(std::string_view key) const; ///< the same of `details`
    /// Of a member that is an address, of which only so much is looked at as makes sense.
    std::string address(std::string_view key) const;
    std::uint64_t number(std::string_view key) const; ///< 0: it has none of that name

    LenientMembers members, details;
    std::string type, process, thread;
    std::optional<TimeRange> range; ///< absent for times that are missing or reversed
    std::uint64_t offset; ///< in the file
};

} // namespace core
