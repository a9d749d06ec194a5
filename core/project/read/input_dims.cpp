#include "core/project/read/input_dims.h"

#include <charconv>

namespace core {

namespace {

    constexpr std::string_view DimsKey = "\"Input Dims\"";
    constexpr std::string_view Blanks = " \t\r\n"; ///< a trace may be pretty-printed

    /// The innermost list that begins at `at`, and where it ends.
    struct DimsList
    {
        Shape sizes;
        std::size_t end = 0;
    };

    std::optional<DimsList> innermostDims(std::string_view text, std::size_t at)
    {
        DimsList list;
        while (++at < text.size()) {
            const char c = text[at];
            if (c == ']') {
                list.end = at;
                return list;
            }
            if (c == ',' || Blanks.find(c) != std::string_view::npos)
                continue;
            std::int64_t size = 0;
            const auto [rest, error]
                = std::from_chars(text.data() + at, text.data() + text.size(), size);
            if (error != std::errc {} || size < 0)
                return std::nullopt;
            list.sizes.push_back(size);
            at = static_cast<std::size_t>(rest - text.data()) - 1;
        }
        return std::nullopt;
    }

    /// Nothing but blanks and sizes until the list is closed.
    bool isInnermost(std::string_view text, std::size_t at)
    {
        const std::size_t next = text.find_first_of("[]", at + 1);
        return next != std::string_view::npos && text[next] == ']';
    }

} // namespace

std::string_view inputDimsText(std::string_view args)
{
    std::size_t at = args.find(DimsKey);
    if (at == std::string_view::npos)
        return {};
    at = args.find_first_not_of(Blanks, at + DimsKey.size());
    if (at == std::string_view::npos || args[at] != ':')
        return {};
    at = args.find_first_not_of(Blanks, at + 1);
    if (at == std::string_view::npos || args[at] != '[')
        return {};
    int depth = 0;
    for (std::size_t end = at; end < args.size(); ++end) {
        if (args[end] == '[')
            ++depth;
        else if (args[end] == ']' && --depth == 0)
            return args.substr(at, end + 1 - at);
    }
    return {};
}

std::optional<Shapes> parseInputDims(std::string_view text)
{
    if (text.empty() || text.front() != '[')
        return std::nullopt;
    Shapes shapes;
    for (std::size_t at = 1; at < text.size(); ++at) {
        if (text[at] != '[' || !isInnermost(text, at))
            continue;
        std::optional<DimsList> list = innermostDims(text, at);
        if (!list)
            return std::nullopt;
        shapes.push_back(std::move(list->sizes));
        at = list->end;
    }
    return shapes;
}

} // namespace core
