#pragma once

#include <charconv>
#include <optional>
#include <string_view>

namespace core {

/// The number that the text begins with, which is not negative and fits into int: a rank, a device,
/// a task. Absent where there is none.
inline std::optional<int> indexAtFront(std::string_view text)
{
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc {} && number >= 0 && text.front() != '-' ? std::optional(number)
                                                                       : std::nullopt;
}

/// The same of a text that is nothing but the number.
inline std::optional<int> indexFrom(std::string_view text)
{
    const bool isNumber
        = !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
    return isNumber ? indexAtFront(text) : std::nullopt;
}

} // namespace core
