#include "core/import/nccl/nccl_event_line.h"

#include "core/import/checked_range.h"
#include "core/import/text/decimal_time.h"

namespace core {

namespace {

    /// "0x7f22c4000b70"; what is longer makes no sense, and is known by its beginning.
    constexpr std::size_t LongestAddress = 64;

    std::string memberText(const LenientMembers &members, std::string_view key)
    {
        return std::string(textMember(members, key).value_or(std::string_view()));
    }

    LenientMembers memberObject(const LenientMembers &members, std::string_view key)
    {
        return lenientMembers(memberText(members, key));
    }

} // namespace

NcclEventLine::NcclEventLine(std::string_view text, std::uint64_t at)
    : members(lenientMembers(text))
    , details(memberObject(members, "details"))
    , type(memberText(members, "type"))
    , offset(at)
{
    const LenientMembers start = memberObject(members, "start");
    process = memberText(start, "pid");
    thread = memberText(start, "tid");
    range = checkedRange(
        nanosecondsFromMicroseconds(memberText(start, "ts")),
        nanosecondsFromMicroseconds(memberText(memberObject(members, "stop"), "ts")));
}

std::string NcclEventLine::member(std::string_view key) const
{
    return memberText(members, key);
}

std::string NcclEventLine::detail(std::string_view key) const
{
    return memberText(details, key);
}

std::string NcclEventLine::address(std::string_view key) const
{
    return member(key).substr(0, LongestAddress);
}

std::uint64_t NcclEventLine::number(std::string_view key) const
{
    return numberMember(members, key).value_or(0);
}

} // namespace core
