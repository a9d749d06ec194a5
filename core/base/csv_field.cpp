#include "core/base/csv_field.h"

namespace core {

namespace {

    bool isFormula(std::string_view text)
    {
        constexpr std::string_view Beginnings = "=+-@\t\r";
        return !text.empty() && Beginnings.find(text.front()) != std::string_view::npos;
    }

} // namespace

std::string csvField(std::string_view text, bool isNumber)
{
    std::string shown(!isNumber && isFormula(text) ? "'" : "");
    shown += text;
    if (shown.find_first_of(",\"\r\n") == std::string::npos)
        return shown;
    std::string quoted = "\"";
    for (const char c : shown)
        quoted.append(c == '"' ? 2 : 1, c);
    return quoted + '"';
}

} // namespace core
