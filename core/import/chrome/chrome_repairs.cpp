#include "core/import/chrome/chrome_repairs.h"

#include "core/import/text/clean_text.h"
#include "core/import/text/json_scan.h"
#include "core/import/text/strict_text.h"

namespace core {

namespace {

    constexpr std::uint32_t UncleanText = json::HasControl | json::HasNonAscii;
    /// What need not be JSON.
    constexpr std::uint32_t Doubtful = json::HasOddScalar | json::HasEscape;

    /// Escapes of control characters are JSON's, and become spaces without a word.
    bool isTextReplaced(std::string_view text, std::uint32_t flags)
    {
        return (flags & json::HasControl) != 0
            || ((flags & json::HasNonAscii) != 0 && !isUtf8(text));
    }

} // namespace

std::string_view strictArgs(const ChromeEvent &event, std::string &buffer)
{
    if (event.argsText.size() <= 2)
        return {};
    if ((event.argsFlags & (UncleanText | Doubtful)) == 0)
        return event.argsText;
    buffer = (event.argsFlags & UncleanText) != 0 ? cleanText(event.argsText)
                                                  : std::string(event.argsText);
    if ((event.argsFlags & Doubtful) != 0)
        buffer = strictText(buffer);
    return buffer;
}

void countRepairs(const ChromeEvent &event, const std::string &file, std::uint64_t offset,
                  Diagnostics &diagnostics)
{
    const auto count = [&](std::string_view code, Severity severity, std::string_view message) {
        diagnostics.count(code, severity, { file, offset }, message);
    };
    if (event.hasRepeatedMember)
        count("repeated-member", Severity::Warning,
              "events that have a member (\"name\", \"ts\", ...) twice: the last one counts. "
              "The program that wrote them is at fault; record again with a newer version of it");
    if (event.hasQuotedNumber)
        count("quoted-number", Severity::Info,
              "numbers that are written as texts were read as numbers: nothing is lost");
    if (event.hasLargeNumber)
        count("large-number", Severity::Warning,
              "ids of more than 64 bits are not known, and what they tie to other events is not "
              "tied; record again if there are many");
    if (isTextReplaced(event.name, event.nameFlags)
        || isTextReplaced(event.argsText, event.argsFlags))
        count("text-replaced", Severity::Info,
              "events in whose texts control characters became spaces, or bytes that are no UTF-8 "
              "U+FFFD; all else of them is kept");
    if ((event.argsFlags & Doubtful) != 0 && strictText(event.argsText) != event.argsText)
        count(
            "not-json", Severity::Info,
            "events with arguments that are not JSON's (NaN, Infinity, 0x1f, words without "
            "quotes, a comma or a backslash too many): values are kept as texts, the rest was put "
            "right");
}

} // namespace core
