#include "core/import/text/lenient_members.h"

#include "core/import/checked_index.h"
#include "core/import/text/clean_text.h"
#include "core/import/text/decimal_time.h"
#include "core/import/text/json_scan.h"
#include "core/import/text/strict_text.h"

#include <algorithm>
#include <charconv>

namespace core {

namespace {

    /// A copy of the text with the zeros behind it that the scanning functions may look at.
    class PaddedText
    {
    public:
        explicit PaddedText(std::string_view text)
            : m_text(text)
            , m_size(text.size())
        {
            m_text.append(json::ScanPadding, '\0');
        }
        const char *begin() const { return m_text.data(); }
        const char *end() const { return m_text.data() + m_size; }

    private:
        std::string m_text;
        std::size_t m_size;
    };

    /// From a quote to after the closing one; nullptr if there is none.
    const char *takeString(const char *p, const char *end, std::string &text)
    {
        std::uint32_t flags = 0;
        const char *quote = json::findStringEnd(p + 1, end, flags);
        if (quote >= end)
            return nullptr;
        text = cleanString({ p + 1, static_cast<std::size_t>(quote - p - 1) });
        return quote + 1;
    }

    const char *takeValue(const char *p, const char *end, LenientMember &member)
    {
        if (*p == '"') {
            member.isString = true;
            return takeString(p, end, member.value);
        }
        std::uint32_t flags = 0;
        const char *after = json::skipValue(p, end, flags);
        if (after == nullptr || after >= end)
            return nullptr;
        member.value = cleanText({ p, static_cast<std::size_t>(after - p) });
        return after;
    }

    /// Of a value as takeValue() finds it.
    bool isStrict(const std::string &value)
    {
        return value.starts_with('{') || value.starts_with('[') || isStrictScalar(value);
    }

} // namespace

LenientMembers lenientMembers(std::string_view object)
{
    LenientMembers members;
    const PaddedText text(object);
    const char *p = json::skipSpace(text.begin());
    while (*p == (members.empty() ? '{' : ',')) {
        p = json::skipSpace(p + 1);
        LenientMember member;
        if (*p != '"' || (p = takeString(p, text.end(), member.key)) == nullptr)
            break;
        p = json::skipSpace(p);
        if (*p != ':')
            break;
        p = takeValue(json::skipSpace(p + 1), text.end(), member);
        if (p == nullptr)
            break;
        members.push_back(std::move(member));
        p = json::skipSpace(p);
    }
    return members;
}

std::string strictJson(const LenientMembers &members)
{
    std::string text;
    for (const LenientMember &member : members) {
        text += text.empty() ? "{" : ", ";
        text += quotedText(member.key) + ": ";
        text
            += !member.isString && isStrict(member.value) ? member.value : quotedText(member.value);
    }
    return text.empty() ? text : text + '}';
}

std::optional<std::string_view> textMember(const LenientMembers &members, std::string_view key)
{
    const auto found = std::find_if(members.begin(), members.end(),
                                    [key](const auto &member) { return member.key == key; });
    return found != members.end() ? std::optional<std::string_view>(found->value) : std::nullopt;
}

std::optional<std::uint64_t> numberMember(const LenientMembers &members, std::string_view key)
{
    const std::optional<std::string_view> text = textMember(members, key);
    if (!text || !text->starts_with("0x"))
        return text ? unsignedFrom(*text) : std::nullopt;
    std::uint64_t value = 0;
    const char *end = text->data() + text->size();
    const auto [stop, error] = std::from_chars(text->data() + 2, end, value, 16);
    return error == std::errc() && stop == end ? std::optional(value) : std::nullopt;
}

std::optional<int> indexMember(const LenientMembers &members, std::string_view key)
{
    return checkedIndex(numberMember(members, key));
}

} // namespace core
