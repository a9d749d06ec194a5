#include "core/import/rank_from_name.h"

#include "core/import/index_text.h"

#include <array>
#include <cctype>
#include <string>

namespace core {

namespace {

    constexpr std::size_t MaximumRankDigits = 6;
    constexpr std::string_view RankDigits = "0123456789";

    std::optional<int> numberAtFront(std::string_view text)
    {
        const std::string_view digits = text.substr(0, text.find_first_not_of(RankDigits));
        return digits.size() <= MaximumRankDigits ? indexFrom(digits) : std::nullopt;
    }

    /// "rank" and then a number, with at most one of _ - [ = . between them.
    std::optional<int> numberAfterWord(const std::string &name, std::string_view word)
    {
        for (std::size_t at = name.find(word); at != std::string::npos;
             at = name.find(word, at + 1)) {
            const bool startsWord
                = at == 0 || std::isalpha(static_cast<unsigned char>(name[at - 1])) == 0;
            std::string_view rest = std::string_view(name).substr(at + word.size());
            if (!rest.empty() && std::string_view("_-[=.").find(rest[0]) != std::string_view::npos)
                rest.remove_prefix(1);
            const std::optional<int> number = numberAtFront(rest);
            if (startsWord && number)
                return number;
        }
        return std::nullopt;
    }

    std::optional<int> numberInWords(std::string_view name)
    {
        std::string lower;
        for (const char c : name)
            lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        for (const std::string_view word :
             { std::string_view("rank"), std::string_view("worker") }) {
            if (const auto number = numberAfterWord(lower, word))
                return number;
        }
        return std::nullopt;
    }

    /// "trace_0.json", "trace-12.pt.trace.json.gz", "0.json": the number before the extensions.
    std::optional<int> numberBeforeExtension(std::string_view name)
    {
        constexpr std::array<std::string_view, 5> Extensions
            = { ".gz", ".json", ".trace", ".pt", ".jsonl" };
        for (bool hasChanged = true; hasChanged;) {
            hasChanged = false;
            for (const std::string_view extension : Extensions) {
                if (name.ends_with(extension)) {
                    name.remove_suffix(extension.size());
                    hasChanged = true;
                }
            }
        }
        const std::size_t last = name.find_last_not_of(RankDigits);
        const std::size_t begin = last == std::string_view::npos ? 0 : last + 1;
        const bool isApart
            = begin == 0 || name[last] == '_' || name[last] == '-' || name[last] == '.';
        return isApart ? numberAtFront(name.substr(begin)) : std::nullopt;
    }

} // namespace

std::optional<int> rankFromWords(std::string_view path)
{
    while (!path.empty()) {
        const std::size_t slash = path.find_last_of("/\\");
        const std::size_t begin = slash == std::string_view::npos ? 0 : slash + 1;
        if (const auto number = numberInWords(path.substr(begin)))
            return number;
        path = path.substr(0, begin == 0 ? 0 : slash);
    }
    return std::nullopt;
}

std::optional<int> rankFromName(std::string_view path)
{
    const std::string_view file = path.substr(path.find_last_of("/\\") + 1);
    if (const auto number = numberInWords(file))
        return number;
    if (const auto number = numberBeforeExtension(file))
        return number;
    return rankFromWords(path.substr(0, path.size() - file.size()));
}

} // namespace core
