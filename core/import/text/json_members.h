#pragma once

#include "core/import/text/decimal_time.h"
#include "core/import/text/json_scan.h"

#include <cstdint>
#include <optional>
#include <string_view>

/// Walking over a JSON value that lies in memory as a whole and was found to be balanced
/// (json::skipValue). Private to core/import.
namespace core::json {

/// The text between a string's quotes, still escaped; any other value as it is.
inline std::string_view unquoted(std::string_view value)
{
    const bool isString = value.size() >= 2 && value.front() == '"' && value.back() == '"';
    return isString ? value.substr(1, value.size() - 2) : value;
}

/// A number, quoted or not.
inline std::optional<std::uint64_t> naturalIn(std::string_view value)
{
    return unsignedFrom(unquoted(value));
}

/// Takes one value from [p, end) and moves p behind it; false where there is none.
inline bool takeValueAt(const char *&p, const char *end, std::string_view &value)
{
    p = skipSpace(p);
    std::uint32_t flags = 0;
    const char *after = p < end ? skipValue(p, end, flags) : nullptr;
    if (after == nullptr || after > end)
        return false;
    value = { p, static_cast<std::size_t>(after - p) };
    p = skipSpace(after);
    return true;
}

/// Calls visit(value) for the elements of an array, in order. False if `array` is no array or
/// makes no sense; the elements before were visited.
template <class Visit>
bool forEachElement(std::string_view array, Visit &&visit)
{
    if (array.size() < 2 || array.front() != '[')
        return false;
    const char *p = skipSpace(array.data() + 1);
    const char *end = array.data() + array.size() - 1; // the closing bracket
    while (p < end) {
        std::string_view value;
        if (!takeValueAt(p, end, value))
            return false;
        visit(value);
        if (p < end && *p++ != ',')
            return false;
        p = skipSpace(p);
    }
    return true;
}

/// Calls visit(key, value) for the members of an object, in order. False if `object` is no object
/// or makes no sense; the members before were visited.
template <class Visit>
bool forEachMember(std::string_view object, Visit &&visit)
{
    if (object.size() < 2 || object.front() != '{')
        return false;
    const char *p = skipSpace(object.data() + 1);
    const char *end = object.data() + object.size() - 1;
    while (p < end) {
        std::string_view key, value;
        if (*p != '"' || !takeValueAt(p, end, key) || p >= end || *p++ != ':'
            || !takeValueAt(p, end, value))
            return false;
        visit(unquoted(key), value);
        if (p < end && *p++ != ',')
            return false;
        p = skipSpace(p);
    }
    return true;
}

} // namespace core::json
