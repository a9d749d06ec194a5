#include "core/import/execution_trace/op_schema.h"

#include <algorithm>

namespace core {

std::optional<std::uint64_t> mutatedArguments(std::string_view schema)
{
    constexpr unsigned LastBit = 63;
    const std::size_t open = schema.find('(');
    if (open == std::string_view::npos)
        return std::nullopt;
    std::uint64_t mutated = 0;
    unsigned argument = 0;
    unsigned depth = 0;
    bool isMarker = false; // the lone "*" before the keyword-only arguments is none itself
    for (const char c : schema.substr(open)) {
        if (c == '(' || c == '[') {
            ++depth;
        } else if (c == ')' || c == ']') {
            if (--depth == 0)
                return mutated;
        } else if (c == '!') { // the alias annotation of a written argument: (a!)
            mutated |= std::uint64_t { 1 } << std::min(argument, LastBit);
        } else if (depth == 1 && c == '*') {
            isMarker = true;
        } else if (depth == 1 && c == ',') {
            argument += isMarker ? 0 : 1;
            isMarker = false;
        }
    }
    return std::nullopt;
}

} // namespace core
