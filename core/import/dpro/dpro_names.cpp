#include "core/import/dpro/dpro_names.h"

#include "core/import/text/index_text.h"

namespace core {

DproName parseDproName(std::string_view name)
{
    DproName parsed;
    if (const std::size_t at = name.find("->"); at != std::string_view::npos) {
        parsed.pid = name.substr(0, at);
        name.remove_prefix(at + 2);
    }
    if (const std::size_t at = name.find("~>"); at != std::string_view::npos) {
        parsed.suffix = name.substr(at + 2);
        name = name.substr(0, at);
    }
    parsed.standard = name;
    const std::size_t first = name.find('.');
    parsed.category = name.substr(0, first);
    if (first == std::string_view::npos)
        return parsed;
    parsed.op = name.substr(first + 1);
    const std::size_t last = parsed.op.rfind('.');
    if (parsed.category == "Comm" && last != std::string_view::npos) {
        parsed.subOp = parsed.op.substr(last + 1);
        parsed.op = parsed.op.substr(0, last);
    }
    return parsed;
}

std::optional<DproPid> parseDproPid(std::string_view pid)
{
    constexpr std::string_view Rank = ".rank";
    for (const std::string_view word : { std::string_view("host"), std::string_view("traces_") }) {
        const std::size_t at = pid.find(Rank);
        if (!pid.starts_with(word) || at == std::string_view::npos || at < word.size())
            continue;
        const auto host = indexFrom(pid.substr(word.size(), at - word.size()));
        const auto local = indexFrom(pid.substr(at + Rank.size()));
        if (host && local)
            return DproPid { *host, *local };
    }
    return std::nullopt;
}

std::vector<int> dproNumbers(std::string_view list, char separator)
{
    std::vector<int> numbers;
    while (!list.empty()) {
        const std::size_t end = list.find(separator);
        const auto number = indexFrom(list.substr(0, end));
        if (!number)
            return {};
        numbers.push_back(*number);
        list = end == std::string_view::npos ? std::string_view() : list.substr(end + 1);
    }
    return numbers;
}

} // namespace core
