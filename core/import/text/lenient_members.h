#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace core {

/// One member of a JSON object that was written by hand.
struct LenientMember
{
    std::string key;
    std::string value; ///< of a string without quotes and escapes, else as written
    bool isString = false;
};

using LenientMembers = std::vector<LenientMember>;

/// The members of `{"a": 1, "b": ncclFloat32, "c": 0x4142e90}`: values may be bare words and
/// hexadecimal numbers, which JSON does not know. Ends at the first place that makes no sense.
LenientMembers lenientMembers(std::string_view object);

/// The same as strict JSON text: values that JSON does not know become strings. "" for no members.
std::string strictJson(const LenientMembers &members);

/// The member's text; absent without such a member.
std::optional<std::string_view> textMember(const LenientMembers &members, std::string_view key);
/// The member's number, decimal or hexadecimal, quoted or not; absent without such a member or if
/// it is no number that is not negative.
std::optional<std::uint64_t> numberMember(const LenientMembers &members, std::string_view key);
/// As numberMember() for what must fit into int: ranks, channels, steps.
std::optional<int> indexMember(const LenientMembers &members, std::string_view key);

} // namespace core
